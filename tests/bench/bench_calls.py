"""What one tool call costs, as a ratio to a bare echo of the same JSON between two Pythons.

The program calls a no-op read-only tool CALLS times through the whole way: sandbox, bridge, budget,
policy, record, worker.  The echo is the same request and answer over a socket pair between two
plain Python processes, measured in the same run, before and after.
"""
import json
import os
import pathlib
import socket
import statistics
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "run"))
import harness

CALLS = int(os.environ.get("BENCH_CALLS", "10000"))

TOOLS = '''
from tollbridge import tool

@tool(read_only=True)
def noop(n: int) -> int:
    """Nothing."""
    return n
'''

PROGRAM = '''
import time
for i in range(200):
    noop(n=i)
began = time.perf_counter()
for i in range(%d):
    noop(n=i)
print((time.perf_counter() - began) / %d * 1e6)
''' % (CALLS, CALLS)


def echo():
    """Microseconds of one round trip between two Python processes that parse and print JSON."""
    ours, theirs = socket.socketpair()
    pid = os.fork()
    if pid == 0:
        ours.close()
        serve(theirs)
        os._exit(0)
    theirs.close()
    stream = ours.makefile("rwb", buffering=0)
    reader = ours.makefile("rb")
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
               "params": {"name": "kit.noop", "arguments": {"n": 1}, "_meta": {"tollbridge/line": 6}}}
    began = time.perf_counter()
    for i in range(CALLS):
        request["id"] = i
        stream.write(json.dumps(request).encode() + b"\n")
        json.loads(reader.readline())
    took = time.perf_counter() - began
    reader.close()
    stream.close()
    ours.close()
    os.waitpid(pid, 0)
    return took / CALLS * 1e6


def serve(sock):
    reader = sock.makefile("rb")
    writer = sock.makefile("wb", buffering=0)
    for line in reader:
        request = json.loads(line)
        answer = {"jsonrpc": "2.0", "id": request["id"],
                  "result": {"structuredContent": request["params"]["arguments"]["n"],
                             "isError": False}}
        writer.write(json.dumps(answer).encode() + b"\n")


def memory(home, samples, stop):
    """Resident KiB of the supervisor, sampled while it serves."""
    while not stop.is_set():
        for pid in home.supervisors():
            try:
                for line in pathlib.Path("/proc/%d/status" % pid).read_text().splitlines():
                    if line.startswith("VmRSS:"):
                        samples.append(int(line.split()[1]))
            except OSError:
                pass
        stop.wait(0.1)


def main():
    home = harness.Home()
    try:
        home.write("kit.py", TOOLS)
        home.write("bench.py", PROGRAM)
        config = home.config({"kit": "kit.py"}, budget={"max_tool_calls": CALLS + 200},
                             sandbox={"wall_s": 600, "cpu_s": 600})
        rounds = []
        samples = []
        for _ in range(3):
            before = echo()
            stop = threading.Event()
            watcher = threading.Thread(target=memory, args=(home, samples, stop))
            watcher.start()
            code, out, err = home.run("run", "--program", "bench.py", "-c", config, "--headless",
                                      "--record", home.state / ("bench-%d.jsonl" % time.time_ns()))
            stop.set()
            watcher.join()
            if code != 0:
                sys.exit("the run failed: " + err)
            after = echo()
            rounds.append((float(out), (before + after) / 2))
        calls = statistics.median(call for call, _ in rounds)
        ratio = statistics.median(call / bare for call, bare in rounds)
        bare = statistics.median(bare for _, bare in rounds)
        print("calls: %.1f us a call, bare echo %.1f us, ratio %.2f (aim under 2.5)" %
              (calls, bare, ratio))
        if samples:
            print("supervisor memory: %.1f to %.1f MiB (aim flat and under 20)" %
                  (min(samples[2:] or samples) / 1024, max(samples) / 1024))
    finally:
        home.close()


if __name__ == "__main__":
    main()
