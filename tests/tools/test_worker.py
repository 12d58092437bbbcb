"""The worker of Python tools, alone: what it offers, what it takes, what it survives."""

import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from tap import Checks
from worker_host import HERE, Worker

checks = Checks()
SAMPLE = os.path.join(HERE, "sample_tools.py")


def offered(worker, name):
    return next(tool for tool in worker.tools if tool["name"] == name)


def test_definitions(worker):
    names = [tool["name"] for tool in worker.tools]
    wanted = (
        "plain numpy_doc sphinx_doc structured positional more other-name sends sleeps prints "
        "forks fork_raises exits interrupts cannot_say surrogate_error returns dies closes meets "
        "meets_async thing"
    )
    checks.same(
        "public functions and objects of the file are offered in order", " ".join(names), wanted
    )
    plain = offered(worker, "plain")
    checks.same(
        "simple hints, defaults and descriptions become a schema",
        plain["inputSchema"],
        {
            "type": "object",
            "properties": {
                "a": {"type": "integer", "description": "the first, over two lines."},
                "b": {"type": "number", "description": "the second."},
                "c": {"type": "string"},
                "d": {"type": "boolean", "default": True},
                "e": {"default": None},
                "f": {"default": 3},
            },
            "required": ["a", "b", "c"],
            "additionalProperties": False,
        },
    )
    checks.same(
        "a description keeps its paragraphs and loses its sections",
        plain["description"],
        "Everything simple.\n\nA second paragraph.",
    )
    for name in ("numpy_doc", "sphinx_doc"):
        a = offered(worker, name)["inputSchema"]["properties"]["a"]
        checks.same("%s: parameters are found" % name, a.get("description"), "the only one.")


def test_structured(worker):
    tool = offered(worker, "structured")
    point = {
        "type": "object",
        "properties": {
            "x": {"type": "integer"},
            "y": {"type": "number", "default": 0.5},
            "tags": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["x"],
        "additionalProperties": False,
    }
    options = {
        "type": "object",
        "properties": {"depth": {"type": "integer"}},
        "additionalProperties": False,
    }
    checks.same(
        "structured hints become a schema",
        tool["inputSchema"]["properties"],
        {
            "point": point,
            "colour": {"enum": ["red", "blue"]},
            "mode": {"enum": ["fast", "slow"]},
            "pair": {
                "type": "array",
                "items": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
                "minItems": 2,
                "maxItems": 2,
            },
            "sizes": {"type": "object", "additionalProperties": {"type": "integer"}},
            "many": {"type": "array", "items": {"type": "integer"}, "default": []},
            "options": {"anyOf": [options, {"type": "null"}], "default": None},
            "either": {
                "anyOf": [{"type": "integer"}, {"type": "array", "items": point}],
                "default": 1,
            },
            "unique": {
                "anyOf": [{"type": "array", "items": {"type": "integer"}}, {"type": "null"}],
                "default": None,
            },
        },
    )
    checks.same("a return hint becomes the output schema", tool["outputSchema"], point)
    given = {"point": {"x": 1}, "colour": "red", "mode": "fast", "pair": [1, "a"], "sizes": {}}
    returned = ("ok", {"x": 1, "y": 0.5, "tags": []})
    checks.same(
        "values reach the function as its hints say", worker.call("structured", **given), returned
    )
    given.update(either=[{"x": 2}], unique=[1, 1], many=[1, 2], options={"depth": 1})
    checks.same("so do those within unions and lists", worker.call("structured", **given), returned)


def test_marks(worker):
    renamed, sends = offered(worker, "other-name"), offered(worker, "sends")
    checks.same("destructive=True is said", renamed["annotations"], {"destructiveHint": True})
    checks.same("description= replaces the docstring", renamed["description"], "Said here.")
    checks.same(
        "read_only and open_world are said",
        sends["annotations"],
        {"readOnlyHint": True, "openWorldHint": True},
    )
    checks.same("title= is said", sends["title"], "A title")
    checks.check(
        "an unmarked tool has no annotations", "annotations" not in offered(worker, "plain")
    )
    checks.same("a tool is called by its given name", worker.call("other-name"), ("ok", None))


def test_calls(worker):
    checks.same(
        "defaults are the function's own", worker.call("plain", a=1, b=2, c="x"),
        ("ok", [1, 2.0, "x", True, None, 3]),
    )
    checks.same(
        "positional-only parameters work", worker.call("positional", a=1, c=5), ("ok", [1, 2, 5])
    )
    checks.same("**rest takes other names", worker.call("more", a=1, z=2), ("ok", {"z": 2}))
    checks.same("an async function is awaited", worker.call("sleeps", value=1), ("ok", 43))
    checks.same("the event loop serves again", worker.call("sleeps", value=2), ("ok", 44))
    checks.same("an object's invoke is called", worker.call("thing", n=1), ("ok", 2))


def test_hostile(worker):
    checks.same("printing disturbs nothing", worker.call("prints"), ("ok", "printed"))
    checks.same("a child that comes back is silent", worker.call("forks"), ("ok", "parent"))
    checks.same("and one that raises", worker.call("fork_raises"), ("ok", 1))
    state, words = worker.call("exits")
    checks.has("sys.exit is an error", (state, words), "error", "sys.exit(3)", "sample_tools.py:")
    checks.has(
        "KeyboardInterrupt is an error", worker.call("interrupts"), "error", "KeyboardInterrupt"
    )
    checks.has("an error without words is an error", worker.call("cannot_say"), "error", "Bad")
    checks.has(
        "half a letter in an error is escaped", worker.call("surrogate_error"), "half \\\\ud800"
    )
    for what in ("nan", "bytes", "object", "surrogate", "loop"):
        state, words = worker.call("returns", what=what)
        checks.has("returning %s is an error" % what, (state, words), "error", "returns returned")
    good = {
        "astral": "\U0001f600",
        "set": [1, 3],
        "point": {"x": 1, "y": 0.5, "tags": []},
        "enum": ["red"],
        "int keys": {"1": 2},
        "line": "a\nb\u2028c",
    }
    for what, value in good.items():
        checks.same("returning %s works" % what, worker.call("returns", what=what), ("ok", value))
    checks.same(
        "closing other descriptors does not reach ours", worker.call("closes"), ("ok", "closed")
    )
    checks.same("it still serves", worker.call("thing", n=1), ("ok", 2))


def test_bytes(worker):
    for byte in b'9 plain {"a":1,"b":2,"c":"\xc3\xa9"}\n':
        worker.socket.sendall(bytes([byte]))
    checks.same(
        "a call may come byte by byte", worker.answer(), (9, "ok", [1, 2.0, "\xe9", True, None, 3])
    )
    worker.send(1, "thing", {"n": 1})
    worker.send(2, "thing", {"n": 2})
    checks.same("calls that come together are answered in turn", worker.answer(), (1, "ok", 2))
    checks.same("the second too", worker.answer(), (2, "ok", 3))


def test_end(worker):
    checks.same("a tool that ends the process leaves no answer", worker.call("dies"), None)
    log = worker.finish()
    checks.same("the status is the tool's", worker.status, 5)
    checks.has(
        "what tools print is on standard error",
        log, "on standard output", "on standard error", "on descriptor 1", "Traceback",
    )


def test_parallel():
    worker = Worker(SAMPLE, parallel=True)
    for name in ("meets", "meets_async"):
        worker.send(1, name, {})
        worker.send(2, name, {})
        answers = sorted([worker.answer(), worker.answer()])
        checks.same(
            "parallel: two calls of %s run at once" % name,
            answers,
            [(1, "ok", "met"), (2, "ok", "met")],
        )
    checks.same("parallel: an error is an answer", worker.call("exits")[0], "error")
    worker.finish()


def test_limits():
    worker = Worker(SAMPLE, most=1000)
    checks.has(
        "a result past the ceiling is an error", worker.call("returns", what="large"), "3002 bytes"
    )
    checks.same("it serves on", worker.call("thing", n=1), ("ok", 2))
    worker.finish()
    checks.same("the line's end is the worker's end", worker.status, 0)


FAILING = {
    "def f(when: 'datetime.datetime'): pass": ("f: its type hints", "datetime"),
    "import datetime\ndef f(when: datetime.datetime): pass": ("f, parameter when", "datetime"),
    "def f(a: dict[int, str]): pass": ("f, parameter a", "keys"),
    "def f(*a): pass": ("f: *a",),
    "def f(): yield 1": ("f is a generator",),
    "x = 1": ("no public function",),
    "__all__ = ['g']": ("__all__ names g",),
    "__all__ = ['g']\ng = 3": ("g, which is no function",),
    "def f(:": ("invalid syntax", "tools.py:1"),
    "x = 1\nraise ValueError('broken')": ("ValueError: broken", "tools.py:2"),
    "import sys\nsys.exit(0)": ("sys.exit(0)",),
    "from tollbridge import tool\n@tool(name='a b')\ndef f(): pass": ("a b", "name"),
    "from tollbridge import tool\n@tool(read_only=True, destructive=True)\ndef f(): pass": (
        "destructive",
    ),
    "from tollbridge import tool\n@tool(read_only='no')\ndef f(): pass": (
        "read_only", "True or False",
    ),
    "from dataclasses import dataclass\n@dataclass\nclass A:\n    a: 'A'\ndef f(a: A): pass": (
        "contains itself",
    ),
}


def test_failing():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "tools.py")
        for source, parts in FAILING.items():
            with open(path, "w") as file:
                file.write(source)
            worker = Worker(path)
            checks.has("refused with clear words: %r" % source, worker.failed, *parts)
            worker.finish()


def test_same_twice(worker):
    other = Worker(SAMPLE)
    checks.check("the same file gives the same definitions", other.hello == worker.hello)
    other.finish()


worker = Worker(SAMPLE)
if worker.tools is None:
    print("Bail out! %s %s" % (worker.failed, worker.finish()))
    sys.exit(1)
for test in (
    test_definitions, test_structured, test_marks, test_calls, test_hostile, test_bytes,
    test_same_twice, test_end,
):
    test(worker)
test_parallel()
test_limits()
test_failing()
checks.done()
