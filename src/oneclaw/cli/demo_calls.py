"""`oneclaw demo --tools`: every built-in tool through the engine, without a model, as a transcript."""

import tempfile
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PAGE = (
    b"<!doctype html><title>Harbour</title><nav>menu</nav><h1>Harbour news</h1>"
    b"<p>The <b>ferry</b> leaves at nine.</p>"
)
SHOWN_LINES = 8


@dataclass(frozen=True)
class Scene:
    """One call of the demonstration and what it shows."""

    title: str
    tool: str
    arguments: dict[str, Any] | str = field(default_factory=dict[str, Any])
    expected: str = "success"


def scenes(address: str) -> list[tuple[str, list[Scene]]]:
    return [
        (
            "Time, files, requests and memory",
            [
                Scene("What time is it in Tokyo?", "get_current_time", {"timezone": "Tokyo"}),
                Scene(
                    "Write a file; its folder is made on the way.",
                    "write_file",
                    {"path": "notes/today.txt", "content": "buy milk\ncall Ada\npay rent\n"},
                ),
                Scene("Read it back.", "read_file", {"path": "notes/today.txt"}),
                Scene(
                    "Change one line.",
                    "edit_file",
                    {"path": "notes/today.txt", "old": "call Ada", "new": "write to Ada"},
                ),
                Scene("What is in the workspace?", "list_files", {"path": "notes"}),
                Scene("Find files by name.", "find_files", {"pattern": "**/*.txt"}),
                Scene("Search in them.", "search_text", {"pattern": "Ada|milk"}),
                Scene("Make a request.", "http_request", {"url": f"{address}/news"}),
                Scene("Read a page as text.", "fetch_url", {"url": f"{address}/news"}),
                Scene("Remember a name.", "memory_store", {"key": "user_name", "value": "Ada"}),
                Scene(
                    "Learn how somebody likes it.",
                    "memory_learn",
                    {"text": "Ada takes the ferry at nine.", "category": "preference"},
                ),
                Scene("Say that it was of use.", "memory_reinforce", {"key": "user_name"}),
                Scene("Find it again, in any later conversation.", "memory_search", {"query": "ferries"}),
                Scene("Forget the name.", "memory_forget", {"key": "user_name"}),
            ],
        ),
        (
            "What others get wrong",
            [
                Scene(
                    "A model's sloppy JSON is read, and it is told.",
                    "read_file",
                    "{'path': 'notes/today.txt',}",
                ),
                Scene(
                    "A path outside the workspace is refused.",
                    "read_file",
                    {"path": "../../etc/passwd"},
                    "error",
                ),
                Scene(
                    "A private address is refused.",
                    "http_request",
                    {"url": "http://169.254.169.254/latest/meta-data/"},
                    "error",
                ),
                Scene("An invented tool gets the nearest names.", "red_file", {"path": "x"}, "error"),
                Scene("Wrong arguments are all named at once.", "write_file", {"mode": "sideways"}, "error"),
                Scene("A plain Python `while True` is stopped at its limit.", "spin", {}, "error"),
                Scene("The next call works as if nothing had happened.", "get_current_time"),
            ],
        ),
    ]


def show_calls(as_json: bool) -> int:
    """Run every call of the demonstration; the exit code says whether each ended as it should."""
    import asyncio

    with tempfile.TemporaryDirectory(prefix="oneclaw-demo-") as folder, web_server() as address:
        return asyncio.run(play(Path(folder), address, as_json))


@contextmanager
def web_server() -> Generator[str]:
    """A small web site on this machine, so that the demonstration needs no internet."""
    from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(PAGE)))
            self.end_headers()
            self.wfile.write(PAGE)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def spin() -> str:
    """Compute for ever."""
    while True:
        pass


async def play(folder: Path, address: str, as_json: bool) -> int:
    from oneclaw.app import App
    from oneclaw.cli.terminal import print_line
    from oneclaw.config import Config
    from oneclaw.core.call import ToolCall
    from oneclaw.core.make.function import tool

    endless = tool(spin, isolation="process", seconds=1.0, effect="read")
    host = address.removeprefix("http://")
    config = Config(home=folder, values={"network.private_hosts": [host]})
    surprises = count = 0
    async with App(config, tools=[endless]) as app:
        session = app.new_session()
        if not as_json:
            print_line(
                "OneClaw: tools for AI agents. No key, no internet, no model: just the engine.", "bold"
            )
            print(f"workspace: {config.workspace_folder} (temporary)")
        for chapter, calls in scenes(address):
            if not as_json:
                print_line(f"\n{chapter}", "bold cyan")
            for scene in calls:
                result = await app.engine.call(ToolCall(scene.tool, scene.arguments), session)
                show_scene(scene, result, as_json)
                count += 1
                surprises += result.status != scene.expected
        if not as_json:
            await show_end(app, count, surprises)
    return 1 if surprises else 0


def show_scene(scene: Scene, result: Any, as_json: bool) -> None:
    import json

    from oneclaw.cli.terminal import print_line, printable, seconds_text
    from oneclaw.core.event_json import result_json

    if as_json:
        print(json.dumps({"title": scene.title, **result_json(result)}, ensure_ascii=False))
        return
    print_line(f"\n{scene.title}", "dim")
    words = (
        scene.arguments
        if isinstance(scene.arguments, str)
        else json.dumps(scene.arguments, ensure_ascii=False)
    )
    print_line(f"  → {scene.tool} {words}", indent=2)
    lines = printable(result.text).splitlines() or [""]
    mark, style = ("✓", "green") if result.ok else ("✗", "red")
    name = "done" if result.kind is None else result.kind.value
    print_line(f"  {mark} {name}, {seconds_text(result.seconds)}", style)
    for repair in result.repairs:
        print_line(f"    note: {printable(repair)}", "yellow")
    for line in lines[:SHOWN_LINES]:
        print_line(f"    {line}")
    if len(lines) > SHOWN_LINES:
        print_line(f"    … {len(lines) - SHOWN_LINES} more lines", "dim")


async def show_end(app: Any, count: int, surprises: int) -> None:
    from oneclaw.cli.terminal import print_line

    written = len(await app.store.calls.history(limit=1000))
    print()
    if surprises:
        print_line(f"{surprises} of {count} calls did not end as they should.", "bold red")
    else:
        print_line(f"{count} calls, {count} results, {written} in the journal.", "bold green")
    name = command_name()
    print_line(f"Next: `{name} tools` lists the tools, `{name} call TOOL KEY=VALUE` runs one.")


def command_name() -> str:
    """What to type to go on: `make` leaves the command in an environment that the shell does not know."""
    import os
    import shutil
    import sys

    started = Path(sys.argv[0])
    if shutil.which("oneclaw") or started.name != "oneclaw":
        return "oneclaw"
    return os.path.relpath(started)
