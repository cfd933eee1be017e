"""Stored memories: versions, full-text search and ranking.

Every change is one statement; its triggers keep the version before and the index of words, so two programs
that write the same key at once lose neither a version nor a hit.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from time import time
from typing import Any, TypeVar

from oneclaw.core.errors import InvalidMemory
from oneclaw.core.memory import (
    GENERAL,
    MOST_MEMORIES,
    Memory,
    check_memory,
    composed,
    learned_key,
    plain_text,
)
from oneclaw.store.database import Database, SqlValues
from oneclaw.store.messages import identity
from oneclaw.store.word import match_any, match_within, searchable, signs_of, words_of

_COLUMNS = "key, value, category, agent, hits, version, created, updated, used"
_CHANGED = "(value IS NOT excluded.value OR category IS NOT excluded.category AND excluded.category != '')"
_STORE = f"""
INSERT INTO memories (agent, key, category, hits, version, created, updated, used, key_words, value,
    value_words)
SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?
WHERE (SELECT count(*) FROM memories) < ?
    OR EXISTS (SELECT 1 FROM memories WHERE agent = ? AND key = ?)
ON CONFLICT (agent, key) DO UPDATE SET
    hits = max(hits, excluded.hits),
    version = version + {_CHANGED},
    updated = excluded.updated,
    used = max(used, excluded.used),
    category = CASE excluded.category WHEN '' THEN category ELSE excluded.category END,
    value = excluded.value,
    value_words = CASE WHEN value IS excluded.value THEN value_words ELSE excluded.value_words END
"""  # noqa: S608  only our words
_IMPORT = _STORE + "WHERE excluded.updated > updated"
_KEEP_VERSION = """
INSERT INTO memory_versions (memory, version, created, category, value)
SELECT id, ?, ?, ?, ? FROM memories
WHERE agent = ? AND key = ? AND ? BETWEEN version - 20 AND version - 1
ON CONFLICT DO NOTHING
"""
# What all share; and an agent's own, each before a shared one of the same key.
_SHARED = "agent = ''"
_OWN = """
(agent = :agent OR agent = ''
    AND NOT EXISTS (SELECT 1 FROM memories AS own WHERE own.agent = :agent AND own.key = memories.key))
"""
_MONTHS = "(max(0, :now - max(updated, used)) / 2592000.0)"
_USEFUL = f"(2 + min(hits, 20)) / (1 + {_MONTHS})"
# A match counts most: hits and recency make it count up to twice as much.
_WEIGHT = f"(1 + 0.025 * min(hits, 20) + 0.5 / (1 + {_MONTHS}))"


@dataclass(frozen=True, slots=True)
class Version:
    """A value a memory had before; `created` is when it got it."""

    version: int
    created: float
    category: str
    value: str


Noted = TypeVar("Noted", Memory, Version)


class Memories:
    """The memories of a store as one agent sees them; without a name, those that all agents share.

    `redact` takes known secrets out before anything is kept, `most` is how many there may be in all.
    """

    def __init__(
        self,
        database: Database,
        redact: Callable[[str], str] = identity,
        agent: str = "",
        most: int = MOST_MEMORIES,
    ) -> None:
        self._database = database
        self._redact = redact
        self._agent = agent
        self._most = most
        self._seen = _OWN if agent else _SHARED

    def of(self, agent: str) -> "Memories":
        """Memories this agent sees: its own, and shared ones."""
        return Memories(self._database, self._redact, agent, self._most)

    async def store(self, key: str, value: str, category: str = "") -> Memory:
        """Keep a value under a key, in place of the one before; raises `InvalidMemory`."""
        now = time()
        memory = Memory(
            key=self._redact(composed(key)),
            value=self._redact(value),
            category=self._redact(category),
            agent=self._agent,
            created=now,
            updated=now,
            used=now,
        )
        check_memory(memory.key, memory.value, memory.category)
        await self._write(memory)
        return await self._own(memory.key) or memory  # another program may have forgotten it by now

    async def learn(self, text: str, category: str) -> Memory:
        """Keep a text under a key made of it; one that is known already is reinforced instead.

        The category that stands for none does not take the place of another.
        """
        text = self._redact(text)
        key = learned_key(text)
        known = await self._own(key)
        if known is None or plain_text(known.value) != plain_text(text):
            return await self.store(key, text, category)
        if category not in ("", GENERAL, known.category):
            known = await self.store(key, known.value, category)
        return await self.reinforce(key) or known

    async def reinforce(self, key: str) -> Memory | None:
        """Count one more time that a memory helped; None when there is none."""
        memory = await self.get(key)
        if memory is None:
            return None
        await self._database.write(
            "UPDATE memories SET hits = hits + 1, used = ? WHERE agent = ? AND key = ?",
            (time(), memory.agent, memory.key),
        )
        return await self.get(key)

    async def forget(self, key: str) -> bool:
        """Remove a memory with all its versions; False when there was none."""
        written = await self._database.write(
            "DELETE FROM memories WHERE agent = ? AND key = ?", (self._agent, self._key(key))
        )
        return written.rows == 1

    async def touch(self, memories: Iterable[Memory]) -> None:
        """Note that these were found."""
        now = time()
        for memory in memories:
            await self._database.write(
                "UPDATE memories SET used = ? WHERE agent = ? AND key = ?", (now, memory.agent, memory.key)
            )

    async def get(self, key: str) -> Memory | None:
        """The memory of this key: the agent's own, or the one all share."""
        found = await self._select(
            "WHERE agent IN (:agent, '') AND key = :key ORDER BY agent DESC", key=self._key(key)
        )
        return found[0] if found else None

    async def versions(self, memory: Memory) -> list[Version]:
        """The values it had before, oldest first."""
        rows = await self._database.select(
            "SELECT v.version, v.created, v.category, v.value FROM memory_versions v"
            " JOIN memories m ON m.id = v.memory WHERE m.agent = ? AND m.key = ? ORDER BY v.version",
            (memory.agent, memory.key),
        )
        return [Version(*row) for row in rows]

    async def all(self, category: str = "", limit: int = -1) -> list[Memory]:
        """Every memory the agent sees, last updated first."""
        rest = (
            f"WHERE :category IN ('', category) AND {self._seen} ORDER BY updated DESC, id DESC LIMIT :limit"
        )
        return await self._select(rest, category=category, limit=limit)

    async def everyone(self) -> list[Memory]:
        """Every memory there is, whosoever it is, in the order in which they were made."""
        return await self._select("ORDER BY id")

    async def useful(self, limit: int = 100) -> list[Memory]:
        """The most useful first: by hits, and by how lately it was noted, found or reinforced."""
        order = f"ORDER BY {_USEFUL} DESC, id DESC"
        best = f"SELECT id FROM memories WHERE {self._seen} {order} LIMIT :limit"  # noqa: S608
        found = await self._select(f"WHERE id IN ({best}) {order}", limit=limit)
        # A secret may have become known since: what is told unasked is searched again.
        return [replace(each, key=self._redact(each.key), value=self._redact(each.value)) for each in found]

    async def search(self, query: str, limit: int = 5) -> list[Memory]:
        """The memories that fit best: the one of this key, then any that has a word of the query.

        Where too few have one, words that stand nowhere are looked for inside of others, and then the signs
        of the query, as a picture of a cat; without a word and a sign, the most useful.
        """
        query = self._redact(_storable(query))  # as what was kept
        exact = await self.get(query)
        found = {} if exact is None else {(exact.agent, exact.key): exact}
        words, signs = words_of(query), signs_of(query)
        if not words and not signs:
            return list(found.values()) or await self.useful(limit)
        for memory in await self._match("memories_text", match_any(words), limit) if words else ():
            found.setdefault((memory.agent, memory.key), memory)
        within = ""
        if len(found) < limit:
            within = match_within([word for word in words if not await self._has(word)])
        for memory in await self._match("memories_parts", within, limit) if within else ():
            found.setdefault((memory.agent, memory.key), memory)
        for memory in await self._with_signs(signs, limit) if signs and len(found) < limit else ():
            found.setdefault((memory.agent, memory.key), memory)
        return list(found.values())[:limit]

    async def import_all(self, memories: Iterable[tuple[Memory, Iterable[Version]]]) -> int:
        """Take in memories with their versions; returns how many are new or later than what was there.

        All of them are checked before the first is kept, and all are kept or none.
        """
        later: dict[tuple[str, str], tuple[Memory, list[Version]]] = {}
        for memory, versions in memories:
            memory = self._cleaned(memory)
            check_memory(memory.key, memory.value, memory.category)
            values = [self._cleaned(each) for each in versions]
            for each in values:
                check_memory(memory.key, each.value, each.category)
            other = later.get((memory.agent, memory.key))
            if other is None or other[0].updated <= memory.updated:
                later[memory.agent, memory.key] = memory, values
        known = {(each.agent, each.key) for each in await self.everyone()}
        if len(later.keys() | known) > self._most:
            raise self._full()
        kept = [(_IMPORT, self._row(memory)) for memory, _ in later.values()]
        before = [
            (
                _KEEP_VERSION,
                (each.version, each.created, each.category, each.value, *name, each.version),
            )
            for name, (_, versions) in later.items()
            if name not in known
            for each in versions
        ]
        written = await self._database.write_all([*kept, *before])
        return sum(each.rows for each in written[: len(kept)])

    def _cleaned(self, noted: Noted) -> Noted:
        """A memory or a version without known secrets."""
        clean = {name: self._redact(getattr(noted, name)) for name in ("value", "category")}
        if isinstance(noted, Memory):
            clean["key"] = self._redact(composed(noted.key))
        return replace(noted, **clean)

    async def _write(self, memory: Memory) -> None:
        if not (await self._database.write(_STORE, self._row(memory))).rows:
            raise self._full()

    def _row(self, memory: Memory) -> SqlValues:
        return (
            memory.agent,
            memory.key,
            memory.category,
            memory.hits,
            memory.version,
            memory.created,
            memory.updated,
            memory.used,
            searchable(memory.key),
            memory.value,
            searchable(memory.value),
            self._most,
            memory.agent,
            memory.key,
        )

    def _full(self) -> InvalidMemory:
        return InvalidMemory(
            f"The memory is full: it holds {self._most:,} memories at most; forget some that are no longer"
            " needed (memory_forget, or `oneclaw memory forget`)."
        )

    def _key(self, key: str) -> str:
        """A key as the table has it."""
        return self._redact(composed(_storable(key)))

    async def _own(self, key: str) -> Memory | None:
        found = await self._select("WHERE agent = :agent AND key = :key", key=key)
        return found[0] if found else None

    async def _has(self, word: str) -> bool:
        sql = "SELECT 1 FROM memories_text WHERE memories_text MATCH ? LIMIT 1"
        return bool(await self._database.select(sql, (match_any([word]),)))

    async def _match(self, index: str, words: str, limit: int) -> list[Memory]:
        rows = await self._database.select(
            # CROSS: the words first, then the rows that have them, never the other way round.
            f"SELECT id FROM {index} CROSS JOIN memories ON memories.id = {index}.rowid"  # noqa: S608
            f" WHERE {index} MATCH :words AND {self._seen}"
            f" ORDER BY bm25({index}, 4.0, 1.0) * {_WEIGHT}, id DESC LIMIT :limit",
            {"words": words, "agent": self._agent, "now": time(), "limit": limit},
        )
        # The rows themselves only of those that are wanted: all that match would be sorted with their values.
        return [memory for (key,) in rows for memory in await self._select("WHERE id = :id", id=key)]

    async def _with_signs(self, signs: str, limit: int) -> list[Memory]:
        """The memories that have one of the signs, those with more of them first: no index knows any."""
        having = " + ".join(
            f"(instr(key || value, substr(:signs, {at}, 1)) > 0)" for at in range(1, len(signs) + 1)
        )
        # What is ASCII alone has no text of its own for the index, and no such sign.
        beyond = "(key_words IS NOT NULL OR value_words IS NOT NULL)"
        best = f"SELECT id FROM memories WHERE {self._seen} AND {beyond} AND {having} > 0"  # noqa: S608
        order = f"ORDER BY {having} DESC, {_USEFUL} DESC, id DESC LIMIT :limit"
        return await self._select(f"WHERE id IN ({best}) {order}", signs=signs, limit=limit)

    async def _select(self, rest: str, **values: Any) -> list[Memory]:
        rows = await self._database.select(
            f"SELECT {_COLUMNS} FROM memories {rest}",  # noqa: S608  only our words
            {"agent": self._agent, "now": time(), **values},
        )
        return [_memory(row) for row in rows]


def _storable(text: str) -> str:
    """A text to look for; half of a surrogate pair stands in no memory."""
    return text.encode("utf-8", "replace").decode()


def _memory(row: tuple[Any, ...]) -> Memory:
    key, value, category, agent, hits, version, created, updated, used = row
    return Memory(
        key=key,
        value=value,
        category=category,
        agent=agent,
        hits=hits,
        version=version,
        created=created,
        updated=updated,
        used=used,
    )
