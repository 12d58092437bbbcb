"""A held call's arguments in the person's editor and in place, and the other keys of the approval pane
that say something about a call: real program, supervisor and tools; the editor is a script."""
import os
import re
import signal
import sys

from console import (APPROVE, OWN_CRASHES, RESTING, Console, approved_by_person, closing,
                     echo_tool, payroll, pyte, salaries)
from harness import main, of_type, wait_for

COMMENT = "seen, and fine"


def runtime(home):
    folder = home.top / "runtime"
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


def editor(home, *lines, **more):
    """A console on the two raises, with an editor of these shell lines; the file is "$1"."""
    script = home.work / "editor.sh"
    script.write_text("#!/bin/sh\n" + "\n".join(lines) + "\n")
    script.chmod(0o755)
    env = {"VISUAL": "", "EDITOR": "'%s'" % script, "XDG_RUNTIME_DIR": str(runtime(home)),
           **more.pop("env", {})}
    return payroll(home, env=env, **more)


def left_over(home):
    return list(runtime(home).iterdir())


def edits(home):
    return of_type(home.recorded(), "call.edited")


# --- in the person's editor ---

def what_was_edited_is_what_runs(home):
    seen = home.work / "seen"
    console = editor(home, "stat -c '%a %F' \"$1\" \"$(dirname \"$1\")\" > '" + str(seen) + "'",
                     "cat \"$1\" >> '" + str(seen) + "'", "cp \"$1\" \"$1~\"",
                     "sed -i s/9000/4000/ \"$1\"")
    before = salaries(home)
    console.armed()
    console.press("e")
    text = console.wait("these are not the arguments that were asked", "+ amount", "- amount")
    assert "4000" in text
    lines = seen.read_text().splitlines()
    assert lines[:2] == ["600 regular file", "700 directory"], lines
    assert lines[2:] == ["{", '  "name": "Ada",', '  "amount": 9000', "}"], lines
    assert not left_over(home)
    assert not approved_by_person(home)
    console.armed()
    console.press("y")
    console.wait("call 3 waits")
    after = salaries(home)
    assert after["Ada"] - before["Ada"] == 4000, after
    edit, = edits(home)
    assert edit["by"] == "person" and edit["edit"] == 1


def a_text_that_was_left_alone_edits_nothing(home):
    console = editor(home, "true")
    console.armed()
    console.press("e")
    console.wait("nothing was changed")
    console.armed()
    assert not edits(home) and not left_over(home)


def an_editor_that_fails_or_is_killed_changes_nothing(home):
    console = editor(home, "sed -i s/9000/4000/ \"$1\"", "test -e again && kill -9 $$",
                     "touch again", "exit 3")
    console.armed()
    console.press("e")
    console.wait("exit status 3: nothing was changed")
    console.armed()
    console.press("e")
    console.wait("signal 9", "nothing was changed")
    console.armed()
    assert not edits(home) and not left_over(home)


def a_text_that_is_no_json_is_kept_and_edited_again(home):
    console = editor(home, "if test -e again; then cp \"$1\" again; sed -i 's/,,/,/' \"$1\"",
                     "else touch again; sed -i -e 's/,/,,/' -e s/9000/4000/ \"$1\"; fi")
    console.armed()
    console.press("e")
    console.wait("not sent, 2:")
    console.armed()
    assert not edits(home)
    console.press("e")
    console.wait("these are not the arguments that were asked")
    assert '"Ada",,' in (home.work / "again").read_text()
    assert not left_over(home)


def what_the_tool_does_not_take_is_refused_with_its_place(home):
    console = editor(home, "sed -i 's/9000/\"much\"/' \"$1\"")
    console.armed()
    console.press("e")
    console.wait("not sent, 3:13: amount")
    console.armed()
    assert not edits(home) and not approved_by_person(home)


def the_run_is_served_while_one_edits_and_a_decision_keeps_the_text(home):
    console = editor(home, "touch open", "while test ! -e go; do sleep 0.02; done",
                     "sed -i s/9000/4000/ \"$1\"")
    console.armed()
    console.press("e")
    wait_for((home.work / "open").exists, "the editor")
    status, _, err = home.run("decide", home.session(), "2", "deny")
    assert status == 0, err
    assert home.held(3) == 3
    (home.work / "go").touch()
    console.wait("call 3 waits", "your text is kept")
    assert not edits(home)
    console.armed()
    console.press("e")
    console.wait("these are not the arguments that were asked")
    assert "4000" in console.text()


def keys_typed_in_the_editor_decide_nothing(home):
    console = editor(home, "touch open", "while test ! -e go; do sleep 0.02; done")
    console.armed()
    console.press("e")
    wait_for((home.work / "open").exists, "the editor")
    console.press("yyyy\ry")
    console.pump(0.5)
    console.press("y")
    (home.work / "go").touch()
    console.wait("nothing was changed")
    console.armed()
    assert not approved_by_person(home)


def a_console_that_is_ended_ends_its_editor_and_removes_the_file(home):
    console = editor(home, "echo $$ > open.new", "mv open.new open", "while true; do sleep 0.02; done")
    console.armed()
    console.press("e")
    wait_for((home.work / "open").exists, "the editor")
    assert left_over(home)
    console.process.send_signal(signal.SIGTERM)
    assert console.exit_code(20) == 128 + signal.SIGTERM
    assert not left_over(home)
    pid = int((home.work / "open").read_text())
    wait_for(lambda: not os.path.exists("/proc/%d" % pid), "the editor's end")
    assert home.held() == 2


def a_console_that_crashes_removes_the_file(home):
    console = editor(home, "touch open", "while true; do sleep 0.02; done",
                     env=OWN_CRASHES)
    console.armed()
    console.press("e")
    wait_for((home.work / "open").exists, "the editor")
    console.process.send_signal(signal.SIGSEGV)
    assert console.exit_code(20) == -signal.SIGSEGV
    assert not left_over(home)


def an_editor_that_stops_itself_goes_on(home):
    console = editor(home, "kill -TSTP $$", "sed -i s/9000/4000/ \"$1\"")
    console.armed()
    console.press("e")
    console.wait("these are not the arguments that were asked")


def without_an_editor_that_is_said(home):
    bin_folder = home.top / "bin"
    bin_folder.mkdir()
    console = editor(home, "true", env={"EDITOR": "", "PATH": str(bin_folder)})
    console.armed()
    console.press("e")
    console.wait("no editor: VISUAL and EDITOR are not set")
    console.armed()
    assert not edits(home)


def an_editor_that_is_not_there_is_named(home):
    console = editor(home, "true", env={"VISUAL": "/nowhere/edit --wait"})
    console.armed()
    console.press("e")
    console.wait('start the editor "/nowhere/edit"')
    console.armed()
    assert not left_over(home)


def an_editor_with_a_hostile_name_is_named_escaped(home):
    console = editor(home, "true", env={"VISUAL": "/nowhere/\x1b]0;title\x07edit"})
    console.armed()
    console.press("e")
    console.wait("/nowhere/<U+001B>]0;title<U+0007>edit")
    assert b"\x1b]0;title\x07" not in console.raw


def an_edit_is_taken_back(home):
    console = editor(home, "sed -i s/9000/4000/ \"$1\"")
    console.armed()
    console.press("e")
    console.wait("+ amount")
    console.armed()
    console.press("V")
    console.wait("call 2 waits", absent=["+ amount"])
    console.armed()
    assert of_type(home.recorded(), "call.unedited")
    assert not approved_by_person(home)


# --- in place ---

def e_in_place_sends_one_changed_argument(home):
    console = payroll(home)
    console.armed()
    console.press("E")
    console.wait("edit call 2", "Enter edit this one")
    console.press("\x1b[B")
    console.pump(0.2)
    console.press("\r")
    console.wait("as JSON, empty: not given: 9000")
    for _ in range(4):
        console.press("\x7f")
        console.pump(0.05)
    console.type("12x")
    console.press("\r")
    console.wait("no JSON, 1:")
    console.press("\x7f")
    console.pump(0.1)
    console.press("\r")
    console.wait("12  was 9000")
    console.press("s")
    text = console.wait("these are not the arguments that were asked")
    assert re.search(r"\+ amount +│ 12", text), text
    assert not approved_by_person(home)
    assert len(edits(home)) == 1


def esc_leaves_the_fields_and_changes_nothing(home):
    console = payroll(home)
    console.armed()
    console.press("E")
    console.wait("edit call 2")
    console.press("\x1b")
    console.wait("call 2 waits", absent=["edit call 2"])
    console.armed()
    assert not edits(home)


# --- several with one key ---

def marked_calls_share_one_y_and_the_rest_waits_on(home):
    config = echo_tool(home)
    program = home.write("threads.py", "import threading\n"
                         "made = [threading.Thread(target=say, kwargs={'text': str(i)})"
                         " for i in range(3)]\n"
                         "for one in made: one.start()\n"
                         "for one in made: one.join()\n")
    console = Console(home, "run", "--program", program, "-c", config, cols=120, rows=50)
    console.wait("2 more wait")
    console.press("w")
    console.wait("waiting calls of all runs", '"text":"0"', '"text":"1"', '"text":"2"')
    console.press("m")
    console.wait("1 marked")
    console.press("\x1b[B")
    console.pump(0.1)
    console.press("m")
    console.wait("2 marked")
    console.press("\r")
    console.wait("2 calls wait for one answer", "y approve each", absent=[RESTING])
    assert not approved_by_person(home)
    console.press("y")
    console.wait("call 2 waits")
    approved = approved_by_person(home)
    assert sorted(one["call"] for one in approved) == [1, 3], approved
    assert len({one["bind"] for one in approved}) == 2
    assert all(one["covered"] == one["total"] == 12 for one in approved), approved
    presented = of_type(home.recorded(), "call.presented")
    last = {one["call"]: one for one in presented if one["call"] != 2}
    assert last[1]["frame"] != last[3]["frame"]


# --- other keys of the pane ---

def a_comment_is_kept_with_the_decision(home):
    console = payroll(home)
    console.armed()
    console.press("c")
    console.wait("comment to keep:")
    console.type(COMMENT)
    console.press("\r")
    console.wait("comment: " + COMMENT)
    console.armed()
    console.press("y")
    console.wait("call 3 waits")
    comments = [one.get("comment") for one in of_type(home.recorded(), "call.decided")]
    assert COMMENT in comments, comments


def five_more_minutes_are_given(home):
    console = payroll(home)
    console.wait("call 2 waits")
    console.armed()
    console.press("+")
    console.wait("9:", "call 2 has five more minutes")
    assert of_type(home.recorded(), "call.extended")[0]["ms"] == 300000


def the_difference_to_the_last_approved_call_is_a_page(home):
    console = payroll(home)
    console.armed()
    console.press("y")
    console.wait("call 3 waits")
    console.armed()
    console.press("t")
    console.wait("what differs in call 3", "- call 2", "- name", "+ name", "the same")
    console.press("y")
    console.pump(0.5)
    console.press("q")
    console.armed()
    assert len(approved_by_person(home)) == 1


def a_search_in_the_pane_decides_nothing(home):
    console = payroll(home)
    console.armed()
    console.press("/")
    console.wait("search:")
    console.type("yearly")
    console.press("\r")
    console.wait("match 1 of 1")
    console.armed()
    assert not approved_by_person(home)


def accidents_decide_nothing(home):
    """q, Esc, Enter, Space, a mouse and a paste; the pane that was left is opened again."""
    console = payroll(home, env={"VISUAL": "true"})
    for accident in (b"\r", b" ", b"\x1b[<0;10;10M\x1b[<0;10;10m", b"\x1b[M !!", b"\x1b[200~y\x1b[201~",
                     b"\x1b[200~n\x1b[201~", b"\x1b", b"q"):
        console.armed()
        console.press(accident)
        console.pump(0.5)
        if APPROVE not in console.text() and RESTING not in console.text():
            console.press("\r")
            console.wait("call 2 waits")
    console.armed()
    decided = [one for one in of_type(home.recorded(), "call.decided") if one["by"] == "person"]
    assert not decided, decided


TESTS = [
    what_was_edited_is_what_runs,
    a_text_that_was_left_alone_edits_nothing,
    an_editor_that_fails_or_is_killed_changes_nothing,
    a_text_that_is_no_json_is_kept_and_edited_again,
    what_the_tool_does_not_take_is_refused_with_its_place,
    the_run_is_served_while_one_edits_and_a_decision_keeps_the_text,
    keys_typed_in_the_editor_decide_nothing,
    a_console_that_is_ended_ends_its_editor_and_removes_the_file,
    a_console_that_crashes_removes_the_file,
    an_editor_that_stops_itself_goes_on,
    without_an_editor_that_is_said,
    an_editor_that_is_not_there_is_named,
    an_editor_with_a_hostile_name_is_named_escaped,
    an_edit_is_taken_back,
    e_in_place_sends_one_changed_argument,
    esc_leaves_the_fields_and_changes_nothing,
    marked_calls_share_one_y_and_the_rest_waits_on,
    a_comment_is_kept_with_the_decision,
    five_more_minutes_are_given,
    the_difference_to_the_last_approved_call_is_a_page,
    a_search_in_the_pane_decides_nothing,
    accidents_decide_nothing,
]

if __name__ == "__main__":
    chosen = [test for test in TESTS if not sys.argv[1:] or test.__name__ in sys.argv[1:]]
    main([closing(test) for test in chosen], None if pyte else "python3-pyte is not installed")
