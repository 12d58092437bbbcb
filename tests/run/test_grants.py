"""Grants and rules that a person makes in a run, end to end."""
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from harness import main, of_type, wait_for
from test_person import begin, done, written

LOOP = '''path = %r
for text in %r:
    try:
        poke(path=path, text=text)
    except ToolDenied as e:
        print(text, e.by, e.reason)
'''


def loop(home, *texts):
    return LOOP % (str(home.work / "out.txt"), list(texts))


def bounds(home, *texts, **more):
    each = {"path": {"const": str(home.work / "out.txt")}, "text": {"enum": list(texts)}}
    return json.dumps({"type": "object", "properties": each, "required": ["path", "text"],
                       "additionalProperties": False, **more})


def decisions(home):
    return {d["call"]: (d["verdict"], d["by"], d.get("grant"))
            for d in of_type(home.recorded(), "call.decided")}


def next_held(home, call):
    return wait_for(lambda: home.held() != call and home.held(), "the next held call")


def a_grant_covers_the_next_n_calls_within_its_bounds_and_no_more(home):
    run, call, seat = begin(home, loop(home, "a", "b", "x", "a", "b"))
    reply = seat.ask("grant", n=2, bounds=bounds(home, "a", "b"), comment="two", **seat.show(call))
    assert reply["ok"], reply
    third = next_held(home, call)
    assert third == 3, "x is not within the bounds"
    assert seat.approve(third)["ok"]
    fifth = next_held(home, third)
    assert fifth == 5, "two calls used it up"
    assert seat.approve(fifth)["ok"]
    done(home, run)
    assert written(home) == "a\nb\nx\na\nb\n"
    person, grant = ("approve", "person", None), ("approve", "grant", 1)
    assert decisions(home) == {1: person, 2: grant, 3: person, 4: grant, 5: person}
    added, = of_type(home.recorded(), "grant.add")
    assert added["bounds"] == bounds(home, "a", "b") and added["who"]
    assert (added["grant"], added["tool"], added["attempt"], added["line"], added["n"],
            added["from_call"]) == (1, "kit.poke", 1, 4, 2, 1), added


def what_is_open_or_not_of_this_call_is_not_granted(home):
    run, call, seat = begin(home, loop(home, "a"))
    good = bounds(home, "a")
    seen = seat.show(call)
    for wrong in (bounds(home, "b"), bounds(home, "a", additionalProperties=True), "{}", "",
                  bounds(home, "a", required=["path"])):
        reply = seat.ask("grant", n=2, bounds=wrong, **seen)
        assert not reply["ok"] and reply["error"], (wrong, reply)
    assert not seat.ask("grant", n=0, bounds=good, **seen)["ok"]
    assert seat.ask("grant", n=1, bounds=good, **dict(seen, presentation=7))["kind"] == "mismatch"
    assert seat.ask("grant", n=1, bounds=good, **dict(seen, bind="0" * 64))["kind"] == "mismatch"
    assert seat.ask("grant", n=1, bounds=good, **dict(seen, covered=1))["kind"] == "refused"
    assert seat.ask("grant", n=1, bounds=good, **dict(seen, call=9))["kind"] == "missing"
    assert not of_type(home.recorded(), "grant.add") and not decisions(home)
    assert seat.approve(call)["ok"]
    done(home, run)


def a_call_that_wants_its_code_or_a_person_is_never_granted(home):
    for more in ({"confirm": "code"}, {"by": "person"}):
        rule = {"tools": ["poke"], "action": "ask", **more}
        run, call, seat = begin(home, loop(home, "a"), approval={"rules": [rule]})
        seen = seat.show(call)
        seen["code"] = home.code(call)
        reply = seat.ask("grant", n=2, bounds=bounds(home, "a"), **seen)
        assert reply["kind"] == "refused", reply
        assert seat.ask("decide", verdict="deny", **seen)["ok"]
        done(home, run)
        for record in home.records():
            record.unlink()


def a_line_without_such_a_call_gives_no_grant(home):
    program = "f = poke\nf(path=%r, text='a')\n" % str(home.work / "out.txt")
    run, call, seat = begin(home, program)
    reply = seat.ask("grant", n=2, bounds=bounds(home, "a"), **seat.show(call))
    assert reply["kind"] == "refused" and "line 2" in reply["error"], reply
    assert seat.approve(call)["ok"]
    done(home, run)


def a_revoked_grant_covers_nothing(home):
    program = loop(home, "a", "x", "a")
    run, call, seat = begin(home, program)
    assert seat.ask("grant", n=9, bounds=bounds(home, "a"), **seat.show(call))["ok"]
    second = next_held(home, call)
    assert seat.ask("revoke", grant=2)["kind"] == "missing"
    assert seat.ask("revoke", grant=1)["ok"]
    assert seat.ask("revoke", grant=1)["kind"] == "state"
    assert seat.approve(second)["ok"]
    assert seat.approve(next_held(home, second))["ok"]
    done(home, run)
    assert [d["grant"] for d in of_type(home.recorded(), "grant.revoke")] == [1]


def a_denial_of_the_tool_ends_its_grants(home):
    run, call, seat = begin(home, loop(home, "a", "x", "a"))
    assert seat.ask("grant", n=9, bounds=bounds(home, "a"), **seat.show(call))["ok"]
    second = next_held(home, call)
    assert seat.ask("decide", verdict="deny", **seat.show(second))["ok"]
    third = next_held(home, second)
    reply = seat.ask("grant", n=9, bounds=bounds(home, "a"), **seat.show(third))
    assert reply["kind"] == "refused" and "denied" in reply["error"], reply
    assert seat.approve(third)["ok"]
    done(home, run)
    assert written(home) == "a\na\n"


def granted_calls_are_held_while_the_person_is_away(home):
    run, call, seat = begin(home, loop(home, "a", "a"))
    seen = seat.show(call)
    assert seat.ask("away", away=True)["ok"]
    assert seat.ask("grant", n=9, bounds=bounds(home, "a"), **seen)["ok"]
    second = next_held(home, call)
    assert seat.ask("away", away=False)["ok"]
    assert seat.approve(second)["ok"]
    done(home, run)


def a_rule_that_denies_counts_at_once_also_for_what_waits(home):
    program = '''import threading
def go(text):
    try:
        poke(path=%r, text=text)
    except ToolDenied as e:
        print(text, e.by, e.reason)
threads = [threading.Thread(target=go, args=(text,)) for text in ("bad", "good")]
for one in threads: one.start()
for one in threads: one.join()
go("bad too")
''' % str(home.work / "out.txt")
    run, call, seat = begin(home, program)
    wait_for(lambda: len(of_type(home.recorded(), "call.held")) == 2, "two calls that wait")
    rule = {"tools": ["poke"], "action": "deny", "reason": "none of these",
            "when": {"properties": {"text": {"pattern": "^bad"}}}}
    assert seat.ask("rule", call=call, action="deny", rule=json.dumps(rule))["ok"]
    left = wait_for(lambda: len(decisions(home)) == 1 and home.held(), "one denied at once")
    assert seat.approve(left)["ok"]
    out, err = done(home, run)
    assert sorted(out.splitlines()) == ["bad rule none of these", "bad too rule none of these"], out
    assert written(home) == "good\n"
    added, = of_type(home.recorded(), "rule.add")
    assert (json.loads(added["rule"]), added["from_now"], added["from_call"]) == (rule, True, call)
    assert of_type(home.recorded(), "call.ruled")[-1]["at"] == "made from call %d" % call


def a_rule_that_asks_counts_from_now_and_one_that_allows_is_kept_for_later(home):
    run, call, seat = begin(home, loop(home, "a") + "peek()\n" + loop(home, "b"))
    for bad in ("{", "{}", '{"tools":["poke"],"action":"ask","nosuch":1}',
                '{"tools":["poke"],"action":"deny"}',
                '{"tools":["poke"],"action":"ask","when":{"nosuch":1}}'):
        assert not seat.ask("rule", call=call, action="ask", rule=bad)["ok"], bad
    ask, allow = ('{"tools":["%s"],"action":"%s"}' % pair
                  for pair in (("peek", "ask"), ("poke", "allow")))
    assert seat.ask("rule", call=99, action="ask", rule=ask)["kind"] == "missing"
    assert seat.ask("rule", call=call, action="ask", rule=ask)["ok"]
    assert seat.ask("rule", call=call, action="allow", rule=allow)["ok"]
    assert [d["from_now"] for d in of_type(home.recorded(), "rule.add")] == [True, False]
    for number in (1, 2, 3):
        assert home.held(number) and seat.approve(number)["ok"]
    done(home, run)


if __name__ == "__main__":
    main([a_grant_covers_the_next_n_calls_within_its_bounds_and_no_more,
          what_is_open_or_not_of_this_call_is_not_granted,
          a_call_that_wants_its_code_or_a_person_is_never_granted,
          a_line_without_such_a_call_gives_no_grant,
          a_revoked_grant_covers_nothing,
          a_denial_of_the_tool_ends_its_grants,
          granted_calls_are_held_while_the_person_is_away,
          a_rule_that_denies_counts_at_once_also_for_what_waits,
          a_rule_that_asks_counts_from_now_and_one_that_allows_is_kept_for_later])
