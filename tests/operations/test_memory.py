"""Memories without a door: exported, imported, found and forgotten."""

from pathlib import Path

import pytest

from oneclaw import App, Config
from oneclaw.core.errors import NotFound
from oneclaw.operations.features import switch_feature
from oneclaw.operations.memory import (
    export_memories,
    find_memory,
    forget_memory,
    import_memories,
    read_digest,
    search_memories,
)


async def test_memories_travel_with_their_versions_and_are_taken_once(app: App, tmp_path: Path) -> None:
    await app.store.memories.store("cat", "Mia")
    await app.store.memories.store("cat", "Miso")
    document = await export_memories(app.store)
    async with App(Config(home=tmp_path / "other")) as other:
        first, second = [await import_memories(other, document) for _ in range(2)]
        assert (first.memories, first.taken, second.taken) == (1, 1, 0)
        found = await find_memory(other.store, "cat")
        assert (found.memory.value, [one.value for one in found.versions]) == ("Miso", ["Mia"])
        assert [one.key for one in await search_memories(other.store, "miso")] == ["cat"]
        assert "Miso" in (await read_digest(other)).text
        await forget_memory(other, "cat")
        with pytest.raises(NotFound, match="There is no memory 'cat'"):
            await forget_memory(other, "cat")


async def test_an_agent_without_memory_is_told_nothing_and_why(app: App) -> None:
    await app.store.memories.store("cat", "Miso")
    await switch_feature(app, "memory", False)
    digest = await read_digest(app)
    assert (digest.text, "memory" in digest.why_none) == ("", True)
