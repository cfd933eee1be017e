"""Strings that break programs, as keys and values of memories: exact, found, and forgotten."""

import json
from pathlib import Path
from unicodedata import normalize

from tests.corpus.conftest import Judged, Rows, some, texts_of

from oneclaw import App, Config, ToolCall
from oneclaw.core.errors import InvalidMemory, Kind
from oneclaw.core.memory import KEY_CHARS, digest
from oneclaw.store.memory_json import from_document, to_document
from oneclaw.store.store import Store


def as_key(text: str) -> str:
    """Of a key each letter with its accents is one character."""
    return normalize("NFC", text)


def can_be(text: str, chars: int) -> bool:
    return bool(text.strip()) and len(text) <= chars and text == text.encode("utf-8", "replace").decode()


async def test_every_string_comes_back_exactly_as_key_and_value(
    rows: Rows, tmp_path: Path, judged: Judged
) -> None:
    texts = texts_of(rows, "naughty_strings")
    kept: dict[str, str] = {}
    with Store(tmp_path / "a.db") as store:
        for each, text in texts.items():
            with judged(each):
                try:
                    memory = await store.memories.store(text, text)
                except InvalidMemory:
                    assert not can_be(as_key(text), KEY_CHARS)
                    continue
                kept[as_key(text)] = text
                assert (memory.key, memory.value) == (as_key(text), text)
        assert {memory.key: memory.value for memory in await store.memories.everyone()} == kept
        for each, text in texts.items():
            with judged(each):
                found = await store.memories.search(text, 3)
                assert as_key(text) not in kept or found[0].key == as_key(text)
        document = json.loads(json.dumps(await to_document(store.memories)))
        with Store(tmp_path / "b.db") as other:
            assert await other.memories.import_all(from_document(document)) == len(kept)
            assert await to_document(other.memories) == document
        for text in kept:
            assert await store.memories.forget(text)
        assert await store.memories.everyone() == []
        assert (await store.database.find_faults(60))[0] == []


async def test_no_string_leaves_the_frame_of_the_digest(rows: Rows, tmp_path: Path) -> None:
    with Store(tmp_path / "a.db") as store:
        for row in rows("naughty_strings"):
            if can_be(row["s"], KEY_CHARS):
                await store.memories.store(row["s"], row["s"])
        memories = some(await store.memories.useful(1_000_000), "text that can be remembered")
        text = digest(memories, 100_000_000)
        lines = text.strip().split("\n")
        assert len(lines) == len(memories) + 3
        assert all(line.isprintable() for line in lines)
        assert text.count("</memories>") == 1
        assert {json.loads("{" + line + "}").popitem() for line in lines[2:-1] if len(line) < 400} <= {
            (memory.key, memory.value) for memory in memories
        }


async def test_planted_instructions_stay_data(rows: Rows, tmp_path: Path) -> None:
    with Store(tmp_path / "a.db") as store:
        for number, row in enumerate(rows("prompt_injection")):
            for text in (value for value in row.values() if isinstance(value, str)):
                if can_be(text, 10_000):
                    await store.memories.store(f"page {number}", text)
        memories = some(await store.memories.useful(1_000_000), "text that can be remembered")
        lines = digest(memories, 100_000_000).strip().split("\n")
        assert len(lines) == len(memories) + 3
        assert lines[0] == "<memories>"
        assert all(line.startswith('"page ') for line in lines[2:-1])


async def test_through_the_engine_each_string_is_kept_or_refused(
    rows: Rows, tmp_path: Path, judged: Judged
) -> None:
    async with App(Config(home=tmp_path)) as app:
        for each, text in texts_of(rows, "naughty_strings").items():
            with judged(each):
                stored = await app.engine.call(ToolCall("memory_store", {"key": text, "value": text}))
                if not can_be(as_key(text), KEY_CHARS):
                    assert stored.kind is Kind.VALIDATION_ERROR
                    continue
                assert stored.ok, stored.message
                found = await app.engine.call(ToolCall("memory_search", {"query": text, "limit": 1}))
                row = found.value["memories"][0]
                assert (row["key"], row["value"]) == (as_key(text), text)
