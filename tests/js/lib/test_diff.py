"""lib.diff: the least changes, and patches that turn one text into the other."""

import random
import re
from typing import Any

from tests.js.conftest import Evaluate

HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@\n")
NO_END = "\\ No newline at end of file\n"


def split(text: str) -> list[str]:
    return re.findall(r"[^\n]*\n|[^\n]+$", text)


def apply(before: str, patch: str) -> str:
    """What `patch` would make of the text; fails where the patch does not fit it."""
    old, new, at = split(before), list[str](), 0
    lines = split(patch)[2:]
    place = 0
    while place < len(lines):
        found = HUNK.match(lines[place])
        assert found, lines[place]
        start, count = int(found[1]), int(found[2] or 1)
        first = start if count == 0 else start - 1
        assert first >= at
        new += old[at:first]
        at = first
        place += 1
        taken, made = at, len(new)
        assert made == int(found[3]) - (0 if found[4] == "0" else 1)
        while place < len(lines) and not lines[place].startswith("@@"):
            sign, line = lines[place][0], lines[place][1:]
            if place + 1 < len(lines) and lines[place + 1] == NO_END:
                line, place = line[:-1], place + 1
            if sign in " -":
                assert old[at] == line
                at += 1
            if sign in " +":
                new.append(line)
            place += 1
        assert at - taken == count
        assert len(new) - made == int(found[4] or 1)
    return "".join(new + old[at:])


def shortest(before: list[str], after: list[str]) -> int:
    """How many lines at least must go or come: by the longest common subsequence."""
    row = [0] * (len(after) + 1)
    for line in before:
        last = row
        row = [0]
        for at, other in enumerate(after):
            row.append(last[at] + 1 if line == other else max(last[at + 1], row[at]))
    return len(before) + len(after) - 2 * row[-1]


async def test_a_change_is_shown_with_what_stands_around_it(evaluate: Evaluate) -> None:
    before = "".join(f"{number}\n" for number in range(1, 11))
    after = before.replace("5\n", "five\n5b\n").replace("10\n", "10")
    told = await evaluate(
        "return lib.diff.unified(p.a, p.b, { from: 'a.txt', to: 'b.txt', context: 1 })",
        {"a": before, "b": after},
    )
    assert told == (
        "--- a.txt\n+++ b.txt\n@@ -4,3 +4,4 @@\n 4\n-5\n+five\n+5b\n 6\n"
        "@@ -9,2 +10,2 @@\n 9\n-10\n+10\n\\ No newline at end of file\n"
    )


async def test_lines_and_counts_are_given_as_data(evaluate: Evaluate) -> None:
    told = await evaluate("""
        return [lib.diff.lines('a\\r\\nb\\n', 'b\\nc\\n'), lib.diff.count('a\\nb\\n', 'b\\nc\\n'),
            lib.diff.unified('x', 'x'),
                lib.diff.unified('', 'a\\n'), lib.diff.unified('a\\n', ''), lib.diff.count('', '')];
    """)
    assert told == [
        [{"kind": "removed", "line": "a"}, {"kind": "same", "line": "b"}, {"kind": "added", "line": "c"}],
        {"added": 1, "removed": 1, "same": 1},
        "",
        "--- before\n+++ after\n@@ -0,0 +1 @@\n+a\n",
        "--- before\n+++ after\n@@ -1 +0,0 @@\n-a\n",
        {"added": 0, "removed": 0, "same": 0},
    ]


async def test_every_patch_fits_and_no_change_is_needless(evaluate: Evaluate) -> None:
    chance = random.Random(7)

    def text() -> str:
        return "".join(chance.choices("abcd", k=chance.randrange(25))).replace("", "\n")[1:]

    pairs: list[Any] = []
    for _ in range(300):
        before, after = text(), text()
        pairs.append([before[: len(before) - chance.randrange(2)], after, chance.randrange(4)])
    told = await evaluate(
        "return p.pairs.map(([a, b, context]) =>"
        " [lib.diff.unified(a, b, { context }), lib.diff.count(a, b)])",
        {"pairs": pairs},
    )
    for (before, after, _), (patch, count) in zip(pairs, told, strict=True):
        assert apply(before, patch) == after
        old, new = split(before), split(after)
        assert count["added"] + count["removed"] == shortest(old, new), (before, after)
        assert count["same"] + count["removed"] == len(old)
        assert count["same"] + count["added"] == len(new)


async def test_long_texts_that_share_nothing_are_replaced_whole(evaluate: Evaluate) -> None:
    before = "".join(f"old {number}\n" for number in range(3_000))
    after = "".join(f"new {number}\n" for number in range(3_000))
    told = await evaluate(
        "return lib.diff.count('head\\n' + p.a, 'head\\n' + p.b)", {"a": before, "b": after}
    )
    assert told == {"added": 3_000, "removed": 3_000, "same": 1}


async def test_a_small_change_in_a_long_text_is_found(evaluate: Evaluate) -> None:
    lines = [f"line {number}\n" for number in range(50_000)]
    changed = [*lines[:100], "in\n", *lines[100:40_000], *lines[40_001:]]
    told = await evaluate("return lib.diff.count(p.a, p.b)", {"a": "".join(lines), "b": "".join(changed)})
    assert told == {"added": 1, "removed": 1, "same": 49_999}
