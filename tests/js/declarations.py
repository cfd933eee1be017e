"""Declarations as a reader of TypeScript would take them apart."""

import re


def check(text: str, words: set[str] | None = None) -> None:
    """Everything shows; without comments and strings, brackets pair and only known words are left."""
    assert all(line.isprintable() for line in text.split("\n"))
    bare = "\n".join(re.sub(r'"(?:[^"\\]|\\.)*"|//.*', "0", line) for line in text.split("\n"))
    closes = {")": "(", "]": "[", "}": "{"}
    stack: list[str] = []
    for char in bare:
        if char in "([{":
            stack.append(char)
        elif char in ")]}":
            assert stack.pop() == closes[char], text
    assert not stack, text
    assert not set(bare) & set("`'\\*/"), text
    if words is not None:
        assert set(re.findall(r"[A-Za-z_]+", bare)) <= words, text
