"""One terminal, many runs: the list, going from one to the next, what waits elsewhere, absence."""
import json
import os
import pathlib
import resource
import signal
import socket
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import console as base  # noqa: E402
from console import APPROVE, RESTING, Console, closing, payroll, pyte  # noqa: E402
from harness import SOURCE, main, of_type, parse, wait_for  # noqa: E402,F401


def detached(home, count=1, program="raise-9000.py"):
    """So many runs of the example, each with a raise that waits; gives their names."""
    config = home.payroll()
    names = []
    for _ in range(count):
        code, out, err = home.run("run", "--program", home.work / program, "-c", config, "--detach")
        assert code == 0, err
        names.append(out.strip())
        wait_for(lambda: waiting(home, names[-1]), "a call that waits in " + names[-1])
    return names


def records(home):
    return {path.name.rsplit("-", 1)[0]: path for path in home.records()}


def events(home, name):
    return parse(records(home)[name].read_text())


def waiting(home, name):
    if name not in records(home):
        return None
    held = [event["call"] for event in of_type(events(home, name), "call.held")]
    decided = [event["call"] for event in of_type(events(home, name), "call.decided")]
    return [call for call in held if call not in decided]


def approved(home, name):
    return [event for event in of_type(events(home, name), "call.decided")
            if event["verdict"] == "approve" and event["by"] == "person"]


def row_of(console, name):
    return next((line for line in console.text().splitlines() if name + " " in line), "")


def wait_row(console, name, *words):
    return wait_for(lambda: all(word in row_of(console, name) for word in words) and
                    row_of(console, name), "%r in the row of %s:\n%s" % (words, name, console.text()))


# --- the list ---

def an_empty_list_says_what_to_do_first(home):
    console = Console(home)
    console.wait("No run yet", "tollbridge demo", "tollbridge run --program FILE")
    console.press("q")
    assert console.exit_code() == 0


def keys_that_come_before_the_first_frame_do_no_harm(home):
    name, = detached(home)
    for _ in range(5):
        console = Console(home)
        console.press("jkG0?")
        console.wait("keys that work now")
        console.press("q")
        wait_row(console, name, "WAITS")
        console.press("q")
        assert console.exit_code() == 0


def without_a_terminal_the_list_is_printed(home):
    name, = detached(home)
    code, out, err = home.run()
    assert code == 0 and name in out and "waiting" in out, (code, out, err)
    assert out == home.run("list")[1]


def runs_appear_wait_and_end_on_the_list(home):
    console = Console(home, cols=120, rows=30)
    console.wait("No run yet")
    first, second = detached(home, 2)
    wait_row(console, first, "> WAITS", "2/0")
    wait_row(console, second, "> WAITS")
    text = console.text()
    assert text.index(first) < text.index(second), text  # the one that has waited longer first
    assert home.run("decide", first, "2", "deny")[0] == 0
    wait_row(console, first, "3/1")
    assert home.run("stop", second)[0] == 0
    row = wait_row(console, second, "- stopped", "exit 3")
    assert "WAITS" not in row
    text = console.text()
    assert text.index(first) < text.index(second), text  # those that go on first


def one_whose_supervisor_was_killed_is_cut_off(home):
    name, = detached(home)
    console = Console(home, cols=120)
    wait_row(console, name, "> WAITS")
    for pid in home.supervisors():
        os.kill(pid, signal.SIGKILL)
    wait_row(console, name, "! cut off", "no end recorded")


def x_and_s_stop_the_selected_run_only(home):
    first, second = detached(home, 2)
    console = Console(home)
    wait_row(console, second, "WAITS")
    console.press("j")
    console.press("X")
    console.wait("stop %s?" % second)
    console.press("\x1b")
    console.wait(first, absent=["stop the run: what"])
    assert waiting(home, second)
    console.press("X")
    console.wait("stop %s?" % second)
    console.press("S")
    wait_row(console, second, "- stopped")
    assert waiting(home, first) and not of_type(events(home, first), "run.end")


def commands_that_need_a_session_do_nothing_on_the_list(home):
    name, = detached(home)
    console = Console(home, cols=120)
    wait_row(console, name, "WAITS")
    for words in ("line 3", "call 2", "details", "full", "grants", "next-pane", "edit", "away"):
        console.press(":")
        console.wait(" :", absent=["Enter open"])
        console.type(words)
        console.press("\r")
        console.pump(0.1)
        console.press("\x1b[I")  # no key: what was said stands until one comes
    for key in "zLBfueg{}()\tVR+1y":
        console.press(key)
        console.pump(0.05)
    wait_row(console, name, "> WAITS", "2/0")
    assert waiting(home, name) == [2] and not approved(home, name)


def search_and_filter_find_a_run(home):
    first, second = detached(home, 2)
    console = Console(home)
    wait_row(console, second, "WAITS")
    console.press("&")
    console.wait("filter:")
    console.type(second)
    console.press("\r")
    console.wait("1 of 2 shown", absent=[first + " "])
    console.press("&")
    console.wait("filter:")
    for _ in second:
        console.press("\x7f")
    console.press("\r")
    console.wait("2 going on", first)
    console.press("/")
    console.wait("search:")
    console.type(second)
    console.press("\r")
    console.wait(second, absent=["search:"])
    console.press("\r")
    console.wait("call 2 waits", second)


def a_list_at_rest_costs_no_time(home):
    detached(home)
    console = Console(home)
    console.wait("WAITS")

    def spent():
        fields = pathlib.Path("/proc/%d/stat" % console.process.pid).read_text().rpartition(")")[2]
        return sum(int(field) for field in fields.split()[11:13])
    console.pump(1.0)
    before = spent()
    console.pump(3.0)
    assert spent() - before <= 15, spent() - before  # ticks of 10 ms: it paints a clock at most


# --- from one to another ---

def a_run_is_opened_from_the_list_and_left_to_it(home):
    first, second = detached(home, 2)
    console = Console(home, cols=100, rows=30)
    wait_row(console, second, "WAITS")
    console.press("\r")
    console.wait("call 2 waits", first)
    console.armed()
    console.press("y")
    wait_for(lambda: approved(home, first), "the approval")
    console.wait("call 3 waits")
    assert not approved(home, second)
    console.press("q")  # leaves the pane
    console.wait(absent=[APPROVE, RESTING])
    console.press("q")
    wait_row(console, first, "WAITS")
    console.press("q")
    assert console.exit_code() == 0
    assert waiting(home, first) == [3] and waiting(home, second) == [2]
    assert console.raw.count(b"\x1b[?1049h") == 1, "the alternate screen was left meanwhile"


def the_next_that_waits_is_of_another_run_and_armed_anew(home):
    first, second = detached(home, 2)
    console = Console(home, "attach", first, cols=120, rows=40)
    console.wait("1 more waits in %s: ]" % second)
    console.armed()
    console.press("]")
    console.wait("1 more waits in %s: ]" % first, RESTING)
    console.press("y")
    console.wait("too early")
    assert not approved(home, first) and not approved(home, second)
    console.armed()
    console.press("y")
    wait_for(lambda: approved(home, second), "the approval")
    assert not approved(home, first)


def keys_typed_on_the_way_to_another_run_decide_nothing(home):
    first, second = detached(home, 2)
    console = Console(home, "attach", first, cols=120, rows=40)
    console.wait("1 more waits in %s" % second)
    console.armed()
    console.press("]yyy")
    console.pump(0.3)
    for key in "y]y]y":
        console.press(key)
        console.pump(0.05)
    console.armed()
    assert not approved(home, first) and not approved(home, second)


def a_record_is_opened_from_the_list_and_left_to_it(home):
    name, = detached(home)
    assert home.run("stop", name)[0] == 0
    console = Console(home, cols=120, rows=30)
    wait_row(console, name, "- stopped")
    console.press("\r")
    console.wait(name, "apply_raise", absent=["how it ended"])
    console.press("q")
    wait_row(console, name, "- stopped")
    console.press("q")
    assert console.exit_code() == 0


def leaving_names_the_session_that_was_open_last(home):
    first, second = detached(home, 2)
    console = Console(home, "attach", first)
    console.armed()
    console.press("]")
    console.armed()
    console.press("Q")
    console.wait("detach")
    console.press("d")
    assert console.exit_code() == 0
    assert (second + " goes on").encode() in console.raw, console.raw[-300:]


def the_list_of_waiting_calls_opens_one_of_another_run(home):
    first, second = detached(home, 2)
    console = Console(home, "attach", first, cols=120, rows=40)
    console.armed()
    console.press("w")
    text = console.wait("waiting calls of all runs", '"name":"Ada"', "mutate")
    assert sum("apply_raise" in line and "mutate" in line for line in text.splitlines()) == 2, text
    console.press("G")
    console.press("\r")
    console.wait("1 more waits in", "call 2 waits", absent=["waiting calls of all runs"])
    console.armed()
    console.press("n")
    wait_for(lambda: waiting(home, first) == [3] or waiting(home, second) == [3], "a denial")


def marked_calls_are_opened_together(home):
    config = base.echo_tool(home)
    program = home.write("threads.py", "import threading\n"
                         "made = [threading.Thread(target=say, kwargs={'text': str(i)})"
                         " for i in range(3)]\n"
                         "for one in made: one.start()\n"
                         "for one in made: one.join()\n")
    console = Console(home, "run", "--program", program, "-c", config, cols=120, rows=40)
    console.wait("2 more wait")
    console.armed()
    console.press("w")
    console.wait("waiting calls of all runs")
    console.press("m")
    console.wait("1 marked")
    console.press("m")
    console.wait("2 marked")
    console.press("\r")
    console.wait("2 calls wait for one answer", "y approve each", absent=[RESTING])
    assert not base.approved_by_person(home)
    console.press("y")
    wait_for(lambda: len(base.approved_by_person(home)) == 2, "two approvals")
    console.wait("call 3 waits")


# --- absence ---

def what_happened_meanwhile_is_said_first_and_any_key_closes_it(home):
    console = payroll(home, cols=120, rows=40)
    console.armed()
    console.pump(0.6)
    console.press("Q")
    console.wait("detach")
    console.press("d")
    console.exit_code()
    time.sleep(2.1)  # an absence has to have a length
    name = home.session()
    assert home.run("decide", name, "2", "deny", "--reason", "not today")[0] == 0
    home.held(3)
    again = Console(home, "attach", name, cols=120, rows=40)
    again.wait("meanwhile", "no console", "call 2 payroll.apply_raise", "by person", "waits now",
               "any key goes on")
    again.pump(2.0)  # under it the pane does not arm
    again.press("y")
    again.wait("call 3 waits", absent=["any key goes on"])
    assert not base.approved_by_person(home)
    again.armed()
    again.press("y")
    wait_for(lambda: base.approved_by_person(home), "the approval")


def nothing_is_said_when_nothing_happened(home):
    name, = detached(home)
    console = Console(home, "attach", name)
    console.armed()
    console.pump(0.6)
    console.process.kill()
    console.process.wait()
    time.sleep(2.1)
    again = Console(home, "attach", name)
    again.armed()
    assert "any key goes on" not in again.text()


def a_console_that_is_turned_away_says_so(home):
    """64 consoles are taken, no more."""
    name, = detached(home)
    path, = home.state.glob("tollbridge/run/*.sock")
    others = [socket.socket(socket.AF_UNIX) for _ in range(64)]
    for one in others:
        one.connect(str(path))
    console = Console(home, "attach", name, cols=120)
    console.wait("the supervisor closed the connection")
    console.press("q")
    assert console.exit_code() == 1
    for one in others:
        one.close()
    assert waiting(home, name) == [2]


# --- manners ---

def a_call_that_waits_elsewhere_rings_and_starts_the_notice(home):
    said = home.top / "said"
    os.chmod(home.top, 0o777)
    script = home.write("tell.sh", "#!/bin/sh\nprintf '%s\\n' \"$*\" \"$(env | cut -d= -f1 | sort |"
                        " tr '\\n' ' ')\" >>" + str(said) + "\n")
    script.chmod(0o755)
    (home.top / "config" / "tollbridge").mkdir(parents=True)
    (home.top / "config" / "tollbridge" / "config.json").write_text(
        json.dumps({"ui": {"notify": [str(script), "-q"]}}))
    console = Console(home, env={"SECRET_OF_MINE": "1"})
    console.wait("No run yet")
    name, = detached(home)
    wait_row(console, name, "WAITS")
    wait_for(lambda: said.exists() and said.read_text().count("\n") >= 2, "the notice")
    words, names = said.read_text().splitlines()[:2]
    assert words == "-q %s 2" % name, words
    assert "PATH" in names and "SECRET_OF_MINE" not in names and "XDG_STATE_HOME" not in names, names
    assert b"\x07" in console.raw.replace(b"\x1b]2;tollbridge\x07", b"")
    assert b"tollbridge: 1 wait" in console.raw
    detached(home)
    console.pump(1.0)
    assert said.read_text().count("-q") == 1, "more than one in 10 s"


def a_notice_that_fails_is_said_once(home):
    (home.top / "config" / "tollbridge").mkdir(parents=True)
    (home.top / "config" / "tollbridge" / "config.json").write_text(
        json.dumps({"ui": {"notify": ["/no/such/program"]}}))
    console = Console(home, cols=120)
    console.wait("No run yet")
    detached(home)
    console.wait("ui.notify: /no/such/program cannot be started")


def one_word_for_a_status_line(home):
    assert home.run("list", "--short")[1] == "idle\n"
    detached(home, 2)
    assert home.run("list", "--short")[1] == "2 wait\n"


# --- a full disk ---

def a_record_that_cannot_be_written_is_said_and_is_exit_code_7(home):
    """The file size limit of the supervisor stands in for a full disk."""
    config = home.payroll()

    def small():
        resource.setrlimit(resource.RLIMIT_FSIZE, (60000, 60000))
    program = home.write("chatty.py", "list_employees()\napply_raise(name='Ada', amount=9000)\n"
                         "import time\nfor i in range(100000): print('x' * 100); time.sleep(0.001)\n")
    process = home.start("run", "--program", program, "-c", config, "--detach", preexec_fn=small)
    process.communicate()
    home.held(2)
    console = Console(home, "attach", home.session(), cols=120)
    console.armed()
    console.press("y")
    console.wait("the record could not be written", "exit code 7")
    console.press("q")
    assert console.exit_code() == 7
    assert b"could not be written" in console.raw


TESTS = [
    an_empty_list_says_what_to_do_first,
    without_a_terminal_the_list_is_printed,
    keys_that_come_before_the_first_frame_do_no_harm,
    runs_appear_wait_and_end_on_the_list,
    one_whose_supervisor_was_killed_is_cut_off,
    x_and_s_stop_the_selected_run_only,
    commands_that_need_a_session_do_nothing_on_the_list,
    search_and_filter_find_a_run,
    a_list_at_rest_costs_no_time,
    a_run_is_opened_from_the_list_and_left_to_it,
    the_next_that_waits_is_of_another_run_and_armed_anew,
    keys_typed_on_the_way_to_another_run_decide_nothing,
    leaving_names_the_session_that_was_open_last,
    the_list_of_waiting_calls_opens_one_of_another_run,
    marked_calls_are_opened_together,
    what_happened_meanwhile_is_said_first_and_any_key_closes_it,
    nothing_is_said_when_nothing_happened,
    a_console_that_is_turned_away_says_so,
    a_record_is_opened_from_the_list_and_left_to_it,
    a_call_that_waits_elsewhere_rings_and_starts_the_notice,
    a_notice_that_fails_is_said_once,
    one_word_for_a_status_line,
    a_record_that_cannot_be_written_is_said_and_is_exit_code_7,
]

if __name__ == "__main__":
    chosen = [test for test in TESTS if not sys.argv[1:] or test.__name__ in sys.argv[1:]]
    main([closing(test) for test in chosen], None if pyte else "python3-pyte is not installed")
