"""A real HTTP server on loopback that plays prepared answers, and keeps what it was asked."""
import http.server
import json
import socketserver
import ssl
import subprocess
import threading


class Answer:
    """One answer: status, headers, pieces of the body (bytes; a threading.Event is waited for).

    cut: the connection is closed in the middle of a chunked body.  silent: before any answer."""

    def __init__(self, *pieces, status=200, headers=None, cut=False, silent=False):
        self.pieces = pieces
        self.status = status
        self.headers = {"Content-Type": "text/event-stream", **(headers or {})}
        self.cut = cut
        self.silent = silent


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        server = self.server
        with server.lock:
            server.asked.append({"path": self.path, "headers": dict(self.headers.items()),
                                 "body": json.loads(body)})
            answer = server.answers.pop(0) if server.answers else Answer(
                b'{"error":"the server has no further answer"}', status=500,
                headers={"x-should-retry": "false"})
        self.close_connection = True
        if not answer.silent:
            self.play(answer)

    def play(self, answer):
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        try:
            for piece in answer.pieces:
                if isinstance(piece, threading.Event):
                    piece.wait(60)
                elif piece:
                    self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
                    self.wfile.flush()
            if not answer.cut:
                self.wfile.write(b"0\r\n\r\n")
        except OSError:
            self.server.broken.set()


class ModelServer(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True

    def __init__(self, *answers, certificate=None):
        """certificate: a file with it and its key; then the server speaks TLS."""
        super().__init__(("127.0.0.1", 0), Handler)
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self.socket = context.wrap_socket(self.socket, server_side=True)
        self.lock = threading.Lock()
        self.answers = list(answers)
        self.asked = []
        self.broken = threading.Event()  # a client left in the middle of an answer
        self.url = "http%s://127.0.0.1:%d" % ("s" if certificate else "", self.server_address[1])
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def close(self):
        self.shutdown()
        self.server_close()


    def handle_error(self, request, address):
        pass  # a client that does not trust the certificate


def certificate(folder):
    """One of our own for 127.0.0.1, with its key in the same file."""
    path = folder / "certificate.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
                    "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(path),
                    "-out", str(folder / "only.pem")], check=True, capture_output=True)
    path.write_text(path.read_text() + (folder / "only.pem").read_text())
    return path


# --- the four formats ---

def sse(*objects, named=False):
    return b"".join((b"event: %s\n" % o["type"].encode() if named else b"") +
                    b"data: %s\n\n" % json.dumps(o).encode() for o in objects)


def cut_up(text, size=7):
    return [text[i:i + size] for i in range(0, len(text), size)]


def chat(text, reason="stop", usage=(40, 7)):
    parts = [{"choices": [{"delta": {"content": piece}}]} for piece in cut_up(text)]
    parts.append({"choices": [{"delta": {}, "finish_reason": reason}]})
    parts.append({"choices": [], "usage": {"prompt_tokens": usage[0], "completion_tokens": usage[1]}})
    return Answer(*[sse(part) for part in parts], b"data: [DONE]\n\n")


def responses(text, usage=(40, 7)):
    place = {"output_index": 0, "content_index": 0}
    parts = [{"type": "response.output_text.delta", "delta": p, **place} for p in cut_up(text)]
    parts.append({"type": "response.output_text.done", "text": text, **place})
    parts.append({"type": "response.completed", "response": {
        "status": "completed", "usage": {"input_tokens": usage[0], "output_tokens": usage[1]}}})
    return Answer(*[sse(part, named=True) for part in parts], headers={"x-request-id": "req_7"})


def anthropic(text, reason="end_turn", usage=(40, 7)):
    parts = [{"type": "message_start", "message": {"usage": {"input_tokens": usage[0]}}},
             {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}]
    parts += [{"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": p}}
              for p in cut_up(text)]
    parts += [{"type": "content_block_stop", "index": 0},
              {"type": "message_delta", "delta": {"stop_reason": reason},
               "usage": {"output_tokens": usage[1]}},
              {"type": "message_stop"}]
    return Answer(*[sse(part, named=True) for part in parts])


def ollama(text, reason="stop", usage=(40, 7)):
    lines = [{"message": {"content": p}, "done": False} for p in cut_up(text)]
    lines.append({"message": {"content": ""}, "done": True, "done_reason": reason,
                  "prompt_eval_count": usage[0], "eval_count": usage[1]})
    return Answer(*[json.dumps(line).encode() + b"\n" for line in lines],
                  headers={"Content-Type": "application/x-ndjson"})
