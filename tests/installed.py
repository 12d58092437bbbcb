"""The installed programs find each other and their data: installed.py BINDIR DATADIR, by
`make installcheck`."""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "run"))
import harness

BINDIR, DATADIR = map(pathlib.Path, sys.argv[1:3])
harness.BINARY = str(BINDIR / "tollbridge")
harness.SOURCE = DATADIR

failures = []


def the_version_is_printed(home):
    code, out, err = home.run("--version")
    assert (code, err) == (0, "") and out.startswith("tollbridge "), (code, out, err)


def the_example_runs_without_a_question(home):
    config = home.payroll()
    before = json.loads((home.work / "employees.json").read_text())
    code, out, err = home.run("run", "--program", "raise-5000.py", "-c", config, "--no-ask")
    assert code == 0, (code, out, err)
    assert json.loads((home.work / "employees.json").read_text()) != before


def counted(test):
    def run(home):
        try:
            test(home)
        except BaseException:
            failures.append(test)
            raise
    run.__name__ = test.__name__
    return run


harness.main([counted(the_version_is_printed), counted(the_example_runs_without_a_question)])
sys.exit(1 if failures else 0)
