"""Commands end to end: what they ask before anything starts, what they refuse, what they print."""
import json
import os
import pty
import select
import signal
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from harness import BINARY, DEADLINE, main, of_type, wait_for

TOOLS = '''
def poke(text: str) -> str:
    """Give the text back."""
    return text
'''
PROGRAM = "print(poke(text='x'))\n"
ALLOW = {"approval": {"rules": [{"tools": ["poke"], "action": "allow"}]}}


def kit(home, **more):
    home.write("kit.py", TOOLS)
    home.write("p.py", PROGRAM)
    return home.config({"kit": "kit.py"}, **more)


class Terminal:
    """A command on a terminal of its own."""

    def __init__(self, home, *words):
        self.out = b""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(home.work)
            os.execve(BINARY, ["tollbridge", *map(str, words)], home.env)

    def read_until(self, words):
        end = time.monotonic() + DEADLINE
        while words not in self.out:
            assert time.monotonic() < end, "waited in vain for %r in %r" % (words, self.out)
            if select.select([self.fd], [], [], 0.1)[0]:
                self.out += os.read(self.fd, 65536)

    def type(self, text):
        os.write(self.fd, text)

    def end(self):
        """Exit code, once everything was read."""
        while True:
            try:
                piece = os.read(self.fd, 65536)
            except OSError:
                break
            if not piece:
                break
            self.out += piece
        status = os.waitpid(self.pid, 0)[1]
        os.close(self.fd)
        return os.waitstatus_to_exitcode(status)


PROMPT = b"anything else to leave: "


def a_found_configuration_starts_nothing_headless(home):
    kit(home, **ALLOW)
    code, out, err = home.run("run", "--program", "p.py", "--headless")
    assert code == 2 and "-c ./tollbridge.json" in err, (code, err)
    assert not home.records()


def only_the_word_yes_accepts(home):
    kit(home, **ALLOW)
    for answer in (b"y\n", b"YES\n", b" yes\n", b"yes please\n", b"\n", b"yes \n"):
        terminal = Terminal(home, "run", "--program", "p.py", "--detach")
        terminal.read_until(PROMPT)
        terminal.type(answer)
        assert terminal.end() == 2, answer
    assert not home.records()


def what_is_typed_ahead_accepts_nothing(home):
    kit(home, **ALLOW)
    terminal = Terminal(home, "run", "--program", "p.py", "--detach")
    terminal.type(b"yes\nyes\n")
    terminal.read_until(PROMPT)
    terminal.type(b"no\n")
    assert terminal.end() == 2
    assert not home.records()


def yes_accepts_these_bytes_until_they_change(home):
    kit(home, **ALLOW)
    terminal = Terminal(home, "run", "--program", "p.py", "--detach")
    terminal.read_until(PROMPT)
    assert b"line" in terminal.out and b"kit.py" in terminal.out
    terminal.type(b"yes\n")
    assert terminal.end() == 0
    wait_for(lambda: of_type(home.recorded(), "session.end"), "the end")

    code, out, err = home.run("run", "--program", "p.py", "--headless")
    assert (code, out) == (0, "x\n"), err

    home.write("kit.py", TOOLS + "# more\n")
    code, out, err = home.run("run", "--program", "p.py", "--headless")
    assert code == 2 and "changed since" in err, err


def without_a_terminal_a_run_says_what_to_add(home):
    config = kit(home)
    for command in (["run", "--program", "p.py", "-c", config], ["demo"]):
        code, out, err = home.run(*command)
        assert code == 2 and "--headless" in err, (code, err)
    code, out, err = home.run("attach")
    assert code == 2 and "terminal" in err, err
    assert not home.records()


def what_is_not_built_is_refused(home):
    config = kit(home)
    for words in (["run", "--program", "p.py", "--dry-run"], ["run", "--program", "p.py", "a task"],
                  ["run", "--program", "p.py", "-c", config, "--headless", "--sandbox", "docker"]):
        code, out, err = home.run(*words)
        assert code == 2 and "not available in this version" in err, (words, err)


def pending_prints_every_byte_and_nothing_raw(home):
    config = kit(home)
    text = "a\x1b[31m\u202e\r" + " " * 5000 + "end\u200b"
    home.write("q.py", "poke(text=%r)\n" % text)
    run = home.start("run", "--program", "q.py", "-c", config, "--headless")
    home.held()
    code, out, err = home.run("pending")
    assert code == 0, err
    assert all(0x20 <= ord(c) < 0x7f or c == "\n" for c in out), repr(out)
    assert "<SP x 5000>" in out and "\\u001b[31m" in out and "end" in out, out
    code, out, err = home.run("pending", "--json")
    held = json.loads(out)
    assert json.loads(held["args"])["text"] == text
    code, out, err = home.run("decide", home.session(), "1", "approve", "--code", held["code"])
    assert code == 0, err
    run.communicate(timeout=DEADLINE)
    assert run.returncode == 0


def the_demo_changes_what_was_approved_and_shows_it(home):
    run = home.start("demo", "--headless")
    first = home.held()
    home.run("decide", home.session(), first, "approve", "--code", home.code(first))
    second = wait_for(lambda: home.held() != first and home.held(), "the second call")
    home.run("decide", home.session(), second, "deny", "--reason", "not now")
    out, err = run.communicate(timeout=DEADLINE)
    assert run.returncode == 0, err
    assert b"prepared program" in err
    assert err.count(b"\n  + ") == 1 and err.count(b"\n  - ") == 1, err


def a_console_that_is_killed_leaves_the_run(home):
    config = kit(home)
    run = home.start("run", "--program", "p.py", "-c", config, "--headless")
    first = home.held()
    run.send_signal(signal.SIGKILL)
    run.wait()
    code, out, err = home.run("pending")
    assert "call 1 waits" in out, err
    code, out, err = home.run("decide", home.session(), first, "deny")
    assert code == 0, err
    wait_for(lambda: of_type(home.recorded(), "session.end"), "the end")


if __name__ == "__main__":
    main([
        a_found_configuration_starts_nothing_headless,
        only_the_word_yes_accepts,
        what_is_typed_ahead_accepts_nothing,
        yes_accepts_these_bytes_until_they_change,
        without_a_terminal_a_run_says_what_to_add,
        what_is_not_built_is_refused,
        pending_prints_every_byte_and_nothing_raw,
        the_demo_changes_what_was_approved_and_shows_it,
        a_console_that_is_killed_leaves_the_run,
    ])
