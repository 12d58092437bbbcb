"""The attack lane: every probe of probes.py must be blocked, and an ordinary tour must work."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import lane  # noqa: E402
import probes  # noqa: E402


def read_source(name):
    with open(os.path.join(lane.HERE, name)) as file:
        return file.read()


def attack(run, group):
    """Lines of one group, by probe name."""
    path = run.file("guest.py", read_source("probes.py") + f"\n\nmain({group!r})\n")
    status, out, err = run.run("sandbox", "--tmp", str(64 << 20), path)
    return {line.split(" ", 1)[0]: line for line in out.splitlines()}, f"{status} {err}"


def probe_points(run):
    names = list(probes.PROBES)
    if os.uname().machine == "x86_64":
        names += list(probes.CALLS)
    lines, said = attack(run, "all")
    for name in names:
        line = lines.get(name, f"{name} said nothing; {said}")
        run.point(line.startswith(name + " blocked"), name + " is blocked", line)


def bomb_points(run):
    for name in probes.BOMBS:
        lines, said = attack(run, name)
        line = lines.get(name, f"{name} said nothing; {said}")
        run.point(line.startswith(name + " blocked"), name + " is held", line)


def tour_points(run):
    path = run.file("guest.py", read_source("tour.py"))
    status, out, err = run.run("sandbox", path)
    steps = [line for line in out.splitlines() if line.startswith(("works ", "broken "))]
    run.point(status == 0 and len(steps) > 20 and steps[-1] == "works all of it",
              "the tour ends well", out + err)
    for step in steps[:-1]:
        run.point(step.startswith("works "), "the library: " + step.split(" ", 1)[1], step)


def badge_points(run):
    path = run.file("guest.py", "import os, time\nos.write(1, b'x')\ntime.sleep(60)\n")
    _, out, err = run.run("sandbox", "--badge", path)
    lines = [line for line in out.splitlines() if line.startswith("badge: ")]
    run.point(len(lines) == 13, "the badge has thirteen layers", out + err)
    for line in lines:
        name = line.split()[1]
        if name != "landlock":
            run.point(" proved: " in line, f"{name} is proved from outside", line)
    run.point("promised and not proved: landlock (nothing shows it)\n" in out,
              "what only the guest can show is not proved while it is silent", out)


def tests(run):
    probe_points(run)
    bomb_points(run)
    tour_points(run)
    badge_points(run)


if __name__ == "__main__":
    lane.run_as_each(tests)
