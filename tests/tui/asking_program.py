"""What a person is asked besides single calls: the program as a whole, a limit; and absence."""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import console as driver  # noqa: E402
from console import (APPROVE, PASTE, RESTING, Console, approved_by_person, closing, ended,  # noqa: E402
                     payroll, salaries)
from harness import main, of_type, wait_for  # noqa: E402

YES = "y yes, run it"
ASK = ("--set", 'approval.program="ask"')


def editor(home, text):
    """An editor of the person's that does this to the file, in Python."""
    path = home.write("editor.py", "import sys\npath = sys.argv[-1]\ntext = open(path).read()\n"
                      + text + "\nopen(path, 'w').write(text)\n")
    return {"VISUAL": "", "EDITOR": "/usr/bin/python3 %s" % path}


def asked(home, program="raise-9000.py", words=(), **more):
    config = home.payroll()
    return Console(home, "run", "--program", home.work / program, "-c", config, *ASK, *words,
                   cols=110, rows=40, **more)


def armed(console, words=YES):
    return console.wait(words, absent=[RESTING])


def verdicts(home):
    return [event["verdict"] for event in of_type(home.recorded(), "program.decided")]


def nothing_runs_before_the_program_was_allowed(home):
    console = asked(home)
    armed(console)
    for key in ("\r", " ", "a", "Y", "\x1b", PASTE % b"y", "yyy"):
        console.press(key)
        console.pump(0.3)
    console.wait("may this program run?") if "may this" in console.text() else None
    assert not verdicts(home) and not of_type(home.recorded(), "call.request")
    assert not of_type(home.recorded(), "run.end")


def y_runs_it_as_it_was_shown(home):
    console = asked(home)
    text = armed(console)
    assert "payroll.apply_raise" in text and "depends on the arguments" in text, text
    console.press("y")
    console.wait("call 2 waits")
    assert verdicts(home) == ["run"]


def n_refuses_it_and_nothing_ran(home):
    console = asked(home)
    before = salaries(home)
    armed(console)
    console.press("n")
    console.wait("ended")
    console.press("q")
    assert console.exit_code() == 3
    assert verdicts(home) == ["refuse"] and salaries(home) == before


def who_leaves_the_question_finds_it_again(home):
    console = asked(home)
    armed(console)
    console.press("q")
    console.wait("program", absent=["may this program run?"])
    console.press("\r")
    armed(console)
    assert not verdicts(home)


def an_edit_is_shown_as_a_difference_and_asked_about_anew(home):
    console = asked(home, env=editor(home, "text = text.replace('9000', '3000')"))
    before = salaries(home)
    armed(console)
    console.press("e")
    console.wait("as you edited it", "amount=3000", "amount=9000")
    armed(console)
    console.press("V")
    console.wait("may this program run?", absent=["amount=3000"])
    armed(console)
    console.press("e")
    console.wait("as you edited it")
    armed(console)
    console.press("y")
    console.wait("may this program run?", "by person")
    armed(console)
    console.press("y")
    console.wait("ended: ok")
    assert verdicts(home) == ["edit", "run"]
    assert salaries(home)["Ada"] == before["Ada"] + 3000


def a_failed_program_is_edited_and_tried_again_and_repeats_stop_at_the_gate(home):
    home.payroll()
    program = home.write("fails.py", "print(apply_raise(name='Ada', amount=100))\nraise SystemExit(1)\n")
    before = salaries(home)
    console = asked(home, program=program.name,
                    env=editor(home, "text = text.replace('raise SystemExit(1)', '')"))
    armed(console)
    console.press("y")
    text = console.wait("the program failed", "took effect", '"amount":100')
    assert "call 1" in text
    console.press("e")
    console.wait("as you edited it")
    armed(console)
    console.press("y")
    console.wait("attempt 2", "by person")
    armed(console)
    console.press("y")
    console.wait("call 2 waits", "1 use the earlier result", "y do it again", absent=[RESTING])
    console.press("1")
    console.wait("ended: ok")
    assert salaries(home)["Ada"] == before["Ada"] + 100
    decided = of_type(home.recorded(), "call.decided")[-1]
    assert decided["verdict"] == "reuse" and decided["of"] == 1, decided
    assert verdicts(home) == ["run", "try_again", "run"]


def a_limit_is_raised_by_y_and_the_call_goes_on(home):
    config = home.payroll()
    console = Console(home, "run", "--program", home.work / "raise-5000.py", "-c", config,
                      "--set", "budget.max_tool_calls=2", "--set", 'budget.on_exceeded="ask"',
                      cols=110, rows=40)
    console.wait("OVER A LIMIT", "b raise the limit")
    console.armed() if APPROVE in console.text() else None
    console.press("b")
    console.wait("raise the limit that call 3 met?", "max_tool_calls")
    console.press("\r")
    console.wait("the new limit:")
    for char in "\x7f\x7f\x7f2\r":
        console.press(char)
        console.pump(0.06)
    console.wait("larger than the limit is now")
    for char in "\x7f10\r":
        console.press(char)
        console.pump(0.06)
    console.wait("8 more")
    armed(console, "y yes, raise it")
    console.press("y")
    console.wait("ended: ok")
    raised = [event["raised"] for event in of_type(home.recorded(), "budget") if "raised" in event]
    assert len(raised) == 1 and (raised[0]["from"], raised[0]["to"]) == (2, 10), raised


def away_holds_every_call_and_back_lets_those_go_that_nobody_must_decide(home):
    home.payroll()
    program = home.write("later.py", "import time\n"
                         "while open('/in/go').read() != 'go':\n    time.sleep(0.02)\n"
                         "print(len(list_employees(department='Engineering')))\n")
    go = home.write("go", "no")
    console = Console(home, "run", "--program", program, "-c", home.work / "tollbridge.json",
                      "--in", go, cols=110, rows=40)
    console.wait("running")
    console.press("z")
    console.wait("away")
    wait_for(lambda: of_type(home.recorded(), "away"), "the absence")
    go.write_text("go")
    wait_for(lambda: of_type(home.recorded(), "call.held"), "a held call")
    assert of_type(home.recorded(), "call.held")[0]["why"] == "away"
    console.wait("call 1 waits")
    console.press("z")
    console.wait("ended: ok")
    assert [event["away"] for event in of_type(home.recorded(), "away")] == [True, False]
    assert not approved_by_person(home)


TESTS = [
    nothing_runs_before_the_program_was_allowed,
    y_runs_it_as_it_was_shown,
    n_refuses_it_and_nothing_ran,
    who_leaves_the_question_finds_it_again,
    an_edit_is_shown_as_a_difference_and_asked_about_anew,
    a_failed_program_is_edited_and_tried_again_and_repeats_stop_at_the_gate,
    a_limit_is_raised_by_y_and_the_call_goes_on,
    away_holds_every_call_and_back_lets_those_go_that_nobody_must_decide,
]

if __name__ == "__main__":
    chosen = [test for test in TESTS if not sys.argv[1:] or test.__name__ in sys.argv[1:]]
    main([closing(test) for test in chosen],
         None if driver.pyte else "python3-pyte is not installed")
