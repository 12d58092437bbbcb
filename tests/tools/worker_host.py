"""A host for the worker of Python tools: plays tool_python.c's side of descriptor 3."""

import json
import os
import re
import socket
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.join(HERE, "../..")
FOLDER = os.path.join(TOP, "core/tools/python")


def reserve():
    """Keep descriptor 3 for workers: nothing else of this process may land there."""
    null = os.open("/dev/null", os.O_RDWR)
    if null != 3:
        os.dup2(null, 3)
        os.close(null)


reserve()


def boot_source():
    """The program for -c, as python_boot.c has it."""
    with open(os.path.join(TOP, "core/tools/python_boot.c")) as file:
        text = file.read()
    body = re.search(r"python_boot\[\] =\n(.*?);\n", text, re.S).group(1)
    return "".join(json.loads(part) for part in re.findall(r'"(?:[^"\\]|\\.)*"', body))


class Worker:
    def __init__(self, path, parallel=False, python="/usr/bin/python3", env=None, most=4 << 20):
        ours, theirs = socket.socketpair()
        parts = []
        names = [os.path.join(FOLDER, own) for own in ("tollbridge.py", "hints.py", "worker.py")]
        for name in names + [path]:
            with open(name, "rb") as file:
                parts.append(file.read())
        head = "%d %d %d %d %d %d %s\n" % (*map(len, parts), parallel, most, os.path.abspath(path))
        os.dup2(theirs.fileno(), 3)
        self.process = subprocess.Popen(
            [python, "-c", boot_source()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            pass_fds=(3,),
            cwd="/",
            env=env or {"PATH": "/usr/bin", "LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"},
        )
        reserve()
        theirs.close()
        ours.settimeout(30)
        self.socket = ours
        self.rest = b""
        ours.sendall(head.encode() + b"".join(parts))
        hello = self.hello = self.line()
        self.failed = self.tools = None
        if hello is None:
            return
        kind, text = hello.decode("ascii").split(" ", 1)
        if kind == "tools":
            self.tools = json.loads(text)
        else:
            self.failed = json.loads(text)

    def line(self):
        while b"\n" not in self.rest:
            try:
                data = self.socket.recv(65536)
            except ConnectionResetError:
                data = b""
            if not data:
                return None
            self.rest += data
        line, self.rest = self.rest.split(b"\n", 1)
        return line

    def send(self, ident, name, arguments):
        text = json.dumps(arguments, separators=(",", ":"))
        self.socket.sendall(("%d %s %s\n" % (ident, name, text)).encode())

    def answer(self):
        line = self.line()
        if line is None:
            return None
        ident, state, text = line.decode("ascii").split(" ", 2)
        return int(ident), state, json.loads(text)

    def call(self, tool, /, **arguments):
        """("ok", value) or ("error", words), or None when the worker is gone."""
        self.send(7, tool, arguments)
        got = self.answer()
        return got and got[1:]

    def finish(self):
        self.socket.close()
        log = self.process.stderr.read().decode("utf-8", "replace")
        self.process.stderr.close()
        self.status = self.process.wait(30)
        return log
