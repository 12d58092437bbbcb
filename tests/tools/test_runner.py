"""The guest's runner, alone, without a sandbox: the bridge's order, typed functions, the ends."""

import json
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from guest_host import HERE, NOTE, Guest, run, tool
from tap import Checks

checks = Checks()
RAISE = tool(
    "payroll.apply_raise",
    {"name": {"type": "string"}, "amount": {"type": "integer"}, "note": {"type": "string"}},
    ["name", "amount"],
    description="Add to a salary.",
)
READ = tool("payroll.get", {"name": {"type": "string"}}, ["name"])
ANY = tool("box.put", {"value": {}}, ["value"])
ODD = tool("odd.f_x2dx", {"class": {}, "a-b": {}}, ["class"], python="f_x2dx")
TOOLS = (RAISE, READ, ANY)


def printed(program, tools=TOOLS, **more):
    """A program's standard output, after checking that it ended well."""
    guest = run(program, tools, **more)
    end = guest.end()
    if not end or end["outcome"] != "ok":
        return "%r\n%s" % (end, guest.text())
    return guest.text()


def test_order():
    guest = run("print('x')\nget('Ada')\n", TOOLS)
    with open(os.path.join(HERE, "../../core/sandbox/layers.def")) as file:
        layers = re.findall(r'LAYER\(\w+, "(\w+)"', file.read())
    probes = guest.all("probe")
    checks.same("every layer has one probe, in order", [p["layer"] for p in probes], layers)
    checks.check(
        "each says whether and what", all(type(p["proved"]) is bool and p["detail"] for p in probes)
    )
    methods = [name for name, _ in guest.notes if name not in ("probe", "line")]
    checks.same("forecast, output and end come in order", methods, ["forecast", "output", "end"])
    checks.same(
        "an end says all of it", guest.end(), {"outcome": "ok", "exit": 0, "error": None, "line": 0}
    )
    checks.same("the process ends with 0", guest.status, 0)
    request = guest.requests[0]
    checks.same(
        "a request has MCP's shape",
        request,
        {
            "jsonrpc": "2.0",
            "id": request["id"],
            "method": "tools/call",
            "params": {
                "name": "payroll.get",
                "arguments": {"name": "Ada"},
                "_meta": {"tollbridge/line": 2},
            },
        },
    )


def test_forecast():
    program = (
        "get('a')\nfor x in y:\n    payroll.get('b')\n[put(1) for x in y]\ndef f():\n"
        "    get(1)\nget\nprint(1)\n"
    )
    guest = Guest()
    guest.load(program, TOOLS)
    wanted = [
        {"line": 1, "tool": "payroll.get", "loop": False},
        {"line": 3, "tool": "payroll.get", "loop": True},
        {"line": 4, "tool": "box.put", "loop": True},
        {"line": 6, "tool": "payroll.get", "loop": True},
    ]
    checks.same("a forecast names calls and loops", guest.all("forecast")[0]["sites"], wanted)
    guest.finish()
    for source, line in (("x = = 1", 1), ("a\n  b", 2), ("'\0'", 0), ("return 1", 1)):
        guest = run(source)
        end = guest.end()
        checks.same(
            "a program that does not compile ends with syntax: %r" % source,
            (end["outcome"], end["line"]),
            ("syntax", line),
        )
        checks.check(
            "and was never told to go: %r" % source, not guest.all("forecast") and end["error"]
        )


def test_arguments():
    def args(call):
        guest = run(call, TOOLS)
        return guest.requests[0]["params"]["arguments"] if guest.requests else guest.end()["error"]

    full = {"name": "Ada", "amount": 5}
    checks.same("keywords", args("apply_raise(name='Ada', amount=5)"), full)
    checks.same("positions, in the schema's order", args("apply_raise('Ada', 5)"), full)
    checks.same("both", args("payroll.apply_raise('Ada', amount=5)"), full)
    checks.same(
        "optional ones when given", args("apply_raise('Ada', 5, 'x')"), dict(full, note="x")
    )
    checks.has(
        "a missing one is a TypeError",
        args("apply_raise('Ada')"),
        "TypeError: apply_raise() missing",
        "'amount'",
    )
    checks.has("one too many is a TypeError", args("get('a', 'b')"), "TypeError", "takes 1")
    checks.has("an unknown one is a TypeError", args("get(nam='b')"), "TypeError", "'nam'")
    checks.has("a double one is a TypeError", args("get('b', name='b')"), "TypeError", "multiple")
    checks.same("a percent sign is only that", args("get('100%d %s')"), {"name": "100%d %s"})
    for call in ("get()", "get('a', 'b')", "put(float('nan'))"):
        checks.same("nothing reaches the bridge of %s" % call, run(call, TOOLS).requests, [])
    guest = run("print(f_x2dx(class_=1, a_x2db=2), odd.f_x2dx(1))", (ODD,))
    checks.same(
        "odd names are mapped there and back",
        guest.requests[0]["params"]["arguments"],
        {"class": 1, "a-b": 2},
    )
    program = (
        "import inspect\n"
        "print(inspect.signature(apply_raise), apply_raise.__doc__, apply_raise.__name__)"
    )
    checks.same(
        "functions describe themselves",
        printed(program),
        "(name: str, amount: int, note: str = None) Add to a salary. apply_raise\n",
    )


def test_names():
    with open(os.path.join(HERE, "names.txt"), encoding="utf-8") as file:
        pairs = [line.split() for line in file]
    names = tool("kit.f", {name: {} for name, _ in pairs}, [name for name, _ in pairs])
    text = printed("import inspect\nprint(*inspect.signature(f).parameters)", (names,))
    checks.same(
        "names become the identifiers that the host expects",
        text.split(),
        [want for _, want in pairs],
    )


def test_values():
    for value in (
        "float('nan')",
        "float('inf')",
        "{1}",
        "b'x'",
        "{1: 2}",
        "'\\ud800'",
        "['\\udfff']",
        "{'\\ud800': 1}",
        "object()",
        "{'e\\u0301': 1, '\\u00e9': 2}",
        "10**5000",
        "nest(70)",
        "loop",
        "'x' * (1 << 20)",
    ):
        program = (
            "loop = []\nloop.append(loop)\n"
            "def nest(n): return [nest(n - 1)] if n else 1\n"
            "try:\n    put(%s)\nexcept ToolError as e:\n    print('refused', str(e)[:90])\n" % value
        )
        guest = run(program, TOOLS)
        checks.check(
            "%s is refused before the bridge" % value,
            guest.text().startswith("refused") and not guest.requests,
            (guest.text(), guest.end()),
        )
    good = {
        "(1, 2)": [1, 2], "P(1, [2])": {
            "x": 1,
            "y": [2],
        }, "E.A": "a", "'\\U0001f600\\u00e9\\n'": "\U0001f600\xe9\n",
        "10**30": 10**30, "-0.5": -0.5, "nest(50)": None, "N(1)": [1], "S('x')": "x", "True": True,
        "{'a': {'b': (None,)}}": {"a": {"b": [None]}}, "5e-324": 5e-324,
    }
    head = (
        "import enum, dataclasses, collections\n"
        "@dataclasses.dataclass\nclass P:\n    x: int\n    y: list\n"
        "class E(enum.Enum):\n    A = 'a'\n"
        "class S(str): pass\n"
        "N = collections.namedtuple('N', 'a')\n"
        "def nest(n): return [nest(n - 1)] if n else 1\n"
    )
    for text, value in good.items():
        guest = run(head + "put(%s)" % text, TOOLS)
        seen = guest.requests and guest.requests[0]["params"]["arguments"]["value"]
        checks.check(
            "%s is carried" % text,
            guest.requests and (value is None or (seen == value and type(seen) is type(value))),
            (seen, guest.end()),
        )


def test_results():
    def big(guest, request):
        guest.result(request["id"], ["x" * 300000, {"a": [1.5, None, True]}])

    program = "r = get('a')\nprint(len(r[0]), r[1])"
    checks.same(
        "a large result arrives whole",
        run(program, TOOLS, big).text(),
        "300000 {'a': [1.5, None, True]}\n",
    )

    def bytewise(guest, request):
        result = {
            "structuredContent": {"n": "\xe9"},
            "isError": False,
            "_meta": {"tollbridge/budget": {"used": 9, "limit": 50}},
        }
        text = json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result})
        for byte in text.encode() + b"\n":
            guest.socket.sendall(bytes([byte]))

    program = "print(get('a'), tools.budget())"
    checks.same(
        "a response may come byte by byte",
        run(program, TOOLS, bytewise).text(),
        "{'n': '\xe9'} {'used': 9, 'limit': 50, 'left': 41}\n",
    )
    checks.same(
        "the budget is known before any call",
        printed("print(tools.budget())"),
        "{'used': 0, 'limit': 50, 'left': 50}\n",
    )
    program = (
        "print(tools.describe(get)['name'], len(tools.describe()), "
        "tools.describe('payroll.get')['effect'])"
    )
    checks.same("tools describe themselves", printed(program), "payroll.get 3 read\n")
    program = (
        "from tollbridge import ToolDenied as D, get as g\nimport payroll as p\n"
        "print(D is ToolDenied, g is get, p.get is get)"
    )
    checks.same("names can be imported too", printed(program), "True True True\n")


def refuse(code, by="person"):
    return lambda guest, request: guest.error(request["id"], code, "because", by)


def test_errors():
    for code, kind, base in (
        (
            -32001, "ToolDenied", "ToolRefused"
        ), (-32002, "BudgetExceeded", "ToolRefused"), (-32003, "ToolError", "Exception"),
        (-32005, "ToolError", "Exception"), (-32007, "ToolError", "Exception"),
    ):
        program = (
            "try:\n    get('a')\nexcept %s as e:\n"
            "    print(type(e).__name__, e, isinstance(e, %s))" % (kind, base)
        )
        checks.same(
            "code %d is a %s" % (code, kind),
            run(program, TOOLS, refuse(code)).text(),
            "%s because True\n" % kind,
        )
    program = "try:\n    get('a')\nexcept ToolDenied as e:\n    print(e.reason, e.by, e.final)"
    checks.same(
        "a denial says why, who and for how long",
        run(program, TOOLS, refuse(-32001)).text(),
        "because person True\n",
    )
    for code, outcome in ((-32001, "denied"), (-32002, "budget"), (-32005, "error")):
        guest = run("x = 1\nget('a')", TOOLS, refuse(code))
        end = guest.end()
        checks.same(
            "uncaught, code %d ends with %s" % (code, outcome),
            (end["outcome"], end["exit"], end["line"], guest.status),
            (outcome, 1, 2, 1),
        )
        checks.has(
            "its traceback shows only the program",
            end["error"],
            'File "program.py", line 2',
            "get('a')",
            "because",
        )
        checks.check(
            "and nothing of the runner",
            "runner" not in end["error"] and end["error"].count("File") == 1,
            end["error"],
        )


def test_ends():
    cases = {
        "raise SystemExit": (
            "ok", 0
        ), "import sys; sys.exit(0)": ("ok", 0), "import sys; sys.exit(7)": ("error", 7),
        "exit(3)": (
            "error", 3
        ), "raise SystemExit('bye')": ("error", 1), "raise KeyboardInterrupt": ("error", 1),
        "1/0": ("error", 1), "def f(): f()\nf()": ("error", 1), "raise MemoryError": ("error", 1),
        "import threading\nthreading.Thread(target=lambda: print('late')).start()": ("ok", 0),
    }
    for program, (outcome, code) in cases.items():
        guest = run(program)
        end = guest.end() or {}
        checks.same(
            "the end of %r" % program,
            (end.get("outcome"), end.get("exit"), guest.status),
            (outcome, code, code),
        )
    checks.has(
        "sys.exit's text goes to standard error",
        run("import sys; sys.exit('bye')").text("stderr"),
        "bye",
    )
    checks.has(
        "atexit handlers run before the end",
        run("import atexit; atexit.register(print, 'left')").text(),
        "left",
    )
    checks.has(
        "threads are waited for",
        run(
            "import threading, time\n"
            "threading.Thread(target=lambda: (time.sleep(0.2), print('late'))).start()",
        ).text(),
        "late",
    )
    guest = run(
        "def f():\n    raise ValueError('a')\ntry:\n    f()\nexcept ValueError:\n    {}['k']"
    )
    checks.has(
        "a chain of exceptions is whole",
        guest.end()["error"],
        "ValueError: a",
        "During handling",
        "KeyError: 'k'",
    )
    checks.same("its line is the last one's", guest.end()["line"], 6)
    program = "class E(Exception):\n    def __str__(self): raise RuntimeError\nraise E"
    checks.has("an exception that cannot be printed is an end", run(program).end()["error"], "E")
    checks.check(
        "a very long error is bounded",
        len(run("raise ValueError('x' * 10**6)").end()["error"]) < 40000,
    )
    checks.same(
        "the program is __main__", printed("print(__name__, __file__)"), "__main__ program.py\n"
    )
    program = (
        "import pickle, dataclasses\n@dataclasses.dataclass\nclass A:\n    x: int\n"
        "print(pickle.loads(pickle.dumps(A(1))))"
    )
    checks.same("its classes pickle", printed(program), "A(x=1)\n")
    program = (
        "import traceback\ntry:\n    1/0\nexcept Exception:\n"
        "    print(traceback.format_exc())"
    )
    checks.has("its own tracebacks show its lines", printed(program), "    1/0\n")


def test_output():
    checks.same(
        "standard output and error are told apart",
        run("import sys\nprint(1)\nprint(2, file=sys.stderr)").text("stderr"),
        "2\n",
    )
    text = run("for i in range(20000): print(i)").text()
    checks.same(
        "many lines arrive whole and in order", text, "".join("%d\n" % i for i in range(20000))
    )
    guest = run("for i in range(20000): print(i)")
    checks.check("and in few pieces", len(guest.all("output")) < 2000, len(guest.all("output")))
    checks.same("text without a line break arrives", run("print('x', end='')").text(), "x")
    checks.same(
        "a long text arrives whole", len(run("print('\U0001f600' * 200000)").text()), 200001
    )
    checks.same(
        "bytes are decoded",
        printed("import sys\nsys.stdout.buffer.write('\xe9\\n'.encode())"),
        "\xe9\n",
    )
    checks.same("half a letter is escaped", printed("print('\\ud800')"), "\\ud800\n")
    guest = run("import os\nos.write(1, b'raw')\nos.write(0, b'in')\nprint(os.read(0, 9))")
    checks.same(
        "descriptors 0 and 1 are not the bridge",
        (guest.text(), guest.end()["outcome"]),
        ("b''\n", "ok"),
    )
    checks.same("what bypassed sys.stdout is on the second socket", guest.stray, b"raw")
    guest = run("print('before')\nget('a')\nprint('after')", TOOLS)
    checks.same("output before a call is sent before it", guest.text(), "before\nafter\n")
    program = (
        "import threading\ndef f(n):\n    for i in range(50): print('%d' % n * 40)\n"
        "ts = [threading.Thread(target=f, args=(n,)) for n in range(8)]\n"
        "[t.start() for t in ts]\n[t.join() for t in ts]"
    )
    lines = sorted(printed(program).replace("\n", ""))
    checks.same(
        "threads may print at once", "".join(lines), "".join("%d" % n * 2000 for n in range(8))
    )


def test_threads():
    program = (
        "import threading\ndone = []\n"
        "def f(n):\n    for i in range(40): done.append(put([n, i]) == {'value': [n, i]})\n"
        "ts = [threading.Thread(target=f, args=(n,)) for n in range(8)]\n"
        "[t.start() for t in ts]\n[t.join() for t in ts]\nprint(len(done), all(done))"
    )
    checks.same("calls of many threads all get their own answer", printed(program), "320 True\n")
    held = []

    def backwards(guest, request):
        held.append(request)
        if len(held) == 4:
            for one in reversed(held):
                guest.result(one["id"], one["params"]["arguments"]["value"])
            held.clear()

    program = (
        "from concurrent.futures import ThreadPoolExecutor as T\n"
        "with T(4) as pool: print([list(pool.map(put, range(4))) for i in range(5)])"
    )
    text = run(program, TOOLS, backwards).text()
    checks.same("answers may come in any order", text, "%r\n" % ([[0, 1, 2, 3]] * 5))
    ids = [r["id"] for r in run("put(1)\nput(2)", TOOLS).requests]
    checks.check("ids are used once", len(set(ids)) == len(ids) == 2, ids)


def test_forks():
    program = (
        "import os\npid = os.fork()\nif pid == 0:\n"
        "    try:\n        put(1)\n    except ToolError as e:\n        print('child:', e)\n"
        "else:\n    os.waitpid(pid, 0)\n    print(put(2))\n"
    )
    guest = run(program, TOOLS)
    checks.same(
        "a forked child does not reach the bridge",
        [r["params"]["arguments"] for r in guest.requests],
        [{"value": 2}],
    )
    checks.same(
        "the parent goes on", (guest.text(), guest.end()["outcome"]), ("{'value': 2}\n", "ok")
    )
    checks.has(
        "the child is told why, and its output is kept",
        guest.stray.decode(),
        "child: a forked process cannot call tools",
    )


def test_live_line():
    guest = run("import time\ntime.sleep(0.35)\nfor i in range(3):\n    time.sleep(0.3)\n")
    lines = [p["line"] for p in guest.all("line")]
    checks.check(
        "the live line is told as it changes",
        lines[:1] == [2] and 4 in lines and len(lines) <= 6,
        lines,
    )
    guest = run(
        "import threading\nprint(threading.active_count())\nimport os\n"
        "print(len(os.listdir('/proc/self/task')))",
    )
    checks.same("the runner has one helper thread", guest.text(), "1\n2\n")
    guest = run("def f():\n    return get('a')\nf()", TOOLS)
    checks.same(
        "a request names the innermost line",
        guest.requests[0]["params"]["_meta"]["tollbridge/line"],
        2,
    )


def test_host_gone():
    guest = Guest()
    guest.load("import time\nwhile True: get('a')", TOOLS)
    guest.go()
    guest.next()
    checks.same("without its host the runner ends", guest.finish(), 1)
    guest = Guest()
    guest.load("try:\n    get('a')\nexcept BaseException:\n    print('caught')", TOOLS)
    guest.go()
    while "id" not in guest.next():
        pass
    guest.send({"jsonrpc": "2.0", "method": "tollbridge/cancel"})
    while guest.next():
        pass
    checks.same(
        "a cancelled program ends at once",
        (guest.end()["exit"], guest.text(), guest.finish()),
        (130, "", 130),
    )


def test_prefix():
    guest = Guest()
    first = guest.line()
    checks.check("notifications begin with the agreed bytes", first.startswith(NOTE), first)
    guest.finish()


def edit_first(guest, request):
    """A person changed the first call's amount."""
    arguments = request["params"]["arguments"]
    edited = dict(arguments, amount=5) if request["id"] == 1 else None
    guest.result(request["id"], edited or arguments, used=request["id"], edited=edited)


def test_edits():
    program = (
        "import threading\n"
        "value = apply_raise('Ada', 9)\n"
        "print(value['amount'], tools.edited())\n"
        "seen = []\n"
        "thread = threading.Thread(target=lambda: seen.append(tools.edited()))\n"
        "thread.start()\n"
        "thread.join()\n"
        "print(seen, tools.budget()['used'])\n"
        "apply_raise('Ada', 9)\n"
        "print(tools.edited(), tools.budget()['used'])\n"
    )
    guest = run(program, TOOLS, edit_first)
    checks.same(
        "the program can see what a changed call ran with, and only its own thread can",
        guest.text(),
        "5 {'name': 'Ada', 'amount': 5}\n[None] 1\nNone 2\n",
    )
    told = guest.text("stderr")
    checks.check(
        "it is told at the line of the call",
        told.startswith("program.py:2: ToolEdited:") and '"amount":5' in told,
        told,
    )
    checks.same("and once", told.count("ToolEdited"), 1)
    strict = (
        "import warnings\n"
        "warnings.simplefilter('error', ToolEdited)\n"
        "try:\n    apply_raise('Ada', 9)\n"
        "except ToolEdited as edited:\n    print(edited.arguments)\n"
    )
    guest = run(strict, TOOLS, edit_first)
    checks.same("it can ask for an exception", guest.text(), "{'name': 'Ada', 'amount': 5}\n")


def test_another_program():
    guest = Guest()
    guest.load("print('first')\nget('Ada')\n", TOOLS)
    guest.load("print('second', __file__)\n", TOOLS)
    guest.go()
    while guest.next():
        pass
    checks.same("of two programs the last one runs", guest.text(), "second program.py\n")
    checks.same(
        "each has its forecast", [len(f["sites"]) for f in guest.all("forecast")], [1, 0]
    )
    guest.finish()
    guest = Guest()
    guest.load("print('first')\n", TOOLS)
    end = guest.load("def\n", TOOLS)
    checks.same("one that does not compile ends it", end["params"]["outcome"], "syntax")
    checks.same("and nothing ran", guest.text(), "")
    guest.finish()


for name, test in sorted(globals().items()):
    if name.startswith("test_"):
        test()
checks.done()
