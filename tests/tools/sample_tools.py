"""Tools for the worker's tests: well-behaved ones, and ones that do what they should not."""

import asyncio
import enum
import os
import sys
import threading
from dataclasses import dataclass, field
from typing import Any, Literal, Optional, TypedDict, Union

from sample_helper import ANSWER
from tollbridge import tool


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


@dataclass
class Point:
    x: int
    y: float = 0.5
    tags: list[str] = field(default_factory=list)


class Options(TypedDict, total=False):
    depth: int


def plain(a: int, b: float, c: str, d: bool = True, e: Any = None, f=3):
    """Everything simple.

    A second paragraph.

    Args:
        a: the first,
            over two lines.
        b (float): the second.

    Returns:
        what came in.
    """
    return [a, b, c, d, e, f]


def numpy_doc(a: int):
    """Says it the other way.

    Parameters
    ----------
    a : int
        the only one.
    """


def sphinx_doc(a: int):
    """Says it the third way.

    :param a: the only one.
    :returns: nothing
    """


def structured(
    point: Point,
    colour: Colour,
    mode: Literal["fast", "slow"],
    pair: tuple[int, str],
    sizes: dict[str, int],
    many: tuple[int, ...] = (),
    options: Optional[Options] = None,
    either: Union[int, list[Point]] = 1,
    unique: Optional[set[int]] = None,
) -> Point:
    assert isinstance(point, Point) and isinstance(colour, Colour), (point, colour)
    assert isinstance(pair, tuple) and isinstance(many, tuple)
    if isinstance(either, list):
        assert all(isinstance(each, Point) for each in either)
    if unique is not None:
        assert isinstance(unique, set)
    return point


def positional(a: int, /, b: int = 2, *, c: int = 3):
    return [a, b, c]


def more(a: int, **rest: int):
    return rest


@tool(name="other-name", description="Said here.", destructive=True)
def renamed():
    """Not this."""


@tool(read_only=True, open_world=True, title="A title")
def sends():
    pass


async def sleeps(value: int) -> int:
    await asyncio.sleep(0)
    return value + ANSWER


def prints():
    print("on standard output")
    print("on standard error", file=sys.stderr)
    os.write(1, b"on descriptor 1\n")
    os.write(3, b"7 ok 1\n") if False else None
    return "printed"


def forks():
    """Its child comes back from the call too."""
    pid = os.fork()
    if pid:
        os.waitpid(pid, 0)
        return "parent"
    return "child"


def fork_raises():
    pid = os.fork()
    if pid:
        return os.waitpid(pid, 0)[1] >> 8
    raise KeyError("child")


def exits():
    sys.exit(3)


def interrupts():
    raise KeyboardInterrupt


class Bad(Exception):
    def __str__(self):
        raise RuntimeError


def cannot_say():
    raise Bad()


def surrogate_error():
    raise ValueError("half \ud800")


def returns(what: str):
    loop: list = []
    loop.append(loop)
    return {
        "nan": float("nan"),
        "bytes": b"x",
        "object": object(),
        "surrogate": "\ud800",
        "astral": "\U0001f600",
        "loop": loop,
        "set": {3, 1},
        "point": Point(1),
        "enum": [Colour.RED],
        "large": "x" * 3000,
        "int keys": {1: 2},
        "line": "a\nb\u2028c",
    }[what]


def dies():
    os._exit(5)


def closes():
    os.closerange(3, 256)
    return "closed"


BARRIER = threading.Barrier(2)


def meets():
    """Comes back only when two calls run at once."""
    BARRIER.wait(20)
    return "met"


async def meets_async():
    await asyncio.to_thread(BARRIER.wait, 20)
    return "met"


class Thing:
    name = "thing"
    description = "An object that is a tool."
    args_schema = {"type": "object", "properties": {"n": {"type": "integer"}}}

    def invoke(self, arguments):
        return arguments["n"] + 1


thing = Thing()


def _hidden():
    pass


class NotATool:
    pass
