"""list on hundreds of records: each told by its two ends, in order, whatever stands in its middle."""
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time

BUILD = os.environ.get("TEST_BUILDDIR", ".")
TOLLBRIDGE = os.path.join(BUILD, "tollbridge")
PRINT_SAMPLE = os.path.join(BUILD, "tests/record/print_sample")
COUNT = 500
count = 0


def check(held, what):
    global count
    count += 1
    print(f"{'ok' if held else 'not ok'} {count} - {what}")


def run(*words):
    return subprocess.run([TOLLBRIDGE, *words], capture_output=True, timeout=120)


def made(sample, number):
    """The sample as a session of its own: another id, name and time, chained anew."""
    head, lines = "0" * 64, []
    for line in sample.splitlines():
        value = json.loads(line)
        if "content" not in value:
            if value["type"] == "session.start":
                value["data"].update(id="%032x" % number, name="made-%d" % number)
            value["t"] = "2026-11-%02dT%02d:%02d:00.000000000Z" % (
                1 + number // 100, number // 60 % 24, number % 60)
            value["prev"] = head
            line = json.dumps(value, separators=(",", ":")).encode()
            head = hashlib.sha256(line + b"\n").hexdigest()
        lines.append(line + b"\n")
    return lines


def write(home, number, data):
    day = os.path.join(home, "tollbridge", "records", "2026-11-%02d" % (1 + number // 100))
    os.makedirs(day, 0o700, exist_ok=True)
    with open(os.path.join(day, "made-%d-%08x.jsonl" % (number, number)), "wb") as file:
        file.write(data)


def main():
    sample = subprocess.run([PRINT_SAMPLE], check=True, capture_output=True).stdout
    with tempfile.TemporaryDirectory() as home:
        os.environ["XDG_STATE_HOME"] = home
        os.umask(0o077)
        for number in range(COUNT):
            lines = made(sample, number)
            if number == 7:
                lines = lines[:-5]  # its supervisor was killed
            elif number == 8:
                lines[-1] = lines[-1][:40]  # in the middle of a line
            elif number == 9:
                lines[0] = b"no record at all\n"
            elif number == 10:  # nobody reads what is between the two ends
                lines[30:30] = [b"x" * 1000 + b"\n"] * 40000
            elif number == 11:
                lines = []
            write(home, number, b"".join(lines))
        began = time.monotonic()
        result = run("list", "--json")
        print("# %d records listed in %.0f ms" % (COUNT, 1000 * (time.monotonic() - began)))
        rows = [json.loads(line) for line in result.stdout.splitlines()]
        by_name = {row["name"]: row for row in rows}
        check(result.returncode == 0 and len(rows) == COUNT, "each record has its row")
        whole = [row for row in rows if row["name"] not in ("made-7", "made-8", "made-9", "made-11")]
        check(all(row["state"] == "ok" and row["calls"] == 4 and row["denied"] == 1 and
                  row["fault"] is None for row in whole), "its end tells outcome, calls and denials")
        check([row["started"] for row in whole] == sorted((row["started"] for row in whole), reverse=True),
              "the newest stands first")
        check(all(row["task"] for row in whole), "its head tells the task")
        check(by_name["made-7"]["state"] == "cut off" and by_name["made-7"]["calls"] == 4,
              "one whose supervisor was killed says so, and its calls are counted")
        check(by_name["made-8"]["state"] == "torn", "one that ends in the middle of a line is torn")
        check(by_name["made-9"]["state"] != "ok" or by_name["made-9"]["fault"],
              "one that does not begin as a record is not taken for one")
        check(by_name["made-11"]["state"] == "cut off" and not by_name["made-11"]["calls"],
              "an empty one has nothing to tell")
        check(by_name["made-10"]["state"] == "ok", "a middle that does not read keeps nothing from being told")
        check(b"made-499" in run("list").stdout, "the list for people has them too")
    print(f"1..{count}")


sys.exit(main())
