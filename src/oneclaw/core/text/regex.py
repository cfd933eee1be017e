"""Regular expressions in linear time (RE2)."""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol, cast

MOST_CHARS = 1_000
MOST_INSTRUCTIONS = 1_000
_PIECE_BYTES = 64 * 1024
_LINE_BYTES = 1024 * 1024  # a longer line is searched in parts, or a heavy pattern could not be stopped in it
# What means another thing in one line than in a text of many lines.
_ONLY_IN_A_LINE = re.compile(r"\\[Az]|\(\?[imsU]*-")


class InvalidPattern(Exception):
    """A pattern that cannot be used; the text says why."""


class Match(Protocol):
    """The used part of RE2's match interface."""

    def start(self) -> int: ...

    def end(self) -> int: ...


class Regex(Protocol):
    """The used part of RE2's pattern interface."""

    def search(self, text: bytes, pos: int | None = None, endpos: int | None = None) -> Match | None: ...


class MatchedLine(NamedTuple):
    """A line that matches: where it starts and ends in the text, and where in it the match begins."""

    start: int
    end: int
    column: int


class LinePattern:
    """A pattern that is looked for in each line of a text on its own."""

    __slots__ = ("_is_only_in_a_line", "_regex")

    def __init__(self, pattern: str, *, ignore_case: bool = False) -> None:
        self._regex = _compile(pattern, ignore_case)
        self._is_only_in_a_line = _ONLY_IN_A_LINE.search(pattern) is not None

    def find(self, text: bytes) -> Iterator[MatchedLine | None]:
        """The lines of UTF-8 text that match, in order; None now and then, so that the caller can stop."""
        pos, last = 0, len(text) - text.endswith(b"\n")  # the last line end has no line behind it
        while pos <= last and text:
            end = _end_of_line(text, pos if self._is_only_in_a_line else pos + _PIECE_BYTES)
            end = min(last, end, pos + _LINE_BYTES)
            yield None
            yield from self._find_in_piece(text, pos, end)
            pos = end + 1 if end == last or text[end : end + 1] == b"\n" else end

    def _find_in_piece(self, text: bytes, pos: int, end: int) -> Iterator[MatchedLine]:
        # A piece is searched at once: the lines without a match, which are the most, cost nothing each.
        while pos <= end:
            match = None if self._is_only_in_a_line else self._regex.search(text, pos, end)
            if match is None and not self._is_only_in_a_line:
                return
            at = match.start() if match else pos
            start, stop = max(pos, text.rfind(b"\n", pos, at) + 1), min(end, _end_of_line(text, at))
            if match and match.end() <= stop:
                yield MatchedLine(start, stop, at - start)
            else:  # it reaches over the end of the line, and only a match within the line counts
                match = self._regex.search(text[start:stop])
                if match:
                    yield MatchedLine(start, stop, match.start())
            pos = stop + 1


def _end_of_line(text: bytes, pos: int) -> int:
    end = text.find(b"\n", pos)
    return len(text) if end < 0 else end


def _compile(pattern: str, ignore_case: bool) -> Regex:
    import re2  # 10 ms, and few calls need it

    if len(pattern) > MOST_CHARS:
        raise InvalidPattern(f"it has more than {MOST_CHARS:,} characters")
    module = cast(Any, re2)
    options = module.Options()
    options.log_errors = False
    options.never_capture = True
    options.case_sensitive = not ignore_case
    try:
        module.compile(pattern.encode(), options)  # first as it is, so that the error names what was written
        regex = module.compile(b"(?m)" + pattern.encode(), options)
    except UnicodeEncodeError:
        raise InvalidPattern("it has half a surrogate pair in it") from None
    except module.error as error:
        reason = error.args[0] if error.args else ""
        text = reason.decode(errors="replace") if isinstance(reason, bytes) else str(reason)
        raise InvalidPattern(f"{text} (the syntax is RE2: no look-around, no back-references)") from None
    if regex.programsize > MOST_INSTRUCTIONS:
        raise InvalidPattern("its repetitions make it too large")
    return regex
