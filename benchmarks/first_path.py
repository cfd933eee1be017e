"""A new person's path in a fresh home, timed and counted: OneClaw beside `llm`; writes docs/first-path.md."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from peers import find_uv
from run import machine
from table import draw

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "first-path.md"
MOST_SECONDS = 240
KEY = "sk-first-path"
HEAD = """\
# A new person's first path

Written by `.venv/bin/python benchmarks/first_path.py`.

{machine}

A script walks from nothing to an undone change, each tool in a fresh home. Packages come from a warm cache,
and the provider is a server on this machine that answers at once: the seconds are those of the tools, with
a person who types in no time. A command is a line that is typed, with the program on the PATH. An edit is a
file that is written by hand. A question is a line that a command waits for; here it comes through a pipe.
`make run` installs OneClaw and answers, so its installation counts as part of the first answer.
"""
LLM_MODEL = (
    "- model_id: here\n  model_name: m\n  api_base: {url}/v1\n  api_key_name: here\n  supports_tools: true\n"
)
LLM_TOOL = 'def shout(text: str) -> str:\n    "Turn text into capitals."\n    return text.upper()\n'


class Provider(BaseHTTPRequestHandler):
    """Speaks OpenAI's chat completions: a call where the message asks for one, else a sentence."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        is_allowed = self.headers["authorization"] == f"Bearer {KEY}"
        delta = answer(body["messages"][-1])
        end = "tool_calls" if "tool_calls" in delta else "stop"
        about = {"id": "1", "created": 1, "model": "m"}
        if body.get("stream"):
            kind, choice = "text/event-stream", {"index": 0, "delta": delta, "finish_reason": end}
            chunk = {**about, "object": "chat.completion.chunk", "choices": [choice]}
            data = f"data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n".encode()
        else:
            kind, choice = "application/json", {"index": 0, "message": delta, "finish_reason": end}
            data = json.dumps({**about, "object": "chat.completion", "choices": [choice]}).encode()
        self.send_response(200 if is_allowed else 401)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None: ...


def answer(message: Mapping[str, Any]) -> dict[str, Any]:
    said = str(message["content"])
    calls = {
        "Shout": ("shout", {"text": "hello"}),
        "Write": ("write_file", {"path": "notes.txt", "content": "buy milk"}),
    }
    for word, (name, arguments) in calls.items():
        if message["role"] == "user" and word in said:
            function = {"name": name, "arguments": json.dumps(arguments)}
            call = {"index": 0, "id": f"call_{name}", "type": "function", "function": function}
            return {"role": "assistant", "content": None, "tool_calls": [call]}
    return {"role": "assistant", "content": "Hello!" if message["role"] == "user" else f"Done: {said}"}


@contextmanager
def provider() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Provider) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


@dataclass
class Step:
    """A part of the path; `lack` says why a tool cannot walk it."""

    name: str
    seconds: float = 0.0
    commands: int = 0
    edits: int = 0
    questions: int = 0
    lack: str = ""


@dataclass
class Walk:
    """One tool's path in a home of its own."""

    home: Path
    path: list[Path]
    steps: list[Step] = field(default_factory=list[Step])

    def begin(self, name: str, lack: str = "") -> None:
        self.steps.append(Step(name, lack=lack))

    def run(self, *words: str, expect: str = "", given: str = "", folder: Path | None = None) -> None:
        """One command; `given` is what a person types when it asks. Ends the program where it goes wrong."""
        begin = time.perf_counter()
        kept = ("LANG", "SSL_CERT_FILE", "SSL_CERT_DIR", "UV_CACHE_DIR")
        environment = {k: v for k, v in os.environ.items() if k in kept or k.startswith(("PIP_", "UV_"))}
        environment |= {
            "HOME": str(self.home),
            "PATH": os.pathsep.join(map(str, [*self.path, os.environ["PATH"]])),
        }
        done = subprocess.run(
            words, cwd=folder or self.home, env=environment, input=given, capture_output=True, text=True,
            timeout=MOST_SECONDS,
        )  # fmt: skip
        step = self.steps[-1]
        step.seconds += time.perf_counter() - begin
        step.commands += 1
        step.questions += given.count("\n")
        if done.returncode or expect not in done.stdout:
            raise SystemExit(f"{' '.join(words)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")

    def edit(self, file: Path, text: str) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        self.steps[-1].edits += 1


def walk_oneclaw(home: Path, url: str) -> list[Step]:
    clone = home / "oneclaw"
    walk = Walk(home, [clone / ".venv" / "bin"])
    walk.begin("clone, or install")
    walk.run("git", "clone", "-q", str(ROOT), str(clone))
    walk.begin("first answer, without a key")
    walk.run("make", "run", folder=clone, expect="Tokyo")
    walk.begin("own key, own server")
    walk.run("oneclaw", "config", "set", "providers.groq.base_url", f"{url}/v1")
    walk.run("oneclaw", "keys", "set", "groq", given=f"{KEY}\n")
    walk.run("oneclaw", "models", "default", "groq/m")
    walk.run("oneclaw", "run", "Hello", expect="Hello!")
    walk.begin("a tool of one's own")
    walk.run("oneclaw", "tools", "new", "shout")
    tools = home / ".local" / "share" / "oneclaw" / "tools"
    walk.edit(next(tools.rglob("shout.js")), "function execute(p) { return p.text.toUpperCase(); }\n")
    walk.run("oneclaw", "run", "Shout hello", expect="HELLO")
    walk.begin("a change, and undo")
    walk.run("oneclaw", "run", "Write a note", expect="Done")
    walk.run("oneclaw", "undo", expect="removed")
    return walk.steps


def walk_llm(home: Path, url: str, uv: str) -> list[Step]:
    place = home / "llm"
    walk = Walk(home, [place / "bin"])
    pinned = next(
        line
        for line in (ROOT / "benchmarks" / "peers.txt").read_text().splitlines()
        if line.startswith("llm==")
    )
    walk.begin("clone, or install")
    walk.run(uv, "-q", "venv", "--python", sys.executable, str(place))
    walk.run(uv, "-q", "pip", "install", "--python", str(place / "bin" / "python"), pinned.split()[0])
    walk.begin("first answer, without a key", "needs a key, or a plugin and a model")
    walk.begin("own key, own server")
    walk.edit(home / ".config" / "io.datasette.llm" / "extra-openai-models.yaml", LLM_MODEL.format(url=url))
    walk.run("llm", "keys", "set", "here", given=f"{KEY}\n")
    walk.run("llm", "models", "default", "here")
    walk.run("llm", "Hello", expect="Hello!")
    walk.begin("a tool of one's own")
    walk.edit(home / "tools.py", LLM_TOOL)
    walk.run("llm", "--functions", str(home / "tools.py"), "Shout hello", expect="HELLO")
    walk.begin("a change, and undo", "has no tool that changes files, and no undo")
    return walk.steps


def report(name: str, steps: list[Step]) -> str:
    def figures(step: Step) -> list[str]:
        if step.lack:
            return ["–"] * 4
        return [f"{step.seconds:.1f}", str(step.commands), str(step.edits), str(step.questions)]

    walked = [step for step in steps if not step.lack]
    parts = ("seconds", "commands", "edits", "questions")
    whole = Step(
        f"together, {len(walked)} of {len(steps)} steps",
        *(sum(getattr(step, part) for step in walked) for part in parts),
    )
    rows = [[step.name, *figures(step)] for step in [*steps, whole]]
    notes = " ".join(f"{step.name.capitalize()}: `{name}` {step.lack}." for step in steps if step.lack)
    return draw(name, ["step", *parts], rows, notes)


def main() -> None:
    uv = find_uv()
    if uv is None:
        raise SystemExit("uv is not here; `make setup` installs it")
    os.environ.setdefault("UV_CACHE_DIR", str(Path.home() / ".cache" / "uv"))
    folder = Path(tempfile.mkdtemp())
    try:
        with provider() as url:
            pages: list[str] = []
            for name, walk in (("oneclaw", walk_oneclaw), ("llm", lambda home, url: walk_llm(home, url, uv))):
                (folder / name).mkdir()
                pages.append(report(name, walk(folder / name, url)))
                print(pages[-1], flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    PAGE.write_text("\n".join([HEAD.format(machine=machine()), *pages]))
    print(f"docs/{PAGE.name} written.")


if __name__ == "__main__":
    main()
