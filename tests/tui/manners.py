"""How the console treats a terminal: taken and given back, stopped, resized, lost, of any kind."""
import os
import pathlib
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import termios
import fcntl

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import console as driver  # noqa: E402
from console import (APPROVE, OWN_CRASHES, RESTING, Console, approved_by_person,  # noqa: E402
                     closing, payroll)
from harness import BINARY, main, of_type, wait_for  # noqa: E402

ALTERNATE, PRIMARY = b"\x1b[?1049h", b"\x1b[?1049l"


class Shell(Console):
    """A shell with job control on a pseudo-terminal; `script` runs in it."""

    def __init__(self, home, script, **more):
        self.script = script
        super().__init__(home, **more)

    def command(self, _words):
        return ["bash", "--norc", "-c", "set -m\n" + self.script]


def modes(fd):
    """The terminal's flags, without what the kernel keeps there for itself."""
    return termios.tcgetattr(fd)[:4]


def on_main_screen(console):
    console.pump()
    return console.raw.rfind(PRIMARY) > console.raw.rfind(ALTERNATE)


# --- stop and go on ---

def job(home):
    config = home.payroll()
    run = "'%s' run --program raise-9000.py -c '%s'" % (BINARY, config)
    return Shell(home, run + "\necho stopped-$?\nread line\nfg >/dev/null\necho back-$?\n")


def ctrl_z_gives_the_terminal_back_and_fg_takes_it_again(home):
    console = job(home)
    before = modes(console.master)
    console.armed()
    console.press("\x1a")
    console.wait("stopped-148")
    assert on_main_screen(console)
    wait_for(lambda: modes(console.master) == before, "the shell's modes of the terminal")
    console.press("y")
    console.press("\r")
    console.wait("call 2 waits", RESTING)
    assert not approved_by_person(home)
    console.armed()
    console.press("y")
    console.wait("call 3 waits")
    assert len(approved_by_person(home)) == 1


def a_size_that_changed_while_stopped_is_seen(home):
    console = job(home)
    console.armed()
    console.press("\x1a")
    console.wait("stopped-148")
    console.resize(100, 30)
    console.press("\r")
    console.armed()
    assert console.screen.display[29].strip(), console.text()


def a_stop_that_no_shell_could_end_is_only_a_repaint(home):
    console = payroll(home)  # leads its session: nobody could continue it
    console.armed()
    console.press("\x1a")
    console.wait(RESTING)
    console.armed()


def a_continue_arms_anew(home):
    console = payroll(home)
    console.armed()
    console.process.send_signal(signal.SIGCONT)
    console.wait(RESTING)
    console.armed()


# --- what others write ---

def ctrl_l_heals_what_others_wrote(home):
    console = payroll(home)
    console.armed()
    right = console.screen.display[:20]
    with open(console.slave_name, "wb", buffering=0) as slave:
        slave.write(b"\x1b[2J\x1b[5;5Hthis is not ours\x1b[1;31m\x0e")
    console.wait("this is not ours")
    console.press("\x0c")
    console.wait("call 2 waits", absent=["this is not ours"])
    assert [row[:60] for row in console.screen.display[1:20]] == [row[:60] for row in right[1:]]


# --- the end ---

def every_signal_gives_the_terminal_back(home):
    config = home.payroll()
    # As a shell starts what it puts in the background: the console must not inherit that.
    for signo in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
        signal.signal(signo, signal.SIG_IGN)
    try:
        signals_give_the_terminal_back(home, config)
    finally:
        for signo in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
            signal.signal(signo, signal.SIG_DFL)


def signals_give_the_terminal_back(home, config):
    first = Console(home, "run", "--program", home.work / "raise-9000.py", "-c", config)
    first.armed()
    for signo in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGSEGV,
                  signal.SIGABRT, signal.SIGBUS):
        console = Console(home, "attach", home.session(), env=OWN_CRASHES)
        console.armed()
        console.process.send_signal(signo)
        console.exit_code()
        assert on_main_screen(console), signo
        assert console.raw.endswith(PRIMARY) or b"\x1b[?2004l" in console.raw[-80:], signo
        flags = modes(console.master)[3]
        assert flags & termios.ICANON and flags & termios.ECHO and flags & termios.ISIG, signo
    assert home.held() == 2 and not approved_by_person(home)


def a_closed_terminal_ends_the_console_and_decides_nothing(home):
    console = payroll(home)
    console.armed()
    os.close(console.master)
    wait_for(lambda: console.process.poll() is not None, "the end of the console")
    console.master = os.open("/dev/null", os.O_RDONLY)
    assert home.held() == 2 and not of_type(home.recorded(), "call.decided")[1:]


# --- sizes ---

def settle(console):
    """Until a key counts: together with those of the storm it is one of a burst and dropped."""
    def help_shows():
        console.press("?")
        for _ in range(40):
            console.pump(0.05)
            if "keys that work now" in console.text():
                return True
        return False

    wait_for(help_shows, "the help")


def a_storm_of_sizes_breaks_nothing_and_approves_nothing(home):
    console = payroll(home)
    console.armed()
    chance = random.Random(4)
    sizes = [(1, 1), (0, 0), (500, 200), (80, 24), (60, 15), (59, 15), (60, 14), (20, 5), (2, 300)]
    for _ in range(1500):
        console.set_size(*chance.choice(sizes))
        if chance.random() < 0.1:
            console.press("y")
        console.pump()
    console.screen.resize(24, 80)
    console.set_size(80, 24)
    settle(console)
    console.press("\x1b")
    console.wait("call 2 waits")
    assert not approved_by_person(home)
    console.armed()
    console.press("y")
    console.wait("call 3 waits")


def below_the_least_size_nothing_can_be_decided(home):
    config = home.payroll()
    Console(home, "run", "--program", home.work / "raise-9000.py", "-c", config).armed()
    for cols, rows in ((59, 15), (60, 14), (40, 12), (20, 5)):
        console = Console(home, "attach", home.session(), cols=cols, rows=rows)
        wait_for(lambda: console.text().strip(), "something on the screen")
        console.type("yny\r y")
        console.pump(0.1)
        console.close()
        home.consoles.remove(console)
    assert home.held() == 2 and not of_type(home.recorded(), "call.decided")[1:]


# --- kinds of terminals ---

SCREENS = ["xterm-256color", "tmux-256color", "screen", "linux", "vt100", "vt220"]
NO_SCREENS = ["dumb", "", "no-such-terminal", "x" * 5000, "../../../etc/passwd", "\x1b[31m"]
SIZES = [(80, 24), (79, 23), (60, 15), (40, 10), (20, 5), (1, 1), (0, 0), (500, 200)]
LINES = set("─│┌┐└┘├┤┬┴┼▰▱·")
ESCAPES = re.compile(rb"\x1b\[[0-9;?>]*[A-Za-z@]|\x1b[()][AB0]|\x1b[78=>MEDc]|\x1b\[\?[0-9;]*[a-z]|"
                     rb"\x1b\]2;[\x20-\x5b\x5d-\x7e]*\x1b\\|\x07|\x0e|\x0f")


def locales(home):
    """(name for the environment, is it UTF-8); a Latin-1 one is made here when it can be."""
    known = [({"LC_ALL": "C"}, False), ({"LC_ALL": "C.UTF-8"}, True),
             ({"LC_ALL": "", "LANG": "", "LC_CTYPE": ""}, False),
             ({"LC_ALL": "C", "LANG": "C.UTF-8"}, False)]
    folder = home.top / "locales"
    folder.mkdir()
    made = shutil.which("localedef") and subprocess.run(
        ["localedef", "-i", "en_US", "-f", "ISO-8859-1", str(folder / "en_US.ISO-8859-1")],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0
    if made:
        known.append(({"LOCPATH": str(folder), "LC_ALL": "en_US.ISO-8859-1"}, False))
    return known


def each_kind_of_terminal_locale_and_size_is_served_or_refused_in_words(home):
    config = home.payroll()
    Console(home, "run", "--program", home.work / "raise-9000.py", "-c", config).armed()
    places = locales(home)
    turn = 0
    for term in SCREENS:
        for env, utf8 in places:
            for cols, rows in (SIZES[turn % len(SIZES)], SIZES[(turn * 3 + 1) % len(SIZES)]):
                look_at(home, {"TERM": term, **env}, cols, rows, utf8)
                turn += 1
    assert home.held() == 2 and not of_type(home.recorded(), "call.decided")[1:]


def look_at(home, env, cols, rows, utf8):
    what = (env, cols, rows)
    console = Console(home, "attach", home.session(), cols=max(cols, 1), rows=max(rows, 1), env=env)
    console.set_size(cols, rows)
    if cols >= 60 and rows >= 15:
        console.wait("call 2 waits")
    else:
        wait_for(lambda: console.text() is not None and console.raw, "a frame %r" % (what,))
    console.pump(0.05)
    console.process.send_signal(signal.SIGTERM)
    assert console.exit_code() == 128 + signal.SIGTERM, what
    rest = ESCAPES.sub(b"", console.raw)
    assert b"\x1b" not in rest, (what, rest[rest.index(b"\x1b"):][:60])
    if not utf8:
        high = {byte for byte in rest if byte >= 0x80}
        assert not high, (what, high)
    elif cols >= 60 and rows >= 15 and env["TERM"].startswith(("xterm", "tmux")):
        assert LINES & set(rest.decode("utf-8", "replace")), what
    console.close()
    home.consoles.remove(console)


def a_terminal_without_a_screen_is_refused_in_words(home):
    config = home.payroll()
    Console(home, "run", "--program", home.work / "raise-9000.py", "-c", config).armed()
    for term in NO_SCREENS:
        console = Console(home, "attach", home.session(), env={"TERM": term})
        assert console.exit_code() == 2, (term, console.raw)
        assert b"\x1b" not in console.raw, (term, console.raw)
        assert b"TERM" in console.raw, (term, console.raw)
    assert home.held() == 2


def a_hostile_terminfo_variable_is_no_way_in(home):
    config = home.payroll()
    Console(home, "run", "--program", home.work / "raise-9000.py", "-c", config).armed()
    folder = home.top / "terminfo"
    (folder / "x").mkdir(parents=True)
    (folder / "x" / "xterm-256color").write_bytes(b"\x1a\x01" + b"\xff" * 4000)
    for value in (str(folder), "/dev/zero", "b64:" + "A" * 4000, "hex:1a01" + "ff" * 300):
        console = Console(home, "attach", home.session(), env={"TERMINFO": value})
        wait_for(lambda: console.process.poll() is not None or "call 2" in console.text(),
                 "a refusal or a screen with TERMINFO=%.30s" % value)
        console.close()
        home.consoles.remove(console)
    assert home.held() == 2


def colour_is_sent_only_where_it_is_wanted_and_an_empty_no_color_is_none(home):
    config = home.payroll()
    Console(home, "run", "--program", home.work / "raise-9000.py", "-c", config).armed()

    def coloured(**env):
        console = Console(home, "attach", home.session(), env=env)
        console.armed()
        return bool(re.search(rb"\x1b\[(?:[0-9]+;)*(?:3[0-7]|38;5;[0-9]+|9[0-7])m", console.raw))

    assert coloured(NO_COLOR="")
    assert not coloured(NO_COLOR="1")
    assert not coloured(TERM="vt220")


# --- rest ---

def waits_for_nothing_but_events(pid):
    """Is the process inside epoll_wait without a timeout?"""
    words = pathlib.Path("/proc/%d/syscall" % pid).read_text().split()
    return words[0] in ("232", "281", "22") and int(words[4], 16) & 0xffffffff == 0xffffffff


def a_console_on_an_ended_run_sleeps(home):
    program = home.write("short.py", "print('done')\n")
    console = Console(home, "run", "--program", program, "-c", home.config({}))
    console.wait("ended: ok")
    try:
        waits_for_nothing_but_events(console.process.pid)
    except (PermissionError, OSError):
        return  # it keeps others from looking into it, as it must
    wait_for(lambda: waits_for_nothing_but_events(console.process.pid), "a sleep without end")


# --- in tmux ---

class Tmux:
    """One server of our own: no configuration, a fixed size, no status line."""

    def __init__(self, home, *words):
        # A name of its own: a server that is being ended still answers on its socket for a while.
        self.name = "tollbridge-%s" % home.top.name
        self.env = dict(home.env, LC_ALL="C.UTF-8")
        self.env.pop("TMUX", None)
        self.call("-f", "/dev/null", "new-session", "-d", "-x", "100", "-y", "30", "-c",
                  str(home.work), *map(str, words))
        self.call("set", "-g", "status", "off")
        self.call("set", "-g", "remain-on-exit", "on")

    def call(self, *words):
        return subprocess.run(["tmux", "-L", self.name, *words], env=self.env, check=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE).stdout.decode()

    def wait(self, *words, absent=()):
        def look():
            text = self.call("capture-pane", "-p")
            return all(w in text for w in words) and not any(w in text for w in absent)
        wait_for(look, "%r in tmux" % (words,))

    def close(self):
        subprocess.run(["tmux", "-L", self.name, "kill-server"], env=self.env,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def in_tmux_a_call_is_approved_and_the_title_says_what_waits(home):
    config = home.payroll()
    tmux = Tmux(home, BINARY, "run", "--program", home.work / "raise-9000.py", "-c", config)
    try:
        tmux.wait("call 2 waits", APPROVE, absent=[RESTING])
        wait_for(lambda: "1 waits" in tmux.call("display", "-p", "#{pane_title}"),
                 "a title other than %r" % tmux.call("display", "-p", "#{pane_title}"), 5)
        tmux.call("send-keys", "y")
        tmux.wait("call 3 waits")
        assert len(approved_by_person(home)) == 1
        tmux.call("detach-client") if tmux.call("list-clients").strip() else None
        tmux.wait(APPROVE, absent=[RESTING])
        tmux.call("resize-window", "-x", "70", "-y", "20")
        tmux.wait(APPROVE, absent=[RESTING])
        tmux.call("send-keys", "n")
        tmux.wait("ended: ok")
    finally:
        tmux.close()


def a_tmux_server_that_dies_takes_no_decision_with_it(home):
    config = home.payroll()
    tmux = Tmux(home, BINARY, "run", "--program", home.work / "raise-9000.py", "-c", config)
    try:
        tmux.wait("call 2 waits", APPROVE, absent=[RESTING])
    finally:
        tmux.close()
    assert home.held() == 2 and not approved_by_person(home)
    again = Console(home, "attach", home.session())
    again.armed()


TESTS = [
    ctrl_z_gives_the_terminal_back_and_fg_takes_it_again,
    a_size_that_changed_while_stopped_is_seen,
    a_stop_that_no_shell_could_end_is_only_a_repaint,
    a_continue_arms_anew,
    ctrl_l_heals_what_others_wrote,
    every_signal_gives_the_terminal_back,
    a_closed_terminal_ends_the_console_and_decides_nothing,
    a_storm_of_sizes_breaks_nothing_and_approves_nothing,
    below_the_least_size_nothing_can_be_decided,
    each_kind_of_terminal_locale_and_size_is_served_or_refused_in_words,
    a_terminal_without_a_screen_is_refused_in_words,
    a_hostile_terminfo_variable_is_no_way_in,
    colour_is_sent_only_where_it_is_wanted_and_an_empty_no_color_is_none,
    a_console_on_an_ended_run_sleeps,
    in_tmux_a_call_is_approved_and_the_title_says_what_waits,
    a_tmux_server_that_dies_takes_no_decision_with_it,
]

if __name__ == "__main__":
    chosen = [test for test in TESTS if not sys.argv[1:] or test.__name__ in sys.argv[1:]]
    main([closing(test) for test in chosen],
         None if driver.pyte else "python3-pyte is not installed")
