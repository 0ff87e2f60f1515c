"""A gateway for tests: answers requests from a script, and keeps what it was sent."""
import ssl
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Dict, List, NamedTuple, Optional

from croupier_device.gateway import PROBLEM

PROBLEM_OF = '{"type": "urn:croupier:problem:%s", "title": "wrong", "errors": [{"field": "%s", "detail": "is wrong"}]}'


class Request(NamedTuple):
    method: str
    path: str
    headers: Dict[str, str]
    body: bytes


class Answer(NamedTuple):
    status: int
    body: bytes = b""
    headers: Dict[str, str] = {}


def problem(status: int, field: str = "candidate", **headers: str) -> Answer:
    return Answer(
        status, (PROBLEM_OF % ("report", field)).encode(),
        {"Content-Type": PROBLEM, **{name.replace("_", "-"): value for name, value in headers.items()}})


ACCEPTED = Answer(202, b'{"partition": 0}', {"Content-Type": "application/json"})
CUT = Answer(0)


class Stub:
    """Answers the next of `answers`, and the last one from then on. CUT closes the connection instead.

    Requests for accounts are in `asked`, and answered by `account`, which is that of an old gateway.
    """

    def __init__(self, *answers: Answer, tls: Optional[ssl.SSLContext] = None) -> None:
        self.requests: List[Request] = []
        self.answers = list(answers)
        self.asked: List[Request] = []
        self.account = Answer(404)
        stub = self

        class Handler(BaseHTTPRequestHandler):
            def respond(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                request = Request(self.command, self.path, dict(self.headers), body)
                if self.path == "/v1/account":
                    stub.asked.append(request)
                    answer = stub.account
                else:
                    stub.requests.append(request)
                    answer = stub.answers.pop(0) if len(stub.answers) > 1 else stub.answers[0]
                if answer.status == 0:
                    self.close_connection = True
                    return
                self.send_response(answer.status)
                for name, value in {"Content-Length": str(len(answer.body)), **answer.headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(answer.body)

            do_GET = do_POST = respond

            def log_message(self, *unused: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.handle_error = lambda *unused: None  # type: ignore[method-assign]
        if tls is not None:
            self._server.socket = tls.wrap_socket(self._server.socket, server_side=True)
        self.port = self._server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def __enter__(self) -> "Stub":
        return self

    def __exit__(self, *unused: object) -> None:
        self._server.shutdown()
        self._server.server_close()
