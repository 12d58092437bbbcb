"""A record as a film, on a pseudo-terminal: a real run is recorded at one size and played at another."""
import hashlib
import os
import pathlib
import re
import shutil
import sys
import types

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from console import Console, closing, ended, payroll, pyte, sanitized  # noqa: E402
from harness import descendants, main  # noqa: E402

TRACE = "trace"
SAME = "this is what was shown (frame matches)"


def recorded_run(home, cols=80, rows=24):
    """Two raises were held: the first approved, the second denied.  Gives the record's path."""
    console = payroll(home, cols=cols, rows=rows)
    console.armed()
    console.press("y")
    console.wait("call 3 waits")
    console.armed()
    console.press("n")
    console.wait("ended: ok")
    ended(home)
    console.press("q")
    console.exit_code()
    return home.record()


def replayed(home, record, **more):
    return Console(home, "replay", record, **more)


def stopped_at_start(console):
    """The film at its very start."""
    console.wait("0:0")
    console.press("0")
    return console.wait("▮▮", "0:00", "2 decisions")


def chained(lines):
    """The lines with the chain made anew."""
    head, out = "0" * 64, []
    for line in lines:
        if not line.startswith('{"content"'):
            line = re.sub(r'"prev":"[0-9a-f]{64}"}\n$', '"prev":"%s"}\n' % head, line)
            head = hashlib.sha256(line.encode()).hexdigest()
        out.append(line)
    return "".join(out)


# --- what is shown ---

def a_real_presentation_is_made_again_to_the_last_byte_in_another_size(home):
    record = recorded_run(home, 80, 24)
    for cols, rows in ((80, 24), (120, 40), (61, 20), (200, 60)):
        console = replayed(home, record, cols=cols, rows=rows)
        stopped_at_start(console)
        console.press("]")
        console.wait("recorded: approved by person")
        console.press("s")
        console.wait(SAME, "76 columns of text", "approved by person")
        console.press("]")
        console.wait(SAME, "what was seen of call 3", "denied by person")
        console.press("q")
        console.wait("recorded: denied by person", absent=[SAME])
        console.close()
        home.consoles.remove(console)


def what_was_seen_in_a_wide_console_matches_in_a_narrow_one(home):
    record = recorded_run(home, 130, 40)
    console = replayed(home, record, cols=80, rows=24)
    stopped_at_start(console)
    console.press("]")
    console.wait("recorded: approved")
    console.press("s")
    console.wait(SAME, "126 columns of text", "laid out for 76 columns")


def a_frame_that_was_not_the_recorded_one_is_said_to_differ(home):
    """A console that lies about what it showed: the record holds its word, the replay does not."""
    record = recorded_run(home)
    forged = home.work / "forged.jsonl"
    lines = record.read_text().splitlines(keepends=True)
    forged.write_text(chained([re.sub(r'"frame":"[0-9a-f]{64}"', '"frame":"%s"' % ("0" * 64), line)
                               if '"type":"call.presented"' in line else line for line in lines]))
    console = replayed(home, forged)
    stopped_at_start(console)
    console.press("]")
    console.wait("recorded: approved")
    console.press("s")
    console.wait("DIFFERS from what was recorded", absent=[SAME])


def what_was_redacted_cannot_be_made_again_and_is_not_said_to_differ(home):
    record = recorded_run(home)
    lines = record.read_text().splitlines(keepends=True)
    gone = home.work / "redacted.jsonl"
    gone.write_text("".join(line for line in lines if r'{\"name\":\"Ada\",\"amount\":9000}' not in line))
    assert gone.stat().st_size < record.stat().st_size
    console = replayed(home, gone)
    stopped_at_start(console)
    console.press("]")
    console.wait("recorded: approved")
    console.press("s")
    console.wait("cannot be made again", absent=[SAME, "DIFFERS"])


# --- moving ---

def it_plays_by_itself_and_shows_the_pane_while_a_call_is_held(home):
    console = replayed(home, recorded_run(home))
    console.wait(">>", "recorded: approved by person")
    console.wait("recorded: denied by person")
    console.wait("▮▮", "+ ended: ok")
    assert console.process.poll() is None


def steps_go_one_event_on_and_back(home):
    record = recorded_run(home)
    events = len(home.recorded())
    console = replayed(home, record)
    stopped_at_start(console)
    console.press("$")
    console.wait("+ ended: ok")
    for _ in range(events):
        console.press(",")
        console.pump(0.01)
    console.wait("no calls yet", "2 decisions", "starting")
    for _ in range(events):
        console.press(".")
        console.pump(0.01)
    console.wait("+ ended: ok", "decision 2 of 2")


def decisions_are_stepped_to_and_back_and_end_with_words(home):
    console = replayed(home, recorded_run(home))
    stopped_at_start(console)
    console.press("]")
    console.wait("call 2 waited", "decision 1 of 2")
    console.press("]")
    console.wait("call 3 waited", "decision 2 of 2")
    console.press("]")
    console.wait("no decision comes any more")
    console.press("[")
    console.wait("call 2 waited", "decision 1 of 2")
    console.press("[")
    console.wait("no decision before this one")


def a_pane_that_was_closed_stays_closed_and_enter_opens_it(home):
    console = replayed(home, recorded_run(home), cols=100, rows=30)
    stopped_at_start(console)
    console.press("]")
    console.wait("call 2 waited")
    console.press("q")
    console.wait("WAITS", absent=["call 2 waited"])
    console.press("\r")
    console.wait("call 2 waited")


def a_search_jumps_to_the_event_and_says_which(home):
    console = replayed(home, recorded_run(home))
    stopped_at_start(console)
    console.press("/")
    console.wait("search:")
    console.type("call.decided\r")
    numbers = []
    for key in ("\x0e", "\x0e", "\x10", "\x10"):
        numbers.append(int(re.search(r"found in event (\d+)", console.wait("found in event")).group(1)))
        console.press("\x0c")
        console.wait(absent=["found in event"])
        console.press(key)
    events = [n for n, event in enumerate(home.recorded(), 1) if event["type"] == "call.decided"]
    assert numbers == [events[0], events[1], events[2], events[1]], (numbers, events)
    console.press("/")
    console.type("no such words\r")
    console.wait("not found")


def a_time_and_a_call_are_gone_to_by_name(home):
    console = replayed(home, recorded_run(home))
    stopped_at_start(console)
    console.press(":")
    console.type("3\r")
    console.wait("3 0:0", "asked")
    console.press(":")
    console.type("1:00:00\r")
    console.wait("+ ended: ok")
    console.press(":")
    console.type("77\r")
    console.wait("there is no call 77")


# --- what it cannot do ---

def no_key_of_a_replay_asks_or_decides_anything(home):
    record = recorded_run(home)
    before = record.read_bytes()
    console = replayed(home, record)
    stopped_at_start(console)
    console.press("]")
    console.wait("recorded: approved")
    for key in "ynrXeEgRbc+zSVT1mdL":
        console.press(key)
        console.pump(0.02)
    console.wait("recorded: approved by person", absent=["stop the run?", "because:"])
    console.press("?")
    text = console.wait("keys that work now", "play or pause the replay")
    for words in ("approve this call", "deny this call", "five more minutes", "every clock stops"):
        assert words not in text, words
    assert record.read_bytes() == before


class Traced(Console):
    """Under strace, where there is one."""

    def command(self, words):
        traced = ["strace", "-f", "-o", TRACE] if shutil.which("strace") else []
        return traced + super().command(words)


# A sanitizer's search for leaks traces the process itself.
TRACEABLE = sanitized("detect_leaks=0")


def system_calls(home):
    path = home.work / TRACE
    lines = path.read_text(errors="replace").splitlines() if path.exists() else []
    return [line.split(None, 1)[1].partition("(")[0] for line in lines]


def it_opens_no_socket_and_starts_no_process(home):
    console = Traced(home, "replay", recorded_run(home), env=TRACEABLE)
    stopped_at_start(console)
    for key in ("]", "s", "q", "]", ".", "$"):
        console.press(key)
        console.pump(0.2)
    console.wait("+ ended: ok")
    for pid in {console.process.pid} | descendants(console.process.pid):
        for entry in pathlib.Path("/proc/%d/fd" % pid).iterdir():
            assert not os.readlink(entry).startswith("socket:"), entry
    console.press("Q")
    assert console.exit_code() == 0
    calls = system_calls(home)
    assert calls.count("execve") == (1 if shutil.which("strace") else 0), calls
    assert not {"clone", "clone3", "fork", "vfork", "socket", "connect", "socketpair"} & set(calls)


# --- records that are not whole ---

def a_torn_record_is_played_up_to_its_tear(home):
    record = recorded_run(home)
    torn = home.work / "torn.jsonl"
    torn.write_bytes(record.read_bytes()[:-40])
    console = replayed(home, torn)
    console.wait("torn")
    console.press("$")
    console.wait("0:0", "torn", absent=["+ ended: ok · exit"])


def a_run_that_goes_on_is_played_as_far_as_it_is(home):
    live = payroll(home)
    live.armed()
    console = replayed(home, home.record())
    console.wait("goes on")
    console.wait("recorded: never decided")
    live.press("y")
    live.wait("call 3 waits")
    console.wait("recorded: never decided", "call 2 waited")


def what_is_no_record_is_refused_in_words(home):
    for words in (["/dev/null"], ["no-such-session"], [str(home.write("x.jsonl", "hello\n"))]):
        console = Console(home, "replay", *words)
        assert console.exit_code() != 0
        assert "tollbridge: " in console.text(), console.text()


def the_list_of_runs_opens_a_record_and_q_goes_back_to_it(home):
    recorded_run(home)
    console = Console(home)
    console.wait("raise-9000-1", absent=["decisions"])
    console.press("\r")
    console.wait("decision", "0:0")
    console.press("$")
    console.wait("+ ended: ok")
    console.press("q")
    console.wait("raise-9000-1", absent=["decision 2"])
    console.press("q")
    assert console.exit_code() == 0


TESTS = [value for name, value in list(globals().items())
         if isinstance(value, types.FunctionType) and value.__module__ == "__main__"
         and name not in ("recorded_run", "replayed", "stopped_at_start", "chained",
                          "system_calls")]

if __name__ == "__main__":
    chosen = [test for test in TESTS if not sys.argv[1:] or test.__name__ in sys.argv[1:]]
    main([closing(test) for test in chosen], None if pyte else "python3-pyte is not installed")
