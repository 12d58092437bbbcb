"""What a person does to a run besides deciding: edits, more time, absence."""
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from harness import Seat, main, of_type, wait_for
from test_run import tools

def poke(home, text="one"):
    return "poke(path=%r, text=%r)\n" % (str(home.work / "out.txt"), text)


def begin(home, program, **more):
    """A run whose first call waits, and somebody who sits at it: (run, call, seat)."""
    home.give(home.work)
    run = home.start("run", "--program", home.write("p.py", program), "-c",
                     tools(home, **more), "--headless")
    call = home.held()
    return run, call, Seat(home)


def done(home, run, code=0):
    out, err = run.communicate(timeout=60)
    assert run.returncode == code, (run.returncode, out, err)
    status, out_verify, err_verify = home.run("verify", home.record())
    assert status == 1, out_verify + err_verify
    return out.decode(), err.decode()


def written(home):
    path = home.work / "out.txt"
    return path.read_text() if path.exists() else None


def what_was_last_presented_runs_and_the_program_is_told(home):
    run, call, seat = begin(home, poke(home) + "print(tools.edited())\n" + "print(peek('y'))\n"
                            "print(tools.edited())\n")
    before = seat.show(call)
    changed = {"path": str(home.work / "out.txt"), "text": "another"}
    assert seat.edit(call, json.dumps(changed, indent=2))["ok"]
    event, = of_type(home.recorded(), "call.edited")
    assert event["args"] == json.dumps(changed, separators=(",", ":")), event
    assert (event["edit"], event["by"]) == (1, "person") and event["who"], event
    assert len(of_type(home.recorded(), "call.ruled")) == 2
    old = seat.ask("decide", verdict="approve", **before)
    assert old["kind"] == "mismatch", old
    unseen = dict(before, bind=event["bind"], covered=len(event["args"]), total=len(event["args"]))
    assert seat.ask("decide", verdict="approve", **unseen)["kind"] == "mismatch"
    assert seat.approve(call)["ok"]
    out, err = done(home, run)
    assert written(home) == "another\n", written(home)
    assert out.splitlines() == [str(changed), "y", "None"], out
    assert "ToolEdited" in err and "another" in err, err


def an_edit_that_is_no_call_changes_nothing(home):
    run, call, seat = begin(home, poke(home))
    bind, args = seat.bind(call)
    for bad in ("", "{", "[1]", '{"path":"a","path":"b","text":"c"}', '{"path":7,"text":"x"}',
                '{"path":"a"}', '{"path":"a","text":"\\ud800"}', args, args + " "):
        reply = seat.edit(call, bad)
        assert not reply["ok"] and reply["error"], (bad, reply)
    assert seat.edit(call, {"path": "a", "text": "b"}, bind="0" * 64)["kind"] == "mismatch"
    assert seat.edit(99, "{}", bind=bind)["kind"] == "missing"
    assert seat.bind(call) == (bind, args) and not of_type(home.recorded(), "call.edited")
    assert seat.approve(call)["ok"]
    done(home, run)
    assert written(home) == "one\n"


def an_edit_that_a_rule_denies_is_denied(home):
    rule = {"tools": ["poke"], "action": "deny", "reason": "not that",
            "when": {"properties": {"text": {"const": "bad"}}}}
    program = "try:\n    %sexcept ToolDenied as e:\n    print(e.by, e.reason)\n" % poke(home)
    run, call, seat = begin(home, program, approval={"rules": [rule]})
    assert seat.edit(call, {"path": str(home.work / "out.txt"), "text": "bad"})["ok"]
    out, err = done(home, run)
    assert out.startswith("rule not that (a person had changed"), out
    assert written(home) is None
    decided, = of_type(home.recorded(), "call.decided")
    assert (decided["verdict"], decided["by"], decided["reason"]) == ("deny", "rule", "not that")


def an_edit_that_rules_allow_waits_all_the_same_and_can_be_taken_back(home):
    rule = {"tools": ["poke"], "action": "allow", "when": {"properties": {"text": {"const": "ok"},
                                                                        "path": {"type": "string"}}}}
    run, call, seat = begin(home, poke(home), approval={"rules": [rule]})
    asked = seat.bind(call)
    assert seat.ask("unedit", call=call, bind=asked[0])["kind"] == "state"
    assert seat.edit(call, {"path": str(home.work / "out.txt"), "text": "ok"})["ok"]
    assert of_type(home.recorded(), "call.ruled")[-1]["action"] == "allow"
    assert not of_type(home.recorded(), "call.decided")
    before = seat.show(call)
    assert seat.ask("unedit", call=call, bind=seat.bind(call)[0])["ok"]
    assert seat.bind(call) == asked
    assert seat.ask("decide", verdict="approve", **before)["kind"] == "mismatch"
    assert seat.approve(call)["ok"]
    done(home, run)
    assert written(home) == "one\n"


def an_edit_does_not_count_twice_in_the_budget(home):
    run, call, seat = begin(home, poke(home) + poke(home, "two"),
                            budget={"per_tool": {"poke": {"max_calls": 2}}})
    for text in ("b", "c", "d"):
        assert seat.edit(call, {"path": str(home.work / "out.txt"), "text": text})["ok"]
    assert seat.approve(call)["ok"]
    second = wait_for(lambda: home.held() != call and home.held(), "the second call")
    assert seat.approve(second)["ok"]
    done(home, run)
    assert written(home) == "d\ntwo\n"
    counters = {c["name"]: c["used"] for c in of_type(home.recorded(), "budget")[-1]["counters"]}
    assert counters["poke.max_calls"] == 2 and counters["max_tool_calls"] == 2, counters


def the_denial_of_an_edited_call_says_so_and_covers_what_was_asked(home):
    program = "for _ in range(2):\n    try:\n        %s    except ToolDenied as e:\n" \
              "        print(e.by, e.reason)\n" % poke(home)
    run, call, seat = begin(home, program)
    assert seat.edit(call, {"path": str(home.work / "out.txt"), "text": "b"})["ok"]
    assert seat.ask("decide", verdict="deny", reason="no", comment="kept", **seat.show(call))["ok"]
    out, err = done(home, run)
    assert out.splitlines() == ["person no (a person had changed its arguments)", "earlier no"], out
    assert of_type(home.recorded(), "call.decided")[0]["comment"] == "kept"


def left_ms(home):
    """Of the first call that waits, as `pending` has it."""
    code, out, err = home.run("pending", "--json")
    assert code == 0, err
    return json.loads(out.splitlines()[0])["left_ms"]


def more_time_is_given_and_counted(home):
    run, call, seat = begin(home, poke(home), approval={"timeout_s": 60})
    assert seat.ask("extend", call=call, ms=300000)["ok"]
    assert seat.ask("extend", call=99, ms=300000)["kind"] == "missing"
    assert seat.ask("extend", call=call, ms=0)["kind"] == "usage"
    event, = of_type(home.recorded(), "call.extended")
    assert (event["call"], event["ms"]) == (call, 300000) and event["who"], event
    assert 60000 < left_ms(home) < 360000
    assert seat.approve(call)["ok"]
    done(home, run)


def what_waits_for_ever_takes_no_more_time(home):
    run, call, seat = begin(home, poke(home), approval={"timeout_s": None})
    assert seat.ask("extend", call=call, ms=1000)["kind"] == "refused"
    assert seat.approve(call)["ok"]
    done(home, run)


def away_holds_what_rules_allow_until_somebody_is_back(home):
    program = poke(home) + "print(peek('seen'))\n" + poke(home, "two")
    run, call, seat = begin(home, program)
    assert seat.ask("away", away=True)["ok"] and seat.ask("away", away=True)["ok"]
    event, = of_type(home.recorded(), "away")
    assert event["away"] is True and event["who"], event
    gone = home.recorded()[-1]["mono"]
    assert seat.approve(call)["ok"], "a late decision is possible"
    second = wait_for(lambda: home.held() != call and home.held(), "the read")
    assert of_type(home.recorded(), "call.held")[-1]["why"] == "away"
    seat.console.socket.close()
    seat = Seat(home, "2" * 16)  # the console that said so has gone: it stays so
    left = left_ms(home)
    wait_for(lambda: seat.show(second) and home.recorded()[-1]["mono"] - gone > 1e9, "time to pass")
    assert left_ms(home) == left
    assert not [d for d in of_type(home.recorded(), "call.decided") if d["call"] == second]
    assert seat.ask("away", away=False)["ok"]
    third = wait_for(lambda: home.held() != second and home.held(), "the third")
    decided = [d for d in of_type(home.recorded(), "call.decided") if d["call"] == second][0]
    assert (decided["verdict"], decided["by"]) == ("approve", "default"), decided
    assert of_type(home.recorded(), "call.held")[-1]["why"] == "default"
    assert seat.approve(third)["ok"]
    out, err = done(home, run)
    assert out == "seen\n" and written(home) == "one\ntwo\n"
    assert decided["call"] == second


def the_programs_clock_stands_still_while_the_person_is_away(home):
    run, call, seat = begin(home, poke(home) + "import time\ntime.sleep(4)\n",
                            sandbox={"wall_s": 3})
    assert seat.ask("away", away=True)["ok"] and seat.approve(call)["ok"]
    done(home, run)
    assert of_type(home.recorded(), "program.end")[0]["outcome"] == "ok"


def clocks_go_on_when_the_person_is_back(home):
    program = "try:\n    %sexcept ToolDenied as e:\n    print(e.by)\n" % poke(home)
    run, call, seat = begin(home, program, approval={"timeout_s": 2})
    assert seat.ask("away", away=True)["ok"] and seat.ask("away", away=False)["ok"]
    out, err = done(home, run)
    assert out == "timeout\n", out


def what_a_rule_denies_is_denied_during_an_absence_too(home):
    rule = {"tools": ["peek"], "action": "deny", "reason": "never"}
    program = poke(home) + "try:\n    peek('x')\nexcept ToolDenied as e:\n    print(e.reason)\n"
    run, call, seat = begin(home, program, approval={"rules": [rule]})
    assert seat.ask("away", away=True)["ok"] and seat.approve(call)["ok"]
    out, err = done(home, run)
    assert out == "never\n", out


def a_run_that_asks_nobody_waits_for_nobody(home):
    home.give(home.work)
    run = home.start("run", "--program", home.write("p.py", "import time\ntime.sleep(600)\n"), "-c",
                     tools(home), "--no-ask")
    wait_for(lambda: home.records() and of_type(home.recorded(), "program.line"), "the program")
    seat = Seat(home)
    assert seat.ask("away", away=True)["kind"] == "refused"
    assert seat.ask("away")["kind"] == "usage"
    assert seat.ask("stop")["ok"]
    done(home, run, 3)


def decide_edits_from_a_shell_and_prints_the_new_code(home):
    run, call, seat = begin(home, poke(home))
    old = home.code(call)
    args = json.dumps({"path": str(home.work / "out.txt"), "text": "shell"})
    code, out, err = home.run("decide", home.session(), call, "edit")
    assert code == 2 and "--args" in err, err
    code, out, err = home.run("decide", home.session(), call, "edit", "--args", "{")
    assert code == 2 and err, err
    code, out, err = home.run("decide", home.session(), call, "edit", "--args", args)
    assert code == 0, err
    new = home.code(call)
    assert new != old and new in out + err, (out, err)
    code, out, err = home.run("decide", home.session(), call, "approve", "--code", old)
    assert code != 0, "the old code is void"
    code, out, err = home.run("decide", home.session(), call, "approve", "--code", new)
    assert code == 0, err
    done(home, run)
    assert written(home) == "shell\n"


if __name__ == "__main__":
    main([test for name, test in list(globals().items())
          if callable(test) and getattr(test, "__module__", "") == "__main__"
          and test.__code__.co_varnames[:1] == ("home",) and test.__code__.co_argcount == 1
          and name not in ("written", "poke", "left_ms")])
