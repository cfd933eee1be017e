"""A secret that a person or a model writes is in no file of the store."""

from pathlib import Path

import pytest
from tests.agent.conftest import Open, drive

from oneclaw import ToolCall
from oneclaw.core.call import ToolResult
from oneclaw.core.event import ToolFinished
from oneclaw.core.message import AssistantMessage, CallPart, ResultsMessage
from oneclaw.providers.scripted import Call

SECRET = "zq81-kestrel-lantern-4471"


def files_with(folder: Path, text: str) -> list[str]:
    return [file.name for file in folder.rglob("*") if file.is_file() and text.encode() in file.read_bytes()]


@pytest.mark.parametrize("is_known", [True, False])
async def test_a_known_secret_in_a_conversation_is_not_kept(
    open_app: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_known: bool
) -> None:
    if is_known:
        monkeypatch.setenv("HARBOUR_API_KEY", SECRET)
    replies = [["Let me try ", SECRET, Call("get_current_time", {"timezone": SECRET})], f"It is {SECRET}."]
    app = await open_app(replies)
    _, last = await drive(app, f"My key is {SECRET}")
    assert last.reason == "done"
    assert len(app.store.messages.load(last.session)) == 4
    # Nobody can keep what nobody knows to be a secret: without the variable it is there.
    assert bool(files_with(tmp_path / "home", SECRET)) != is_known


@pytest.mark.parametrize("is_known", [True, False])
@pytest.mark.parametrize("spelled", [SECRET, SECRET.encode().hex().upper(), f"call_{SECRET}_1"])
async def test_a_secret_in_the_id_of_a_call_is_neither_kept_nor_shown(
    open_app: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spelled: str, is_known: bool
) -> None:
    if is_known:
        monkeypatch.setenv("HARBOUR_API_KEY", SECRET)
    calls = [
        Call("get_current_time", id=spelled),
        Call("get_current_time", id=f"{spelled} "),
        Call("list_files", id=spelled),
    ]
    app = await open_app([calls, "Done.", [Call("get_current_time", id=spelled)], "Done again."])
    events, last = await drive(app)
    more, last = await drive(app, "again", session=last.session)
    assert last.reason == "done"
    finished = [event for event in [*events, *more] if isinstance(event, ToolFinished)]
    assert len({event.call_id for event in finished}) == 4, "every call has its own result, by its own id"
    assert all(event.result.ok for event in finished)
    assert any(spelled in repr(event) for event in finished) != is_known
    assert bool(files_with(tmp_path / "home", spelled)) != is_known


async def test_a_secret_in_the_id_of_one_call_alone_is_not_kept(
    open_app: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HARBOUR_API_KEY", SECRET)
    app = await open_app([])
    assert (await app.engine.call(ToolCall("get_current_time", {}, SECRET))).ok
    results = await app.engine.call_all([ToolCall("get_current_time", {}, SECRET)] * 2)
    assert [result.call_id for result in results] == [
        "[redacted:HARBOUR_API_KEY]",
        "[redacted:HARBOUR_API_KEY]-2",
    ]
    assert len(app.store.calls.history()) == 3
    assert not files_with(tmp_path / "home", SECRET)


async def test_a_secret_in_the_ids_of_messages_from_elsewhere_is_not_kept(
    open_app: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HARBOUR_API_KEY", SECRET)
    app = await open_app([])
    session = app.new_session()
    call = ToolCall("get_current_time", {}, SECRET)
    await app.store.messages.append(session, AssistantMessage((CallPart(call),)))
    await app.store.messages.append(session, ResultsMessage((ToolResult(SECRET, "get_current_time", "x"),)))
    said, results = (each.message for each in app.store.messages.load(session.id))
    assert isinstance(said, AssistantMessage)
    assert isinstance(results, ResultsMessage)
    assert said.calls[0].id == results.results[0].call_id == "[redacted:HARBOUR_API_KEY]"
    assert not files_with(tmp_path / "home", SECRET)
