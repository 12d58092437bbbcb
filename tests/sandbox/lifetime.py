"""How tools are set apart, and that nothing outlives whoever started it."""
import ast
import os
import signal
import socket
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import lane  # noqa: E402

GONE_SECONDS = 1.0

# Detached twice over, deaf to polite signals; the line is written when that is so.
DETACH = """
import os, signal, sys, time
for signo in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
    signal.signal(signo, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.write(1, b"detached\\n")
    time.sleep(600)
    os._exit(0)
"""


def stat_of(pid):
    """Parent and start time; None when it is gone (or a zombie)."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] in "ZX" else (int(fields[1]), fields[19])


def below(root):
    """(pid, start time) of every process below root."""
    every = {int(p): stat_of(p) for p in os.listdir("/proc") if p.isdigit()}
    found, grew = {root}, True
    while grew:
        more = {p for p, s in every.items() if s and s[0] in found and p not in found}
        grew = bool(more)
        found |= more
    return {(p, every[p][1]) for p in found if p != root and every.get(p)}


def alive(processes):
    return {(p, began) for p, began in processes if (stat_of(p) or (0, 0))[1] == began}


def await_line(drive, word):
    for line in drive.stdout:
        if word in line.decode("utf-8", "replace"):
            return True
    return False


def python(*words):
    return ["/usr/bin/python3", "-I", "-S", *words]


def ends_with_driver(run, name, words):
    drive = run.start(*words)
    try:
        started = await_line(drive, "detached")
        processes = below(drive.pid)
    finally:
        drive.send_signal(signal.SIGKILL)
        drive.wait()
    run.point(started and len(processes) >= 4, f"{name}: a grandchild detached itself",
              f"{processes} {drive.stderr.read()}")
    gone = lane.wait_until(lambda: not alive(processes), GONE_SECONDS)
    run.point(gone, f"{name}: all of it is gone within a second of kill -9", alive(processes))
    for process, _ in alive(processes):
        os.kill(process, signal.SIGKILL)


def ends_with_program(run, name, words):
    drive = run.start(*words)
    await_line(drive, "detached")
    processes = below(drive.pid)
    _, err = drive.communicate(timeout=lane.SECONDS)
    run.point(b"drive: exit 3" in err and len(processes) >= 3, f"{name}: its status comes through",
              err)
    run.point(not alive(processes), f"{name}: its detached grandchild is gone with it",
              alive(processes))


def reaper_killed(run, words):
    drive = run.start(*words)
    await_line(drive, "detached")
    processes = below(drive.pid)
    reapers = [p for p, _ in processes if stat_of(p)[0] == drive.pid]
    os.kill(reapers[0], signal.SIGKILL)
    _, err = drive.communicate(timeout=lane.SECONDS)
    gone = lane.wait_until(lambda: not alive(processes), GONE_SECONDS)
    run.point(gone, "when the reaper is killed, everything in a namespace goes", alive(processes))
    run.point(b"drive: lost" in err and b"drive: signal 9" in err,
              "and the supervisor hears of it", err)


def lifetimes(run):
    user = run.tool_user()
    stays = run.file("stays.py", DETACH + "time.sleep(600)\n")
    leaves = run.file("leaves.py", DETACH + "while True:\n    try:\n        os.stat('/tmp/never')\n"
                      "    except OSError:\n        break\ntime.sleep(0.2)\nos._exit(3)\n")
    kinds = {
        "isolated tool": (["tool", *user, "--", *python()], True),
        "tool that is not isolated": (["tool", "--plain", *user, "--", *python()], True),
        "sandbox": (["sandbox"], False),
    }
    for name, (words, _) in kinds.items():
        ends_with_driver(run, name, [*words, stays])
        ends_with_program(run, name, [*words, leaves])
    reaper_killed(run, ["tool", *user, "--", *python(), stays])
    reaper_killed(run, ["sandbox", stays])


LOOK = """
import os, socket, sys
home = sys.argv[1]
def tried(action):
    try:
        return repr(action())
    except OSError as error:
        return "refused: " + str(error.strerror)
def connect():
    peer = socket.socket(socket.AF_UNIX)
    peer.connect(home + "/covered.sock")
print("folder", tried(lambda: os.listdir(home + "/covered")))
print("write", tried(lambda: os.mkdir(home + "/covered/new")))
print("socket", tried(connect))
print("missing", os.path.exists(home + "/missing"))
print("beside", tried(lambda: open(home + "/beside").read()))
print("pids", sorted(int(p) for p in os.listdir("/proc") if p.isdigit()))
print("terminal", tried(lambda: os.open("/dev/tty", os.O_RDWR)))
print("pts", os.listdir("/dev/pts") if os.path.isdir("/dev/pts") else [])
print("fds", sorted(int(n) for n in os.listdir("/proc/self/fd"))[:-1])
print("session", os.getsid(0) == os.getpid())
print("env", sorted(os.environ))
print("added", os.environ.get("ADDED"))
print("uid", os.getuid())
status = open("/proc/self/status").read()
print("caps", [l.split()[1] for l in status.splitlines() if l.startswith("Cap")])
print("privs", [l.split()[1] for l in status.splitlines() if l.startswith("NoNewPrivs")])
print("umount", os.system("umount %s/covered 2>/dev/null" % home) != 0,
      os.system("unshare -Urm umount %s/covered 2>/dev/null" % home) != 0)
"""
SHORT = {"HOME", "LOGNAME", "PATH", "SHELL", "USER", "LANG", "TZ", "ADDED", "LC_CTYPE"}


def look_from_tool(run):
    os.mkdir(run.folder + "/covered")
    run.file("covered/secret", "a key")
    run.file("beside", "plain")
    server = socket.socket(socket.AF_UNIX)
    server.bind(run.folder + "/covered.sock")
    server.listen(1)
    os.chmod(run.folder + "/covered.sock", 0o777)
    os.chmod(run.folder + "/covered", 0o777)
    look = run.file("look.py", LOOK)
    covers = [w for p in ("covered", "covered.sock", "missing")
              for w in ("--cover", f"{run.folder}/{p}")]
    status, out, err = run.run("tool", *run.tool_user(), "--env", "ADDED=yes", *covers, "--",
                               "/usr/bin/python3", look, run.folder)
    server.close()
    seen = dict(line.split(" ", 1) for line in out.splitlines() if " " in line)
    run.point(status == 0, "an isolated tool runs", out + err)
    return seen


def isolation(run):
    seen = look_from_tool(run)

    def holds(name, key, *wanted):
        run.point(seen.get(key) in wanted, name, f"{key}: {seen.get(key)}")
    holds("a covered folder is empty", "folder", "[]")
    holds("a covered folder takes nothing", "write", "refused: Read-only file system",
          "refused: Permission denied")
    holds("a covered socket answers nobody", "socket", "refused: Connection refused",
          "refused: Permission denied")
    holds("what is beside is there", "beside", "'plain'")
    holds("only its own processes are to be seen", "pids", "[1, 2]")
    holds("there is no terminal", "terminal", "refused: No such device or address")
    holds("other terminals are not to be seen", "pts", "['ptmx']", "[]")
    holds("no descriptor is inherited", "fds", "[0, 1, 2]")
    holds("it leads a session of its own", "session", "True")
    holds("a configured variable is there", "added", "yes")
    holds("no capability is left", "caps", str(["0000000000000000"] * 5))
    holds("it gets no new privileges", "privs", "['1']")
    holds("a cover cannot be taken off", "umount", "True True")
    names = set(ast.literal_eval(seen.get("env", "[]")))
    run.point(names and names <= SHORT and {"HOME", "PATH", "USER"} <= names | {"USER"},
              "the environment is the short one", names)
    run.point(seen.get("uid") not in (None, "0"), "it does not run as root", seen.get("uid"))


def refusals(run):
    user = run.tool_user()
    _, _, err = run.run("tool", *user, "--", "/nonexistent/tool")
    run.point("drive: failed: start /nonexistent/tool: No such file" in err,
              "a program that is not there is a failed start that names it", err)
    _, _, err = run.run("tool", "--user", "no-such-user", "--", "/bin/true")
    run.point('there is no user "no-such-user"' in err, "an unknown user is refused", err)
    if run.who == "root":
        _, _, err = run.run("tool", "--", "/bin/true")
        run.point('needs a "user"' in err, "root must say whose a tool is", err)
        _, _, err = run.run("tool", "--user", "root", "--", "/bin/grep", "CapEff", "/proc/self/status")
        run.point("drive: exit 0" in err, "root may be named", err)
    else:
        _, _, err = run.run("tool", "--user", "root", "--", "/bin/true")
        run.point("only root can" in err, "a user cannot start a tool as root", err)
    script = run.file("plain", "echo no interpreter line\n")
    _, _, err = run.run("tool", *user, "--", script)
    run.point("Exec format error" in err, "no shell runs what has no interpreter", err)
    _, _, err = run.run("sandbox", "--mount", "/etc:/usr/x", script)
    run.point("is the sandbox's own" in err, "a mount over the sandbox's own is refused", err)
    _, _, err = run.run("sandbox", "--mount", "/nonexistent:/in", script)
    run.point("/nonexistent" in err and "drive: failed" in err, "a mount of nothing is refused", err)
    _, _, err = run.run("sandbox", "/nonexistent/runner")
    run.point("/nonexistent/runner" in err and "drive: failed" in err,
              "a runner that is not there is a failed start", err)


def forbidden_namespaces(run):
    """max_user_namespaces of a user namespace made for this: 0, and then the driver in it."""
    if run.who == "root":
        return
    name = "without user namespaces it says so and how to mend it"
    script = "echo 0 > /proc/sys/user/max_user_namespaces && exec setpriv --ambient-caps=-all " \
        f"--inh-caps=-all {lane.DRIVE} \"$@\""
    drive = subprocess.run(run.prefix() + ["unshare", "-U", "--map-current-user", "--keep-caps",
                                           "sh", "-c", script, "sh", "tool", "--", "/bin/true"],
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=run.environment(),
                           check=False)
    err = drive.stderr.decode("utf-8", "replace")
    if "drive:" not in err:
        run.skip(name, "this machine does not let the test forbid them")
        return
    run.point("user.max_user_namespaces" in err and drive.returncode == 5, name, err)


def mounts(run):
    os.mkdir(run.folder + "/data")
    run.file("data/table", "1,2")
    guest = run.file("guest.py", """
import os
os.write(1, open("/in/data/table").read().encode() + b"\\n")
try:
    open("/in/data/new", "w")
except OSError as error:
    os.write(1, error.strerror.encode() + b"\\n")
os.write(1, open("/in/file").read().encode())
""")
    status, out, err = run.run("sandbox", "--mount", f"{run.folder}/data:/in/data", "--mount",
                               f"{run.folder}/data/table:/in/file", guest)
    run.point(status == 0 and out == "1,2\nRead-only file system\n1,2",
              "a mount is there, read-only, folder or file", out + err)


def tests(run):
    isolation(run)
    refusals(run)
    forbidden_namespaces(run)
    mounts(run)
    lifetimes(run)


if __name__ == "__main__":
    lane.run_as_each(tests)
