"""Grants and rules that a person makes from a call, at the keyboard."""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import console as driver  # noqa: E402
from console import (PASTE, RESTING, Console, approved_by_person, closing, ended,  # noqa: E402
                     payroll)
from harness import main, of_type, wait_for  # noqa: E402

YES_GRANT, YES_RULE = "y yes, approve and grant", "y yes, make the rule"


def armed(console, *words):
    return console.wait(*words, absent=[RESTING])


def raises(home, *amounts):
    """A program that raises Ada from one line, once for each amount."""
    home.payroll()
    program = home.write("raises.py", "for amount in %r:\n"
                         "    try:\n"
                         "        apply_raise(name='Ada', amount=amount)\n"
                         "    except ToolDenied as denial:\n"
                         "        print('denied', amount, denial.reason)\n" % (list(amounts),))
    return Console(home, "run", "--program", program, "-c", home.work / "tollbridge.json",
                   cols=110, rows=40)


def grant_range(console, text):
    """The sheet for call 1, amount as this range."""
    console.armed()
    console.press("g")
    armed(console, YES_GRANT)
    console.insist("\x1b[B", "> name")
    console.insist("\x1b[B", "> amount")
    console.insist("\x1b[C", "between 0..")
    console.insist("\r", "from..to:")
    console.type("\x7f" * 12 + text)
    console.press("\r")


def a_grant_lets_the_next_calls_within_its_bounds_go(home):
    console = raises(home, 9000, 8000, 9001)
    grant_range(console, "6000..9000")
    armed(console, YES_GRANT, "between 6000..9000")
    console.press("y")
    console.wait("call 3 waits")
    decided = of_type(home.recorded(), "call.decided")
    assert [(one["call"], one["by"]) for one in decided] == [(1, "person"), (2, "grant")], decided
    console.armed()
    console.press("n")
    console.wait("ended: ok")


def nothing_but_y_grants(home):
    console = raises(home, 9000, 8000)
    console.armed()
    console.press("g")
    for key in ("\r", " ", "\x1b[B", PASTE % b"y", "yyy", "\t"):
        armed(console, YES_GRANT)
        console.press(key)
        console.pump(0.2)
        if "how many more calls:" in console.text():
            console.press("\x1b")
            console.pump(0.2)
    console.wait("a grant from call 1")
    console.press("\x1b")
    console.wait("call 1 waits", absent=["a grant from call 1"])
    assert not of_type(home.recorded(), "grant.add") and not approved_by_person(home)


def bounds_that_the_call_itself_is_not_within_cannot_be_granted(home):
    console = raises(home, 9000)
    grant_range(console, "1..2")
    console.wait("not within these bounds", absent=[YES_GRANT])
    console.press("y")
    console.pump(0.8)
    assert not of_type(home.recorded(), "grant.add") and not approved_by_person(home)


def a_grant_is_listed_and_revoked(home):
    console = raises(home, 9000, 9001, 9000)
    grant_range(console, "9000..9000")
    armed(console, YES_GRANT)
    console.press("y")
    console.wait("call 2 waits")
    console.armed()
    console.press("q")
    console.wait("calls", absent=["call 2 waits"])
    console.press("L")
    console.wait("grant 1", "0 of 5 used", "in force")
    console.press("d")
    console.wait("void")
    wait_for(lambda: of_type(home.recorded(), "grant.revoke"), "the revocation")
    console.press("q")
    console.press("\r")
    console.armed()
    console.press("n")
    console.wait("call 3 waits")


def a_rule_that_denies_counts_at_once_and_is_printed_at_the_end(home):
    console = raises(home, 9000, 8000)
    console.armed()
    console.press("R")
    armed(console, YES_RULE)
    console.press("\x1b[C")
    armed(console, YES_RULE, '"action":"deny"', "1 (waits)")
    console.press("y")
    console.wait("ended: ok")
    decided = of_type(home.recorded(), "call.decided")
    assert [(one["verdict"], one["by"]) for one in decided] == [("deny", "rule")] * 2, decided
    console.press("q")
    assert console.exit_code() == 0
    assert b"rules made in this run" in console.raw.rpartition(b"\x1b[?1049l")[2]
    assert b'"action":"deny"' in console.raw.rpartition(b"\x1b[?1049l")[2]


def a_rule_that_allows_changes_nothing_in_this_run(home):
    console = raises(home, 9000, 9000)
    console.armed()
    console.press("R")
    armed(console, YES_RULE)
    console.press("\x1b[D")
    armed(console, YES_RULE, '"action":"allow"', "not in this run")
    console.press("y")
    wait_for(lambda: of_type(home.recorded(), "rule.add"), "the rule")
    console.wait("call 1 waits")
    console.armed()
    console.press("y")
    console.wait("call 2 waits")
    assert json.loads(of_type(home.recorded(), "rule.add")[0]["rule"])["action"] == "allow"


TESTS = [
    a_grant_lets_the_next_calls_within_its_bounds_go,
    nothing_but_y_grants,
    bounds_that_the_call_itself_is_not_within_cannot_be_granted,
    a_grant_is_listed_and_revoked,
    a_rule_that_denies_counts_at_once_and_is_printed_at_the_end,
    a_rule_that_allows_changes_nothing_in_this_run,
]

if __name__ == "__main__":
    chosen = [test for test in TESTS if not sys.argv[1:] or test.__name__ in sys.argv[1:]]
    main([closing(test) for test in chosen],
         None if driver.pyte else "python3-pyte is not installed")
