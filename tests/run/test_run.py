"""The main job end to end, headless: policy, budget, decisions, ends, the record."""
import json
import os
import pathlib
import signal
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from harness import BINARY, Console, ROOT, main, of_type, parse, wait_for

TOOLS = '''
import os, sys, time
from tollbridge import tool

@tool(read_only=True)
def peek(text: str = "x") -> str:
    """Give the text back."""
    return text

def poke(path: str, text: str) -> int:
    """Append a line to a file."""
    with open(path, "a") as out:
        out.write(text + "\\n")
    return len(text)

@tool(read_only=True)
def noisy() -> str:
    """Print, write to descriptors, and answer."""
    print("noise on stdout")
    os.write(1, b"noise on 1\\n")
    print("noise on stderr", file=sys.stderr)
    return "quiet"

@tool(read_only=True)
def leaver() -> str:
    """Call sys.exit."""
    sys.exit(3)

@tool(read_only=True)
def forker() -> str:
    """Fork a child that returns like its parent."""
    os.fork()
    return "forked"

@tool(read_only=True)
async def later(n: int) -> int:
    """Asynchronous."""
    import asyncio
    await asyncio.sleep(0)
    return n + 1
'''


def tools(home, **more):
    home.write("kit.py", TOOLS)
    return home.config({"kit": "kit.py"}, **more)


def salaries(home):
    people = json.loads((home.work / "employees.json").read_text())
    people = people.values() if isinstance(people, dict) else people
    return {person["name"]: person["salary"] for person in people}


def engineers(home):
    people = json.loads((home.work / "employees.json").read_text())
    people = people.values() if isinstance(people, dict) else people
    return [person["name"] for person in people if person["department"] == "Engineering"]


def raises_within_the_policy_need_nobody(home):
    config = home.payroll()
    before = salaries(home)
    code, events, err = home.events("raise-5000.py", config)
    assert code == 0, err
    assert not of_type(events, "call.held")
    after = salaries(home)
    for name in before:
        assert after[name] - before[name] == (5000 if name in engineers(home) else 0), after
    assert of_type(events, "run.end")[0]["outcome"] == "ok"


def json_prints_the_record_itself(home):
    config = home.payroll()
    code, out, err = home.run("run", "--program", "raise-5000.py", "-c", config, "--json")
    assert code == 0, err
    assert out == home.record().read_text()
    code, out, err = home.run("verify", home.record())
    assert code == 1, out + err


def an_ask_without_anyone_to_ask_is_denied_and_the_program_goes_on(home):
    config = home.payroll()
    before = salaries(home)
    code, out, err = home.run("run", "--program", "raise-9000.py", "-c", config, "--no-ask")
    assert code == 0, (out, err)
    assert salaries(home) == before
    code, out, err = home.run("run", "--program", "raise-9000.py", "-c", config, "--no-ask",
                              "--fail-on-denied")
    assert code == 3, (code, out, err)


def exactly_the_approved_raise_happens(home):
    config = home.payroll()
    before = salaries(home)
    run = home.start("run", "--program", "raise-9000.py", "-c", config, "--headless")
    first = home.held()
    args = [d for d in of_type(home.recorded(), "call.request") if d["call"] == first][0]["args"]
    approved = json.loads(args)["name"]
    code, out, err = home.run("decide", home.session(), first, "approve", "--code", "AAAA")
    assert code != 0, "a wrong code must not approve"
    code, out, err = home.run("decide", home.session(), first, "approve", "--code", home.code(first))
    assert code == 0, err
    second = wait_for(lambda: home.held() != first and home.held(), "the second held call")
    code, out, err = home.run("decide", home.session(), first, "deny")
    assert code != 0 and "approve" in (out + err), "a decided call says what was decided"
    code, out, err = home.run("decide", home.session(), second, "deny", "--reason", "not this year")
    assert code == 0, err
    out, err = run.communicate(timeout=60)
    assert run.returncode == 0, err
    assert b"not this year" in out, out
    after = salaries(home)
    assert {n: after[n] - before[n] for n in before if after[n] != before[n]} == {approved: 9000}
    ended = {d["call"]: d["outcome"] for d in of_type(home.recorded(), "call.end")}
    assert ended[first] == "ok" and ended[second] == "denied"


def the_cap_raises_in_the_program_on_call_51(home):
    config = tools(home)
    code, events, err = home.events("n = 0\nwhile True:\n    peek()\n    n += 1\n", config)
    assert code == 4, (code, err)
    ok = [d for d in of_type(events, "call.end") if d["outcome"] == "ok"]
    assert len(ok) == 50
    refused = [d for d in of_type(events, "call.decided") if d["by"] == "budget"]
    assert [d["call"] for d in refused] == [51]
    assert "BudgetExceeded" in of_type(events, "program.end")[0]["error"]


def a_program_that_swallows_the_refusal_is_ended(home):
    config = tools(home, budget={"max_tool_calls": 5, "max_refused": 100})
    code, events, err = home.events(
        "while True:\n    try:\n        peek()\n    except Exception:\n        pass\n", config)
    assert code == 4, (code, err)
    assert of_type(events, "run.end")[0]["outcome"] == "budget"
    assert of_type(events, "program.end")[0]["outcome"] == "budget"
    assert len([d for d in of_type(events, "call.decided") if d["by"] == "budget"]) == 10
    counters = {c["name"]: c for c in of_type(events, "budget")[-1]["counters"]}
    assert counters["refused"]["used"] == 100, counters


def a_tool_has_its_own_cap(home):
    config = tools(home, budget={"per_tool": {"peek": {"max_calls": 2}}})
    code, events, err = home.events(
        "peek()\npeek()\ntry:\n    peek()\nexcept BudgetExceeded as e:\n    print('capped', e)\n",
        config)
    assert code == 0, err
    assert "capped" in of_type(events, "answer")[0]["text"]


def programs_end_with_the_exit_code_of_their_outcome(home):
    config = tools(home, sandbox={"wall_s": 1, "output": "4K"})
    cases = [
        ("pass\n\n", 0, "ok"),
        ("raise ValueError('no')\n", 1, "error"),
        ("import sys\nsys.exit(3)\n", 1, "error"),
        ("def\n", 1, "syntax"),
        ("poke(path='/tmp/never', text='x')\n", 3, "denied"),
        ("import time\ntime.sleep(600)\n", 8, "time"),
        ("print('x' * 100000)\n", 1, "output"),
        ("import os\nos.kill(os.getpid(), 9)\n", 1, "killed"),
        ("nosuch()\n", 1, "error"),
    ]
    for program, code, outcome in cases:
        got, events, err = home.events(program, config, "--no-ask")
        end = of_type(events, "run.end")[0]
        assert (got, end["outcome"]) == (code, outcome), (program, got, end, err)
        assert end["exit_code"] == got
        assert events[-1]["type"] == "session.end"


def processor_time_is_limited(home):
    config = tools(home, sandbox={"cpu_s": 1})
    code, events, err = home.events("while True:\n    pass\n", config)
    assert (code, of_type(events, "run.end")[0]["outcome"]) == (8, "cpu"), err


def a_held_call_stops_the_wall_clock_and_its_timeout_denies(home):
    config = tools(home, sandbox={"wall_s": 1}, approval={"timeout_s": 2})
    code, events, err = home.events(
        "try:\n    poke(path='/tmp/never', text='x')\nexcept ToolDenied as e:\n    print('denied', e.by)\n",
        config)
    assert code == 0, err
    assert of_type(events, "call.decided")[0]["by"] == "timeout"
    assert of_type(events, "program.end")[0]["held_ms"] >= 1500


def tools_survive_what_their_code_does(home):
    config = tools(home)
    program = '''
print(noisy())
try:
    leaver()
except ToolError as e:
    print("exit is an error")
print(forker())
print(later(n=41))
print(peek("positional"), kit.peek())
'''
    code, events, err = home.events(program, config)
    assert code == 0, err
    assert of_type(events, "answer")[0]["text"] == \
        "quiet\nexit is an error\nforked\n42\npositional x\n"


def a_worker_that_comes_back_is_told_once(home):
    home.write("kit.py", TOOLS + """
@tool(read_only=True)
def die() -> int:
    os.kill(os.getpid(), 9)
""")
    config = home.config({"kit": "kit.py"})
    code, events, err = home.events(
        "try:\n    die()\nexcept ToolError:\n    print(peek('back'))\n", config)
    assert code == 0 and of_type(events, "answer")[0]["text"] == "back\n", err
    states = [(d["state"], len(d["added"]) > 0) for d in of_type(events, "tools")]
    assert states == [("starting", False), ("ready", True), ("died", False), ("starting", False),
                      ("ready", False)], states
    ended = {d["call"]: d["outcome"] for d in of_type(events, "call.end")}
    assert ended == {1: "unknown", 2: "ok"}, ended


def threads_call_in_parallel(home):
    config = tools(home)
    program = '''
import threading
results = []
def work(i):
    results.append(peek(str(i)))
threads = [threading.Thread(target=work, args=(i,)) for i in range(16)]
[t.start() for t in threads]
[t.join() for t in threads]
print(sorted(results, key=int) == [str(i) for i in range(16)])
'''
    code, events, err = home.events(program, config)
    assert code == 0, err
    assert of_type(events, "answer")[0]["text"] == "True\n"


def a_command_is_a_tool(home):
    script = home.write("count.sh", "#!/bin/sh\nwc -c | sed 's/ //g'\n")
    script.chmod(0o755)
    failing = home.write("fail.sh", "#!/bin/sh\necho the reason >&2\nexit 4\n")
    failing.chmod(0o755)
    schema = {"type": "object", "properties": {"text": {"type": "string"}}}
    read = {"readOnlyHint": True, "openWorldHint": False}
    config = home.config({
        "count": {"command": ["./count.sh"], "description": "Count", "input_schema": schema,
                  "annotations": read},
        "failing": {"command": ["./fail.sh"], "description": "Fail", "input_schema": schema,
                    "annotations": read}})
    code, events, err = home.events(
        "print(count(text='abc'))\ntry:\n    failing()\nexcept ToolError as e:\n    print(e)\n", config)
    assert code == 0, err
    answer = of_type(events, "answer")[0]["text"]
    assert answer.startswith("15\n") and "the reason" in answer, answer


def call_tries_one_tool_through_the_gate(home):
    config = tools(home)
    code, out, err = home.run("call", "peek", "text=hello", "-c", config, "--headless")
    assert (code, out.strip()) == (0, '"hello"'), (code, out, err)
    code, out, err = home.run("call", "poke", "path=/tmp/never", "text=x", "-c", config, "--no-ask")
    assert code == 3, (code, out, err)


def wrong_arguments_ask_nobody(home):
    config = tools(home)
    code, events, err = home.events(
        "try:\n    poke(path=7, text='x')\nexcept ToolError as e:\n    print('invalid')\n", config)
    assert code == 0, err
    assert of_type(events, "call.decided")[0]["by"] == "invalid"
    assert not of_type(events, "call.held")


def a_denial_tightens_for_the_same_call(home):
    config = tools(home)
    program = '''
for i in range(2):
    try:
        poke(path="/tmp/never", text="x")
    except ToolDenied as e:
        print(e.by, e.reason)
'''
    home.write("twice.py", program)
    run = home.start("run", "--program", "twice.py", "-c", config, "--headless")
    call = home.held()
    code, out, err = home.run("decide", home.session(), call, "deny", "--reason", "once is enough")
    assert code == 0, err
    out, err = run.communicate(timeout=60)
    assert out.decode() == "person once is enough\nearlier once is enough\n", (out, err)


def a_run_is_stopped_listed_and_left_alone(home):
    config = tools(home)
    home.write("hold.py", "poke(path='/tmp/never', text='x')\n")
    code, out, err = home.run("run", "--program", "hold.py", "-c", config, "--detach")
    assert code == 0, err
    call = home.held()
    code, out, err = home.run("list", "--json")
    assert code == 0 and home.session() in out, (out, err)
    code, out, err = home.run("list", "--short")
    assert out == "1 waits\n", out
    code, out, err = home.run("pending")
    assert code == 0 and "poke" in out and home.code(call) in out, (out, err)
    code, out, err = home.run("stop", home.session())
    assert code == 0, err
    wait_for(lambda: of_type(home.recorded(), "session.end"), "the end")
    assert of_type(home.recorded(), "run.end")[0]["outcome"] == "stopped"
    assert of_type(home.recorded(), "call.decided")[0]["verdict"] == "deny"
    wait_for(lambda: not home.supervisors(), "the supervisor to leave")


def a_signal_ends_a_headless_run(home):
    config = tools(home)
    home.write("hold.py", "poke(path='/tmp/never', text='x')\n")
    run = home.start("run", "--program", "hold.py", "-c", config, "--headless")
    home.held()
    run.send_signal(signal.SIGTERM)
    run.communicate(timeout=60)
    assert run.returncode == 143, run.returncode
    assert of_type(home.recorded(), "run.end")[0]["outcome"] == "signal"


def a_record_that_reaches_its_size_ends_the_run(home):
    config = tools(home, record={"max_bytes": 65536}, budget={"max_tool_calls": 10000})
    code, events, err = home.events("while True:\n    peek('y' * 2000)\n", config)
    assert (code, of_type(events, "run.end")[0]["outcome"]) == (7, "record_size"), err
    code, out, err = home.run("verify", home.record())
    assert code == 1, out


def a_record_that_cannot_be_written_releases_nothing(home):
    target = home.work / "done"
    config = tools(home, approval={"rules": [{"tools": ["poke"], "action": "allow"}]},
                   budget={"max_tool_calls": 10000})
    home.give(home.work)
    program = "while True:\n    poke(path=%r, text='x' * 500)\n" % str(target)
    home.write("fill.py", program)
    code, out, err = home.run("run", "--program", "fill.py", "-c", config, "--headless",
                              preexec_fn=lambda: limit_files(200000))
    assert code == 7, (code, out, err)
    started = len(of_type(home.recorded(), "call.start"))
    assert len(target.read_text().splitlines()) <= started


def limit_files(size):
    import resource
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def usage_errors_are_exit_2(home):
    config = tools(home)
    for words in (["run"], ["run", "--program", "nosuch.py", "-c", config, "--headless"],
                  ["run", "--nosuch"], ["lst"], ["run", "--program", "x", "-c", "nosuch.json"]):
        code, out, err = home.run(*words)
        assert code == 2 and err.strip(), (words, code, out, err)
    code, out, err = home.run("lst")
    assert "list" in err, err


def a_tool_file_that_fails_says_why(home):
    home.write("broken.py", "def f(x: int) -> int:\n    return nosuch(\n")
    config = home.config({"broken": "broken.py"})
    code, out, err = home.run("run", "--program", "-", "-c", config, "--headless", input="pass\n")
    assert code == 2 and "broken" in err, (code, err)


def the_programs_text_can_come_from_standard_input(home):
    config = tools(home)
    code, out, err = home.run("run", "--program", "-", "-c", config, "--headless",
                              input="print(peek('piped'))\n")
    assert (code, out) == (0, "piped\n"), (code, out, err)


def two_consoles_may_show_one_call(home):
    config = tools(home)
    target = home.work / "out.txt"
    program = home.write("p.py", "poke(path=%r, text='one')\n" % str(target))
    run = home.start("run", "--program", program, "-c", config, "--headless")
    call = home.held()
    request = of_type(home.recorded(), "call.request")[0]
    total = len(request["args"])
    one, other = Console(home, "1" * 16), Console(home, "2" * 16)
    shown = {"call": call, "bind": request["bind"], "presentation": 1, "seen_seq": 0, "cols": 80,
             "rows": 24, "mode": "strict"}
    assert one.ask("presented", frame="a" * 64, **shown)["ok"]
    assert other.ask("presented", frame="b" * 64, **shown)["ok"]
    yes = {"call": call, "bind": request["bind"], "verdict": "approve", "presentation": 1,
           "dwell_ms": 900, "covered": total, "total": total}
    assert one.ask("decide", frame="b" * 64, **yes)["kind"] == "mismatch"
    assert one.ask("decide", frame="a" * 64, **dict(yes, covered=total - 1))["kind"] == "refused"
    assert one.ask("decide", frame="a" * 64, **dict(yes, stop="no"))["kind"] == "usage"
    assert one.ask("decide", frame="a" * 64, **yes)["ok"]
    assert other.ask("decide", frame="b" * 64, **yes)["kind"] == "state"
    run.communicate()
    code, out, err = home.run("verify", home.record())
    assert code == 1, out + err


if __name__ == "__main__":
    main([test for name, test in list(globals().items())
          if callable(test) and getattr(test, "__module__", "") == "__main__"
          and test.__code__.co_varnames[:1] == ("home",) and test.__code__.co_argcount == 1
          and name not in ("salaries", "engineers", "tools")])
