"""The sides of the race of JavaScript: ours, Node, a bare engine; and the sources and the server they get."""

import asyncio
import importlib
import json
import subprocess
import sys
import time
from collections.abc import Callable, Coroutine, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

DELAY_SECONDS = 0.05
TRIVIAL = "function execute({ n }) { return n + 1; }\n"
FETCHES = """\
async function execute({ url }) {
  const answers = await Promise.all([1, 2, 3, 4, 5].map((n) => fetch(`${url}/${n}`)));
  const texts = await Promise.all(answers.map((answer) => answer.text()));
  return texts.length;
}
"""
FUNCTION = """\
const names%(n)d = ["alpha%(n)d", "beta%(n)d", "gamma%(n)d"];
function sort%(n)d(rows, { key = "name", descending = false } = {}) {
  const sorted = [...rows].sort((a, b) => (a[key] < b[key] ? -1 : a[key] > b[key] ? 1 : 0));
  return (descending ? sorted.reverse() : sorted).map((row, at) => ({ ...row, at, of: names%(n)d[at %% 3] }));
}
"""
SERVER = """\
import asyncio

async def answer(reader, writer):
    while await reader.readuntil(b"\\r\\n\\r\\n"):
        await asyncio.sleep(%(delay)s)
        writer.write(b"HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\nhi")

async def main():
    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    asyncio.get_running_loop().set_exception_handler(lambda *_: None)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()

asyncio.run(main())
"""

Call = Callable[[Mapping[str, Any]], Coroutine[Any, Any, str]]


@dataclass(slots=True)
class Side:
    """One way to call a function of a source, and the seconds it took, by what was called."""

    name: str
    prepare: Callable[[str], Call]
    took: dict[str, list[float]] = field(default_factory=dict[str, list[float]])

    async def time(self, what: str, call: Call, arguments: Mapping[str, Any], wanted: str) -> None:
        begin = time.perf_counter()
        text = await call(arguments)
        self.took.setdefault(what, []).append(time.perf_counter() - begin)
        if text != wanted:
            raise OSError(f"{self.name} gave {text[:100]!r} for {what} instead of {wanted!r}")


def source_of(size: int) -> str:
    """A source of about so many bytes, whose last function is the one that is called."""
    parts: list[str] = []
    while sum(map(len, parts)) + len(TRIVIAL) < size:
        parts.append(FUNCTION % {"n": len(parts)})
    return "".join([*parts, TRIVIAL])


SOURCES = {"trivial": TRIVIAL, "5 KB": source_of(5_000), "100 KB": source_of(100_000)}


class Ours:
    """Tools in an engine as the app has them, without the journal."""

    def __init__(self, folder: Path) -> None:
        from oneclaw.js.runtime import Runtime

        self._folder = folder
        self.runtime = Runtime()
        self._number = 0

    def prepare(self, text: str) -> Call:
        from oneclaw.core.call import ToolCall
        from oneclaw.core.engine import Engine
        from oneclaw.core.registry import Registry
        from oneclaw.core.session import Network, Session, Workspace
        from oneclaw.core.tool import Tool, ToolDefinition
        from oneclaw.js.runtime import JavaScriptSource
        from oneclaw.js.work import JavaScriptWork
        from oneclaw.run.runner import CallRunner

        definition = ToolDefinition(
            name="tool",
            parameters={
                "type": "object",
                "properties": {"n": {"type": "integer"}, "url": {"type": "string"}},
            },
            needs=("network",),
            effect="read",
            isolation="inline",
            seconds=60,
        )
        work = JavaScriptWork(self.runtime, JavaScriptSource.of("tool.js", text), "execute", definition, "")
        session = Session(
            "bench", workspace=Workspace(self._folder), network=Network(private_hosts=("127.0.0.1",))
        )
        engine = Engine(Registry([Tool(definition, work)]), CallRunner(), session=session)

        async def call(arguments: Mapping[str, Any]) -> str:
            self._number += 1
            return (await engine.call(ToolCall("tool", arguments, f"c{self._number}"))).text

        return call


def prepare_node(node: str, folder: Path, text: str) -> Call:
    """Node started for each call, with the arguments in its last word and the result in its output."""
    last = (
        "Promise.resolve(execute(JSON.parse(process.argv[2]))).then((v) => process.stdout.write(String(v)));"
    )
    path = folder / f"node-{len(text)}.js"
    path.write_text(text + last)

    async def call(arguments: Mapping[str, Any]) -> str:
        process = await asyncio.create_subprocess_exec(
            node, str(path), json.dumps(arguments), stdout=subprocess.PIPE, stdin=subprocess.DEVNULL
        )
        return (await process.communicate())[0].decode()

    return call


def prepare_context(text: str) -> Call:
    """A new context of the engine for each call, in this process: no limits, no border, nothing to ask."""
    engine: Any = importlib.import_module("_quickjs")

    async def call(arguments: Mapping[str, Any]) -> str:
        context = engine.Context()
        context.eval(text)
        return str(context.eval(f"String(execute({json.dumps(arguments)}))"))

    return call


@contextmanager
def serve() -> Generator[str]:
    """A server on this machine that takes its time with every answer."""
    process = subprocess.Popen(
        [sys.executable, "-c", SERVER % {"delay": DELAY_SECONDS}], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    try:
        yield f"http://127.0.0.1:{int(process.stdout.readline())}"
    finally:
        process.kill()
        process.communicate()
