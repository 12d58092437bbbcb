"""The program as a whole, where a person decides on it: run, edit, refuse, try again, stop."""
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from harness import Seat, main, of_type, wait_for
from test_person import done, poke, written
from test_run import tools

ASK = {"program": "ask"}


def asked(home, attempt=1, nth=1):
    """Wait until the nth text of an attempt can be decided on."""
    def look():
        if not home.records():
            return None
        seen = [d for d in of_type(home.recorded(), "program.forecast") if d["attempt"] == attempt]
        return len(seen) >= nth
    wait_for(look, "a program to decide on")
    return home.recorded()[-1]["seq"]


def failed(home, nth=1):
    wait_for(lambda: len(of_type(home.recorded(), "program.end")) >= nth, "the end of a program")


def begin(home, program, **more):
    home.give(home.work)
    more["approval"] = dict(ASK, **more.get("approval", {}))
    run = home.start("run", "--program", home.write("p.py", program), "-c", tools(home, **more),
                     "--headless")
    asked(home)
    return run, Seat(home)


def say(seat, verdict, attempt=1, **more):
    return seat.ask("program", attempt=attempt, verdict=verdict, presentation=1, **more)


def state(home):
    """State and waiting of the newest run, as the fold has them."""
    code, out, err = home.run("list", "--json")
    row = json.loads(out.splitlines()[0])
    row = row[0] if isinstance(row, list) else row
    return row["state"], row["waiting"]


def nothing_of_a_program_runs_before_somebody_said_run(home):
    run, seat = begin(home, "print(peek('seen'))\n", approval={"timeout_s": None})
    assert not of_type(home.recorded(), "call.request")
    assert state(home) == ("asks", 1)
    assert say(seat, "try_again", text="x\n")["kind"] == "state"
    assert say(seat, "stop")["kind"] == "state"
    assert say(seat, "run", attempt=2)["kind"] == "mismatch"
    assert say(seat, "perhaps")["kind"] == "usage"
    assert say(seat, "edit")["kind"] == "usage"
    assert say(seat, "run")["ok"]
    out, err = done(home, run)
    assert out == "seen\n" and "waits for your yes" in err, (out, err)
    decided, = of_type(home.recorded(), "program.decided")
    assert (decided["verdict"], decided["by"], decided["presentation"]) == ("run", "person", 1)
    assert decided["who"]
    kinds = [e["type"] for e in home.recorded()]
    assert kinds.index("program.decided") < kinds.index("call.request")


def a_refused_program_ends_the_run(home):
    run, seat = begin(home, poke(home))
    assert say(seat, "refuse", reason="not on a Friday")["ok"]
    done(home, run, 3)
    assert of_type(home.recorded(), "program.decided")[0]["reason"] == "not on a Friday"
    assert of_type(home.recorded(), "program.end")[0]["outcome"] == "denied"
    assert not of_type(home.recorded(), "call.request") and written(home) is None


def silence_refuses(home):
    run, seat = begin(home, poke(home), approval={"timeout_s": 1})
    done(home, run, 3)
    decided, = of_type(home.recorded(), "program.decided")
    assert (decided["verdict"], decided["by"]) == ("refuse", "timeout"), decided
    assert written(home) is None


def the_time_to_decide_stands_still_while_the_person_is_away(home):
    run, seat = begin(home, "print('late')\n", approval={"timeout_s": 5})
    assert seat.ask("away", away=True)["ok"]
    gone = home.recorded()[-1]["mono"]
    other = lambda: Seat(home, "2" * 16) and home.recorded()[-1]["mono"] - gone > 6e9
    wait_for(other, "time to pass")
    assert not of_type(home.recorded(), "program.decided")
    assert seat.ask("away", away=False)["ok"] and say(seat, "run")["ok"]
    out, err = done(home, run)
    assert out == "late\n"


def an_edited_program_is_asked_about_anew_and_is_the_one_that_runs(home):
    run, seat = begin(home, "print('first')\n")
    assert say(seat, "edit", text="print(peek('second'))\n")["ok"]
    seq = asked(home, nth=2)
    first, second = of_type(home.recorded(), "program")
    assert (second["attempt"], second["by"], second["text"]) == (1, "person", "print(peek('second'))\n")
    assert say(seat, "run")["kind"] == "mismatch", "who does not say what they saw"
    before = [e["seq"] for e in home.recorded() if e["type"] == "program"][1] - 1
    assert say(seat, "run", seen_seq=before)["kind"] == "mismatch"
    assert say(seat, "run", seen_seq=seq)["ok"]
    out, err = done(home, run)
    assert out == "second\n", out
    assert [d["verdict"] for d in of_type(home.recorded(), "program.decided")] == ["edit", "run"]


def an_edit_that_does_not_compile_ends_the_attempt_and_another_may_follow(home):
    run, seat = begin(home, "print('first')\n")
    assert say(seat, "edit", text="def\n")["ok"]
    failed(home)
    assert of_type(home.recorded(), "program.end")[0]["outcome"] == "syntax"
    assert say(seat, "try_again", text="print('second')\n")["ok"]
    asked(home, attempt=2)
    assert say(seat, "run", attempt=2)["ok"]
    out, err = done(home, run)
    assert out == "second\n", out


def after_a_failure_another_program_may_be_tried_under_the_same_budget(home):
    run, seat = begin(home, "peek('a')\npeek('b')\nraise ValueError('no')\n",
                      budget={"max_tool_calls": 3})
    assert say(seat, "run")["ok"]
    failed(home)
    assert state(home) == ("asks", 1)
    assert say(seat, "run")["kind"] == "state"
    assert say(seat, "try_again")["kind"] == "usage"
    wait_for(lambda: len(of_type(home.recorded(), "sandbox.start")) == 2, "a sandbox started ahead")
    assert say(seat, "try_again", text="print(peek('c'))\npeek('d')\n")["ok"]
    asked(home, attempt=2)
    assert say(seat, "run", attempt=1)["kind"] == "mismatch"
    assert say(seat, "run", attempt=2)["ok"]
    out, err = done(home, run, 4)
    calls = of_type(home.recorded(), "call.request")
    assert [c["attempt"] for c in calls] == [1, 1, 2, 2], calls
    assert of_type(home.recorded(), "run.end")[0]["calls"] == 4
    assert [d["attempt"] for d in of_type(home.recorded(), "sandbox.start")] == [1, 2]
    texts = of_type(home.recorded(), "program")
    assert [(t["attempt"], t["by"]) for t in texts] == [(1, "file"), (2, "person")]


def what_a_person_denied_stays_denied_in_the_next_attempt(home):
    run, seat = begin(home, poke(home))
    assert say(seat, "run")["ok"]
    call = home.held()
    late = say(Seat(home, "2" * 16), "refuse")
    assert late["kind"] == "state" and "run by uid" in late["error"], late
    assert seat.ask("decide", verdict="deny", reason="no", **seat.show(call))["ok"]
    failed(home)
    assert of_type(home.recorded(), "program.end")[0]["outcome"] == "denied"
    again = "try:\n    %sexcept ToolDenied as e:\n    print(e.by, e.reason)\n" % poke(home)
    assert say(seat, "try_again", text=again)["ok"]
    asked(home, attempt=2)
    assert say(seat, "run", attempt=2)["ok"]
    out, err = done(home, run)
    assert out == "earlier no\n", out


def stop_ends_the_run_as_its_program_ended(home):
    run, seat = begin(home, "raise ValueError('no')\n")
    assert say(seat, "run")["ok"]
    failed(home)
    assert say(seat, "stop", reason="enough")["ok"]
    done(home, run, 1)
    assert of_type(home.recorded(), "run.end")[0]["outcome"] == "error"
    assert of_type(home.recorded(), "program.decided")[-1]["verdict"] == "stop"


def a_run_is_stopped_while_its_program_waits(home):
    run, seat = begin(home, poke(home))
    assert seat.ask("stop")["ok"]
    done(home, run, 3)
    assert of_type(home.recorded(), "run.end")[0]["outcome"] == "stopped"


def a_run_is_stopped_while_it_is_asked_how_to_go_on(home):
    run, seat = begin(home, "raise ValueError('no')\n")
    assert say(seat, "run")["ok"]
    failed(home)
    assert seat.ask("stop")["ok"]
    done(home, run, 3)
    assert of_type(home.recorded(), "run.end")[0]["outcome"] == "stopped"


def nobody_to_ask_is_a_refusal(home):
    code, events, err = home.events(poke(home), tools(home, approval=ASK), "--no-ask")
    assert code == 3, (code, err)
    assert "approval.program" in of_type(events, "alert")[0]["text"]
    decided, = of_type(events, "program.decided")
    assert (decided["verdict"], decided["by"]) == ("refuse", "limit"), decided
    assert not of_type(events, "sandbox.start") and written(home) is None


def a_program_that_ends_well_asks_nothing_more(home):
    run, seat = begin(home, "print('fine')\n")
    assert say(seat, "run")["ok"]
    out, err = done(home, run)
    assert out == "fine\n"
    assert len(of_type(home.recorded(), "program.decided")) == 1


if __name__ == "__main__":
    main([test for name, test in list(globals().items())
          if callable(test) and getattr(test, "__module__", "") == "__main__"
          and test.__code__.co_varnames[:1] == ("home",) and test.__code__.co_argcount == 1
          and name != "state"])
