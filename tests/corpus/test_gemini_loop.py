"""Recorded Gemini sessions drive the loop to its end: over HTTP, through wire, engine and store."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from tests.agent.validity import faults
from tests.conftest import Serve
from tests.corpus.conftest import corpus_folder, read_rows

from oneclaw import App, Config
from oneclaw.agent.event import RunFinished
from oneclaw.core.call import ToolResult
from oneclaw.core.message import ResultsMessage


def answers_of(row: dict[str, Any]) -> list[dict[str, Any]]:
    """The answers of a session, without what was asked besides, as counts of tokens."""
    return [each for each in row["responses"] if each["method"].startswith("generateContent")]


SESSIONS: dict[str, list[dict[str, Any]]] = (
    {row["id"]: answers_of(row) for row in read_rows("gemini_cli_transcripts")}
    if corpus_folder().exists()
    else {}
)


LAST = {
    "method": "generateContentStream",
    "response": [{"candidates": [{"content": {"parts": [{"text": "Bye."}]}, "finishReason": "STOP"}]}],
}


def chunks_of(recorded: dict[str, Any]) -> list[Any]:
    response = recorded["response"]
    return [response] if recorded["method"] == "generateContent" else response


def body_of(recorded: dict[str, Any]) -> bytes:
    """The answer as it stood on the wire."""
    response = recorded["response"]
    if recorded["method"] == "generateContent":
        return b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n" + json.dumps(response).encode()
    events = "".join(f"data: {json.dumps(chunk)}\r\n\r\n" for chunk in response)
    return b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n" + events.encode()


@pytest.mark.parametrize("name", [name for name, responses in SESSIONS.items() if responses])
async def test_a_recorded_session_runs_to_its_end(name: str, serve: Serve, tmp_path: Path) -> None:
    waiting = [body_of(recorded) for recorded in SESSIONS[name]]

    async def answer(_: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(waiting.pop(0) if waiting else body_of(LAST))

    port, seen = await serve(answer)
    values = {
        "models.default": "gemini/gemini-2.5-pro",
        "providers.gemini.base_url": f"http://127.0.0.1:{port}",
        "providers.gemini.key": "GEMINI_KEY_OF_THE_TEST",
    }
    config = Config(home=tmp_path, values=values)
    (tmp_path / "secrets.toml").write_text('GEMINI_KEY_OF_THE_TEST = "a-key-for-tests"')
    (tmp_path / "secrets.toml").chmod(0o600)
    async with App(config) as app:
        session: str | None = None
        ends: list[RunFinished] = []
        while waiting and len(ends) <= len(SESSIONS[name]):
            finished = await app.ask("default", "go on", session=session)
            session = finished.session
            ends.append(finished)
        assert session is not None
        messages = [stored.message for stored in app.store.messages.load(session)]
    assert not waiting
    assert len(seen) <= len(SESSIONS[name]) + 1  # a recording may end with a call
    assert all(finished.reason == "done" for finished in ends), ends
    assert faults(messages) == []
    results: list[ToolResult] = [
        result for message in messages if isinstance(message, ResultsMessage) for result in message.results
    ]
    asked = [
        part["functionCall"]["name"]
        for recorded in SESSIONS[name]
        for chunk in chunks_of(recorded)
        for candidate in chunk.get("candidates", [])
        for part in candidate.get("content", {}).get("parts", [])
        if "functionCall" in part
    ]
    assert len(results) == len(asked)
