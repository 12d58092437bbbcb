"""Limits that a person may raise (budget.on_exceeded "ask"), end to end."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from harness import Seat, main, of_type, wait_for
from test_person import begin, done, written
from test_run import tools

TRY = '''for text in %r:
    try:
        poke(path=%r, text=text)
    except BudgetExceeded as e:
        print(text, e.by, e.reason)
'''


def program(home, *texts):
    return TRY % (list(texts), str(home.work / "out.txt"))


ALLOW = {"rules": [{"tools": ["poke"], "action": "allow"}]}


def a_raise_lets_an_allowed_call_go_and_counts_from_then_on(home):
    for limit, counter in (({"max_tool_calls": 1}, "max_tool_calls"),
                           ({"per_tool": {"poke": {"max_calls": 1}}}, "poke.max_calls")):
        run, call, seat = begin(home, program(home, "a", "b", "c"), approval=ALLOW,
                                budget={"on_exceeded": "ask", **limit})
        held, = of_type(home.recorded(), "call.held")
        assert (call, held["why"]) == (2, "budget"), held
        seen = seat.show(call)
        raise_ = {"call": call, "counter": counter, "presentation": seen["presentation"]}
        assert seat.ask("decide", verdict="approve", **seen)["kind"] == "refused"
        assert seat.ask("budget", **{**raise_, "from": 2, "to": 3})["kind"] == "mismatch"
        assert seat.ask("budget", **{**raise_, "from": 1, "to": 1})["kind"] == "refused"
        assert seat.ask("budget", **{**raise_, "counter": "x", "from": 1, "to": 2})["kind"] == "refused"
        assert seat.ask("budget", **{**raise_, "presentation": 9, "from": 1, "to": 2})["kind"] == "mismatch"
        assert seat.ask("budget", **{**raise_, "from": 1, "to": 2})["ok"]
        third = wait_for(lambda: home.held() != call and home.held(), "the third call")
        assert seat.ask("decide", verdict="deny", **seat.show(third))["ok"]
        out, err = done(home, run)
        assert out.startswith("c budget the budget of "), out
        assert written(home) == "a\nb\n"
        raised, = [d["raised"] for d in of_type(home.recorded(), "budget") if d.get("raised")]
        assert (raised["counter"], raised["from"], raised["to"], raised["admits"]) == (
            counter, 1, 2, [2]), raised
        assert [d["by"] for d in of_type(home.recorded(), "call.decided")] == ["rule", "rule", "budget"]
        (home.work / "out.txt").unlink()
        for record in home.records():
            record.unlink()


def what_is_asked_still_waits_for_a_key_after_the_raise(home):
    run, call, seat = begin(home, program(home, "a"), budget={"on_exceeded": "ask", "max_tool_calls": 0})
    seen = seat.show(call)
    assert seat.ask("budget", call=call, counter="max_tool_calls", presentation=seen["presentation"],
                    **{"from": 0, "to": 5})["ok"]
    assert not of_type(home.recorded(), "call.decided")
    assert seat.approve(call)["ok"]
    done(home, run)
    assert written(home) == "a\n"


def a_rule_denies_past_the_budget_without_asking(home):
    deny = {"rules": [{"tools": ["poke"], "action": "deny"}]}
    text = "try:\n    poke(path='x', text='y')\nexcept ToolDenied as e:\n    print(e.by)\n"
    code, events, err = home.events(text, tools(
        home, approval=deny, budget={"on_exceeded": "ask", "max_tool_calls": 0}))
    assert code == 0 and not of_type(events, "call.held"), err
    assert of_type(events, "call.decided")[0]["by"] == "rule"


def attempt_again(home, seat, text, number):
    wait_for(lambda: of_type(home.recorded(), "program.end"), "the end of the first attempt")
    reply = seat.ask("program", attempt=number, presentation=1, verdict="try_again", text=text)
    assert reply["ok"], reply


def a_repeat_of_what_started_waits_and_gets_the_earlier_result(home):
    call = "poke(path=%r, text='one')" % str(home.work / "out.txt")
    home.give(home.work)
    run = home.start("run", "--program", home.write("p.py", call + "\nraise ValueError\n"), "-c",
                     tools(home, approval={"program": "ask", **ALLOW}), "--headless")
    wait_for(lambda: of_type(home.recorded(), "program.forecast"), "the forecast")
    seat = Seat(home)
    assert seat.ask("program", attempt=1, presentation=1, verdict="run")["ok"]
    attempt_again(home, seat, "print(%s)\n" % call, 1)
    wait_for(lambda: len(of_type(home.recorded(), "program.forecast")) == 2, "the second")
    assert seat.ask("program", attempt=2, presentation=1, verdict="run")["ok"]
    second = home.held()
    held, = of_type(home.recorded(), "call.held")
    assert (held["why"], held["repeat_of"]) == ("repeat", 1), held
    assert seat.ask("decide", verdict="reuse", **seat.show(second))["ok"]
    out, err = done(home, run)
    assert out == "3\n" and written(home) == "one\n", (out, written(home))
    decided = of_type(home.recorded(), "call.decided")[-1]
    assert (decided["verdict"], decided["of"]) == ("reuse", 1), decided
    assert of_type(home.recorded(), "call.end")[-1]["outcome"] == "reused"


if __name__ == "__main__":
    main([a_repeat_of_what_started_waits_and_gets_the_earlier_result,
          a_raise_lets_an_allowed_call_go_and_counts_from_then_on,
          what_is_asked_still_waits_for_a_key_after_the_raise,
          a_rule_denies_past_the_budget_without_asking])
