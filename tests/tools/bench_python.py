"""Microseconds a call in the guest's runner and in the worker, beside a bare echo of the same JSON.

For people: numbers depend on the machine and on what else it does, so this is no test.
"""

import json
import os
import socket
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from guest_host import Guest, tool
from worker_host import HERE, Worker

ECHO = """
import json, os
while True:
    data = os.read(0, 4096)
    if not data: break
    os.write(0, json.dumps(json.loads(data)).encode() + b"\\n")
"""
CALLS = int(sys.argv[1]) if len(sys.argv) > 1 else 10000
REQUEST = (
    b'{"jsonrpc": "2.0", "id": 1000, "method": "tools/call", "params": {"name": "box.put", '
    b'"arguments": {"value": 1}, "_meta": {"tollbridge/line": 2}}}\n'
)


def echo():
    ours, theirs = socket.socketpair()
    process = subprocess.Popen(["/usr/bin/python3", "-c", ECHO], stdin=theirs)
    theirs.close()
    value = json.loads(REQUEST)
    fd = ours.fileno()
    start = None
    for i in range(CALLS + 500):
        if i == 500:
            start = time.perf_counter()
        os.write(fd, json.dumps(value).encode() + b"\n")
        json.loads(os.read(fd, 4096))
    spent = time.perf_counter() - start
    ours.close()
    process.wait()
    return spent


def guest():
    program = "for i in range(%d):\n    put(value=1)\n" % (CALLS + 500)
    guest = Guest()
    guest.load(program, [tool("box.put", {"value": {}}, ["value"])])
    guest.go()
    fd = guest.socket.fileno()
    guest.socket.setblocking(True)
    answer = (
        b'{"jsonrpc":"2.0","id":%d,"result":{"structuredContent":1,"isError":false,'
        b'"_meta":{"tollbridge/budget":{"used":4,"limit":50}}}}\n'
    )
    count, start = 0, None
    while count < CALLS + 500:
        line = os.read(fd, 4096)
        if b'"method":"tollbridge/' in line:
            line = line[line.find(b'{"jsonrpc":"2.0","id"') :]
            if not line.startswith(b'{"jsonrpc":"2.0","id"'):
                continue
        count += 1
        if count == 500:
            start = time.perf_counter()
        os.write(fd, answer % int(line[22 : line.index(b",", 22)]))
    spent = time.perf_counter() - start
    guest.finish()
    return spent


def worker():
    worker = Worker(os.path.join(HERE, "sample_tools.py"))
    fd = worker.socket.fileno()
    worker.socket.setblocking(True)
    for i in range(CALLS + 500):
        if i == 500:
            start = time.perf_counter()
        os.write(fd, b'%d sends {}\n' % i)
        os.read(fd, 4096)
    spent = time.perf_counter() - start
    worker.finish()
    return spent


for name, measure in (("echo", echo), ("guest", guest), ("worker", worker)):
    best = min(measure() for _ in range(5))
    print("%-8s %6.1f us a call" % (name, best / CALLS * 1e6))
