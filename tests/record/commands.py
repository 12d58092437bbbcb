"""list, show and verify on records: a good one, one cut short, and one whose every word is hostile."""
import hashlib
import json
import os
import subprocess
import sys
import tempfile

BUILD = os.environ.get("TEST_BUILDDIR", ".")
TOLLBRIDGE = os.path.join(BUILD, "tollbridge")
PRINT_SAMPLE = os.path.join(BUILD, "tests/record/print_sample")
HOSTILE = "x\x1b]0;owned\x07\x1b[2J\u202egnp\u200b\r\t\x9b31m\x00"
count = 0


def check(held, what):
    global count
    count += 1
    print(f"{'ok' if held else 'not ok'} {count} - {what}", flush=True)


def run(*words):
    return subprocess.run([TOLLBRIDGE, *words], capture_output=True, timeout=60)


def is_plain(text):
    text = text.decode()
    return all(char == "\n" or char.isprintable() for char in text) and "\u202e" not in text


class Writer:
    """A record by the format alone."""

    def __init__(self, path):
        self.path, self.head, self.seq, self.out = path, "0" * 64, 0, b""

    def content(self, text):
        salt = os.urandom(32)
        digest = hashlib.sha256(salt + text.encode()).hexdigest()
        self.out += json.dumps({"content": digest, "salt": salt.hex(), "text": text},
                               separators=(",", ":")).replace("\x7f", "\\u007f").encode() + b"\n"
        return {"$content": digest, "bytes": len(text.encode())}

    def event(self, kind, **data):
        line = json.dumps({"v": 1, "seq": self.seq, "t": "2026-11-30T22:58:07.000000000Z",
                           "mono": self.seq * 1000, "type": kind, "data": data,
                           "prev": self.head}, separators=(",", ":")).encode() + b"\n"
        self.out += line
        self.head, self.seq = hashlib.sha256(line).hexdigest(), self.seq + 1

    def close(self):
        with open(self.path, "wb") as file:
            file.write(self.out)


def hostile_record(path):
    writer = Writer(path)
    bad = HOSTILE.replace("\x00", "")  # texts with a NUL are no texts of the fold
    writer.event("session.start", id="ab" * 16, name=bad, version=bad, host=bad, user=bad, mode=bad,
                 config=writer.content(HOSTILE), loosened=[bad],
                 model={"provider": bad, "name": bad, "scripted": True}, sandbox=bad)
    writer.event("tools", server=bad, state=bad, isolated=False, added=[], removed=[])
    writer.event("task", run=1, text=writer.content(HOSTILE), **{"from": bad})
    writer.event("program", run=1, attempt=1, text=writer.content(HOSTILE * 3), lines=1, by=bad)
    writer.event("sandbox.start", attempt=1, backend=bad,
                 badge=[{"layer": bad, "state": "absent", "kind": bad, "detail": bad}])
    writer.event("call.request", run=1, attempt=1, call=1, tool=bad, args=writer.content(HOSTILE),
                 bind="0" * 64, line=1)
    writer.event("call.ruled", call=1, action=bad, rule=bad, at=bad, reason=bad, tried=[])
    writer.event("call.held", call=1, why=bad)
    writer.event("call.decided", call=1, verdict=bad, by=bad, via=bad, who=bad,
                 reason=writer.content(HOSTILE), comment=writer.content(HOSTILE))
    writer.event("call.end", call=1, outcome=bad, result=writer.content(HOSTILE), ms=1)
    writer.event("call.request", run=1, attempt=1, call=2, tool=bad, args=writer.content(HOSTILE),
                 bind="0" * 64, line=1)
    writer.event("output", attempt=1, stream=bad, text=writer.content(HOSTILE))
    writer.event("program.end", attempt=1, outcome=bad, error=writer.content(HOSTILE))
    writer.event("answer", run=1, text=writer.content(HOSTILE))
    writer.event("alert", text=bad)
    writer.close()


def main():
    with tempfile.TemporaryDirectory() as home:
        os.environ["XDG_STATE_HOME"] = home
        check(run("list").returncode == 0, "an empty store is listed")
        check(run("list", "--short").stdout == b"idle\n", "an empty store is idle")

        day = os.path.join(home, "tollbridge", "records", "2026-11-30")
        os.mkdir(day, 0o700)
        good = os.path.join(day, "payroll-1-01234567.jsonl")
        with open(good, "wb") as file:
            subprocess.run([PRINT_SAMPLE], stdout=file, check=True)
        cut = os.path.join(home, "cut.jsonl")
        with open(good, "rb") as whole, open(cut, "wb") as file:
            file.write(whole.read()[:-400])

        result = run("list", "--json")
        row = json.loads(result.stdout)
        check(row["name"] == "payroll-1" and row["state"] == "ok" and row["calls"] == 4 and
              row["denied"] == 1 and row["live"] is False, "list --json has one line a session")
        check(b"payroll-1" in run("list").stdout, "list names it")
        check(run("list", "--short").stdout == b"idle\n", "a record is not running")

        result = run("show", "payroll-1")
        check(result.returncode == 0 and b"ask his manager first" in result.stdout and
              b"deny by person" in result.stdout, "show says who decided what and why")
        with open(good, "rb") as file:
            check(run("show", good, "--json").stdout == file.read(),
                  "show --json gives the record's own bytes")

        check(run("verify", good).returncode == 1, "a whole record without signature is 1")
        check(run("verify", "payroll-1").returncode == 1, "a session's name does as well")
        result = run("verify", good, cut, "--json")
        verdicts = [json.loads(line) for line in result.stdout.splitlines()]
        check([v["code"] for v in verdicts] == [1, 2] and verdicts[1]["torn"] and
              result.returncode == 2, "the highest of several verdicts is the exit code")
        head = verdicts[0]["head"]
        check(run("verify", good, "--anchor", head).returncode == 1, "its head is an anchor in it")
        check(run("verify", good, "--anchor", "0" * 64).returncode == 5, "another is not: 5")
        check(run("verify", good, "--anchor", "abc").returncode == 64, "half an anchor is usage: 64")
        check(run("verify", "/no/such.jsonl").returncode == 8, "a file that is not there: 8")
        check(run("verify", "/dev/zero").returncode in (3, 7), "a file without end has a verdict too")
        check(run("verify", __file__).returncode == 7, "a file that is no record: 7")

        result = run("show", cut)
        check(b"end: none" in result.stdout, "show says that a record has no end")

        hostile = os.path.join(day, "hostile-1-abababab.jsonl")
        hostile_record(hostile)
        for words in (["show", hostile], ["list"], ["verify", hostile], ["list", "--json"],
                      ["show", "hostile-1", "--json"], ["show", "hostile\x1b[2J"]):
            result = run(*words)
            check(is_plain(result.stdout) and is_plain(result.stderr),
                  f"no byte of a hostile record reaches the terminal: {words[0]} {words[1:][-1:]!a}")
        result = run("show", hostile)
        check(b"undecided, did not run" in result.stdout, "and it names what was undecided")
        check(run("verify", hostile).returncode == 6, "binds of nothing are out of order: 6")
    print(f"1..{count}")


if not os.path.exists(TOLLBRIDGE):
    print("1..0 # SKIP tollbridge is not built")
    sys.exit(0)
main()
