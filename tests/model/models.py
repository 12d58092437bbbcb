"""Runs whose program a model writes, over real HTTP on loopback in all four formats."""
import json
import os
import pathlib
import socket
import sys
import threading

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "run"))
from harness import Seat, main, of_type, wait_for
from server import Answer, ModelServer, anthropic, certificate, chat, ollama, responses, sse

KEY = "sk-THE-KEY-that-nobody-may-see-0123456789"
PROGRAM = "Here it is:\n```python\npeople = list_employees()\nprint(len(people), 'people')\n```\n"
FAILING = "```python\npeople = list_employees()\nprint('so far')\nraise ValueError('on purpose')\n```\n"
FORMATS = {
    "responses": (responses, {"provider": "openai"}, "OPENAI_API_KEY", "/v1/responses"),
    "chat": (chat, {"provider": "openai", "api": "chat"}, "OPENAI_API_KEY", "/v1/chat/completions"),
    "anthropic": (anthropic, {"provider": "anthropic"}, "ANTHROPIC_API_KEY", "/v1/messages"),
    "ollama": (ollama, {"provider": "ollama"}, None, "/api/chat"),
}


def configured(home, model, **more):
    path = home.payroll()
    config = json.loads(path.read_text())
    config["model"] = {"name": "test-model", **model}
    for key, value in more.items():
        config.setdefault(key, {}).update(value) if isinstance(value, dict) else config.update({key: value})
    path.write_text(json.dumps(config))
    return path


def asked(home, server, model=None, *options, env=None, more=None, task="count the people"):
    """Run a task headless: (exit code, answer, standard error)."""
    path = configured(home, {"provider": "openai", "base_url": server.url, **(model or {})}, **(more or {}))
    return home.run("run", task, "-c", path, "--headless", *options,
                    extra_env={"OPENAI_API_KEY": KEY, **(env or {})})


# --- the four formats ---

def each_format_writes_a_program_that_runs(home):
    for name, (reply, model, variable, path) in FORMATS.items():
        server = ModelServer(reply(PROGRAM))
        code, out, err = asked(home, server, model, env={variable: KEY} if variable else None)
        assert (code, out) == (0, "5 people\n"), (name, code, out, err)
        request = server.asked[0]
        assert request["path"] == path, request["path"]
        text = json.dumps(request["body"])
        assert "list_employees" in text and "count the people" in text, name
        end = of_type(home.recorded(), "model.end")[-1]
        assert (end["stop"], end["usage"]["input"], end["usage"]["output"]) == ("complete", 40, 7), end
        server.close()


def the_key_goes_to_the_model_and_nowhere_else(home):
    for name, (reply, model, variable, path) in FORMATS.items():
        if not variable:
            continue
        server = ModelServer(Answer(b'{"error":{"message":"no"}}', status=401))
        code, out, err = asked(home, server, model, env={variable: KEY})
        headers = {k.lower(): v for k, v in server.asked[0]["headers"].items()}
        assert KEY in (headers.get("authorization", "") + headers.get("x-api-key", "")), headers
        assert code == 6 and variable in err and "401" in err, err
        everything = out + err + home.record().read_text()
        assert KEY not in everything and KEY not in json.dumps(server.asked[0]["body"])
        server.close()


def no_tool_and_no_program_sees_the_key(home):
    server = ModelServer(responses(
        "```python\nimport os\nprint(sorted(os.environ))\nprint(len(list_employees()))\n```\n"))
    code, out, err = asked(home, server)
    assert code == 0 and "OPENAI_API_KEY" not in out, (out, err)


def a_missing_key_is_named_before_anything_starts(home):
    path = configured(home, {"provider": "anthropic"})
    code, out, err = home.run("run", "count", "-c", path, "--headless", extra_env={"ANTHROPIC_API_KEY": ""})
    assert code == 2 and "ANTHROPIC_API_KEY" in err and not home.records(), err


def a_command_gives_the_key(home):
    server = ModelServer(responses(PROGRAM))
    command = home.write("key.sh", "#!/bin/sh\necho %s\n" % KEY)
    command.chmod(0o755)
    code, out, err = asked(home, server, {"key_command": [str(command)]}, env={"OPENAI_API_KEY": ""})
    assert code == 0, err
    assert server.asked[0]["headers"]["Authorization"] == "Bearer " + KEY
    assert KEY not in home.record().read_text() + err


def a_command_that_gives_no_key_is_named(home):
    server = ModelServer()
    code, out, err = asked(home, server, {"key_command": ["/bin/false"]}, env={"OPENAI_API_KEY": ""})
    assert code == 2 and "model.key_command: /bin/false failed with status 1" in err, err
    assert not server.asked


# --- what is no program never runs ---

def a_reply_that_is_not_whole_never_runs(home):
    text = "```python\nprint('RAN')\n```\n"
    pieces = chat(text).pieces
    cases = {
        "cut": Answer(*pieces[:-3]), "broken": Answer(*pieces[:-3], cut=True),
        "length": chat(text, "length"), "filtered": chat(text, "content_filter"),
        "unknown": chat(text, "load"),
        "refused": Answer(pieces[0], sse({"choices": [{"delta": {"refusal": "No."}}]}), *pieces[1:]),
        "error": Answer(*pieces[:-3], sse({"error": {"message": "crashed"}})),
    }
    for name, answer in cases.items():
        server = ModelServer(answer, chat(text))
        code, out, err = asked(home, server, {"api": "chat"})
        events = home.recorded()
        assert code == 6 and "RAN" not in out, (name, code, out, err)
        assert not of_type(events, "program") and len(server.asked) == 1, name
        assert of_type(events, "run.end")[-1]["outcome"] == "model", name
        server.close()


def a_reply_without_a_program_goes_back_with_the_rule(home):
    server = ModelServer(responses("I would rather talk."), responses(PROGRAM))
    code, out, err = asked(home, server)
    assert (code, out) == (0, "5 people\n"), err
    told = server.asked[1]["body"]["input"][-1]["content"]
    assert "holds no program" in told and "```python" in told, told
    end = of_type(home.recorded(), "model.end")[0]
    assert "holds no program" in end["refused"]


def a_stream_that_stays_open_behind_its_end_is_left(home):
    gate = threading.Event()  # never set while the run goes on: what follows it would spoil the reply
    late = sse({"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": "late"})
    server = ModelServer(Answer(*responses(PROGRAM).pieces, gate, late))
    code, out, err = asked(home, server)
    gate.set()
    assert (code, out) == (0, "5 people\n"), err


def repairs_have_an_end(home):
    server = ModelServer(*[responses("No program.") for _ in range(9)])
    code, out, err = asked(home, server, {"max_repairs": 2})
    assert code == 6 and len(server.asked) == 3, (code, err)


# --- repairs ---

def a_failed_program_goes_back_with_all_that_happened(home):
    server = ModelServer(responses(FAILING), responses(PROGRAM))
    code, out, err = asked(home, server)
    assert (code, out) == (0, "5 people\n"), (out, err)
    told = server.asked[1]["body"]["input"][-1]["content"]
    for words in ("ValueError: on purpose", "so far", "payroll.list_employees", "-> ok", "49 of 50 left"):
        assert words in told, (words, told)
    assert [d["attempt"] for d in of_type(home.recorded(), "program")] == [1, 2]


def a_syntax_error_goes_back_before_anything_ran(home):
    server = ModelServer(responses("```python\nlist_employees()\ndef :\n```\n"), responses(PROGRAM))
    code, out, err = asked(home, server)
    assert code == 0, err
    told = server.asked[1]["body"]["input"][-1]["content"]
    assert "no valid Python" in told and "nothing has taken effect" in told, told


def what_took_effect_is_held_when_it_is_repeated(home):
    raises = "```python\napply_raise(name='Ada', amount=10)\n%s\n```\n"
    server = ModelServer(responses(raises % "raise ValueError()"), responses(raises % "print('done')"))
    code, out, err = asked(home, server, None, "--no-ask")
    decided = of_type(home.recorded(), "call.decided")
    assert [d["verdict"] for d in decided] == ["approve", "deny"], decided
    assert "took effect" in server.asked[1]["body"]["input"][-1]["content"]
    assert code == 3, (code, err)


def a_denial_ends_a_headless_run(home):
    server = ModelServer(responses("```python\napply_raise(name='Ada', amount=9000)\n```\n"),
                         responses(PROGRAM))
    code, out, err = asked(home, server, None, "--no-ask")
    assert code == 3 and len(server.asked) == 1, (code, err)


# --- answers ---

def a_model_answers_from_what_was_printed(home):
    server = ModelServer(responses(PROGRAM), responses("There are five."))
    code, out, err = asked(home, server, more={"answer": "model"})
    assert (code, out) == (0, "There are five.\n"), (out, err)
    assert "5 people" in server.asked[1]["body"]["input"][-1]["content"]


def what_is_printed_goes_nowhere_unless_the_answer_is_the_models(home):
    server = ModelServer(responses(PROGRAM))
    code, out, err = asked(home, server)
    assert code == 0 and len(server.asked) == 1
    assert "is sent the task" in err and server.url in err, err


def the_output_that_goes_back_is_bounded(home):
    server = ModelServer(responses("```python\nprint('x' * 100000)\n```\n"), responses("Long."))
    code, out, err = asked(home, server, {"answer_bytes": 1000}, more={"answer": "model"})
    told = server.asked[1]["body"]["input"][-1]["content"]
    assert code == 0 and len(told) < 1500 and "bytes left out" in told, len(told)


# --- retries ---

def a_request_that_failed_is_sent_again_before_anything_was_shown(home):
    server = ModelServer(
        Answer(b'{"error":{"message":"slow down"}}', status=429,
               headers={"retry-after-ms": "1", "x-request-id": "req_9"}),
        Answer(silent=True), responses(PROGRAM))
    code, out, err = asked(home, server)
    assert (code, out) == (0, "5 people\n"), err
    retries = of_type(home.recorded(), "model.retry")
    assert len(retries) == 2 and "429" in retries[0]["cause"] and "req_9" in retries[0]["cause"], retries
    assert retries[0]["wait_ms"] == 1


def after_text_was_shown_nothing_is_sent_again(home):
    server = ModelServer(Answer(sse({"choices": [{"delta": {"content": "a"}}]}), cut=True), chat(PROGRAM))
    code, out, err = asked(home, server, {"api": "chat"})
    assert code == 6 and len(server.asked) == 1 and not of_type(home.recorded(), "model.retry")


def a_quota_is_no_reason_to_try_again(home):
    server = ModelServer(Answer(b'{"error":{"code":"insufficient_quota","message":"pay"}}', status=429))
    code, out, err = asked(home, server)
    assert code == 6 and len(server.asked) == 1 and "insufficient_quota" in err, err


def stream_options_are_left_away_where_they_are_refused(home):
    server = ModelServer(
        Answer(b'{"error":{"message":"unknown field","param":"stream_options"}}', status=400), chat(PROGRAM))
    code, out, err = asked(home, server, {"api": "chat"})
    assert code == 0, err
    assert "stream_options" in server.asked[0]["body"] and "stream_options" not in server.asked[1]["body"]


def a_redirect_never_carries_the_key_to_another_place(home):
    other = ModelServer(responses(PROGRAM))
    server = ModelServer(Answer(b"", status=307, headers={"Location": other.url + "/v1/responses"}))
    code, out, err = asked(home, server, {"max_retries": 0})
    assert code == 6 and not other.asked and "a redirect to " + other.url in err, err


def a_redirect_to_the_same_place_is_followed(home):
    server = ModelServer(Answer(b"", status=308, headers={"Location": "/elsewhere"}), responses(PROGRAM))
    code, out, err = asked(home, server)
    assert code == 0 and server.asked[1]["path"] == "/elsewhere", err


def a_certificate_that_nobody_vouches_for_is_refused_before_the_key(home):
    server = ModelServer(responses(PROGRAM), certificate=certificate(home.top))
    none = {"CURL_CA_BUNDLE": "", "SSL_CERT_FILE": "", "SSL_CERT_DIR": ""}
    code, out, err = asked(home, server, env=none)
    assert code == 6 and "certificate" in err and not server.asked, err
    assert not of_type(home.recorded(), "model.retry")
    code, out, err = asked(home, server, env={**none, "SSL_CERT_FILE": str(home.top / "only.pem")})
    assert (code, out) == (0, "5 people\n"), err


def a_proxy_of_the_environment_is_used(home):
    server = ModelServer(responses(PROGRAM))
    code, out, err = asked(home, server, {"base_url": "http://model.invalid"}, env={"http_proxy": server.url})
    assert (code, out) == (0, "5 people\n"), err
    assert server.asked[0]["path"] == "http://model.invalid/v1/responses", server.asked[0]["path"]


def nobody_there_is_said_with_the_place(home):
    server = ModelServer()
    server.close()
    code, out, err = asked(home, server, {"max_retries": 0})
    assert code == 6 and server.url[len("http://"):] in err, err


def a_context_that_is_too_small_is_said(home):
    server = ModelServer(Answer(b'{"error":"the input length exceeds the context length"}', status=400))
    code, out, err = asked(home, server, {"provider": "ollama"})
    assert code == 6 and "longer than the context" in err and len(server.asked) == 1, err


def a_prompt_that_was_cut_in_silence_is_said(home):
    server = ModelServer(ollama(PROGRAM, usage=(100, 7)))
    code, out, err = asked(home, server, {"provider": "ollama"})
    assert code == 0 and "counted 100 tokens" in err and "model.context_tokens" in err, err


# --- budgets ---

def turns_tokens_and_money_are_held_before_a_request(home):
    prices = {"prices": {"input": 1000000, "output": 0}}
    cases = [({"max_model_turns": 1}, {}, "budget.max_model_turns"),
             ({"max_tokens": 47}, {}, "budget.max_tokens"),
             ({"max_cost_usd": 40}, prices, "budget.max_cost_usd")]
    for budget, model, words in cases:
        server = ModelServer(responses(FAILING), responses(PROGRAM))
        code, out, err = asked(home, server, model, more={"budget": budget})
        assert code == 4 and len(server.asked) == 1 and words in err, (words, code, err)
        server.close()


def money_without_prices_is_refused(home):
    server = ModelServer(responses(PROGRAM))
    code, out, err = asked(home, server, more={"budget": {"max_cost_usd": 2}})
    assert code == 2 and "model.prices" in err and not server.asked, err


def the_cost_stands_in_the_record(home):
    server = ModelServer(responses(PROGRAM))
    code, out, err = asked(home, server, {"prices": {"input": 1.25, "output": 10}})
    end = of_type(home.recorded(), "model.end")[-1]
    assert end["cost_micro_usd"] == round(40 * 1.25 + 7 * 10), end


# --- cancelling, and the next task ---

def a_reply_is_cancelled_in_the_middle(home):
    gate = threading.Event()
    first = responses(PROGRAM).pieces
    server = ModelServer(Answer(*first[:3], gate, *first[3:]))
    path = configured(home, {"provider": "openai", "base_url": server.url})
    run = home.start("run", "count", "-c", path, "--headless", extra_env={"OPENAI_API_KEY": KEY})
    wait_for(lambda: home.records() and of_type(home.recorded(), "model.delta"), "a delta")
    seat = Seat(home)
    answer = seat.ask("cancel", turn=1)
    assert answer["ok"], answer
    out, err = run.communicate(timeout=60)
    gate.set()
    assert run.returncode == 6, err
    assert of_type(home.recorded(), "model.end")[-1]["stop"] == "cancelled"


def nothing_is_sent_for_a_program_that_nobody_may_allow(home):
    server = ModelServer(responses(PROGRAM))
    code, out, err = asked(home, server, None, "--no-ask", more={"approval": {"program": "ask"}})
    assert code == 3 and "--no-ask" in err and not server.asked, (code, err)


def what_a_program_may_call_is_told_before_it_runs(home):
    server = ModelServer(responses("```python\nfor p in list_employees():\n    get_employee(name=p['name'])\n```\n"))
    code, out, err = asked(home, server, None, "--max-tool-calls", "1")
    assert "! the program calls at 2 places, 1 in a loop; 1 call is left" in err, err


def the_key_stands_in_no_argument_list(home):
    gate = threading.Event()
    server = ModelServer(Answer(responses(PROGRAM).pieces[0], gate))
    path = configured(home, {"provider": "openai", "base_url": server.url})
    run = home.start("run", "count", "-c", path, "--headless", extra_env={"OPENAI_API_KEY": KEY})
    wait_for(lambda: home.records() and of_type(home.recorded(), "model.delta"), "a delta")
    for entry in pathlib.Path("/proc").iterdir():
        try:
            line = (entry / "cmdline").read_bytes() if entry.name.isdigit() else b""
        except OSError:
            continue
        assert KEY.encode() not in line, line
    assert Seat(home).ask("stop")["ok"]
    run.communicate(timeout=60)
    gate.set()


def a_run_is_stopped_while_the_model_writes(home):
    gate = threading.Event()
    server = ModelServer(Answer(responses(PROGRAM).pieces[0], gate))
    path = configured(home, {"provider": "openai", "base_url": server.url})
    run = home.start("run", "count", "-c", path, "--headless", extra_env={"OPENAI_API_KEY": KEY})
    wait_for(lambda: home.records() and of_type(home.recorded(), "model.delta"), "a delta")
    assert Seat(home).ask("stop")["ok"]
    run.communicate(timeout=60)
    gate.set()
    assert run.returncode == 3
    assert of_type(home.recorded(), "model.end")[-1]["stop"] == "cancelled"


def the_next_task_has_the_history(home):
    gate = threading.Event()
    server = ModelServer(Answer(gate, *responses(PROGRAM).pieces), responses(PROGRAM))
    path = configured(home, {"provider": "openai", "base_url": server.url, "rest_s": 0})
    run = home.start("run", "count", "-c", path, "--detach", extra_env={"OPENAI_API_KEY": KEY})
    run.communicate(timeout=60)
    seat = Seat(home)
    gate.set()
    wait_for(lambda: of_type(home.recorded(), "run.end"), "the first end")
    wait_for(lambda: seat.ask("task", text="and once more")["ok"], "the next task")
    wait_for(lambda: len(of_type(home.recorded(), "run.end")) == 2, "the second end")
    messages = server.asked[1]["body"]["input"]
    assert "count" in messages[0]["content"] and "and once more" in messages[-1]["content"], messages
    assert [d["run"] for d in of_type(home.recorded(), "program")] == [1, 2]
    assert [d["call"] for d in of_type(home.recorded(), "call.request")] == [1, 2]
    seat.console.socket.shutdown(socket.SHUT_RDWR)
    wait_for(lambda: of_type(home.recorded(), "session.end"), "the end of the session")
    code, out, err = home.run("verify", home.record())
    assert code == 1, out + err


def a_person_asks_for_another_way_after_a_denial(home):
    server = ModelServer(responses("```python\napply_raise(name='Ada', amount=9000)\n```\n"),
                         responses(PROGRAM))
    path = configured(home, {"provider": "openai", "base_url": server.url})
    run = home.start("run", "raise Ada", "-c", path, "--detach", extra_env={"OPENAI_API_KEY": KEY})
    run.communicate(timeout=60)
    seat = Seat(home)
    call = home.held()
    assert home.run("decide", home.recorded()[0]["data"]["name"], str(call), "deny", "--reason", "too much")[0] == 0
    wait_for(lambda: of_type(home.recorded(), "program.asked"), "the question")
    answer = seat.ask("program", attempt=1, verdict="try_again", presentation=1, reason="only count them", text="")
    assert answer["ok"], answer
    wait_for(lambda: of_type(home.recorded(), "run.end"), "the end")
    told = server.asked[1]["body"]["input"][-1]["content"]
    assert "only count them" in told and "too much" in told and "denied" in told, told
    assert of_type(home.recorded(), "run.end")[-1]["outcome"] == "ok"


TESTS = [value for name, value in list(globals().items())
         if callable(value) and getattr(value, "__module__", "") == "__main__" and
         name not in ("configured", "asked")]

if __name__ == "__main__":
    chosen = [test for test in TESTS if not sys.argv[1:] or test.__name__ in sys.argv[1:]]
    main(chosen)
