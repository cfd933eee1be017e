"""A server on loopback that answers from threads: for other programs, and where no event loop runs."""

import threading
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True, slots=True)
class Asked:
    """A request; the names of headers are in lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


@contextmanager
def answering(answer: Callable[[Asked], bytes | Iterable[bytes]], kind: str = "text/plain") -> Generator[int]:
    """The port of a server; `answer` gives the body for each request, whole or piece by piece."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            headers = {name.lower(): value for name, value in self.headers.items()}
            body = self.rfile.read(int(headers.get("content-length", 0)))
            given = answer(Asked(self.command, self.path, headers, body))
            self.send_response(200)
            self.send_header("Content-Type", kind)
            if isinstance(given, bytes):
                self.send_header("Content-Length", str(len(given)))
            else:
                self.send_header("Connection", "close")
            self.end_headers()
            for piece in [given] if isinstance(given, bytes) else given:
                self.wfile.write(piece)
                self.wfile.flush()

        do_POST = do_GET

        def log_message(self, format: str, *args: Any) -> None: ...

        def handle(self) -> None:
            with suppress(OSError):  # the one who asked has left
                super().handle()

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield server.server_address[1]
        server.shutdown()
        thread.join()
