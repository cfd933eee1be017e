"""Command lines smuggled in as arguments: no tool hands them to a shell, they stay the text they are.

Every program the rows could start stands first in PATH as a canary that leaves a mark when it is started.
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import Serve
from tests.corpus.conftest import Judged, Rows, as_read, spread, texts_of

from oneclaw import App, Config, Context, Kind, ToolCall, ToolError, tool
from oneclaw.tools.get_current_time import get_current_time

CLEAN = {
    Kind.VALIDATION_ERROR,
    Kind.PATH_NOT_ALLOWED,
    Kind.FILE_NOT_FOUND,
    Kind.EXECUTION_ERROR,
    Kind.NETWORK_ERROR,
}
# Written by nobody's list: the forms that shells and their friends know besides.
MORE = ["$(id)", "a\nid\n", "a\r\nid", "${IFS}id", "<(id)", "id #", "-rf", "--help", "a\0id", "%(id)s", "!id"]


def injections(rows: Rows) -> dict[str, str]:
    """Each text by the id of its row, and ours."""
    found = texts_of(rows, "command_injection")
    ours = {f"ours-{number}": text for number, text in enumerate(MORE) if text not in found.values()}
    return found | ours


def is_address(text: str) -> bool:
    """Whether a text names a place elsewhere, where no test sends anything."""
    return re.match(r"[\s\x00-\x1f]*[a-z][a-z0-9+.-]*:", text, re.IGNORECASE) is not None


@pytest.fixture
def texts(rows: Rows) -> dict[str, str]:
    return injections(rows)


@pytest.fixture
def canaries(texts: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of marks; a program that was started has left one with its name."""
    programs, marks = tmp_path / "programs", tmp_path / "marks"
    programs.mkdir()
    marks.mkdir()
    words = {
        word
        for text in texts.values()
        for word in re.findall(r"[A-Za-z][A-Za-z0-9_]*", text)
        if len(word) < 30
    }
    for name in sorted(words | {"sh", "bash", "zsh", "dash"}):
        program = programs / name
        program.write_text(f'#!/bin/sh\n: > "{marks}/{name}"\n')
        program.chmod(0o700)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    yield marks
    assert os.listdir(marks) == []


STARTS = ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork", "os.forkpty", "os.spawn")


class Watch:
    """Notes the programs that this process starts while it is on; a hook of Python cannot be taken back."""

    def __init__(self) -> None:
        self.is_on = False
        self.started: list[str] = []
        sys.addaudithook(self._hear)

    def _hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self.is_on and event in STARTS:
            self.started.append(f"{event} {arguments!r}")


@pytest.fixture(scope="module")
def watch() -> Watch:
    return Watch()


Quiet = Callable[[], None]


@pytest.fixture
def quiet(watch: Watch, canaries: Path) -> Iterator[Quiet]:
    """Fails where a program was started since it was last asked, known or not."""

    def ask() -> None:
        started, watch.started = [*watch.started, *os.listdir(canaries)], []
        for mark in canaries.iterdir():
            mark.unlink()
        assert started == []

    watch.is_on = True
    yield ask
    watch.is_on = False
    watch.started.clear()


def test_a_program_that_is_started_is_noted(watch: Watch) -> None:
    watch.is_on = True
    subprocess.run(["/bin/true"], check=True)
    watch.is_on = False
    assert watch.started[0].startswith("subprocess.Popen ")
    watch.started.clear()


def test_the_canaries_sing_when_a_shell_reads_such_texts(canaries: Path) -> None:
    """The twin: what a tool would do that pastes its argument into a command line. No row is run."""
    for text in MORE:
        if "\0" not in text:
            subprocess.run(f"true {text}", shell=True, capture_output=True, timeout=20, check=False)
    assert "id" in os.listdir(canaries)
    for mark in canaries.iterdir():
        mark.unlink()


@tool(effect="write", isolation="process")
def keep(context: Context, text: str) -> str:
    """Write the text to a file from a process of its own, and give it back."""
    (context.workspace.folder / "kept").write_bytes(text.encode())
    return text


@tool(effect="read", isolation="process")
def run_program(text: str) -> str:
    """Start a program with the text as one word."""
    done = subprocess.run(["/usr/bin/printf", "%s", text], capture_output=True, timeout=20, check=True)
    return done.stdout.decode()


async def test_as_content_it_is_written_and_read_as_it_is(
    texts: dict[str, str], quiet: Quiet, tmp_path: Path, judged: Judged
) -> None:
    async with App(Config(home=tmp_path / "home")) as app:
        for each, text in texts.items():
            with judged(each):
                write = ToolCall("write_file", {"path": "a.txt", "content": text})
                read = ToolCall("read_file", {"path": "a.txt"})
                for result in await app.engine.call_all([write, read]):
                    assert result.ok, result.message
                assert (app.config.workspace_folder / "a.txt").read_bytes() == text.encode()
                if text:
                    seen = as_read(text)
                    mark = text.removesuffix(seen)
                    edit = {"path": "a.txt", "old": seen, "new": f"[{seen}]"}
                    assert (await app.engine.call(ToolCall("edit_file", edit))).ok
                    assert (app.config.workspace_folder / "a.txt").read_bytes() == f"{mark}[{seen}]".encode()
                quiet()


async def test_as_a_path_or_pattern_it_names_a_file_or_is_refused(
    texts: dict[str, str], quiet: Quiet, tmp_path: Path, judged: Judged
) -> None:
    async with App(Config(home=tmp_path / "home")) as app:
        folder = app.config.workspace_folder
        (folder / "only").mkdir()
        (folder / "only" / "one.txt").write_text("one\n")
        for each, text in texts.items():
            with judged(each):
                result = await app.engine.call(ToolCall("write_file", {"path": text, "content": text}))
                if result.ok:
                    assert (folder / text).read_bytes() == text.encode()
                calls = [
                    ToolCall("read_file", {"path": text}),
                    ToolCall("read_file", {"path": "a", "encoding": text}),
                    ToolCall("list_files", {"path": text}),
                    ToolCall("find_files", {"pattern": text, "path": "only"}),
                    ToolCall("search_text", {"pattern": text, "path": "only"}),
                    ToolCall("search_text", {"pattern": "x", "path": text, "glob": text}),
                    ToolCall("get_current_time", {"format": text}),
                ]
                answers = await app.engine.call_all(calls)
                for answer in answers:
                    assert answer.kind is None or answer.kind in CLEAN, answer
                    json.loads(answer.to_json())
                if result.ok:
                    assert answers[0].value == as_read(text)
                    (folder / text).unlink()
                quiet()
    outside = set(os.listdir(tmp_path)) - {"home", "programs", "marks"}
    assert outside == set(), "nothing was written beside the workspace"


async def test_as_a_zone_it_is_refused(texts: dict[str, str], quiet: Quiet, judged: Judged) -> None:
    for each, text in texts.items():
        with judged(each):
            try:
                await get_current_time.execute({"timezone": text}, Context())
            except ToolError as error:
                assert error.message.startswith("Invalid timezone")  # noqa: PT017
            else:
                assert not re.search(r"[^\w /+-]", text), "only the name of a zone is one"
            quiet()


async def test_in_a_request_it_stays_in_the_request(
    texts: dict[str, str], quiet: Quiet, tmp_path: Path, serve: Serve, judged: Judged
) -> None:
    port, seen = await serve(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")
    address = f"http://127.0.0.1:{port}/"
    config = Config(home=tmp_path / "home", values={"network.private_hosts": ["127.0.0.1"]})
    async with App(config) as app:
        for each, text in texts.items():
            with judged(each):
                seen.clear()
                calls = [
                    ToolCall("http_request", {"url": address, "method": "POST", "body": text}),
                    ToolCall("http_request", {"url": f"{address}?q={text}", "headers": {"X-Text": text}}),
                ]
                posted, other = await app.engine.call_all(calls)
                assert posted.ok, posted.message
                assert other.kind is None or other.kind in CLEAN, other
                assert text.encode() in {request.partition(b"\r\n\r\n")[2] for request in seen}
                if not is_address(text):
                    refused = await app.engine.call(ToolCall("http_request", {"url": text}))
                    assert refused.kind is Kind.VALIDATION_ERROR
                quiet()


async def test_in_a_worker_process_it_is_an_argument_and_nothing_more(
    texts: dict[str, str], canaries: Path, tmp_path: Path, judged: Judged
) -> None:
    async with App(Config(home=tmp_path / "home"), tools=[keep, run_program]) as app:
        for each, text in texts.items():
            with judged(each):
                result = await app.engine.call(ToolCall("keep", {"text": text}))
                assert result.value == text
                assert (app.config.workspace_folder / "kept").read_bytes() == text.encode()
                if "\0" not in text:
                    assert (await app.engine.call(ToolCall("run_program", {"text": text}))).value == text


def test_on_our_own_command_line_too(
    texts: dict[str, str], canaries: Path, tmp_path: Path, judged: Judged
) -> None:
    for each, text in spread([item for item in texts.items() if "\0" not in item[1]], 4):
        with judged(each):
            words = [sys.executable, "-m", "oneclaw.cli.main", "--home", str(tmp_path / "home")]
            call = [*words, "call", "write_file", "path=a.txt", f"content={text}"]
            done = subprocess.run(call, capture_output=True, timeout=60, check=False)
            assert done.returncode == 0, done.stderr
            assert (tmp_path / "home" / "workspace" / "a.txt").read_bytes() == text.encode()
