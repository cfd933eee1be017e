"""The process a model runs in: loads one GGUF file and answers requests over a socket, as JSON lines.

Run as a script with one number, the socket. The first line that comes is what to load; then

    {"id": 1, "chat": {…}}        a request in OpenAI's form, answered through the model's own chat template
    {"id": 1, "complete": {…}}    one with a finished prompt
    {"id": 1, "stop": true}       ends that request at its next token

and what goes out

    {"ready": true}               or {"failed": "why"}, or {"unloadable": "why"} of llama.cpp itself, once
    {"id": 1, "chunk": {…}}       as many as come
    {"id": 1, "end": true}        always, once
    {"idle": true}                nobody asked for a while: the process is about to end

Theory of operation. llama.cpp can only be had here with its HTTP server. So that nobody else can ask it, it
is made to listen on a socket file in a folder that only we may enter, with a key nobody knows, and the file
is removed before the first request: there is no way to reach it. It never listens on a port. The process
ends when the program does: the kernel kills it (Linux), and the end of the socket ends it everywhere.

Nothing of oneclaw is imported: what this process holds, it holds beside a model.
"""

import importlib
import json
import os
import secrets
import select
import signal
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

Body = dict[str, Any]
Take = Callable[[str], bool]

READ_BYTES = 1 << 20
BATCH = 128
"""Tokens of a prompt that are read at once: a stop is seen between two batches."""
_PR_SET_PDEATHSIG = 1


class Line:
    """The socket to the program; lines may be sent from any thread."""

    def __init__(self, descriptor: int) -> None:
        self._socket = socket.socket(fileno=descriptor)
        self._socket.set_inheritable(False)
        self._arrived = b""
        self._sending = threading.Lock()

    def send(self, text: str) -> None:
        try:
            with self._sending:
                self._socket.sendall(text.encode() + b"\n")
        except OSError:
            os._exit(0)  # the program is gone

    def lines(self, seconds: Callable[[], float | None]) -> Iterator[Body | None]:
        """What comes, line by line; None whenever nothing has come for so long. Ends with the program."""
        while True:
            ready, _, _ = select.select([self._socket], [], [], seconds())
            if not ready:
                yield None
                continue
            data = self._socket.recv(READ_BYTES)
            if not data:
                return
            *whole, self._arrived = (self._arrived + data).split(b"\n")
            for line in whole:
                yield json.loads(line)


class Requests:
    """The requests that are being answered, each in a thread of its own."""

    def __init__(self, line: Line, server: Any, idle_seconds: float) -> None:
        self._line = line
        self._server = server
        self._idle_seconds = idle_seconds
        self._stops: dict[int, threading.Event] = {}
        self._last = time.monotonic()

    def serve(self) -> None:
        for message in self._line.lines(self._patience):
            if message is None:
                if not self._stops and self._patience() <= 0:
                    self._line.send('{"idle":true}')
                    return
                continue
            self._last = time.monotonic()
            if "stop" in message:
                if message["id"] in self._stops:
                    self._stops[message["id"]].set()
                continue
            self._stops[message["id"]] = threading.Event()
            threading.Thread(target=self._answer, args=(message,), daemon=True).start()

    def _patience(self) -> float:
        if self._stops:
            return self._idle_seconds
        return max(0.0, self._last + self._idle_seconds - time.monotonic())

    def _answer(self, message: Body) -> None:
        number = message["id"]
        stop = self._stops[number]

        def take(chunk: str) -> bool:
            self._line.send(f'{{"id":{number},"chunk":{chunk}}}')
            return stop.is_set()

        ask, body = self._server.handle_chat_completions, message.get("chat")
        if body is None:
            ask, body = self._server.handle_completions, message["complete"]
        try:
            if not stop.is_set():
                # Telling how far the prompt is read is what lets a stop be seen while it is read.
                ask(json.dumps({**body, "stream": True, "return_progress": True}), take)
        except Exception as error:
            take(json.dumps({"error": {"message": str(error), "code": 500}}))
        finally:
            self._last = time.monotonic()
            del self._stops[number]
            self._line.send(f'{{"id":{number},"end":true}}')


def load(wanted: Body) -> Any:
    """Load the model; raises with what llama.cpp says."""
    xllamacpp: Any = importlib.import_module("xllamacpp")  # it has no types
    parameters: Any = xllamacpp.CommonParams()
    parameters.model.path = wanted["file"]
    parameters.n_ctx = wanted["window"] * wanted["slots"]
    parameters.n_parallel = wanted["slots"]
    parameters.n_batch = parameters.n_ubatch = BATCH
    for threads in (parameters.cpuparams, parameters.cpuparams_batch):
        threads.n_threads = wanted["threads"]
        threads.poll = 0  # waiting by turning in circles takes the core that others need
    parameters.use_jinja = True
    parameters.fit_params = False  # it would load the model twice, and choose another window
    parameters.warmup = False
    parameters.cache_ram_mib = 0  # it would keep up to 8 GB of past conversations
    parameters.verbosity = 1
    parameters.ui = False
    parameters.endpoint_slots = False
    parameters.n_threads_http = 1
    parameters.api_keys = [secrets.token_hex(32)]
    if wanted.get("adapter"):
        parameters.lora_adapters = [xllamacpp.CommonAdapterLoraInfo(wanted["adapter"], 1.0)]
    with tempfile.TemporaryDirectory(prefix="oneclaw-") as folder:
        parameters.hostnames = [os.path.join(folder, "closed.sock")]
        return xllamacpp.Server(parameters)


def follow_program(program: int) -> None:
    """Die with the program, and leave no core file of its conversations."""
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != program:
            os._exit(0)


def main() -> None:
    follow_program(int(sys.argv[2]))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the program, which stops the request
    line = Line(int(sys.argv[1]))
    wanted = next(line.lines(lambda: None), None)
    if wanted is None:
        return
    sys.path[:] = wanted["path"]
    try:
        server = load(wanted)
    except ImportError as error:
        line.send(json.dumps({"unloadable": str(error)}))
        return
    except Exception as error:
        line.send(json.dumps({"failed": str(error)}))
        return
    line.send('{"ready":true}')
    Requests(line, server, wanted["idle_seconds"]).serve()


if __name__ == "__main__":
    code = 1
    try:
        main()
        code = 0
    except BaseException as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
    finally:
        os._exit(code)  # a request under way, or the server's own threads, must not keep the process
