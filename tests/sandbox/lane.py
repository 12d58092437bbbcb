"""Shared by the scripts of this folder: the driver, TAP, and the second run as an ordinary user."""
import os
import shutil
import subprocess
import sys
import tempfile
import time

BUILD = os.environ.get("TEST_BUILDDIR", ".")
HERE = os.path.dirname(os.path.abspath(__file__))
DRIVE = os.path.join(BUILD, "tests/sandbox/drive")
SECONDS = 60


class Lane:
    """Numbers its points over both runs; who is "root", "user" or, run by a user, "self"."""

    def __init__(self):
        self.count = 0
        self.failed = 0
        self.who = None
        self.folder = None

    def point(self, ok, name, detail=""):
        self.count += 1
        self.failed += not ok
        print(f"{'ok' if ok else 'not ok'} {self.count} - {self.who}: {name}")
        if not ok:
            for line in str(detail).splitlines()[:40]:
                print("#   " + line)
        sys.stdout.flush()

    def skip(self, name, reason):
        self.count += 1
        print(f"ok {self.count} - {self.who}: {name} # SKIP {reason}")

    def prefix(self):
        return ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"] \
            if self.who == "user" else []

    def tool_user(self):
        return ["--user", "nobody"] if self.who == "root" else []

    def environment(self):
        env = {k: os.environ[k] for k in ("PATH", "LANG", "LC_ALL") if k in os.environ}
        env["HOME"] = self.folder
        return env

    def start(self, *words, **more):
        more.setdefault("stdin", subprocess.DEVNULL)
        return subprocess.Popen(self.prefix() + [DRIVE, *words], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, env=self.environment(), cwd="/", **more)

    def run(self, *words):
        """The driver's status, what came out, and what it said."""
        drive = self.start(*words)
        try:
            out, err = drive.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            drive.kill()
            out, err = drive.communicate()
            err += b"\ntimed out"
        return drive.returncode, out.decode("utf-8", "replace"), err.decode("utf-8", "replace")

    def file(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w") as out:
            out.write(text)
        os.chmod(path, 0o755)
        return path


def folder_for(who):
    folder = os.path.realpath(tempfile.mkdtemp(prefix="tollbridge-test-"))
    os.chmod(folder, 0o755)
    if who == "user":
        shutil.chown(folder, "nobody", "nogroup")
    return folder


def user_reason():
    """Why the second run is impossible, or None."""
    if not shutil.which("setpriv"):
        return "no setpriv"
    tried = subprocess.run(["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups",
                            "test", "-x", DRIVE, "-a", "-r", os.path.join(HERE, "probes.py")],
                           check=False)
    return None if tried.returncode == 0 else "nobody cannot reach the build folder"


def run_as_each(tests):
    """tests(lane), as whoever runs this, and if that is root, as nobody too."""
    lane = Lane()
    for who in ("root", "user") if os.getuid() == 0 else ("self",):
        lane.who = who
        reason = user_reason() if who == "user" else None
        if reason:
            lane.skip("everything again as an ordinary user", reason)
            continue
        lane.folder = folder_for(who)
        try:
            tests(lane)
        finally:
            shutil.rmtree(lane.folder, ignore_errors=True)
    print(f"1..{lane.count}")
    sys.exit(0)


def wait_until(condition, seconds=10.0):
    """Whether condition() became true in time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.01)
    return bool(condition())
