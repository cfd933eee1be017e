"""Trimming holds what belongs together as far as it can, and never splits a code point."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from tests.corpus.conftest import Judged, Rows, some

from oneclaw import App, Config, ToolCall, tool
from oneclaw.core.trim import safe_cut, trim
from oneclaw.core.value import readable

How = Literal["head", "middle"]
FORMS: tuple[How, ...] = ("head", "middle")


def texts(rows: Rows) -> Iterator[tuple[str, str, list[str]]]:
    """Each row, alone and between letters: its id, the text and its clusters; some hold half of a pair."""
    for row in rows("grapheme_clusters"):
        clusters = ["".join(map(chr, points)) for points in row["clusters"]]
        for around in ([*clusters], ["a", *clusters, "b"]):
            yield row["id"], "".join(around), around


def long_text(rows: Rows) -> str:
    """All of the rows, as often as it takes to be cut."""
    found = [text for _, text, _ in texts(rows) if is_encodable(text)]
    whole = "".join(some(found, "text that can be written"))
    return whole * (1 + 1_000 // len(whole))


def ends(clusters: list[str]) -> set[int]:
    """The places between clusters."""
    place, found = 0, {0}
    for cluster in clusters:
        place += len(cluster)
        found.add(place)
    return found


def is_encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def halves(text: str) -> str:
    """The text as a program that counts UTF-16 units has it: each pair as two characters."""
    data = text.encode("utf-16-be", "surrogatepass")
    return "".join(chr(int.from_bytes(data[at : at + 2], "big")) for at in range(0, len(data), 2))


def test_a_cut_anywhere_leaves_two_texts_that_are_whole(rows: Rows, judged: Judged) -> None:
    split = naive = places = 0
    for name, text, clusters in texts(rows):
        with judged(name):
            for at in range(len(text) + 1):
                cut = safe_cut(text, at)
                assert 0 <= cut <= at
                if is_encodable(text):
                    assert is_encodable(text[:cut])
                    assert is_encodable(text[cut:])
                places += 1
                split += cut not in ends(clusters)
                naive += at not in ends(clusters)
    print(f"of {places:,} cuts {split:,} fall inside a cluster; without looking {naive:,} would")
    assert split <= naive


def test_the_two_halves_of_a_pair_stay_together(rows: Rows, judged: Judged) -> None:
    for name, text, _ in texts(rows):
        with judged(name):
            apart = halves(text)
            for at in range(len(apart) + 1):
                cut = safe_cut(apart, at)
                assert joined(apart[:cut]) + joined(apart[cut:]) == text


def test_a_cut_anywhere_would_tear_a_pair() -> None:
    apart = halves("\U0001f44d")
    assert joined(apart[:1]) + joined(apart[1:]) != "\U0001f44d"


def test_the_end_of_a_long_text_begins_with_a_whole_character(rows: Rows) -> None:
    whole = long_text(rows)
    apart = halves(whole)
    for chars in range(200, 400):
        for text in (whole, apart):
            tail = trim(text, chars, "middle").text.partition(")\n\n")[2]
            assert text.endswith(tail)
            assert is_encodable(joined(tail))


def joined(text: str) -> str:
    return text.encode("utf-16-be", "surrogatepass").decode("utf-16-be", "surrogatepass")


def test_what_is_shown_of_a_long_text_can_be_written_and_fits(rows: Rows) -> None:
    whole = long_text(rows)
    for how in FORMS:
        for chars in range(120, 400):
            cut = trim(whole, chars, how)
            assert len(cut.text) <= chars
            assert is_encodable(cut.text)
            assert cut.truncated_from == len(whole)
            head, _, tail = cut.text.partition("\n\n(Cut: ")
            assert whole.startswith(head)
            if how == "middle":
                assert whole.endswith(tail.partition(")\n\n")[2])


async def test_no_row_is_torn_on_its_way_through_the_app(rows: Rows, tmp_path: Path, judged: Judged) -> None:
    names, found, _ = zip(*some(list(texts(rows)), "rows"), strict=True)

    @tool(effect="read", chars=150)
    async def give(number: int) -> str:
        """Give one of them, many times over."""
        return found[number] * 100

    @tool(effect="read", chars=150, trim="middle", spill=False)
    async def give_ends(number: int) -> str:
        """The same, with the middle left out."""
        return found[number] * 100

    async with App(Config(home=tmp_path), tools=[give, give_ends]) as app:
        for number, text in enumerate(found):
            with judged(names[number]):
                for name in ("give", "give_ends"):
                    result = await app.engine.call(ToolCall(name, {"number": number}))
                    shown = json.loads(result.to_json().encode())["result"]
                    assert len(shown) <= 150
                    assert readable(text * 100).startswith(shown.partition("\n\n(Cut: ")[0])
