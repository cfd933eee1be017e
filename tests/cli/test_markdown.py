"""Text as it comes, cut into blocks that what follows cannot change."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oneclaw.cli import markdown
from oneclaw.cli.markdown import MOST_CHARS, TAIL_CHARS, Blocks, markdown_console, rendered, tail

ANSWER = """\
# Title

First paragraph
on two lines.

1. one

   more of one
2. two

3. three

After the list:
```python
x = 1

y = 2
```
- a
- b

~~~
``` not the end
~~~

| a | b |
|---|---|
| 1 | 2 |

The end.
"""
BLOCKS = [
    "# Title",
    "First paragraph\non two lines.",
    "1. one\n\n   more of one\n2. two\n\n3. three",
    "After the list:",
    "```python\nx = 1\n\ny = 2\n```",
    "- a\n- b",
    "~~~\n``` not the end\n~~~",
    "| a | b |\n|---|---|\n| 1 | 2 |",
    "The end.",
]


def cut(text: str, sizes: random.Random) -> list[str]:
    blocks = Blocks()
    whole: list[str] = []
    while text:
        size = sizes.randint(1, 12)
        whole += blocks.add(text[:size])
        text = text[size:]
    return [*whole, blocks.flush()]


@pytest.mark.parametrize("seed", range(20))
def test_blocks_are_the_same_however_the_text_comes(seed: int) -> None:
    assert [each.strip("\n") for each in cut(ANSWER, random.Random(seed))] == BLOCKS


@given(st.text("ab `~#-*\n1.|", max_size=300), st.integers())
def test_nothing_is_lost_and_nothing_said_twice(text: str, seed: int) -> None:
    parts = "".join(cut(text, random.Random(seed)))
    assert "".join(parts.split()) == "".join(text.split())


def test_a_block_that_never_ends_is_given_out_in_pieces() -> None:
    blocks = Blocks()
    pieces = blocks.add("```\n" + "x = 1\n" * MOST_CHARS)
    assert len(pieces) > 3
    assert all(piece.startswith("```\n") and piece.endswith("```\n") for piece in pieces)
    assert max(map(len, pieces)) < 2 * MOST_CHARS
    assert sum(piece.count("x = 1\n") for piece in pieces) + blocks.open.count("x = 1\n") == MOST_CHARS


def test_the_end_of_an_open_block_is_short_and_stays_code() -> None:
    assert tail("a\nb", 5) == "a\nb"
    code = "```python\n" + "".join(f"line {number}\n" for number in range(1000))
    shown = tail(code, 5)
    assert shown.startswith("```python\n")
    assert shown.endswith("line 999\n")
    assert shown.count("\n") == 6
    assert len(tail("x" * 100_000, 5)) == TAIL_CHARS


HOSTILE = "a&#x202e;b &rlm; \x1b[31m \x9b [link](http://x.example/&#8203;) `\u200b` &ZeroWidthSpace;"


def test_what_markdown_spells_by_number_is_escaped_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def shown() -> str:
        return "".join(each.text for each in rendered(HOSTILE, markdown_console()).segments)

    unseen = ("\u202e", "\u200f", "\x1b", "\x9b", "\u200b")
    assert not any(char in shown() for char in unseen)
    assert "\\u202e" in shown()
    monkeypatch.setattr(markdown, "printable", lambda text: text)  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    assert "\u202e" in shown()


def test_a_link_shows_where_it_leads_and_is_none() -> None:
    segments = rendered("[bank](http://evil.example)", markdown_console()).segments
    assert "http://evil.example" in "".join(each.text for each in segments)
    assert not any(each.style and each.style.link for each in segments)


def test_lines_are_not_filled_up_to_the_edge() -> None:
    text = "".join(each.text for each in rendered("- one\n- two\n\n> three", markdown_console()).segments)
    assert all(line == line.rstrip() for line in text.split("\n"))
