"""A secret that a person or a model writes is in no file of the store."""

from pathlib import Path

import pytest
from tests.agent.conftest import Open, drive

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
    assert len(await app.store.messages.load(last.session)) == 4
    # Nobody can keep what nobody knows to be a secret: without the variable it is there.
    assert bool(files_with(tmp_path / "home", SECRET)) != is_known
