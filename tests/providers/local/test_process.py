"""The process of a model: it streams, stops, dies, leaves when idle, and holds nothing of ours."""

import asyncio
import os
import signal
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from oneclaw.providers.base import ProviderError
from oneclaw.providers.local.process import Idle, Load, ModelProcess

LOOP = "module"
pytestmark = [pytest.mark.asyncio(loop_scope=LOOP)]

ENDLESS = {"prompt": "Once upon a time", "n_predict": 1500, "temperature": 0, "seed": 1, "ignore_eos": True}
SHORT = {"prompt": "One, two, three,", "n_predict": 4, "temperature": 0, "seed": 1}


def load_of(weights: Path, idle_seconds: float = 300.0) -> Load:
    return Load(str(weights), 2048, 1, idle_seconds)


@pytest_asyncio.fixture(loop_scope=LOOP, scope="module")
async def process(weights: Path) -> AsyncIterator[ModelProcess]:
    started = ModelProcess(load_of(weights), "local/test")
    await started.ready()
    yield started
    await started.close()


async def text_of(chunks: AsyncGenerator[dict[str, Any]]) -> str:
    return "".join([chunk["choices"][0]["text"] async for chunk in chunks if chunk.get("choices")])


async def ask(process: ModelProcess) -> str:
    return await text_of(process.ask("complete", SHORT))


async def begin(process: ModelProcess) -> AsyncGenerator[dict[str, Any]]:
    """An answer without end, of which three pieces have come."""
    chunks = process.ask("complete", ENDLESS)
    for _ in range(3):
        await anext(chunks)
    return chunks


async def test_the_same_question_has_the_same_answer_piece_by_piece(process: ModelProcess) -> None:
    chunks = [chunk async for chunk in process.ask("complete", SHORT)]
    assert len(chunks) > 3
    assert await ask(process) == await ask(process)


async def test_a_stopped_answer_stops_the_model_and_the_process_goes_on(process: ModelProcess) -> None:
    chunks = await begin(process)
    pid = process.pid
    await chunks.aclose()
    async with asyncio.timeout(10):  # there is one slot: were it still writing, this would have to wait
        assert await ask(process)
    assert process.pid == pid
    assert not process.is_busy


async def test_without_the_stop_the_next_would_wait(
    process: ModelProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    send = process._send  # pyright: ignore[reportPrivateUsage]

    def no_stop(message: dict[str, Any]) -> None:
        if "stop" not in message:
            send(message)

    monkeypatch.setattr(process, "_send", no_stop)
    chunks = await begin(process)
    await chunks.aclose()
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(2):
            await ask(process)
    monkeypatch.undo()
    for number in range(100):  # whichever it was: the others are not running
        send({"id": number, "stop": True})
    assert await ask(process)


async def test_a_stop_while_the_prompt_is_read_is_heard(process: ModelProcess) -> None:
    long = {**SHORT, "prompt": "many words " * 900, "cache_prompt": False}
    chunks = process.ask("complete", long)
    await anext(chunks)  # how far the prompt is read
    await chunks.aclose()
    async with asyncio.timeout(10):
        assert await ask(process)


async def test_the_loop_goes_on_while_the_process_stands_still(process: ModelProcess) -> None:
    os.kill(process.pid, signal.SIGSTOP)
    asked = asyncio.ensure_future(ask(process))
    for _ in range(1000):
        await asyncio.sleep(0)
    assert not asked.done()
    os.kill(process.pid, signal.SIGCONT)
    assert await asked


async def test_it_knows_no_key_and_has_no_descriptor_and_no_port_of_ours(
    weights: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-secret-key")
    with (tmp_path / "ours").open("w") as ours:
        os.set_inheritable(ours.fileno(), True)
        process = ModelProcess(load_of(weights), "local/test")
        await process.ready()
        proc = Path("/proc") / str(process.pid)
        if not proc.exists():
            await process.close()
            pytest.skip("there is no /proc here to look at")
        assert b"sk-secret-key" not in (proc / "environ").read_bytes()
        opened = [os.readlink(each) for each in (proc / "fd").iterdir()]
        assert str(tmp_path / "ours") not in opened
        assert not listening(proc, opened)
        await process.close()
        assert not proc.exists()


def listening(proc: Path, opened: list[str]) -> list[str]:
    """The ports that a process listens on, and the socket files that can be found."""
    inodes = {name[8:-1] for name in opened if name.startswith("socket:[")}
    found: list[str] = []
    for name in ("tcp", "tcp6"):
        rows = [line.split() for line in (proc / "net" / name).read_text().splitlines()[1:]]
        found += [row[1] for row in rows if row[3] == "0A" and row[9] in inodes]
    rows = [line.split() for line in (proc / "net" / "unix").read_text().splitlines()[1:]]
    return found + [row[7] for row in rows if len(row) > 7 and row[6] in inodes and os.path.exists(row[7])]


async def test_a_killed_process_is_an_error_of_the_server(weights: Path) -> None:
    process = ModelProcess(load_of(weights), "local/test")
    await process.ready()
    async with aclosing(await begin(process)) as chunks:
        os.kill(process.pid, signal.SIGKILL)
        with pytest.raises(ProviderError, match=r"killed by signal 9 .*perhaps for want of memory") as caught:
            async for _ in chunks:
                pass
    assert caught.value.trouble == "server"
    assert not process.is_alive
    with pytest.raises(ProviderError):
        await ask(process)


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGABRT])
async def test_a_crash_while_loading_is_told_to_whoever_waits(weights: Path, number: signal.Signals) -> None:
    process = ModelProcess(load_of(weights), "local/test")
    while not process.pid:
        await asyncio.sleep(0.005)
    os.kill(process.pid, number)
    with pytest.raises(ProviderError, match=rf"killed by signal {int(number)} \({number.name}\)"):
        await process.ready()


async def test_an_idle_process_leaves_by_itself(weights: Path) -> None:
    process = ModelProcess(load_of(weights, idle_seconds=0.2), "local/test")
    await process.ready()
    async with asyncio.timeout(20):
        while process.is_alive:
            await asyncio.sleep(0.05)
    with pytest.raises(Idle):
        await ask(process)


async def test_a_file_llama_cpp_refuses_is_one_sentence(weights: Path, tmp_path: Path) -> None:
    from tests.providers.local.gguf_files import small_gguf

    file = tmp_path / "odd.gguf"
    file.write_bytes(small_gguf({"general.architecture": "martian"}, tensor_values=8))
    process = ModelProcess(Load(str(file), 512, 1, 60.0), "local/odd")
    with pytest.raises(ProviderError, match=r"cannot be loaded.*martian") as caught:
        await process.ready()
    assert "\n" not in str(caught.value)
    await process.close()
