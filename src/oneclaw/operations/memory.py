"""Lists, searches, removes, exports and imports memories."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from oneclaw.core.errors import NotFound
from oneclaw.core.memory import Memory
from oneclaw.store.memories import Version
from oneclaw.store.memory_json import FORMAT, from_document, to_document
from oneclaw.store.store import Store

if TYPE_CHECKING:
    from oneclaw.app import App


@dataclass(frozen=True, slots=True)
class MemoryDetails:
    """A memory and the values it had before."""

    memory: Memory
    versions: tuple[Version, ...]


@dataclass(frozen=True, slots=True)
class ImportedMemories:
    """How many memories were read, and how many of them taken: of two with one key, the later is kept."""

    memories: int
    taken: int


@dataclass(frozen=True, slots=True)
class MemoryDigest:
    """The text that a new conversation of an agent begins with; `why_none` says why memory is off for it."""

    text: str
    why_none: str = ""


async def list_memories(store: Store | None, *, agent: str = "", limit: int = -1) -> list[Memory]:
    """Memories the agent can see, last changed first."""
    return [] if store is None else await store.memories.of(agent).all(limit=limit)


async def search_memories(
    store: Store | None, words: str, *, agent: str = "", limit: int = 5
) -> list[Memory]:
    """Memories that match, best first."""
    return [] if store is None else await store.memories.of(agent).search(words, limit)


async def find_memory(store: Store | None, key: str, *, agent: str = "") -> MemoryDetails:
    """A memory by its key; raises `NotFound`."""
    if store is not None:
        memories = store.memories.of(agent)
        memory = await memories.get(key)
        if memory is not None:
            return MemoryDetails(memory, tuple(await memories.versions(memory)))
    raise NotFound("memory", key, "memory")


async def forget_memory(app: "App", key: str, *, agent: str = "") -> None:
    """Forget one; raises `NotFound`."""
    if not await app.store.memories.of(agent).forget(key):
        raise NotFound("memory", key, "memory")


async def export_memories(store: Store | None) -> dict[str, Any]:
    """All memories as JSON that `import_memories` reads."""
    return {"format": FORMAT, "memories": []} if store is None else await to_document(store.memories)


async def import_memories(app: "App", document: Any) -> ImportedMemories:
    """Take in an export, or an object of keys and values; raises `InvalidMemory`."""
    found = from_document(document)
    return ImportedMemories(len(found), await app.store.memories.import_all(found))


async def read_digest(app: "App", agent: str = "default") -> MemoryDigest:
    """The digest as a new conversation gets it: none where memory is off for the agent."""
    from oneclaw.agent.digests import TOOL
    from oneclaw.core.memory import digest

    entry = app.registry.find(TOOL)
    assert entry is not None
    decision = app.policy.decide(entry.tool.definition, agent=agent, origin=entry.tool.origin)
    if not decision.allowed:
        return MemoryDigest("", decision.reason)
    chars = app.config.settings.memory.digest_chars
    return MemoryDigest(digest(await app.notebook(agent).useful(), chars))
