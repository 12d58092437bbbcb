"""What the end-to-end tests share: a private home, configurations, runs, records, TAP."""
import json
import os
import pathlib
import pwd
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import traceback

BUILD = pathlib.Path(os.environ.get("TEST_BUILDDIR", os.getcwd()))
SOURCE = pathlib.Path(os.environ.get("TEST_SRCDIR", os.getcwd()))
BINARY = str(BUILD / "tollbridge")
ROOT = os.geteuid() == 0
DEADLINE = int(os.environ.get("TOLLBRIDGE_DEADLINE", "60"))  # seconds any condition may take


def wait_for(condition, what, deadline=DEADLINE):
    """Poll until condition() is true; its value is given."""
    end = time.monotonic() + deadline
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError("waited in vain for " + what)
        time.sleep(0.01)


class Home:
    """A working folder that the tools' user can read, and a state folder of our own."""

    def __init__(self):
        self.top = pathlib.Path(tempfile.mkdtemp(prefix="tollbridge-test-"))
        os.chmod(self.top, 0o755)
        self.work = self.top / "work"
        self.work.mkdir(mode=0o755)
        self.state = self.top / "state"
        self.state.mkdir(mode=0o700)
        self.env = dict(os.environ, XDG_STATE_HOME=str(self.state),
                        XDG_CONFIG_HOME=str(self.top / "config"), HOME=str(self.top),
                        TERM="xterm-256color", no_proxy="127.0.0.1", NO_PROXY="127.0.0.1")

    def close(self):
        shutil.rmtree(self.top, ignore_errors=True)

    def write(self, name, text):
        path = self.work / name
        path.write_text(text)
        path.chmod(0o644)
        self.give(path)
        return path

    def give(self, path):
        if ROOT:
            nobody = pwd.getpwnam("nobody")
            os.chown(path, nobody.pw_uid, nobody.pw_gid)

    def config(self, tools, **more):
        """A configuration with these Python tool files (server: file) and further keys."""
        entries = {}
        for server, entry in tools.items():
            entry = dict(entry) if isinstance(entry, dict) else {"python": entry}
            if ROOT:
                entry.setdefault("user", "nobody")
            entries[server] = entry
        return self.write("tollbridge.json", json.dumps({"tools": entries, **more}, indent=1))

    def payroll(self):
        """The example, in this home; gives its configuration."""
        for path in (SOURCE / "examples" / "payroll").iterdir():
            if path.is_file():
                shutil.copy(path, self.work / path.name)
                os.chmod(self.work / path.name, 0o644)
                self.give(self.work / path.name)
        self.give(self.work)
        config = json.loads((self.work / "tollbridge.json").read_text())
        if ROOT:
            for entry in config["tools"].values():
                entry["user"] = "nobody"
        (self.work / "tollbridge.json").write_text(json.dumps(config, indent=1))
        return self.work / "tollbridge.json"

    def start(self, *words, **more):
        more.setdefault("stdin", subprocess.DEVNULL)
        more.setdefault("stdout", subprocess.PIPE)
        more.setdefault("stderr", subprocess.PIPE)
        env = dict(self.env, **more.pop("extra_env", {}))
        return subprocess.Popen([BINARY, *map(str, words)], env=env, cwd=more.pop("cwd", self.work),
                                **more)

    def run(self, *words, **more):
        """Run to the end: (exit code, standard output, standard error) as text."""
        text = more.pop("input", None)
        if text is not None:
            more["stdin"] = subprocess.PIPE
        process = self.start(*words, **more)
        out, err = process.communicate(text.encode() if text is not None else None,
                                       timeout=DEADLINE)
        return process.returncode, out.decode(), err.decode()

    def events(self, program, config, *options):
        """Run a program text headless with --json: (exit code, events, standard error)."""
        path = self.write("test-program.py", program) if "\n" in program else program
        code, out, err = self.run("run", "--program", path, "-c", config, "--json", *options)
        return code, parse(out), err

    def records(self):
        return sorted(self.state.glob("tollbridge/records/*/*.jsonl"), key=lambda p: p.stat().st_mtime)

    def record(self):
        return wait_for(lambda: self.records() and self.records()[-1], "a record")

    def recorded(self):
        """Events of the newest record so far, whole lines only."""
        return parse(self.record().read_text())

    def held(self, call=None):
        """Wait until a call is held and not decided: its number."""
        def look():
            if not self.records():
                return None
            waiting = {}
            for event in self.recorded():
                number = event["data"].get("call")
                if event["type"] == "call.held":
                    waiting[number] = True
                elif event["type"] == "call.decided":
                    waiting.pop(number, None)
            numbers = [n for n in waiting if call in (None, n)]
            return numbers and min(numbers)
        return wait_for(look, "a held call")

    def code(self, call):
        """The code of a held call, as `pending` prints it for programs."""
        status, out, err = self.run("pending", "--json")
        assert status == 0, err
        for line in out.splitlines():
            entry = json.loads(line)
            entries = entry if isinstance(entry, list) else [entry]
            for one in entries:
                if one["call"] == call:
                    return one["code"]
        raise AssertionError("call %d is not pending: %s" % (call, out))

    def session(self):
        return self.recorded()[0]["data"]["name"]

    def supervisors(self):
        """Pids of those that listen: of the environment of one, only root can read."""
        return [pid for path in self.state.glob("tollbridge/run/*.sock")
                if (pid := listener(path))]


class Console:
    """A console on the session's socket, by the protocol."""

    def __init__(self, home, name):
        path, = home.state.glob("tollbridge/run/*.sock")
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(str(path))
        self.lines = self.socket.makefile()
        self.last = 0
        self.say({"hello": 1, "console": name, "from": 0})

    def say(self, value):
        self.socket.sendall(json.dumps(value).encode() + b"\n")

    def ask(self, op, **members):
        self.last += 1
        self.say({"id": self.last, "op": op, **members})
        for line in self.lines:
            value = json.loads(line)
            if value.get("reply") == self.last:
                return value
        raise AssertionError("no reply")


class Seat:
    """A person at a console: shows a call, then answers about what was shown."""

    FRAME = "a" * 64

    def __init__(self, home, name="1" * 16):
        self.home, self.shown = home, 0
        self.console = Console(home, name)

    def ask(self, op, **members):
        return self.console.ask(op, **members)

    def bind(self, call):
        """The bind and the argument bytes of a call as the record has them now."""
        bind = args = asked = None
        for event in self.home.recorded():
            data = event["data"]
            if data.get("call") != call:
                continue
            if event["type"] in ("call.request", "call.edited"):
                bind, args = data["bind"], data["args"]
            if event["type"] == "call.request":
                asked = args
            if event["type"] == "call.unedited":
                bind, args = data["bind"], asked
        return bind, args

    def show(self, call):
        bind, args = self.bind(call)
        self.shown += 1
        reply = self.ask("presented", call=call, bind=bind, presentation=self.shown, seen_seq=0,
                         cols=80, rows=24, mode="strict", frame=self.FRAME)
        assert reply["ok"], reply
        return {"call": call, "bind": bind, "presentation": self.shown, "frame": self.FRAME,
                "dwell_ms": 900, "covered": len(args), "total": len(args)}

    def approve(self, call):
        return self.ask("decide", verdict="approve", **self.show(call))

    def edit(self, call, args, bind=None):
        return self.ask("edit", call=call, bind=bind or self.bind(call)[0],
                        args=args if isinstance(args, str) else json.dumps(args))


def parse(text):
    """Events of record text, contents resolved into the fields that refer to them."""
    events, contents = [], {}
    for line in text.split("\n")[:-1]:
        value = json.loads(line)
        if "content" in value:
            contents[value["content"]] = value.get("text", value.get("base64"))
            continue
        value["data"] = resolve(value["data"], contents)
        events.append(value)
    return events


def resolve(value, contents):
    if isinstance(value, dict):
        if "$content" in value:
            return contents.get(value["$content"])
        return {key: resolve(one, contents) for key, one in value.items()}
    if isinstance(value, list):
        return [resolve(one, contents) for one in value]
    return value


def of_type(events, kind):
    return [event["data"] for event in events if event["type"] == kind]


def listener(path):
    """The pid of who listens on a socket, or None."""
    folder = os.open(path.parent, os.O_PATH)  # a whole path may be too long for an address
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as sock:
        try:
            sock.connect("/proc/self/fd/%d/%s" % (folder, path.name))
        except OSError:
            return None
        finally:
            os.close(folder)
        return struct.unpack("3i", sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0]


def processes(match):
    """Pids whose command line and environment satisfy match(line, environment)."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            line = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
            try:
                env = (entry / "environ").read_bytes().decode("utf-8", "replace")
            except OSError:
                env = ""
            if match(line, env):
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def descendants(top):
    """Pids of everything below a process, itself left out."""
    children = {}
    for entry in pathlib.Path("/proc").iterdir():
        try:
            if entry.name.isdigit():
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                children.setdefault(parent, []).append(int(entry.name))
        except OSError:
            continue
    found, left = set(), [top]
    while left:
        for child in children.get(left.pop(), []):
            found.add(child)
            left.append(child)
    return found


def lives(pid):
    """Whether the process is there and more than a zombie."""
    try:
        stat = pathlib.Path("/proc/%d/stat" % pid).read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] not in "ZX"


def main(tests, reason=None):
    """Run the functions as TAP; each gets a fresh Home."""
    if reason:
        print("1..0 # SKIP " + reason)
        return
    print("1..%d" % len(tests))
    for number, test in enumerate(tests, 1):
        name = test.__name__.replace("_", " ")
        home = Home()
        try:
            test(home)
            print("ok %d - %s" % (number, name))
        except Exception:  # a failing test must not hide the others
            print("not ok %d - %s" % (number, name))
            for line in traceback.format_exc().splitlines():
                print("# " + line)
        finally:
            for pid in home.supervisors():
                try:
                    os.kill(pid, signal.SIGKILL)
                except OSError:
                    pass
            home.close()
        sys.stdout.flush()
