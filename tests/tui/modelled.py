"""A model's run in the console: its reply as it comes, cancelling, another way, the next task."""
import json
import pathlib
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "model"))
from console import RESTING, Console, closing, pyte  # noqa: E402
from harness import main, of_type, wait_for  # noqa: E402
from server import Answer, ModelServer, responses, sse  # noqa: E402

KEY = "sk-THE-KEY-of-the-console-0123456789"
PROGRAM = "Counting them.\n```python\npeople = list_employees()\nprint(len(people), 'people')\n```\n"
RAISE = "```python\napply_raise(name='Ada', amount=9000)\nprint('raised')\n```\n"


def modelled(home, server, model=None, more=None, **how):
    path = home.payroll()
    config = json.loads(path.read_text())
    config["model"] = {"provider": "openai", "name": "test-model", "base_url": server.url, **(model or {})}
    config.update(more or {})
    path.write_text(json.dumps(config))
    how.setdefault("cols", 110)
    how.setdefault("rows", 36)
    return Console(home, "run", "count the people", "-c", path, env={"OPENAI_API_KEY": KEY}, **how)


def half(gate, text=PROGRAM, thinking=None):
    """A reply that stands still in its middle until the gate opens."""
    pieces = list(responses(text).pieces)
    if thinking:
        pieces.insert(0, sse({"type": "response.reasoning_text.delta", "delta": thinking}))
    middle = len(pieces) - 6
    return Answer(*pieces[:middle], gate, *pieces[middle:])


def a_reply_is_shown_as_it_comes(home):
    gate = threading.Event()
    console = modelled(home, ModelServer(half(gate, thinking="They want a number.")))
    console.wait("reply 1 · the model writes a program", "Counting them.", "people = list_employees()",
                 "writing", "test-model")
    assert "They want" not in console.text()
    console.wait("reasoning: 19 bytes")
    console.press("o")
    console.wait("They want a number.", absent=["Counting them."])
    console.press("o")
    console.wait("Counting them.", absent=["They want a number."])
    gate.set()
    console.wait("program · attempt 1", "+ ended: ok", "5 people")
    assert KEY.encode() not in console.raw


def the_first_line_says_what_leaves_the_machine(home):
    gate = threading.Event()
    server = ModelServer(half(gate))
    console = modelled(home, server)
    console.wait("openai/test-model at %s is sent the task" % server.url)
    gate.set()


def a_reply_is_cancelled_and_asked_for_again(home):
    gate = threading.Event()
    server = ModelServer(half(gate), responses(PROGRAM))
    console = modelled(home, server)
    console.wait("Counting them.")
    console.press("C")
    console.wait("there is no program: how to go on?", "a person cancelled the reply")
    gate.set()
    assert not of_type(home.recorded(), "program")
    console.insist("T", "to the model:")
    console.type("count once more")
    console.press("\r")
    console.wait("+ ended: ok", "5 people")
    assert "count once more" in server.asked[1]["body"]["input"][-1]["content"]
    assert [d["verdict"] for d in of_type(home.recorded(), "program.decided")] == ["try_again"]


def a_reply_that_broke_off_is_shown_and_not_run(home):
    pieces = responses(PROGRAM).pieces
    console = modelled(home, ModelServer(Answer(*pieces[:-4], cut=True)))
    console.wait("there is no program: how to go on?", "not run")
    console.insist("\x1b", "! it ended before its end: it is not run", "Counting them.")
    console.press("\r")
    console.wait("there is no program: how to go on?", "none came", "T try another way")
    assert not of_type(home.recorded(), "program")


def what_is_waited_for_is_counted_down(home):
    slow = Answer(b'{"error":{"message":"slow down"}}', status=429, headers={"retry-after": "90"})
    console = modelled(home, ModelServer(slow))
    console.wait("retries", "slow down", "asked again in ")
    console.press("C")
    console.wait("there is no program: how to go on?")


def after_a_denial_another_way_is_tried(home):
    server = ModelServer(responses(RAISE), responses(PROGRAM))
    console = modelled(home, server)
    console.armed()
    console.press("n")
    console.wait("the program failed: attempt 1", "a denial ended the program", "T try another way")
    for key in ("y", "\r", " "):
        console.press(key)
        console.pump(0.2)
    assert len(server.asked) == 1
    console.insist("T", "to the model:")
    console.type("only count")
    console.press("\r")
    console.wait("+ ended: ok", "5 people", "1 denied")


def a_next_task_follows_and_leaving_ends_the_session(home):
    server = ModelServer(responses(PROGRAM), responses("```python\nprint('the second')\n```\n"))
    console = modelled(home, server)
    console.wait("+ ended: ok", "done")
    console.insist("T", "next task:")
    console.type("and now this")
    console.press("\r")
    console.wait("the second", "and now")
    wait_for(lambda: len(of_type(home.recorded(), "run.end")) == 2, "the second end")
    console.wait("+ ended: ok")
    console.press("Q")
    assert console.exit_code() == 0
    wait_for(lambda: of_type(home.recorded(), "session.end"), "the end of the session")
    assert of_type(home.recorded(), "session.end")[0]["outcome"] == "ok"


def a_next_task_whose_reply_breaks_off_is_tried_again(home):
    pieces = responses(PROGRAM).pieces
    server = ModelServer(responses(PROGRAM), Answer(*pieces[:-4], cut=True), responses(PROGRAM))
    console = modelled(home, server)
    console.wait("+ ended: ok", "T next task")
    console.press("T")
    console.wait("next task:")
    console.type("again")
    console.press("\r")
    console.wait("there is no program: how to go on?", "none came", "what the model wrote")
    console.press("T")
    console.wait("to the model:")
    console.press("\r")
    console.wait("[2 ok]", "+ ended: ok · 1 call, 0 denied")


def the_answer_of_the_model_opens_by_itself(home):
    server = ModelServer(responses(PROGRAM), responses("There are five of them."))
    console = modelled(home, server, more={"answer": "model"})
    console.wait("the answer", "There are five of them.", "count the people")
    console.press("\x1b")
    console.wait("+ ended: ok")
    console.press("a")
    console.wait("There are five of them.")


def a_program_of_a_model_can_be_asked_about_first(home):
    console = modelled(home, ModelServer(responses(PROGRAM)), more={"approval": {"program": "ask"}})
    console.wait("may this program run?", "by model", "y yes, run it", absent=[RESTING])
    assert not of_type(home.recorded(), "call.request")
    console.press("y")
    console.wait("+ ended: ok", "5 people")


def a_replay_shows_the_reply_again(home):
    gate = threading.Event()
    console = modelled(home, ModelServer(half(gate, thinking="They want a number.")))
    console.wait("Counting them.")
    gate.set()
    console.wait("+ ended: ok")
    console.press("Q")
    console.exit_code()
    film = Console(home, "replay", home.record(), cols=110, rows=36)
    film.wait("test-model")
    film.press("0")
    film.pump(0.2)
    for _ in range(200):
        if "the model writes a program" in film.text() and "Counting" in film.text():
            break
        film.press(".")
        film.pump(0.05)
    film.wait("the model writes a program", "Counting")
    film.press("$")
    film.wait("5 people")


TESTS = [
    a_reply_is_shown_as_it_comes,
    the_first_line_says_what_leaves_the_machine,
    a_reply_is_cancelled_and_asked_for_again,
    a_reply_that_broke_off_is_shown_and_not_run,
    what_is_waited_for_is_counted_down,
    after_a_denial_another_way_is_tried,
    a_next_task_follows_and_leaving_ends_the_session,
    a_next_task_whose_reply_breaks_off_is_tried_again,
    the_answer_of_the_model_opens_by_itself,
    a_program_of_a_model_can_be_asked_about_first,
    a_replay_shows_the_reply_again,
]

if __name__ == "__main__":
    chosen = [test for test in TESTS if not sys.argv[1:] or test.__name__ in sys.argv[1:]]
    main([closing(test) for test in chosen], None if pyte else "python3-pyte is not installed")
