"""Limits that a person may raise (budget.on_exceeded "ask"), end to end."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from harness import main, of_type, wait_for
from test_person import begin, done, written

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
    code, events, err = home.events(text, __import__("test_run").tools(
        home, approval=deny, budget={"on_exceeded": "ask", "max_tool_calls": 0}))
    assert code == 0 and not of_type(events, "call.held"), err
    assert of_type(events, "call.decided")[0]["by"] == "rule"


if __name__ == "__main__":
    main([a_raise_lets_an_allowed_call_go_and_counts_from_then_on,
          what_is_asked_still_waits_for_a_key_after_the_raise,
          a_rule_denies_past_the_budget_without_asking])
