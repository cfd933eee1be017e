"""The process a model runs in: loads one GGUF file and answers requests, in frames of JSON.

In come

    {"id": 1, "chat": {…}}        a request in OpenAI's form, answered through the model's own chat template
    {"id": 1, "complete": {…}}    one with a finished prompt
    {"id": 1, "stop": true}       ends that request at its next token

and out go

    {"ready": true}               or {"failed": "why"}, or {"unloadable": "why"} of llama.cpp itself, once
    {"id": 1, "chunk": {…}}       as many as come
    {"id": 1, "end": true}        always, once
    {"idle": true}                nobody asked for a while: the process is about to end

Theory of operation. llama.cpp can only be had here with its HTTP server. So that nobody else can ask it, it
is made to listen on a socket file in a folder that only we may enter, with a key nobody knows, and the file
is removed before the first request: there is no way to reach it. It never listens on a port.
"""

import importlib
import json
import os
import secrets
import tempfile
import threading
import time
from typing import Any

from oneclaw.child.frames import Line, decode, encode

Body = dict[str, Any]

BATCH = 128
"""Tokens of a prompt that are read at once: a stop is seen between two batches."""


class Requests:
    """The requests that are being answered, each in a thread of its own."""

    def __init__(self, line: Line, server: Any, idle_seconds: float) -> None:
        self._line = line
        self._server = server
        self._idle_seconds = idle_seconds
        self._stops: dict[int, threading.Event] = {}
        self._last = time.monotonic()

    def serve(self) -> None:
        while self._stops or self._patience() > 0:
            if not self._line.is_ready(self._patience()):
                continue
            message = decode(self._line.read())
            self._last = time.monotonic()
            if "stop" in message:
                if message["id"] in self._stops:
                    self._stops[message["id"]].set()
                continue
            self._stops[message["id"]] = threading.Event()
            threading.Thread(target=self._answer, args=(message,), daemon=True).start()
        self._line.write(b'{"idle":true}')

    def _patience(self) -> float:
        if self._stops:
            return self._idle_seconds
        return max(0.0, self._last + self._idle_seconds - time.monotonic())

    def _answer(self, message: Body) -> None:
        number = message["id"]
        stop = self._stops[number]

        def take(chunk: str) -> bool:
            self._line.write(f'{{"id":{number},"chunk":{chunk}}}'.encode())
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
            self._line.write(b'{"id":%d,"end":true}' % number)


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


def main(wanted: Body) -> None:
    line = Line()
    try:
        server = load(wanted)
    except ImportError as error:
        line.write(encode({"unloadable": str(error)}))
    except Exception as error:
        line.write(encode({"failed": str(error)}))
    else:
        line.write(b'{"ready":true}')
        Requests(line, server, wanted["idle_seconds"]).serve()
