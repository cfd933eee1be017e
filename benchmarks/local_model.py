"""What the tiny model takes: load, memory, first token, a call; calm and busy, beside plain xllamacpp.

Each side runs in a Python of its own with the same weights, adapter, prompts and grammars. `plain` is what
one gets who loads a model with xllamacpp as its page shows: the threads and the waiting it chooses itself.
"""

import asyncio
import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

from table import draw

MESSAGES = (
    "What time is it in Tokyo?",
    'Save "buy milk" to todo.txt',
    "Read notes/today.txt",
    "List the files in src",
    "Find all *.md files",
)
WINDOW = 4_096
SPIN = "while True: pass"


def measure(rounds: int) -> str:
    """Both sides, in turn, first with the machine to themselves and then with one core taken."""
    from oneclaw.config import user_folder
    from oneclaw.providers.local.engine import NOT_INSTALLED, is_installed
    from oneclaw_smollm2.fetch import SMOLLM2, NotFetched, fetch

    if not is_installed():
        return f"## The tiny model\n\nLeft out: {NOT_INSTALLED}\n"
    try:
        weights = asyncio.run(fetch(SMOLLM2, user_folder("cache") / "models"))
    except NotFetched as error:
        return f"## The tiny model\n\nLeft out: {error}\n"
    rows: list[list[str]] = []
    for label, spinners in (("calm", 0), ("one core busy", 1), ("all cores busy", os.cpu_count() or 2)):
        for side in ("OneClaw", "plain xllamacpp"):
            with busy(spinners):
                took = [run_side(side, weights) for _ in range(max(1, min(rounds, 3)))]
            rows.append([f"{side}, {label}", *figures(took)])
    head = ["", "load s", "memory MB", "first call s", "first token s", "call s", "tokens/s"]
    note = (
        "First call and first token: of a process that was just loaded, whose prompt with ten tools is read"
        " for the first time. Call: the median of the messages after it. Load and first call are the least"
        " of the rounds."
    )
    return draw("The tiny model", head, rows, note)


def figures(took: list[dict[str, float]]) -> list[str]:
    return [
        f"{min(each['load'] for each in took):.2f}",
        f"{median(each['memory'] for each in took):.0f}",
        f"{min(each['first_call'] for each in took):.2f}",
        f"{min(each['first_token'] for each in took):.2f}",
        f"{median(each['call'] for each in took):.2f}",
        f"{median(each['rate'] for each in took):.0f}",
    ]


@contextlib.contextmanager
def busy(count: int) -> Iterator[None]:
    """So many processes that do nothing but turn."""
    spinners = [subprocess.Popen([sys.executable, "-c", SPIN]) for _ in range(count)]
    try:
        yield
    finally:
        for spinner in spinners:
            spinner.kill()
            spinner.wait()


def run_side(side: str, weights: Path) -> dict[str, float]:
    command = [sys.executable, __file__, side, str(weights)]
    ended = subprocess.run(command, capture_output=True, text=True, check=True, timeout=600)
    return json.loads(ended.stdout.splitlines()[-1])


def requests() -> list[dict[str, Any]]:
    """The prompts and grammars, as the provider makes them."""
    from oneclaw.app import App
    from oneclaw.config import Config
    from oneclaw.providers.catalog import SMALL_TOOLS
    from oneclaw_smollm2.grammar import call_grammar
    from oneclaw_smollm2.prompt import write_prompt

    registry = App(Config(home=Path("/nowhere"))).registry
    found = (registry.find(name) for name in SMALL_TOOLS)
    tools = [entry.tool.definition for entry in found if entry is not None]
    fixed = {"temperature": 0.0, "seed": 1, "n_predict": 96, "cache_prompt": True}
    return [
        {"prompt": write_prompt(tools, text), "grammar": call_grammar(tools, text), **fixed}
        for text in MESSAGES
    ]


class Watch:
    """Notes when the first token of an answer came, and how many there were."""

    def __init__(self) -> None:
        self.begun = time.perf_counter()
        self.first = 0.0
        self.tokens = 0
        self.writing_ms = 0.0

    def take(self, chunk: dict[str, Any]) -> None:
        choices = chunk.get("choices") or [{}]
        if not self.first and choices[0].get("text"):
            self.first = time.perf_counter() - self.begun
        timings = chunk.get("timings")
        if timings:
            self.tokens, self.writing_ms = timings["predicted_n"], timings["predicted_ms"]

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self.begun


def summary(load: float, memory: float, watches: list[tuple[Watch, float]]) -> dict[str, float]:
    later = watches[1:]
    rate = sum(watch.tokens for watch, _ in later) / sum(watch.writing_ms for watch, _ in later) * 1e3
    return {
        "load": load,
        "memory": memory,
        "first_call": watches[0][1],
        "first_token": watches[0][0].first,
        "call": median(seconds for _, seconds in later),
        "rate": rate,
    }


def resident_mb(pid: int) -> float:
    """What a process holds in memory now."""
    text = Path(f"/proc/{pid}/status").read_text() if sys.platform == "linux" else ""
    line = next((line for line in text.splitlines() if line.startswith("VmRSS:")), "VmRSS: 0 kB")
    return int(line.split()[1]) / 1024


async def ours(weights: Path) -> dict[str, float]:
    from oneclaw.providers.local.models import LocalSettings
    from oneclaw.providers.local.processes import ModelProcesses
    from oneclaw_smollm2.provider import ADAPTER, NAME, SLOTS
    from oneclaw_smollm2.provider import WINDOW as SLOT_WINDOW

    asked = requests()
    processes = ModelProcesses(LocalSettings(Path(), Path()))
    begun = time.perf_counter()
    load = processes.load(weights, SLOT_WINDOW, slots=SLOTS, adapter=ADAPTER)
    process = await processes.ready(NAME, load)
    loaded = time.perf_counter() - begun
    watches: list[tuple[Watch, float]] = []
    for body in asked:
        watch = Watch()
        async for chunk in process.ask("complete", body):
            watch.take(chunk)
        watches.append((watch, watch.seconds))
    memory = resident_mb(process.pid)
    await process.close()
    return summary(loaded, memory, watches)


def plain(weights: Path) -> dict[str, float]:
    import importlib

    from oneclaw_smollm2.provider import ADAPTER

    asked = requests()
    begun = time.perf_counter()
    xllamacpp: Any = importlib.import_module("xllamacpp")
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(weights)
    parameters.n_ctx = WINDOW
    parameters.lora_adapters = [xllamacpp.CommonAdapterLoraInfo(str(ADAPTER), 1.0)]
    server = xllamacpp.Server(parameters)
    loaded = time.perf_counter() - begun
    watches: list[tuple[Watch, float]] = []
    for body in asked:
        watch = Watch()
        server.handle_completions({**body, "stream": True}, watch.take)
        watches.append((watch, watch.seconds))
    return summary(loaded, resident_mb(os.getpid()), watches)


if __name__ == "__main__":
    side, file = sys.argv[1], Path(sys.argv[2])
    took = asyncio.run(ours(file)) if side == "OneClaw" else plain(file)
    print(json.dumps(took), flush=True)
    os._exit(0)
