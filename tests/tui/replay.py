"""A record as a film, on a pseudo-terminal: a real run is recorded at one size and played at another."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from console import Console, closing, ended, payroll, pyte  # noqa: E402
from harness import BINARY, main, of_type, wait_for  # noqa: E402

SAME = "this is what was shown (frame matches)"


def recorded_run(home, cols=80, rows=24):
    """Two raises were held: the first approved, the second denied.  Gives the record's path."""
    console = payroll(home, cols=cols, rows=rows)
    console.armed()
    console.press("y")
    console.wait("call 3 waits")
    console.armed()
    console.press("n")
    console.wait("ended: ok")
    ended(home)
    console.press("q")
    console.exit_code()
    return home.record()


def replayed(home, record, **more):
    return Console(home, "replay", record, **more)


def stopped_at_start(console):
    """The film at its very start."""
    console.wait("0:0")
    console.press("0")
    return console.wait("▮▮", "0:00", "2 decisions")


# --- what is shown ---

def a_real_presentation_is_made_again_to_the_last_byte_in_another_size(home):
    record = recorded_run(home, 80, 24)
    for cols, rows in ((80, 24), (120, 40), (61, 20), (200, 60)):
        console = replayed(home, record, cols=cols, rows=rows)
        stopped_at_start(console)
        console.press("]")
        console.wait("recorded: approved by person")
        console.press("s")
        console.wait(SAME, "76 columns of text", "approved by person")
        console.press("]")
        console.wait(SAME, "what was seen of call 3", "denied by person")
        console.press("q")
        console.wait("recorded: denied by person", absent=[SAME])
        console.close()
        home.consoles.remove(console)


def what_was_seen_in_a_wide_console_matches_in_a_narrow_one(home):
    record = recorded_run(home, 130, 40)
    console = replayed(home, record, cols=80, rows=24)
    stopped_at_start(console)
    console.press("]")
    console.wait("recorded: approved")
    console.press("s")
    console.wait(SAME, "126 columns of text", "laid out for 76 columns")


TESTS = [
    a_real_presentation_is_made_again_to_the_last_byte_in_another_size,
    what_was_seen_in_a_wide_console_matches_in_a_narrow_one,
]

if __name__ == "__main__":
    chosen = [test for test in TESTS if not sys.argv[1:] or test.__name__ in sys.argv[1:]]
    main([closing(test) for test in chosen], None if pyte else "python3-pyte is not installed")
