"""From the start of a process to the first byte of its request on the wire: `oneclaw run` beside others."""

import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from table import draw

MOST_SECONDS = 60.0
BARE = """
from http.client import HTTPConnection
HTTPConnection("127.0.0.1", {port}).request("POST", "/", b"hi")
"""
OPENAI = """
from openai import OpenAI
client = OpenAI(base_url="{url}/v1", api_key="none")
client.chat.completions.create(model="m", messages=[{{"role": "user", "content": "hi"}}])
"""
ANTHROPIC = """
from anthropic import Anthropic
client = Anthropic(base_url="{url}", api_key="none")
client.messages.create(model="m", max_tokens=99, messages=[{{"role": "user", "content": "hi"}}])
"""
GOOGLE = """
from google import genai
client = genai.Client(api_key="none", http_options={{"base_url": "{url}"}})
client.models.generate_content(model="m", contents="hi")
"""
# With its window named, a server of one's own is not asked for it first.
SETTINGS = """
[providers.here]
wire = "openai_chat"
base_url = "{url}/v1"

[models."here/m"]
window = 32768
"""
LLM_MODELS = """
- model_id: m
  model_name: m
  api_base: {url}/v1
"""


@dataclass
class Starter:
    """A command that sends one request, and the seconds until its first byte came, for each start."""

    name: str
    command: list[str]
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    took: list[float] = field(default_factory=list[float])

    def start(self, server: socket.socket) -> float:
        environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "", **self.environment}
        begin = time.perf_counter()
        process = subprocess.Popen(
            self.command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            with server.accept()[0] as connection:
                connection.settimeout(MOST_SECONDS)
                first = connection.recv(4)
                took = time.perf_counter() - begin
        except TimeoutError:
            raise OSError(f"{self.name} sent no request within {MOST_SECONDS:.0f} s") from None
        finally:
            process.kill()
            process.wait()
        if first != b"POST":
            raise OSError(f"{self.name} sent {first!r} instead of a request")
        return took


def measure(peers: Path | None, rounds: int) -> str:
    """Every command once a round; the first round warms up and is thrown away."""
    with socket.create_server(("127.0.0.1", 0)) as server, tempfile.TemporaryDirectory() as folder:
        server.settimeout(MOST_SECONDS)
        starters = list_starters(server.getsockname()[1], Path(folder), peers)
        for _ in range(rounds + 1):
            for starter in starters:
                starter.took.append(starter.start(server))
    for starter in starters:
        del starter.took[0]
    return report(starters)


def list_starters(port: int, folder: Path, peers: Path | None) -> list[Starter]:
    url = f"http://127.0.0.1:{port}"
    settings = folder / "oneclaw.toml"
    settings.write_text(SETTINGS.format(url=url))
    (folder / "extra-openai-models.yaml").write_text(LLM_MODELS.format(url=url))
    oneclaw = [str(Path(sys.executable).parent / "oneclaw"), "run", "--config", str(settings)]
    starters = [
        Starter("bare Python, http.client", _script(BARE.format(port=port))),
        Starter("oneclaw run", [*oneclaw, "--home", str(folder / "home"), "--model", "here/m", "hi"]),
        Starter("openai, three lines", _script(OPENAI.format(url=url))),
        Starter("anthropic, three lines", _script(ANTHROPIC.format(url=url))),
        Starter("google-genai, three lines", _script(GOOGLE.format(url=url))),
    ]
    if peers is not None:
        llm = [str(peers.parent / "llm"), "-m", "m", "hi"]
        starters.insert(2, Starter("llm", llm, {"LLM_USER_PATH": str(folder)}))
    return starters


def _script(text: str) -> list[str]:
    return [sys.executable, "-c", text]


def report(starters: list[Starter]) -> str:
    ours = next(min(one.took) for one in starters if one.name == "oneclaw run")
    rows = [
        [
            one.name,
            f"{min(one.took) * 1e3:.0f}",
            f"{median(one.took) * 1e3:.0f}",
            f"{min(one.took) / ours:.1f}",
        ]
        for one in starters
    ]
    note = (
        "Time from the start of the process to the first byte at a server on this machine. In that time,"
        " `oneclaw run` opens its store, stores the message and adds its tools to the request. `llm` is the"
        " command-line program of that name. The three lines create a client of the official SDK and send one"
        " request."
    )
    return draw("First request", ["command", "min ms", "median ms", "× ours"], rows, note)
