"""A host for the guest's runner, without a sandbox: plays the supervisor's side of the bridge."""

import json
import os
import socket
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
RUNNER = os.path.join(HERE, "../../core/sandbox/guest/runner.py")
NOTE = b'{"jsonrpc":"2.0","method":"tollbridge/'


def tool(full, properties=None, required=(), bare=True, **more):
    server, name = full.split(".", 1)
    schema = {"type": "object", "properties": properties or {}, "required": list(required)}
    if properties is not None:
        schema["additionalProperties"] = False
    entry = {
        "name": full,
        "server": server,
        "space": server,
        "python": name,
        "bare": bare,
        "description": "",
        "inputSchema": schema,
        "effect": "read",
    }
    entry.update(more)
    return entry


class Guest:
    """One runner.  Notes are gathered by method; requests are answered by answer()."""

    def __init__(self, python="/usr/bin/python3"):
        ours, theirs = socket.socketpair()
        errors, their_errors = socket.socketpair()
        self.process = subprocess.Popen(
            [python, "-I", "-S", "-X", "utf8", RUNNER],
            stdin=theirs,
            stdout=theirs,
            stderr=their_errors,
        )
        theirs.close()
        their_errors.close()
        ours.settimeout(30)
        self.socket, self.errors = ours, errors
        self.rest = b""
        self.notes = []
        self.requests = []

    def send(self, message):
        self.socket.sendall(json.dumps(message, separators=(",", ":")).encode() + b"\n")

    def line(self):
        """The next raw line, or None at the end."""
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

    def next(self):
        """The next message; notes are kept as (method, params)."""
        line = self.line()
        if line is None:
            return None
        message = json.loads(line)
        if line.startswith(NOTE):
            self.notes.append((message["method"][11:], message.get("params")))
        else:
            self.requests.append(message)
        return message

    def load(self, program, tools=(), **more):
        params = {"program": program, "name": "program.py", "tools": list(tools)}
        params["budget"] = {"used": 0, "limit": 50}
        params.update(more)
        self.send({"jsonrpc": "2.0", "method": "tollbridge/load", "params": params})
        while True:
            message = self.next()
            if message is None or message.get("method") in (
                "tollbridge/forecast",
                "tollbridge/end",
            ):
                return message

    def go(self):
        self.send({"jsonrpc": "2.0", "method": "tollbridge/go"})

    def result(self, ident, value, used=1, edited=None):
        meta = {} if edited is None else {"tollbridge/edited": edited}
        meta["tollbridge/budget"] = {"used": used, "limit": 50}
        result = {"structuredContent": value, "isError": False, "_meta": meta}
        self.send({"jsonrpc": "2.0", "id": ident, "result": result})

    def error(self, ident, code, reason, by="person"):
        data = {"reason": reason, "by": by, "final": True}
        error = {"code": code, "message": reason, "data": data}
        self.send({"jsonrpc": "2.0", "id": ident, "error": error})

    def finish(self):
        self.socket.close()
        self.errors.close()
        return self.process.wait(30)

    def stray_output(self):
        """What came on the second socket, to its end."""
        self.errors.settimeout(30)
        parts = []
        while True:
            data = self.errors.recv(65536)
            if not data:
                return b"".join(parts)
            parts.append(data)

    def all(self, method):
        return [params for name, params in self.notes if name == method]

    def text(self, stream="stdout"):
        return "".join(p["text"] for p in self.all("output") if p["stream"] == stream)

    def end(self):
        ends = self.all("end")
        return ends[0] if len(ends) == 1 else None


def run(program, tools=(), answer=None, **more):
    """Run a program to its end.  answer(guest, request) replies to each request."""
    guest = Guest()
    if guest.load(program, tools, **more).get("method") == "tollbridge/forecast":
        guest.go()
    while True:
        message = guest.next()
        if message is None:
            break
        if "id" in message:
            if answer:
                answer(guest, message)
            else:
                guest.result(message["id"], message["params"]["arguments"])
    guest.stray = guest.stray_output()
    guest.status = guest.finish()
    return guest
