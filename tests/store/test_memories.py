"""Memories: kept by key with their versions, found by words, ranked, bounded, and moved as JSON."""

import asyncio
import json
import sqlite3
import subprocess
import sys
import threading
import time
import unicodedata
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from oneclaw.core.errors import InvalidMemory, StoreError
from oneclaw.core.memory import VALUE_CHARS, Memory
from oneclaw.guard.secret.redactor import SecretRedactor
from oneclaw.store import memories as module
from oneclaw.store.memories import Memories, Version
from oneclaw.store.memory_json import from_document, to_document
from oneclaw.store.sqlite import SqliteDatabase
from oneclaw.store.store import Store

DAY = 86_400.0


@pytest.fixture
def memories(database: SqliteDatabase) -> Memories:
    return Memories(database)


def keys(found: list[Memory]) -> list[str]:
    return [memory.key for memory in found]


async def aged(memories: Memories, key: str, value: str, days: float, hits: int = 0) -> None:
    """Keep a memory as if it were some days old."""
    then = time.time() - days * DAY
    memory = Memory(key=key, value=value, hits=hits, created=then, updated=then, used=then)
    assert await memories.import_all([(memory, ())]) == 1


async def test_a_memory_is_kept_and_changed_and_its_values_before_stay(
    path: Path, memories: Memories
) -> None:
    before = time.time()
    first = await memories.store("user_name", "Ada")
    assert (first.value, first.version, first.hits, first.category, first.agent) == ("Ada", 1, 0, "", "")
    await memories.store("user_name", "Ada L.", "fact")
    await memories.store("user_name", "Ada L.")  # the same again is no new version
    last = await memories.store("user_name", "Ada Lovelace")
    assert (last.value, last.version, last.category) == ("Ada Lovelace", 3, "fact")
    assert before <= first.created == last.created <= first.updated < last.updated <= time.time()
    with SqliteDatabase(path, read_only=True) as looking:
        kept = Memories(looking)
        assert await kept.get("user_name") == last
        assert [(each.version, each.value, each.category) for each in (await kept.versions(last))] == [
            (1, "Ada", ""),
            (2, "Ada L.", "fact"),
        ]


async def test_the_last_twenty_versions_are_kept(memories: Memories) -> None:
    for number in range(1, 41):
        await memories.store("count", str(number))
    memory = await memories.get("count")
    assert memory is not None
    assert memory.version == 40
    assert [each.value for each in await memories.versions(memory)] == [
        str(number) for number in range(20, 40)
    ]


async def test_what_is_forgotten_is_gone_with_its_versions_and_found_no_more(
    database: SqliteDatabase, memories: Memories
) -> None:
    await memories.store("ferry", "leaves at nine")
    await memories.store("ferry", "leaves at ten")
    assert await memories.forget("ferry")
    assert not await memories.forget("ferry")
    assert await memories.get("ferry") is None
    assert await memories.search("ferry leaves nine ten") == []
    assert await database.select("SELECT count(*) FROM memory_versions") == [(0,)]
    again = await memories.store("ferry", "cancelled")
    assert (again.version, await memories.versions(again)) == (1, [])


async def test_an_older_value_is_found_no_more(memories: Memories) -> None:
    await memories.store("pet", "a grey cat")
    await memories.store("pet", "a brown dog")
    assert await memories.search("cat") == []
    assert keys(await memories.search("dogs")) == ["pet"]


async def test_what_is_learned_twice_is_reinforced(memories: Memories) -> None:
    first = await memories.learn("Ada likes tea.", "preference")
    again = await memories.learn("ada  likes tea.", "preference")
    assert (again.key, again.hits, again.version, again.value) == (first.key, 1, 1, "Ada likes tea.")
    other = await memories.learn("Ada likes tea.", "fact")
    assert (other.category, other.hits) == ("fact", 2), "another category is taken, and it is reinforced too"
    assert len(await memories.all()) == 1
    assert keys(await memories.all(category="preference")) == []


async def test_to_reinforce_counts_and_tells_when(memories: Memories) -> None:
    stored = await memories.store("a", "1")
    memory = await memories.reinforce("a")
    assert memory is not None
    assert (memory.hits, memory.version, memory.updated) == (1, 1, stored.updated)
    assert memory.used > stored.used
    assert await memories.reinforce("b") is None


# Search


async def test_the_better_match_comes_first_then_hits_then_recency(memories: Memories) -> None:
    await aged(memories, "old", "the ferry to the island", 200)
    await aged(memories, "used", "the ferry to the island", 200, hits=20)
    await aged(memories, "new", "the ferry to the island", 0)
    await aged(memories, "best", "the ferry to the island leaves the harbour at nine", 200)
    await aged(memories, "none", "a mountain", 0, hits=20)
    assert keys(await memories.search("when does the ferry leave the harbour")) == [
        "best",
        "used",
        "new",
        "old",
    ]
    assert keys(await memories.search("ferry island"))[:3] == ["used", "new", "old"]


async def test_hits_and_recency_do_not_win_over_a_better_match(memories: Memories) -> None:
    for number in range(20):
        await memories.store(f"filler {number}", "something else")
    await aged(memories, "right", "the wifi password is in the blue book", 400)
    await aged(memories, "popular", "the blue sea", 0, hits=20)
    assert keys(await memories.search("wifi password book")) == ["right"]
    assert keys(await memories.search("blue wifi password"))[0] == "right"


async def test_the_key_itself_comes_first(memories: Memories) -> None:
    await memories.store("user_name_history", "user name user name", "name")
    await memories.store("user_name", "Ada")
    assert keys(await memories.search("user_name"))[0] == "user_name"


@pytest.mark.parametrize(
    ("value", "query"),
    [
        ("She likes hiking.", "hike"),
        ("She likes hiking.", "LIKE"),
        ("Lovelace", "love"),  # the beginning of a word
        ("café au lait", "cafe"),
        ("cafe\u0301 au lait", "CAFÉ"),
        ("私は東京に住んでいます", "東京"),
        ("我喜欢喝绿茶", "绿茶"),
        ("ฉันชอบกินข้าวผัด", "ข้าวผัด"),
        ("मुझे चाय पसंद है", "चाय"),
        ("나는 서울에 산다", "서울"),
        ("나는 서울에 산다", "서울에서"),
        ("한국음식을 좋아합니다", "음식"),
        ("Москва", "москва"),
        ("живёт в Москве", "москва"),  # another ending
        ("живёт в Москве", "живет"),
        ("ζει στην Αθήνα", "αθηνα"),
        ("أحب القهوة", "قهوة"),  # inside of a word
        ("Musikfestivals", "Festival"),
        ("Straße", "strasse"),
        ("İstanbul", "istanbul"),
        ("ＦＵＬＬ width", "full"),
        ("user@example.com", "example"),
        ("C++ and C#", "c++"),
        ("it's 20:15", "20:15"),
    ],
)
async def test_words_are_found_in_every_script(memories: Memories, value: str, query: str) -> None:
    await memories.store("x", "nothing of the kind")
    await memories.store("wanted", value)
    assert keys(await memories.search(query)) == ["wanted"]


@pytest.mark.parametrize(
    ("value", "query"),
    [
        ("用户最喜欢吃的食物是饺子", "他最喜欢的食物是什么？"),
        ("我住在上海浦东新区", "住在上海吗"),
        ("好きな食べ物は寿司です", "食べ物は何が好きですか"),
        ("ฉันชอบกินส้มตำมาก", "อาหารที่ชอบ"),
        ("저는 한국음식을 좋아합니다", "좋아하는 음식은 무엇입니까"),
        ("我住在上海", "饺子、上海"),
        ("the ferry at nine", "boat—ferry"),
    ],
)
async def test_a_question_finds_what_has_only_some_of_its_words(
    memories: Memories, value: str, query: str
) -> None:
    await memories.store("x", "nothing of the kind 没有这样的东西 ไม่มีอะไร")
    await memories.store("wanted", value)
    assert keys(await memories.search(query))[0] == "wanted"


async def test_parts_of_words_count_only_for_words_that_stand_nowhere(memories: Memories) -> None:
    await memories.store("tea", "likes raw honey in tea")
    await memories.store("berry", "likes strawberries")
    assert keys(await memories.search("raw")) == ["tea"]
    assert keys(await memories.search("traw")) == ["berry"]
    assert await memories.search("aw") == [], "two letters stand in every word"


async def test_what_another_program_forgets_while_it_is_found_is_left_out(
    database: SqliteDatabase, memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    await memories.store("one", "tea")
    await memories.store("two", "tea")
    select = database.select

    async def and_forget(sql: str, values: Any = ()) -> list[Any]:
        rows = await select(sql, values)
        if "MATCH" in sql:
            with closing(sqlite3.connect(database.path)) as other, other:
                other.execute("DELETE FROM memories WHERE key = 'one'")
        return rows

    monkeypatch.setattr(database, "select", and_forget)
    assert keys(await memories.search("tea")) == ["two"]


async def test_letters_in_another_order_are_another_word(memories: Memories) -> None:
    await memories.store("a", "京東")
    assert await memories.search("東京") == []


async def test_without_words_the_most_useful_are_given(memories: Memories) -> None:
    await aged(memories, "old", "1", 300)
    await aged(memories, "new", "2", 0)
    await aged(memories, "hit", "3", 10, hits=5)
    for query in ("", "  ", "???", '"', "*"):
        assert keys(await memories.search(query)) == ["hit", "new", "old"]
    assert keys(await memories.useful(2)) == ["hit", "new"]


QUERIES = [
    *(
        '"',
        "'",
        "*",
        "a*",
        "^a",
        "a AND",
        "NOT a",
        "a OR",
        "NEAR(a b)",
        "NEAR/2",
        "key:a",
        "name: a",
        "-a",
        "+",
    ),
    *("(", ")", "a)", "{a b}:c", "\\", "a;DROP TABLE memories", "\0", "a\0b", "\ud800", "%", "_", "😀", "¿?"),
    *("memories_text", "rank", "a" * 100_000, "a " * 50_000, '"a" "b', "a' OR '1'='1", "\u202e", "ﷺ" * 500),
]


@pytest.mark.parametrize("query", QUERIES, ids=lambda query: repr(query)[:20])
async def test_no_query_is_read_as_a_language(memories: Memories, query: str) -> None:
    await memories.store("a", "b")
    assert isinstance(await memories.search(query), list)
    assert keys(await memories.all()) == ["a"]


async def test_read_as_a_language_such_a_query_would_fail(
    memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    def as_it_is(query: str) -> list[str]:
        return [query]

    monkeypatch.setattr(module, "words_of", as_it_is)
    monkeypatch.setattr(module, "match_any", " ".join)
    for query in ('"', "a AND", "NEAR(", "key:a"):
        with pytest.raises(StoreError):
            await memories.search(query)


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(min_size=1, max_size=60), st.text(max_size=60))
async def test_any_text_is_kept_exactly_and_found_by_its_key(
    memories: Memories, text: str, query: str
) -> None:
    try:
        await memories.store(text[:200], text)
    except InvalidMemory:
        return
    found = await memories.get(text)
    assert found is not None
    assert (found.key, found.value) == (unicodedata.normalize("NFC", text), text)
    assert await memories.search(text, 1) == [found]
    await memories.search(query)
    assert await memories.forget(text)


async def test_the_index_holds_what_the_table_holds_after_many_changes(
    database: SqliteDatabase, memories: Memories
) -> None:
    texts = ["東京 tower", "a\0b nul", "ＦＵＬＬ", "plain words", "café"]
    for round_ in range(3):
        for number, text in enumerate(texts):
            await memories.store(f"キー{number}", f"{text} {round_}")
    for number in range(len(texts)):
        assert await memories.forget(f"キー{number}")
    for word in ("東京", "tower", "nul", "full", "plain", "cafe", "キー", "2"):
        assert await memories.search(word) == []
    assert (await database.find_faults(60))[0] == []


async def test_keys_that_look_the_same_are_one(memories: Memories) -> None:
    await memories.store("cafe\u0301", "first")
    assert (await memories.store("café", "second")).version == 2
    for key in ("cafe\u0301", "café"):
        assert await memories.reinforce(key) is not None
        assert keys(await memories.search(key)) == ["café"]
    assert await memories.import_all(from_document({"cafe\u0301": "third"})) == 1
    assert [memory.value for memory in await memories.all()] == ["third"]
    assert (await memories.learn("Cafe\u0301 opens at nine", "fact")).hits == 0
    assert (await memories.learn("Café opens at nine", "fact")).hits == 1
    assert await memories.forget("cafe\u0301")


# Limits and secrets


async def test_one_memory_too_many_is_refused_and_changes_go_on(database: SqliteDatabase) -> None:
    memories = Memories(database, most=3)
    for number in range(3):
        await memories.store(f"key {number}", "v")
    with pytest.raises(InvalidMemory, match="holds 3 memories at most; forget some"):
        await memories.store("key 3", "v")
    assert (await memories.store("key 1", "other")).version == 2
    assert await memories.forget("key 0")
    await memories.store("key 3", "v")
    # The same database without that bound takes it: nothing else kept it out.
    await Memories(database).store("key 4", "v")


async def test_ten_thousand_memories_are_the_most(database: SqliteDatabase, memories: Memories) -> None:
    await database.write(
        "INSERT INTO memories (agent, key, category, hits, version, created, updated, used, value)"
        " WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)"
        " SELECT '', 'key ' || i, '', 0, 1, 0, 0, 0, 'value ' || i FROM n"
    )
    with pytest.raises(InvalidMemory, match="10,000 memories at most"):
        await memories.store("one more", "v")
    assert keys(await memories.search("value 7777", 1)) == ["key 7777"]


async def test_known_secrets_are_not_kept(database: SqliteDatabase) -> None:
    redactor = SecretRedactor({"API_KEY": "correct-horse-battery"})
    memories = Memories(database, redactor.redact)
    stored = await memories.store("my correct-horse-battery", "it is correct-horse-battery")
    assert (stored.key, stored.value) == ("my [redacted:API_KEY]", "it is [redacted:API_KEY]")
    learned = await memories.learn("correct-horse-battery works", "fact")
    assert "horse" not in learned.key + learned.value
    assert learned.key in keys(await memories.search("correct-horse-battery")), "found by what stands for it"
    assert await memories.forget("my correct-horse-battery")
    assert "horse" not in str(await database.select("SELECT * FROM memories"))
    await Memories(database).store("k", "correct-horse-battery")  # and without the redactor it is
    assert "horse" in str(await database.select("SELECT * FROM memories"))
    # One that became known later is at least not told.
    assert all("horse" not in memory.value for memory in await memories.useful())


async def test_what_is_refused_changes_nothing(memories: Memories) -> None:
    await memories.store("k", "v")
    for value in ("", "x" * (VALUE_CHARS + 1), "\ud800"):
        with pytest.raises(InvalidMemory):
            await memories.store("k", value)
    memory = await memories.get("k")
    assert memory is not None
    assert (memory.value, memory.version) == ("v", 1)


# Whose they are


async def test_an_agent_s_own_memories_are_seen_by_it_alone(memories: Memories) -> None:
    clerk, cook = memories.of("clerk"), memories.of("cook")
    await memories.store("town", "Lisbon, by the river")
    await clerk.store("town", "Porto, by the river")
    await clerk.store("code", "by heart")
    assert [(m.key, m.value) for m in await memories.all()] == [("town", "Lisbon, by the river")]
    assert {(m.key, m.value) for m in (await clerk.all())} == {
        ("code", "by heart"),
        ("town", "Porto, by the river"),
    }
    assert keys(await cook.search("river heart")) == ["town"]
    assert [m.value for m in (await clerk.search("river"))] == ["Porto, by the river"]
    assert keys(await cook.useful()) == ["town"]
    assert {m.agent for m in (await clerk.useful())} == {"clerk"}
    assert not await cook.forget("code")
    assert not await cook.forget("town")  # it is everybody's
    shared = await cook.reinforce("town")
    assert shared is not None
    assert (shared.agent, shared.hits) == ("", 1)
    assert await clerk.forget("town")
    assert [m.value for m in (await clerk.search("river"))] == ["Lisbon, by the river"]


async def test_pictures_and_other_signs_are_found_by_themselves(memories: Memories) -> None:
    await memories.store("pets", "a 🐈 and a 🐕")
    await memories.store("family", "👨\u200d👩\u200d👧 in the café")
    await memories.store("walks", "the 🐕 at nine")
    await memories.store("words", "no picture at all")
    assert keys(await memories.search("🐈")) == ["pets"]
    assert keys(await memories.search("🐈 🐕")) == ["pets", "walks"], "what has more of them first"
    assert keys(await memories.search("👨\u200d👩\u200d👧")) == ["family"]
    assert keys(await memories.search("café 🐕")) == ["family", "walks", "pets"], "what has a word before"
    assert await memories.search("🚀") == [], "what is nowhere is not found"
    assert len(await memories.search("?!*")) == 4, "without a word and a sign, the most useful"
    assert keys(await memories.of("own").search("🐈")) == ["pets"]


# Export and import


async def test_an_export_is_imported_as_it_was(memories: Memories, tmp_path: Path) -> None:
    await memories.store("nul\0\n", "a\0b \U0001f600 \u202e", "fact")
    await memories.store("nul\0\n", "second", "fact")
    await memories.reinforce("nul\0\n")
    await memories.of("clerk").store("own", "secret recipe")
    document = json.loads(json.dumps(await to_document(memories)))
    with Store(tmp_path / "other.db") as store:
        assert await store.memories.import_all(from_document(document)) == 2
        assert await to_document(store.memories) == document
        assert await store.memories.import_all(from_document(document)) == 0
        assert await to_document(store.memories) == document
        assert keys(await store.memories.search("second")) == ["nul\0\n"]


async def test_of_two_with_one_key_the_later_is_kept_and_the_other_is_its_version(memories: Memories) -> None:
    await aged(memories, "a", "yesterday", 1)
    now = replace((await memories.all())[0], value="today", updated=time.time(), hits=3)
    before = replace((await memories.all())[0], value="last week", updated=time.time() - 7 * DAY)
    assert await memories.import_all([(before, ())]) == 0
    assert await memories.import_all([(now, ())]) == 1
    memory = (await memories.all())[0]
    assert (memory.value, memory.hits) == ("today", 3)
    assert [version.value for version in await memories.versions(memory)] == ["yesterday"]


async def test_a_plain_object_of_keys_and_values_is_imported(memories: Memories) -> None:
    assert await memories.import_all(from_document({"name": "Ada", "town": "London"})) == 2
    assert abs((await memories.all())[0].updated - time.time()) < 60


OURS = "oneclaw memories"
GOOD = {"key": "a", "value": "b"}
WRONG_FIELDS: list[dict[str, Any]] = [
    *(
        {"key": ""},
        {"value": "x" * 10_001},
        {"hits": "1"},
        {"hits": True},
        {"version": -1},
        {"updated": "now"},
    ),
    *({"updated": 1e300}, {"key": "\ud800"}, {"versions": [1]}, {"versions": [{}]}, {"versions": {"a": 1}}),
    *({"versions": [{"version": 1, "value": ""}]}, {"versions": 3}, {"category": None}),
    *({"updated": 1e12}, {"versions": [{"version": 1, "value": "x", "created": 1e12}]}),
    *({"agent": "\ud800"}, {"agent": "a\nb"}, {"agent": "a" * 201}),
]
WRONG: list[Any] = [
    *([], "x", None, 3, {"a": 1}, {"format": OURS}),
    *({"format": OURS, "memories": [GOOD, wrong]} for wrong in (1, {}, {"key": "a"})),
    *({"format": OURS, "memories": [GOOD, {**GOOD, "key": "c", **wrong}]} for wrong in WRONG_FIELDS),
    {"format": OURS, "memories": {}},
]


@pytest.mark.parametrize("document", WRONG, ids=lambda document: repr(document)[-60:])
async def test_of_a_wrong_document_nothing_is_taken(memories: Memories, document: Any) -> None:
    with pytest.raises(InvalidMemory):
        await memories.import_all(from_document(document))
    assert await memories.everyone() == []


async def test_more_than_there_is_room_for_is_not_begun(database: SqliteDatabase) -> None:
    memories = Memories(database, most=2)
    await memories.store("a", "1")
    with pytest.raises(InvalidMemory, match="full"):
        await memories.import_all(from_document({"b": "2", "c": "3"}))
    assert keys(await memories.all()) == ["a"]
    assert await memories.import_all(from_document({"a": "2", "c": "3"})) == 2


async def test_versions_of_an_import_without_a_place_are_left(memories: Memories) -> None:
    memory = Memory(key="a", value="now", version=2)
    versions = [Version(1, 1.0, "", "then"), Version(9, 1.0, "", "never")]
    await memories.import_all([(memory, versions)])
    assert [each.value for each in await memories.versions(memory)] == ["then"]


async def test_of_the_versions_of_an_import_the_last_twenty_are_kept(memories: Memories) -> None:
    memory = Memory(key="a", value="now", version=101)
    await memories.import_all([(memory, [Version(number, 1.0, "", "then") for number in range(1, 101)])])
    assert [each.version for each in await memories.versions(memory)] == list(range(81, 101))


async def test_of_two_with_one_key_in_a_file_the_later_is_kept(memories: Memories) -> None:
    two = [
        Memory(key="a", value=value, updated=updated) for value, updated in (("later", 2.0), ("first", 1.0))
    ]
    assert await memories.import_all([(each, ()) for each in two]) == 1
    assert [each.value for each in await memories.all()] == ["later"]


async def test_known_secrets_of_an_import_are_not_kept(database: SqliteDatabase) -> None:
    secret = "hunter2-hunter2"
    memories = Memories(database, SecretRedactor({"PASSWORD": secret}).redact)
    memory = Memory(key=f"k {secret}", value=secret, category=secret, version=2)
    await memories.import_all([(memory, [Version(1, 1.0, secret, secret)])])
    assert secret not in json.dumps(await to_document(memories))


async def test_a_wrong_memory_of_a_file_is_named_by_its_number() -> None:
    document = {"good": "1", "long": "x" * 10_001}
    with pytest.raises(InvalidMemory, match=r"Memory 2 of the file: The value .* 10,001 characters"):
        from_document(document)


STOPPED = """
import asyncio, sys
from oneclaw.store.memory_json import from_document
from oneclaw.store.store import Store

def halt():
    print("inside", flush=True)
    sys.stdin.readline()

async def main(path):
    with Store(path) as store:
        connection = store.database._writer._connection
        connection.create_function("halt", 0, halt)
        connection.execute(
            "CREATE TEMP TRIGGER stop BEFORE INSERT ON memories WHEN new.key = 'last'"
            " BEGIN SELECT halt(); END"
        )
        await store.memories.import_all(from_document({"first": "1", "second": "2", "last": "3"}))

asyncio.run(main(sys.argv[1]))
"""


async def test_an_import_that_is_killed_half_way_leaves_nothing(path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", STOPPED, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == "inside\n"
        program.kill()
    with Store(path) as store:
        assert await store.memories.everyone() == []
        assert await store.memories.import_all(from_document({"first": "1", "last": "3"})) == 2


async def test_an_import_that_fails_half_way_leaves_nothing(
    database: SqliteDatabase, memories: Memories
) -> None:
    await database.write(
        "CREATE TRIGGER stop BEFORE INSERT ON memories WHEN new.key = 'last'"
        " BEGIN SELECT raise(ABORT, 'no room'); END"
    )
    with pytest.raises(StoreError, match="no room"):
        await memories.import_all(from_document({"first": "1", "last": "3"}))
    assert await memories.everyone() == []
    assert (await memories.store("first", "1")).version == 1, "the writer goes on"


async def test_an_import_that_is_cancelled_leaves_nothing(
    database: SqliteDatabase, memories: Memories
) -> None:
    inside, go_on = threading.Event(), threading.Event()

    def halt() -> None:
        inside.set()
        go_on.wait(60)

    connection = database._writer._connection  # pyright: ignore
    connection.create_function("halt", 0, halt)  # pyright: ignore
    connection.execute(  # pyright: ignore
        "CREATE TEMP TRIGGER stop BEFORE INSERT ON memories WHEN new.key = 'second' BEGIN SELECT halt(); END"
    )
    found = from_document({"first": "1", "second": "2", "last": "3"})
    importing = asyncio.ensure_future(memories.import_all(found))
    await asyncio.to_thread(inside.wait, 60)
    importing.cancel()
    for _ in range(5):  # until it has been told
        await asyncio.sleep(0)
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await importing
    assert await memories.everyone() == []
    assert (await memories.store("first", "1")).version == 1, "the writer goes on"


# Two programs at once

WRITER = """
import asyncio, sys
from oneclaw.store.store import Store

async def main(path, name):
    with Store(path) as store:
        print("ready", flush=True)
        sys.stdin.readline()
        for number in range(100):
            await store.memories.store("shared", f"{name} {number}")
            await store.memories.reinforce("counted")
            await store.memories.store(f"{name} {number}", f"only of {name}")

asyncio.run(main(sys.argv[1], sys.argv[2]))
"""


async def test_two_programs_lose_neither_a_version_nor_a_hit(path: Path) -> None:
    with Store(path) as store:
        await store.memories.store("counted", "x")
        programs = [
            subprocess.Popen(
                [sys.executable, "-c", WRITER, str(path), name],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            for name in ("one", "two")
        ]
        for program in programs:
            assert program.stdout is not None
            assert program.stdout.readline() == "ready\n"
        for program in programs:
            assert program.stdin is not None
            program.stdin.write("go\n")
            program.stdin.flush()
        for program in programs:
            program.communicate(timeout=60)
            assert program.returncode == 0
        shared, counted = await store.memories.get("shared"), await store.memories.get("counted")
        assert shared is not None
        assert counted is not None
        assert (shared.version, counted.hits) == (200, 200)
        versions = await store.memories.versions(shared)
        assert [each.version for each in versions] == list(range(180, 200))
        assert len(await store.memories.everyone()) == 202
        assert keys(await store.memories.search("two 77", 1)) == ["two 77"]
        assert (await store.database.find_faults(60))[0] == []
