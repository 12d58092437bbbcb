"""The console on a pseudo-terminal: the real program, supervisor and tools; keys go in, and both the
screen as an emulator shows it and the raw bytes are looked at."""
import fcntl
import json
import os
import pathlib
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "run"))
import harness  # noqa: E402
from harness import BINARY, main, of_type, wait_for  # noqa: E402

try:
    import pyte
except ImportError:
    pyte = None

if pyte:
    class Screen(pyte.Screen):
        """Scrolls its region too, which curses asks for where much of a frame has moved."""

        def scroll_up(self, count=1):
            self.at_top(self.delete_lines, count)

        def scroll_down(self, count=1):
            self.at_top(self.insert_lines, count)

        def at_top(self, change, count):
            x, y = self.cursor.x, self.cursor.y
            self.cursor.y = self.margins.top if self.margins else 0
            change(count or 1)
            self.cursor.x, self.cursor.y = x, y

    class Stream(pyte.ByteStream):
        csi = dict(pyte.ByteStream.csi, S="scroll_up", T="scroll_down")
        events = pyte.ByteStream.events | {"scroll_up", "scroll_down"}

def sanitized(options):
    """An environment that says this to AddressSanitizer as well; any other build ignores it."""
    return {"ASAN_OPTIONS": ":".join(filter(None, [os.environ.get("ASAN_OPTIONS"), options]))}


# Or the sanitizer ends a process its own way once the console has given its terminal back.
OWN_CRASHES = sanitized("handle_segv=0:handle_sigbus=0:handle_abort=0")

APPROVE = "y approve once"
RESTING = "the keyboard must rest"
PASTE = b"\x1b[200~%s\x1b[201~"


class Console:
    """One console process on a pseudo-terminal of its own."""

    def __init__(self, home, *words, cols=80, rows=24, env=None, reads=True):
        self.screen = Screen(cols, rows)
        self.stream = Stream(self.screen)
        self.raw = b""
        self.reads = reads
        self.master, slave = os.openpty()
        self.set_size(cols, rows)
        self.slave_name = os.ttyname(slave)

        def own_terminal():
            os.setsid()
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)

        self.process = subprocess.Popen(
            self.command(words), stdin=slave, stdout=slave, stderr=slave, cwd=home.work,
            env={**home.env, "LC_ALL": "C.UTF-8", **(env or {})}, preexec_fn=own_terminal)
        os.close(slave)
        os.set_blocking(self.master, False)
        home.consoles.append(self)

    def command(self, words):
        return [BINARY, *map(str, words)]

    def set_size(self, cols, rows):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))

    def resize(self, cols, rows):
        self.pump()
        self.screen.resize(rows, cols)
        self.set_size(cols, rows)

    def pump(self, seconds=0.0):
        """Take what the console has written, for so long."""
        end = time.monotonic() + seconds
        while self.reads:
            left = max(0.0, end - time.monotonic())
            if not select.select([self.master], [], [], left)[0]:
                return
            try:
                data = os.read(self.master, 65536)
            except (BlockingIOError, OSError):
                return
            if not data:
                return
            self.raw += data
            self.stream.feed(data)

    def text(self):
        self.pump()
        return "\n".join(line.rstrip() for line in self.screen.display)

    def wait(self, *words, absent=(), deadline=harness.DEADLINE):
        """Until all words are on the screen, and none of absent."""
        end = time.monotonic() + deadline
        while True:
            self.pump(0.02)
            text = self.text()
            if all(word in text for word in words) and not any(word in text for word in absent):
                return text
            if time.monotonic() > end or self.process.poll() is not None:
                raise AssertionError("waited for %r without %r; screen:\n%s" % (words, absent, text))

    def press(self, keys):
        os.write(self.master, keys if isinstance(keys, bytes) else keys.encode())

    def insist(self, key, *words):
        """Press a key until the words are there: one that meets a pane in the making may be dropped."""
        def there():
            self.press(key)
            end = time.monotonic() + 2
            while time.monotonic() < end:
                self.pump(0.02)
                if all(word in self.text() for word in words):
                    return True
            return False
        harness.wait_for(there, "%r after %r" % (words, key))

    def type(self, text):
        """As a person does: key by key, faster than one can, slower than a paste."""
        for char in text:
            self.press(char)
            self.pump(0.06)

    def armed(self):
        return self.wait(APPROVE, absent=[RESTING])

    def exit_code(self, deadline=harness.DEADLINE):
        end = time.monotonic() + deadline
        while self.process.poll() is None:
            self.pump(0.02)
            if time.monotonic() > end:
                raise AssertionError("it did not end; screen:\n" + self.text())
        self.pump()
        return self.process.returncode

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.master)


def payroll(home, **more):
    """A console on the program with two raises that wait."""
    config = home.payroll()
    return Console(home, "run", "--program", home.work / "raise-9000.py", "-c", config, **more)


def salaries(home):
    employees = json.loads((home.work / "employees.json").read_text())
    employees = employees if isinstance(employees, list) else employees["employees"]
    return {one["name"]: one["salary"] for one in employees}


def approved_by_person(home):
    return [event for event in of_type(home.recorded(), "call.decided")
            if event["verdict"] == "approve" and event["by"] == "person"]


def ended(home):
    return wait_for(lambda: of_type(home.recorded(), "session.end"), "the end of the session")


# --- what the keys do ---

def y_approves_when_armed_and_n_denies(home):
    console = payroll(home)
    before = salaries(home)
    console.armed()
    console.press("y")
    console.wait("call 3 waits")
    console.armed()
    console.press("n")
    console.wait("ended: ok")
    ended(home)
    after = salaries(home)
    raised = {name: after[name] - before[name] for name in after if after[name] != before[name]}
    assert sorted(raised.values()) == [9000], raised
    decided = of_type(home.recorded(), "call.decided")
    assert [one["verdict"] for one in decided if one["by"] == "person"] == ["approve", "deny"]
    console.press("q")
    assert console.exit_code() == 0


def a_reason_reaches_the_program(home):
    console = payroll(home)
    console.wait("call 2 waits", "n deny")
    console.press("r")
    console.wait("deny, because:")
    console.type("too much")
    console.press("\r")
    console.wait("call 3 waits")
    output = "".join(one["text"] for one in of_type(home.recorded(), "output"))
    assert "denied: too much" in output, output


def x_and_s_stop_the_run(home):
    console = payroll(home)
    before = salaries(home)
    console.wait("call 2 waits", "X stop")
    console.press("X")
    console.wait("stop the run?")
    console.pump(0.4)
    console.press("S")
    console.wait("ended: stopped")
    assert salaries(home) == before
    console.press("q")
    assert console.exit_code() == 3


def x_without_s_stops_nothing(home):
    console = payroll(home)
    console.wait("call 2 waits", "X stop")
    console.press("X")
    console.wait("stop the run?")
    console.press("\x1b")
    console.wait("call 2 waits", absent=["stop the run?"])
    assert not of_type(home.recorded(), "call.decided")[1:]


def nothing_but_y_approves(home):
    console = payroll(home, env={"VISUAL": "true"})
    for key in ("\r", " ", "a", "Y", "\x19", "\x1by", "1", "e", "g", "o"):
        console.armed()
        console.press(key)
        console.pump(0.4)
        if key == "g":
            console.wait("a grant from call 2")
            console.press("\x1b")
    console.wait("call 2 waits")
    assert not approved_by_person(home)


def a_code_is_typed_to_approve_what_a_rule_wants_it_for(home):
    config = home.payroll()
    settings = json.loads(config.read_text())
    settings["approval"]["rules"].append({"tools": ["apply_raise"], "action": "ask",
                                          "confirm": "code"})
    config.write_text(json.dumps(settings))
    console = Console(home, "run", "--program", home.work / "raise-9000.py", "-c", config)
    console.armed()
    console.press("y")
    code = re.search(r"type ([0-9A-Z]{4}), then", console.wait("to approve type")).group(1)
    console.type("zzzz\r")
    console.wait("that is not the code")
    assert not approved_by_person(home)
    console.type(code)
    console.press("\r")
    console.wait("call 3 waits")
    assert len(approved_by_person(home)) == 1


# --- what approves nothing ---

def keys_typed_ahead_approve_nothing(home):
    console = payroll(home)
    for _ in range(40):
        console.press("y")
    console.armed()
    assert not approved_by_person(home)


def pressed_early(home):
    """A console that swallowed a y pressed while the keyboard had to rest.  On a machine that stalls
    between the look and the key the key comes in time, and another console is tried."""
    for _ in range(10):
        console = payroll(home)
        console.wait("call 2 waits", RESTING)
        console.press("y")
        wait_for(lambda: "too early" in console.text() or approved_by_person(home), "the key's effect")
        if not approved_by_person(home):
            return console
        home.consoles.remove(console)
        console.close()
    raise AssertionError("no key could be pressed early")


def a_key_before_the_pane_is_armed_approves_nothing(home):
    console = pressed_early(home)
    console.armed()
    assert not approved_by_person(home)


def a_held_key_approves_nothing(home):
    """Pressed while the pane is quiet; the repeats begin half a second later, as keyboards do.  Repeats
    that a stalled machine held up for longer than the keyboard must rest are no held key."""
    for _ in range(10):
        console = pressed_early(home)
        times = [time.monotonic()]
        console.pump(0.45)
        for _ in range(60):
            console.press("y")
            times.append(time.monotonic())
            console.pump(0.033)
        if not approved_by_person(home):
            console.armed()
            return
        gaps = [after - before for before, after in zip(times, times[1:])]
        assert gaps[0] > 0.6 or max(gaps[1:]) > 0.25, "a held key approved: %r" % gaps
        home.consoles.remove(console)
        console.close()
    raise AssertionError("the machine stalls too often to hold a key")


def a_paste_approves_nothing(home):
    console = payroll(home)
    console.armed()
    console.press(PASTE % b"y")
    console.pump(0.6)
    console.armed()
    console.press(b"y" + PASTE % b"and more")
    console.pump(0.6)
    console.armed()
    console.press(b"yyyy\ry")
    console.pump(0.6)
    console.armed()
    assert not approved_by_person(home)


def a_key_that_strays_came_with_approves_nothing(home):
    console = payroll(home)
    for stray in (b"\xc3", b"\x9b", b"\xff", b"\x1b[I", b"\x1b]11;rgb:0/0/0\x07"):
        console.armed()
        console.press(stray + b"y")
        console.pump(0.6)
        assert not approved_by_person(home), stray
    console.armed()


def ctrl_c_leads_out_of_a_paste_whose_end_was_lost(home):
    console = payroll(home)
    console.armed()
    console.press(b"\x1b[200~yyy\x03")
    console.pump(1.2)
    console.press("y")
    console.pump(1.2)
    console.press("\x03")
    console.wait("detach")
    console.press("\x1b")
    console.armed()
    assert not approved_by_person(home)
    console.press("y")
    console.wait("call 3 waits")


def a_resize_arms_anew(home):
    console = payroll(home)
    console.armed()
    console.resize(100, 30)
    console.wait(RESTING)
    console.press("y")
    console.wait("too early")
    assert not approved_by_person(home)
    console.armed()
    console.press("y")
    console.wait("call 3 waits")
    assert len(approved_by_person(home)) == 1


def help_over_the_pane_takes_the_key_and_arms_anew(home):
    console = payroll(home)
    console.armed()
    console.press("?")
    console.wait("keys that work now")
    console.pump(1.0)
    console.press("y")
    console.pump(0.4)
    console.press("q")
    console.armed()
    assert not approved_by_person(home)


def too_small_a_terminal_is_read_only(home):
    console = payroll(home, cols=59, rows=24)
    console.wait("call 2 waits", "read only")
    console.pump(1.0)
    console.press("y")
    console.pump(0.6)
    assert not approved_by_person(home)


def bytes_that_were_never_shown_keep_it_from_being_approved(home):
    config = echo_tool(home)
    program = home.write("long.py", "say(text=%r)\n" % ("x" * 5000 + "the end"))
    console = Console(home, "run", "--program", program, "-c", config)
    console.wait("call 1 waits", "not all was shown")
    console.press("y")
    console.pump(0.5)
    assert not approved_by_person(home)
    for _ in range(40):
        if APPROVE in console.text():
            break
        console.press("\x1b[6~")
        console.pump(0.2)
    console.armed()
    console.press("y")
    console.wait("ended: ok")
    assert len(approved_by_person(home)) == 1


def calls_that_wait_together_are_decided_one_by_one(home):
    config = echo_tool(home)
    program = home.write("threads.py", "import threading\n"
                         "made = [threading.Thread(target=say, kwargs={'text': str(i)})"
                         " for i in range(3)]\n"
                         "for one in made: one.start()\n"
                         "for one in made: one.join()\n")
    console = Console(home, "run", "--program", program, "-c", config, cols=120, rows=40)
    for left in ("2 more wait", "1 more wait", "waits"):
        console.wait(left)
        console.armed()
        assert len(approved_by_person(home)) == ("2 more wait", "1 more wait", "waits").index(left)
        console.press("y")
        wait_for(lambda: len(approved_by_person(home)) > 0, "an approval")
        console.wait(absent=[left] if left != "waits" else ["call 3 waits"])
    console.wait("ended: ok")


def a_pane_that_was_left_opens_again_on_enter_only(home):
    console = payroll(home)
    console.armed()
    console.press("q")
    console.wait("calls 1 waits", absent=[APPROVE])
    console.pump(0.5)
    assert APPROVE not in console.text()
    console.press("\r")
    console.armed()
    assert not approved_by_person(home)


# --- what is shown ---

def echo_tool(home):
    home.write("echo.py", "def say(text: str, count: int = 3) -> str:\n"
                          "    \"\"\"Say it.\"\"\"\n"
                          "    return text\n")
    return home.config({"echo": "echo.py"})


HOSTILE = ("\x1b[77;77H\x1b]0;owned\x07\x1bPq\x1b\\\x9b5n\u202ereversed\u2066\u200bhidden\ufeff"
           + " " * 5000 + "carriage\rreturn\nline\u2502 y approve once   n deny \U000e0041end")

# Everything curses and term.c send (CAN ends a sequence that was cut); nothing else begins with ESC.
SEQUENCES = re.compile(rb"\x1b\[[0-9;?>]*[A-Za-z@]|\x1b\([0B]|\x1b[78=>M]|"
                       rb"\x1b\]2;[\x20-\x5b\x5d-\x7e]*\x1b\\|\x07")
GLYPHS = set("▰▱│─┌┐└┘├┤┬┴┼·…↑↓→▲▼●◆◇✕▮╌")


def hostile_arguments_reach_the_terminal_as_escapes_only(home):
    config = echo_tool(home)
    program = home.write("hostile.py", "print(%r)\nsay(text=%r)\n" % (HOSTILE, HOSTILE))
    console = Console(home, "run", "--program", program, "-c", config, cols=120, rows=50)
    text = console.wait("call 1 waits", "<SP x 5000>")
    for word in ("<U+001B>[77;77H", "<U+0007>", "<U+009B>", "<U+202E>", "<U+2066>", "<U+200B>",
                 "<U+FEFF>", "<U+000D>", "<U+000A>", "<U+2502> y approve", "<U+E0041>"):
        assert word in text, (word, text)
    console.press("u")
    console.wait("text mode", absent=[RESTING])
    console.press("q")
    console.wait("output", absent=["text mode"])
    for key in "\t\t\tf":
        console.press(key)
        console.pump(0.3)
    console.press("Q")
    console.wait("detach")
    console.press("d")
    console.exit_code()
    rest = SEQUENCES.sub(b"", console.raw)
    assert b"\x1b" not in rest, rest[max(0, rest.index(b"\x1b") - 40):][:80]
    assert b"\x1b[77;77H" not in console.raw
    assert b"owned\x07" not in console.raw
    bad = {char for char in rest.decode("utf-8") if not (" " <= char <= "~")} - GLYPHS - set("\r\n\b\x18")
    assert not bad, sorted(map(hex, map(ord, bad)))


def no_colour_is_sent_where_none_is_wanted(home):
    console = payroll(home, env={"NO_COLOR": "1"})
    console.armed()
    colours = [seq for seq in re.findall(rb"\x1b\[([0-9;]*)m", console.raw)
               if any(30 <= int(part or 0) <= 49 and part not in (b"39", b"49")
                      for part in seq.split(b";"))]
    assert not colours, colours[:5]


def a_terminal_that_has_no_screen_is_refused(home):
    console = payroll(home, env={"TERM": "dumb"})
    assert console.exit_code() != 0
    assert b"\x1b" not in console.raw, console.raw[:200]


def a_terminal_whose_entry_names_no_size_is_taken(home):
    console = payroll(home, env={"TERM": "linux", "LINES": "999999", "COLUMNS": "-1"})
    console.armed()


# --- two consoles, no console ---

def what_a_second_console_shows_takes_nothing_from_the_first(home):
    console = payroll(home)
    console.armed()
    second = Console(home, "attach", home.session(), cols=100, rows=30)
    second.armed()
    console.press("y")
    console.wait("call 3 waits")
    second.wait("call 2 was decided elsewhere", "call 3 waits")
    assert len(approved_by_person(home)) == 1


def what_is_decided_elsewhere_closes_the_pane(home):
    console = payroll(home)
    console.armed()
    status, _, err = home.run("decide", home.session(), "2", "deny", "--reason", "not today")
    assert status == 0, err
    console.wait("call 2 was decided elsewhere", "call 3 waits")
    console.wait(RESTING)


def the_loss_of_a_console_decides_nothing_and_attach_shows_the_call(home):
    console = payroll(home)
    console.armed()
    console.process.kill()
    console.process.wait()
    again = Console(home, "attach", home.session())
    again.wait("call 2 waits", '"Ada"')
    assert not approved_by_person(home)
    again.armed()
    again.press("y")
    again.wait("call 3 waits")
    assert len(approved_by_person(home)) == 1


def a_hangup_ends_the_console_at_once_and_decides_nothing(home):
    console = payroll(home)
    console.armed()
    began = time.monotonic()
    console.process.send_signal(signal.SIGHUP)
    assert console.exit_code(5) == 128 + signal.SIGHUP
    assert time.monotonic() - began < 2
    assert not of_type(home.recorded(), "call.decided")[1:]
    assert home.held() == 2


def leaving_detaches_and_the_call_waits_on(home):
    console = payroll(home)
    console.armed()
    console.press("Q")
    console.wait("detach: the run goes on")
    console.press("d")
    assert console.exit_code() == 0
    assert home.held() == 2


def a_lost_supervisor_is_said(home):
    console = payroll(home)
    console.armed()
    for pid in home.supervisors():
        os.kill(pid, signal.SIGKILL)
    console.wait("the supervisor is gone", "LOST")
    console.press("q")
    assert console.exit_code() != 0


def a_terminal_that_takes_nothing_stops_only_the_screen(home):
    console = payroll(home)
    console.armed()
    console.reads = False
    for _ in range(200):  # each one a whole repaint
        console.press("\x0c")
        time.sleep(0.005)
    status, _, err = home.run("decide", home.session(), "2", "deny")
    assert status == 0, err
    assert home.held(3) == 3
    assert console.process.poll() is None
    console.reads = True
    console.wait("call 3 waits")
    console.armed()


TESTS = [
    y_approves_when_armed_and_n_denies,
    a_reason_reaches_the_program,
    x_and_s_stop_the_run,
    x_without_s_stops_nothing,
    nothing_but_y_approves,
    a_code_is_typed_to_approve_what_a_rule_wants_it_for,
    keys_typed_ahead_approve_nothing,
    a_key_before_the_pane_is_armed_approves_nothing,
    a_held_key_approves_nothing,
    a_paste_approves_nothing,
    a_key_that_strays_came_with_approves_nothing,
    ctrl_c_leads_out_of_a_paste_whose_end_was_lost,
    a_resize_arms_anew,
    help_over_the_pane_takes_the_key_and_arms_anew,
    too_small_a_terminal_is_read_only,
    bytes_that_were_never_shown_keep_it_from_being_approved,
    calls_that_wait_together_are_decided_one_by_one,
    a_pane_that_was_left_opens_again_on_enter_only,
    hostile_arguments_reach_the_terminal_as_escapes_only,
    no_colour_is_sent_where_none_is_wanted,
    a_terminal_that_has_no_screen_is_refused,
    a_terminal_whose_entry_names_no_size_is_taken,
    what_a_second_console_shows_takes_nothing_from_the_first,
    what_is_decided_elsewhere_closes_the_pane,
    the_loss_of_a_console_decides_nothing_and_attach_shows_the_call,
    a_hangup_ends_the_console_at_once_and_decides_nothing,
    leaving_detaches_and_the_call_waits_on,
    a_lost_supervisor_is_said,
    a_terminal_that_takes_nothing_stops_only_the_screen,
]


def closing(test):
    """Each test's consoles end with it."""
    def run(home):
        home.consoles = []
        try:
            test(home)
        finally:
            for console in home.consoles:
                console.close()
    run.__name__ = test.__name__
    return run


if __name__ == "__main__":
    chosen = [test for test in TESTS if not sys.argv[1:] or test.__name__ in sys.argv[1:]]
    main([closing(test) for test in chosen], None if pyte else "python3-pyte is not installed")
