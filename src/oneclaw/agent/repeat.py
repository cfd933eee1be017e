"""Stops a model that repeats the same calls without learning anything new.

A round repeats the one before when it has the same calls, in any order, with the same results. (Calls whose
arguments differ only in what changes by itself are matched in the order of their texts.) Results are
compared without what changes by itself (`volatile`): times, durations, ids of requests. Arguments are
compared more strictly, because the model chose them: three reminders for three times that all answer "ok"
are work, and so are three users by their UUID. Of arguments only what no one chooses is left out.

Calls of tools that are there to be asked again (`ToolDefinition.polls`) are left out of a round; a round of
nothing else counts neither for nor against: the rounds around it are compared as if it had not been.
"""

from collections.abc import Callable, Sequence
from hashlib import blake2b
from json import loads
from typing import Any

from oneclaw.agent.excerpt import arguments_text
from oneclaw.agent.volatile import IN_ARGUMENTS, IN_RESULTS, LEAST_ID, Volatile, strip_volatile
from oneclaw.core.call import ToolCall, ToolResult
from oneclaw.core.trim import trim

SHOWN_CALLS = 3
SHOWN_CHARS = 200


class Repeats:
    """Counts rounds in a row that are the same. With the limit None it counts none."""

    __slots__ = ("_limit", "_pairs", "_rounds")

    def __init__(self, limit: int | None = 3) -> None:
        self._limit = limit
        self._rounds = 0
        self._pairs: list[_Pair] = []

    def count(
        self, calls: Sequence[ToolCall], results: Sequence[ToolResult], polls: Callable[[str], bool]
    ) -> bool:
        """Take in one round; True when at least `limit` rounds in a row were the same, this one the last."""
        if self._limit is None:
            return False
        pairs = [
            _Pair(call, result) for call, result in zip(calls, results, strict=True) if not polls(call.name)
        ]
        if not pairs:
            return False
        pairs.sort(key=_Pair.order)
        self._rounds = self._rounds + 1 if _are_same(pairs, self._pairs) else 1
        self._pairs = pairs
        return self._rounds >= self._limit

    def explanation(self, calls: Sequence[ToolCall]) -> str:
        """The note to the model after `count` returned True."""
        keys = {pair.call_key for pair in self._pairs}
        repeated = [call for call in calls if _call_key(call) in keys]
        shown = [f"`{call.name} {trim(arguments_text(call), SHOWN_CHARS).text}`" for call in repeated]
        more = f" and {len(shown) - SHOWN_CALLS} more" if len(shown) > SHOWN_CALLS else ""
        what, was, its, it = (
            ("call", "was", "its result", "it")
            if len(shown) == 1
            else ("calls", "were", "their results", "them")
        )
        return (
            f"The {what} {', '.join(shown[:SHOWN_CALLS])}{more} {was} made {self._rounds} times in a row"
            f" with the same outcome: {its} will not change. Do not make {it} again;"
            " answer now with what you know, and say what is missing."
        )


class _Pair:
    """A call with its result, and what they are compared by; the keys are made when asked for."""

    __slots__ = ("_call_key", "_result_key", "call", "result")

    def __init__(self, call: ToolCall, result: ToolResult) -> None:
        self.call = call
        self.result = result
        self._call_key = b""
        self._result_key = b""

    def order(self) -> tuple[str, str]:
        arguments = self.call.arguments
        try:
            return self.call.name, arguments if isinstance(arguments, str) else str(arguments)
        except (RecursionError, ValueError):  # too deep, or a number too long, to be written
            return self.call.name, ""

    @property
    def call_key(self) -> bytes:
        self._call_key = self._call_key or _call_key(self.call)
        return self._call_key

    @property
    def result_key(self) -> bytes:
        self._result_key = self._result_key or _result_key(self.result)
        return self._result_key


def _are_same(pairs: Sequence[_Pair], others: Sequence[_Pair]) -> bool:
    """Whether two rounds are the same. They stand in order; most differ in the first call already."""
    if len(pairs) != len(others):
        return False
    both = list(zip(pairs, others, strict=True))
    if any(_differ(one.result, other.result) for one, other in both):
        return False
    return all(one.call_key == other.call_key for one, other in both) and all(
        one.result_key == other.result_key for one, other in both
    )


def _differ(one: ToolResult, other: ToolResult) -> bool:
    """Whether results differ at a glance: one failed, or both are numbers too small to be a time."""
    if one.kind is not other.kind:
        return True
    value, its = one.value, other.value
    return type(value) is int and type(its) is int and value != its and value < LEAST_ID and its < LEAST_ID


def _call_key(call: ToolCall) -> bytes:
    return _digest(call.name, _read_arguments(call.arguments), IN_ARGUMENTS)


def _result_key(result: ToolResult) -> bytes:
    value = _read(result.message if result.kind is not None else result.value)
    images = "".join(blake2b(image.data, digest_size=16).hexdigest() for image in result.images)
    return _digest(f"{result.kind} {images}", value, IN_RESULTS)


def _digest(name: str, value: Any, volatile: Volatile) -> bytes:
    try:
        text = repr([name, strip_volatile(value, volatile)])
    except (RecursionError, ValueError):
        text = name  # too deep, or a number too long, to be written: such calls fail alike
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _read_arguments(arguments: Any) -> Any:
    if isinstance(arguments, bytes):
        arguments = arguments.decode("utf-8", "replace")
    if isinstance(arguments, str) and not arguments.strip():
        return {}
    return _read(arguments)


def _read(value: Any) -> Any:
    """A text that is an object or a list in JSON, as that; anything else as it is."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            return loads(value)
        except (ValueError, RecursionError):
            return value
    return value
