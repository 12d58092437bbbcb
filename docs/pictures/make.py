#!/usr/bin/python3
"""Pictures of real screens for the README: the real console on a pseudo-terminal, each screen as SVG.

usage: make pictures   (in a built tree; needs python3-pyte)
"""
import html
import os
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parent.parent
os.environ.setdefault("TEST_SRCDIR", str(SOURCE))
os.environ.setdefault("TEST_BUILDDIR", os.getcwd())
sys.path.insert(0, str(SOURCE / "tests" / "tui"))
sys.dont_write_bytecode = True
import console as driver  # noqa: E402
import harness  # noqa: E402

CELL_W, CELL_H, PAD = 8, 17, 12
FOREGROUND, BACKGROUND = "#d0d0d0", "#16181c"
NAMED = {"black": "#2a2e36", "red": "#e06c75", "green": "#98c379", "brown": "#e5c07b",
         "blue": "#61afef", "magenta": "#c678dd", "cyan": "#56b6c2", "white": "#d0d0d0",
         "brightblack": "#6b7280", "brightred": "#ff7b86", "brightgreen": "#b5e890",
         "brightbrown": "#ffd68a", "brightyellow": "#ffd68a", "brightblue": "#82c4ff",
         "brightmagenta": "#dd9bf5", "brightcyan": "#7ad3df", "brightwhite": "#ffffff"}


def colour(name, otherwise):
    if name == "default":
        return otherwise
    return NAMED.get(name, "#" + name if len(name) == 6 else otherwise)


def look(char, dim):
    """(foreground, background, bold, underlined, dim) of one cell."""
    front, back = colour(char.fg, FOREGROUND), colour(char.bg, BACKGROUND)
    if char.reverse:
        front, back = back, front
    return front, back, char.bold, char.underscore, dim


def stretches(row, cols, dims):
    """Stretches of one look: (column, look, text)."""
    found = []
    for x in range(cols):
        here = look(row[x], x in dims)
        if found and found[-1][1] == here:
            found[-1][2].append(row[x].data)
        else:
            found.append((x, here, [row[x].data]))
    return [(x, here, "".join(text)) for x, here, text in found]


def svg(console, title):
    screen = console.screen
    width, height = screen.columns * CELL_W + 2 * PAD, screen.lines * CELL_H + 2 * PAD
    out = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" '
           'font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="13">'
           % (width, height, width, height),
           "<title>%s</title>" % html.escape(title),
           '<rect width="100%%" height="100%%" rx="8" fill="%s"/>' % BACKGROUND]
    for y in range(screen.lines):
        for x, (front, back, bold, line, dim), text in stretches(screen.buffer[y], screen.columns,
                                                                 getattr(screen, "dims", {}).get(y, ())):
            left, top = PAD + x * CELL_W, PAD + y * CELL_H
            if back != BACKGROUND:
                out.append('<rect x="%d" y="%d" width="%d" height="%d" fill="%s"/>'
                           % (left, top, len(text) * CELL_W, CELL_H, back))
            if not text.strip():
                continue
            more = (' font-weight="bold"' if bold else "") + (' opacity="0.6"' if dim else "")
            more += ' text-decoration="underline"' if line else ""
            out.append('<text x="%d" y="%d" fill="%s" textLength="%d" xml:space="preserve"%s>%s</text>'
                       % (left, top + 13, front, len(text) * CELL_W, more, html.escape(text)))
    return "\n".join(out + ["</svg>", ""])


class Screen(driver.Screen if driver.pyte else object):
    """pyte's screen knows no dim cells: they are kept beside it."""

    def __init__(self, *size):
        self.dims, self.dim = {}, False
        super().__init__(*size)

    def select_graphic_rendition(self, *attrs, **more):
        if not attrs or 0 in attrs or 22 in attrs:
            self.dim = False
        if 2 in attrs and 38 not in attrs and 48 not in attrs:
            self.dim = True
        super().select_graphic_rendition(*attrs, **more)

    def draw(self, data):
        y, x = self.cursor.y, self.cursor.x
        super().draw(data)
        row = self.dims.setdefault(y, set())
        for at in range(x, x + len(data)):
            (row.add if self.dim else row.discard)(at)

    def erase_in_display(self, *args, **more):
        self.dims = {}
        super().erase_in_display(*args, **more)


def open_console(home, *words, cols=120, rows=32):
    console = driver.Console(home, *words, cols=cols, rows=rows)
    console.screen = Screen(cols, rows)
    console.stream = driver.Stream(console.screen)
    return console


def keep(console, name, title):
    console.pump(0.3)
    (HERE / (name + ".svg")).write_text(svg(console, title))
    print("docs/pictures/%s.svg" % name)


def run(home, program, *more, **size):
    return open_console(home, "run", "--program", program, "-c", "tollbridge.json", *more, **size)


def approval(home):
    console = run(home, "raise-9000.py", rows=34)
    console.armed()
    keep(console, "approval", "a call that waits for approval")
    console.press("y")
    console.wait("call 3 waits")
    console.armed()
    console.press("g")
    console.wait("y yes, approve and grant", absent=[driver.RESTING])
    for key in ("\x1b[B", "\x1b[B", "\x1b[C"):
        console.press(key)
        console.pump(0.1)
    console.wait("between 0..9000", "y yes, approve and grant", absent=[driver.RESTING])
    keep(console, "grant", "a grant for the next calls like it")
    console.press("\x1b")
    console.wait("call 3 waits", absent=["a grant from"])
    console.armed()
    console.press("n")
    console.wait("ended: ok")
    console.press("q")
    console.exit_code()


def whole_program(home):
    console = run(home, "raise-5000.py", "--set", 'approval.program="ask"', rows=30)
    console.wait("y yes, run it", absent=[driver.RESTING])
    keep(console, "program", "may this program run?")
    console.press("n")
    console.wait("ended")
    console.press("q")
    console.exit_code()


def replay(home):
    console = open_console(home, "replay", "raise-9000-1", rows=34)
    console.wait("decision")
    console.press(" ")
    console.pump(0.3)
    console.press("0")
    console.pump(0.3)
    console.press("]")
    console.wait("recorded")
    keep(console, "replay", "a recorded session, at a decision")
    console.press("Q")
    console.exit_code()


def runs(home):
    waiting = run(home, "raise-9000.py")
    waiting.armed()
    waiting.press("Q")
    waiting.wait("detach")
    waiting.press("d")
    waiting.exit_code()
    console = open_console(home, rows=20)
    console.wait("raise-9000-2", "raise-5000-1")
    keep(console, "runs", "all runs, those that wait first")
    console.press("q")
    console.exit_code()


def main():
    home = harness.Home()
    home.consoles = []
    home.payroll()
    try:
        for scene in (approval, whole_program, replay, runs):
            scene(home)
    finally:
        for console in home.consoles:
            console.close()
        for pid in home.supervisors():
            os.kill(pid, 15)
        home.close()


if __name__ == "__main__":
    sys.exit(main() if driver.pyte else "python3-pyte is not installed")
