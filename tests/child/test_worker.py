"""Workers: frames to and from a child that runs a module of ours."""

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from oneclaw.child import worker as worker_file
from oneclaw.child.child_spec import ChildSpec
from oneclaw.child.exit_report import Ended
from oneclaw.child.worker import WAITING, Worker

FOLDER = str(Path(__file__).parents[2])
SPEC = ChildSpec(module="tests.child.talking", arguments=["I am"], path=[FOLDER])
LIMIT = 1 << 20


@pytest.fixture
async def worker() -> AsyncIterator[Worker]:
    worker = Worker(SPEC, LIMIT)
    yield worker
    worker.kill()
    await worker.gone()


async def ask(worker: Worker, request: bytes) -> bytes:
    worker.send(request)
    return await asyncio.wait_for(worker.receive(), 30)


async def end(worker: Worker, request: bytes) -> str:
    with pytest.raises(Ended) as caught:
        await ask(worker, request)
    return str(caught.value)


async def test_frames_go_both_ways_and_the_module_is_given_its_arguments(worker: Worker) -> None:
    assert await ask(worker, b"echo \0\xff") == b"\0\xff"
    assert await ask(worker, b"who") == b"I am %d" % worker.child.pid
    assert worker.child.pid != os.getpid()


async def test_a_request_larger_than_the_socket_takes_at_once_arrives(worker: Worker) -> None:
    assert await ask(worker, b"count " + b"x" * 30_000_000) == b"30000000"


async def test_an_answer_may_be_as_large_as_the_bound(worker: Worker) -> None:
    assert len(await ask(worker, b"echo " + b"x" * LIMIT)) == LIMIT


async def test_one_beyond_the_bound_is_refused_and_the_worker_ended(worker: Worker) -> None:
    said = await end(worker, b"echo " + b"x" * (LIMIT + 1))
    assert said == "was stopped: it sent a message of 1,048,577 bytes, more than 1,048,576"
    await worker.gone()
    assert worker.child.is_gone


async def test_a_frame_that_claims_to_be_huge_is_refused_before_it_comes(worker: Worker) -> None:
    assert "it sent a message of 4,294,967,295 bytes" in await end(worker, b"raw \xff\xff\xff\xff")


async def test_what_it_said_before_it_ended_is_heard(worker: Worker) -> None:
    assert await ask(worker, b"last words") == b"words"
    assert await end(worker, b"echo") == "ended: exit code 5"


async def test_what_it_raised_is_its_last_output(worker: Worker) -> None:
    said = await end(worker, b"raise some words")
    assert said.endswith("exit code 1; its last output was 'tests.child.talking: ValueError: some words'")


async def test_one_that_closes_its_line_is_ended(worker: Worker) -> None:
    assert await end(worker, b"close") == "was stopped: it closed its line"


async def test_otherwise_whoever_waits_would_wait_on(worker: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin."""
    monkeypatch.setattr(worker_file, "LAST_WORDS_SECONDS", 600)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(1):
            await ask(worker, b"close")


async def test_one_that_hangs_is_ended_when_its_time_is_up(worker: Worker) -> None:
    asyncio.get_running_loop().call_later(0.2, worker.kill, "its time was up")
    assert await end(worker, b"hang") == "was stopped: its time was up"
    await worker.gone()
    with pytest.raises(ProcessLookupError):
        os.kill(worker.child.pid, 0)


async def test_a_flood_waits_until_it_is_received(worker: Worker) -> None:
    count = 200_000
    worker.send(b"many %d" % count)
    first = await worker.receive()
    async with asyncio.timeout(30):
        while len(received := worker._received) <= WAITING:  # pyright: ignore[reportPrivateUsage]
            await asyncio.sleep(0.001)
    most = len(received)
    for _ in range(100):
        await asyncio.sleep(0.001)
    assert len(received) == most < count / 2
    rest = [await worker.receive() for _ in range(count - 1)]
    assert [first, *rest] == [str(number).encode() for number in range(count)]
