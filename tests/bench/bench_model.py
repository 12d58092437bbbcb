"""A reply of 1 MB in 20,000 deltas: what reading it costs beside `curl -N` of the same stream, how
soon the first delta is in the record, how far apart the next ones are, and how soon a delta is on the screen."""
import json
import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
for folder in ("run", "model", "tui"):
    sys.path.insert(0, str(HERE.parent / folder))
from harness import Home, of_type, wait_for  # noqa: E402
from server import Answer, ModelServer, sse  # noqa: E402

DELTAS = 20000
TEXT = "x = 1  # %05d and so on, 50 bytes a piece......\n"


def piece(text):
    return sse({"choices": [{"delta": {"content": text}}]})


def stream():
    body = [piece("```python\n")] + [piece(TEXT % i) for i in range(DELTAS)]
    body += [piece("```\n"), sse({"choices": [{"delta": {}, "finish_reason": "stop"}]}), b"data: [DONE]\n\n"]
    lots = [b"".join(body[i:i + 20]) for i in range(0, len(body), 20)]  # as a network gathers them
    return lots


def configured(home, server):
    path = home.write("tollbridge.json", json.dumps({
        "model": {"provider": "openai", "api": "chat", "name": "m", "base_url": server.url}, "tools": {}}))
    return path


def cpu_of(pid):
    fields = pathlib.Path("/proc/%d/stat" % pid).read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def curl(server):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(["curl", "-sN", "-o", "/dev/null", "-d", "{}", server.url], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def a_long_reply(home):
    gate = threading.Event()
    lots = stream()
    server = ModelServer(Answer(*lots[:-1], gate, lots[-1]), Answer(*lots))
    run = home.start("run", "long", "-c", configured(home, server), "--headless",
                     extra_env={"OPENAI_API_KEY": "k"})
    wait_for(lambda: home.supervisors(), "the supervisor")
    pid, = home.supervisors()
    begun = cpu_of(pid)
    wait_for(lambda: home.records() and sum(
        len(d["text"]) for d in of_type(home.recorded(), "model.delta")) > (DELTAS - 40) * len(TEXT % 0), "all but the last")
    used = cpu_of(pid) - begun
    gate.set()
    run.communicate()
    events = [event for event in home.recorded() if event["type"].startswith("model.")]
    deltas = [event["mono"] for event in events if event["type"] == "model.delta"]
    gaps = [(b - a) / 1e6 for a, b in zip(deltas, deltas[1:])]
    print("reading 1 MB in %d deltas: %.2f s of CPU; %d events, the first after %d ms; "
          "%.1f ms apart (median), %.1f ms the least"
          % (DELTAS, used, len(deltas), of_type(events, "model.end")[0]["first_ms"],
             statistics.median(gaps), min(gaps)))
    if shutil.which("curl"):
        other = curl(server)
        print("curl -N of the same stream: %.2f s of CPU; ratio %.1f" % (other, used / other if other else 0))


def to_the_screen(home):
    try:
        from console import Console, pyte
    except ImportError:
        pyte = None
    if not pyte:
        print("delta to screen: not measured, python3-pyte is not installed")
        return
    gates = [threading.Event() for _ in range(10)]
    pieces = [piece("```python\n")]
    for i, gate in enumerate(gates):
        pieces += [gate, piece("mark_%d = 1\n" % i)]
    server = ModelServer(Answer(*pieces, threading.Event()))
    console = Console(home, "run", "marks", "-c", configured(home, server), env={"OPENAI_API_KEY": "k"})
    console.wait("```python")
    times = []
    for i, gate in enumerate(gates):
        time.sleep(0.1)  # past the pause between two frames
        begun = time.monotonic()
        gate.set()
        while "mark_%d" % i not in console.text():
            console.pump(0.002)
        times.append((time.monotonic() - begun) * 1000)
    console.close()
    print("a delta is on the screen %.0f ms after it was sent (median), %.0f ms at most; a frame is 33 ms"
          % (statistics.median(times), max(times)))


if __name__ == "__main__":
    for measure in (a_long_reply, to_the_screen):
        home = Home()
        try:
            home.consoles = []
            measure(home)
        finally:
            for pid in home.supervisors():
                os.kill(pid, 9)
            home.close()
