"""A loopback server that speaks the chat completions format, and fails on demand."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

MODEL = "tiny"
KEY = "sk-secret-0123456789"


@dataclass(frozen=True)
class Answer:
    """One HTTP answer, well-formed or not."""

    status: int = 200
    body: bytes = b""
    content_type: str = "application/json"
    headers: dict[str, str] = field(default_factory=dict)
    delay_s: float = 0.0
    cut: bool = False  # send half the body and hang up


def chat(message: dict[str, Any], finish_reason: str = "stop", **answer: Any) -> Answer:
    body = {
        "id": "1",
        "object": "chat.completion",
        "created": 0,
        "model": MODEL,
        "choices": [{"index": 0, "message": message, "finish_reason": finish_reason}],
        "usage": {"prompt_tokens": 5, "completion_tokens": 7, "total_tokens": 12},
    }
    return Answer(body=json.dumps(body).encode(), **answer)


def say(text: str, **answer: Any) -> Answer:
    return chat({"role": "assistant", "content": text}, **answer)


def fail(status: int, text: str = "no", **answer: Any) -> Answer:
    body = json.dumps({"error": {"message": text, "type": "error", "code": None}}).encode()
    return Answer(status=status, body=body, **answer)


def echo(request: dict[str, Any], _: int) -> Answer:
    """A reply that depends on the conversation, the seed and the limit alone."""
    words = f"seed {request['seed']} heard {request['messages'][-1]['content']}".split()
    kept = words[: request["max_tokens"]]
    body = json.loads(say(" ".join(kept)).body)
    body["usage"]["completion_tokens"] = len(kept)
    if len(kept) < len(words):
        body["choices"][0]["finish_reason"] = "length"
    return Answer(body=json.dumps(body).encode())


Script = Callable[[dict[str, Any], int], Answer]
"""From the request's body and the number of earlier requests to an answer."""


@dataclass
class ChatServer:
    url: str
    script: Script
    requests: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    most_at_once: int = 0
    _now: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self, request: dict[str, Any], key: str) -> Answer:
        with self._lock:
            earlier = len(self.requests)
            self.requests.append(request)
            self.keys.append(key)
            self._now += 1
            self.most_at_once = max(self.most_at_once, self._now)
        answer = self.script(request, earlier)
        time.sleep(answer.delay_s)
        with self._lock:
            self._now -= 1
        return answer


@contextmanager
def chat_server(script: Script = echo) -> Iterator[ChatServer]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            listing = {"object": "list", "data": [{"id": MODEL, "object": "model"}]}
            self._send(Answer(body=json.dumps(listing).encode()))

        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            request = json.loads(self.rfile.read(length))
            self._send(server.take(request, self.headers.get("Authorization", "")))

        def _send(self, answer: Answer) -> None:
            try:
                self.send_response(answer.status)
                self.send_header("Content-Type", answer.content_type)
                self.send_header("Content-Length", str(len(answer.body)))
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                half = len(answer.body) // 2 if answer.cut else None
                self.wfile.write(answer.body[:half])
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True  # the client gave up waiting, as it should
            if answer.cut:
                self.close_connection = True

        def log_message(self, *_: Any) -> None:
            """Keep the test's output clean."""

    listener = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    listener.daemon_threads = True
    server = ChatServer(f"http://127.0.0.1:{listener.server_port}/v1", script)
    thread = threading.Thread(target=listener.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        listener.shutdown()
        listener.server_close()
        thread.join()
