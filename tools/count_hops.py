"""Count the files and the package switches on the road of one `read_file` call.

    python tools/count_hops.py

A package is a folder under src/oneclaw. A switch is a function of one package that is entered directly after
a function of another one; each thread is counted by itself. Two roads are traced: a call that `App.call`
makes, and a round of a run, from the answer of the model to the next request. Each is the shortest of
several: the first one loads and compiles, and now and then one looks for changed settings.
"""

import asyncio
import os
import sys
import tempfile
import threading
from collections.abc import AsyncGenerator
from itertools import pairwise
from pathlib import Path
from types import FrameType
from typing import Any

import oneclaw
from oneclaw import Agent, App, Config, Scripted
from oneclaw.core.answer import AnswerEvent
from oneclaw.providers.base import Request
from oneclaw.providers.scripted import Call

SOURCE = os.path.dirname(oneclaw.__file__)
NAMES = [f"notes-{number}.txt" for number in range(8)]
"""The files that are read."""
Count = tuple[int, int]
"""Files and package switches."""


class Hops:
    """The source files that functions were entered in, in order, by thread."""

    def __init__(self) -> None:
        self._entered: dict[int, list[str]] = {}

    def enter(self, frame: FrameType, event: str, argument: Any) -> None:
        """Note a function that is entered: a profile function, see `sys.setprofile`."""
        path = frame.f_code.co_filename
        if event == "call" and path.startswith(SOURCE):
            self._entered.setdefault(threading.get_ident(), []).append(path)

    def take(self) -> Count:
        """The count since it was last taken."""
        threads, self._entered = list(self._entered.values()), {}
        files = {path for entered in threads for path in entered}
        packages = [[os.path.dirname(path) for path in entered] for entered in threads]
        switches = sum(one != other for entered in packages for one, other in pairwise(entered))
        return len(files), switches


class Model:
    """A scripted model that takes the count whenever it is asked."""

    def __init__(self, hops: Hops) -> None:
        self.counts: list[Count] = []
        self._hops = hops
        calls = [[Call("read_file", {"path": name})] for name in NAMES]
        self._script = Scripted([*calls, "Done."])

    async def answer(self, request: Request) -> AsyncGenerator[AnswerEvent]:
        self.counts.append(self._hops.take())
        async for answer in self._script.answer(request):
            yield answer

    async def close(self) -> None:
        await self._script.close()


async def count(folder: Path) -> dict[str, Count]:
    """The counts of the two roads."""
    hops = Hops()
    model = Model(hops)
    for name in NAMES:
        (folder / name).write_text("One line.\n")
    threading.setprofile(hops.enter)
    sys.setprofile(hops.enter)
    try:
        async with App(Config(home=folder / "home", workspace=folder), providers={"test": model}) as app:
            calls: list[Count] = []
            for name in NAMES:
                hops.take()
                await app.call("read_file", path=name)
                calls.append(hops.take())
            await app.ask(Agent(model="test/model"), "Read the notes.")
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return {"App.call": min(calls), "round of a run": min(model.counts[2:])}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        for road, (files, switches) in asyncio.run(count(Path(folder))).items():
            print(f"{road}: {files} files, {switches} package switches")


if __name__ == "__main__":
    main()
