"""ToolIndex: finds tools by words (BM25 over names, descriptions and parameters)."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from heapq import nlargest
from math import log
from typing import Any, cast

from oneclaw.core.tool import ToolDefinition

_K, _B = 1.2, 0.75
_NAME_WEIGHT = 3
_WORD = re.compile(r"[a-z]+|[0-9]+|[^\W\d_]+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_DEPTH = 4
_COMMON = frozenset(
    re.findall(
        r"\w+",
        "a an and are as at be by can for from has have i if in is it its me my of on or that the this to was"
        " what which will with you your",
    )
)


class ToolIndex:
    """The words of tools, each with the tools that have it and how much it says of them."""

    def __init__(self, tools: Iterable[ToolDefinition]) -> None:
        self.tools = tuple(tools)
        self._scores: dict[str, list[tuple[int, float]]] = defaultdict(list)
        counted = [Counter(_words_of(tool)) for tool in self.tools]
        lengths = [sum(counts.values()) for counts in counted]
        average = sum(lengths) / len(lengths) if lengths else 1.0
        found = Counter(word for counts in counted for word in counts)
        for number, counts in enumerate(counted):
            norm = _K * (1 - _B + _B * lengths[number] / average)
            for word, count in counts.items():
                rare = log(1 + (len(counted) - found[word] + 0.5) / (found[word] + 0.5))
                self._scores[word].append((number, rare * count * (_K + 1) / (count + norm)))

    def search(self, text: str, most: int = 5) -> list[ToolDefinition]:
        """The tools that fit a text best, best first."""
        scores: dict[int, float] = defaultdict(float)
        for word in dict.fromkeys(_words(text)):
            for number, score in self._scores.get(word, ()):
                scores[number] += score
        best = nlargest(most, scores.items(), key=lambda pair: (pair[1], -pair[0]))
        return [self.tools[number] for number, _ in best]


def _words_of(tool: ToolDefinition) -> Iterator[str]:
    for word in _words(f"{tool.name} {tool.label_in()}"):
        yield from (word,) * _NAME_WEIGHT
    yield from _words(tool.description)
    yield from _parameter_words(tool.parameters, _DEPTH)


def _parameter_words(schema: Mapping[str, Any], depth: int) -> Iterator[str]:
    properties = schema.get("properties")
    if not isinstance(properties, Mapping) or not depth:
        return
    for name, inner in cast("Mapping[str, Any]", properties).items():
        yield from _words(name)
        if isinstance(inner, Mapping):
            within = cast("Mapping[str, Any]", inner)
            yield from _words(str(within.get("description", "")))
            yield from _parameter_words(within, depth - 1)


def _words(text: str) -> Iterator[str]:
    for word in _WORD.findall(_HUMP.sub(" ", text).lower()):
        if word not in _COMMON:
            yield _stem(word)


def _stem(word: str) -> str:
    """A word without its usual English endings, so that `files` finds `file`."""
    for ending, instead in (("ies", "y"), ("ing", ""), ("ed", ""), ("es", "e"), ("s", "")):
        if word.endswith(ending) and len(word) - len(ending) > 2 and not word.endswith("ss"):
            return (word[: -len(ending)] + instead).rstrip("e")
    return word.rstrip("e") if len(word) > 3 else word
