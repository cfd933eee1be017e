"""Finds calls written as text while it streams.

    <tool_call>{"name": …, "arguments": {…}}</tool_call>        Hermes, Qwen; inside also <function=…>
    <function=NAME>{…}</function>                               Llama
    <function=NAME><parameter=KEY>VALUE</parameter></function>  Qwen Coder
    [TOOL_CALLS] [{…}, {…}]    [TOOL_CALLS]NAME[ARGS]{…}        Mistral
    <|python_tag|>{…}                                           Llama
    {"name": …, "arguments": {…}}                               as the whole answer, also in a ```json fence

The rule that keeps examples from being run: a marker counts only at the very start of a line (or right behind
another call), outside code fences and <think>; an object without a marker counts only as the whole answer.
The tool must be one of the request, and the call well formed and whole: everything else stays text. What may
be the start of a call is held back until it is clear what it is; all other text goes on at once.
"""

import re
from collections.abc import Collection, Generator, Iterator

from oneclaw.providers.openai_chat.text_call_forms import (
    ANSWER,
    FORMS,
    CallPosition,
    FoundCall,
    TextCall,
    TextCallForm,
    is_open,
)

__all__ = ["TextCall", "TextCalls"]

TextCallPiece = str | TextCall

_TRIES = 32
"""How many blocks may turn out to be no call; after that everything is text."""
_PROBE_CHARS = 300
_CLOSING = "</tool_call>"  # some models close what they did not open
_THINK, _THINK_END = "<think>", "</think>"
_STARTS = (*(form.marker for form in FORMS), _THINK, _CLOSING)
_LONGEST = max(map(len, _STARTS))
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_MAY_BE_FENCE = re.compile(r"[ \t]*(?:`*|~*)\Z")
_SPACE = re.compile(r"\s*")


class TextCalls:
    """Splits the text of one answer into text for the user and calls of `tools`."""

    def __init__(self, tools: Collection[str]) -> None:
        self._tools = tools
        self._held: list[str] = []
        self._tail = ""  # the end of what is held, where the end of a call may have begun
        self._held_chars = 0
        self._form: TextCallForm | None = None  # what the held text seems to be
        self._seen = 0  # how much of it was searched for its end
        self._gap = ""  # the white space before it
        self._is_start = True  # nothing but white space came so far
        self._is_line_start = True
        self._is_after_call = False
        self._fence = ""
        self._thinks = False
        self._tries = 0

    @property
    def held(self) -> str:
        """The text that is held back now."""
        return self._gap + "".join(self._held)

    def feed(self, text: str) -> list[TextCallPiece]:
        """More text of the answer; gives what of it is clear."""
        if self._form is not None and not self._is_due(self._form, text):
            self._hold(text)
            return []
        return _joined(self._run(self._take() + text, None))

    def end(self, is_whole: bool) -> list[TextCallPiece]:
        """The answer is over; gives the rest. Of one that is not whole, what is held back is text."""
        return _joined(self._run(self._take(), is_whole))

    def _is_due(self, form: TextCallForm, text: str) -> bool:
        """Whether the held text must be looked at again, now that there is more."""
        if self._held_chars < _PROBE_CHARS:
            return True
        return bool(form.end) and form.end in self._tail + text

    def _hold(self, text: str) -> None:
        kept = len(self._form.end) - 1 if self._form is not None else 0
        self._held.append(text)
        self._held_chars += len(text)
        self._tail = (self._tail + text)[-kept:] if kept > 0 else ""

    def _take(self) -> str:
        held = "".join(self._held)
        self._held, self._tail, self._held_chars = [], "", 0
        return held

    def _run(self, text: str, is_whole: bool | None) -> Iterator[TextCallPiece]:
        """`text` from where it was held; `is_whole` is None while more may come."""
        at = 0
        while at < len(text):
            if self._thinks:
                at = yield from self._think(text, at, is_whole)
            elif self._form is not None:
                at = yield from self._read(self._form, text, at, is_whole)
            elif self._is_line_start and (after := self._look(text, at, is_whole)) is not None:
                at = after
            else:
                stop = text.find("\n", at) + 1 or len(text)
                yield text[at:stop]
                self._is_start = self._is_start and text[at:stop].isspace()
                self._is_after_call = False
                self._is_line_start = text[stop - 1] == "\n"
                at = stop

    def _look(self, text: str, at: int, is_whole: bool | None) -> int | None:
        """The start of a line: where to go on; None when it is text. What may be more is held."""
        gap = at
        if self._is_start or self._is_after_call:
            gap = _SPACE.match(text, at).end()  # pyright: ignore[reportOptionalMemberAccess]
        if self._is_after_call and gap == len(text) and is_whole is not None:
            return gap  # white space behind the last call is nobody's
        if is_whole is None and self._may_become(text, gap):
            self._hold(text[at:])
            return len(text)
        if not self._fence and self._tries < _TRIES and (form := self._form_at(text, gap)) is not None:
            self._form, self._seen, self._gap = form, len(form.marker), text[at:gap]
            return gap
        if self._is_after_call and text.startswith(_CLOSING, gap):
            return gap + len(_CLOSING)
        if fence := _FENCE.match(text, gap):
            if not self._fence or fence[1].startswith(self._fence):
                self._fence = "" if self._fence else fence[1]
        elif not self._fence and text.startswith(_THINK, gap):
            self._thinks = True
            return at
        return None

    def _may_become(self, text: str, at: int) -> bool:
        """Whether the rest of the text is too short to tell what it begins."""
        rest = text[at : at + _LONGEST]
        if not rest or (len(text) - at < _LONGEST and any(start.startswith(rest) for start in _STARTS)):
            return not any(rest == start for start in _STARTS)
        return _MAY_BE_FENCE.match(text, at) is not None

    def _form_at(self, text: str, at: int) -> TextCallForm | None:
        for form in FORMS:
            if text.startswith(form.marker, at):
                return form
        return ANSWER if self._is_start and text[at : at + 1] in ("{", "[", "`", "~") else None

    def _read(
        self, form: TextCallForm, text: str, at: int, is_whole: bool | None
    ) -> Generator[TextCallPiece, None, int]:
        """A block: its calls, or nothing while it is held, or its marker as text."""
        found = None
        if is_whole is None:
            if form.probe.match(text[at : at + _PROBE_CHARS]) is None:
                return (yield from self._release(form, at))
            end = text.find(form.end, at + self._seen) if form.end else -1
            if end < 0:
                self._seen = max(self._seen, len(text) - len(form.end) + 1 - at)
                self._hold(text[at:])
                return len(text)
            # Read no further than to the end tag, so that it does not matter how the text was cut.
            block = text[at : end + len(form.end)]
            found = self._try(form, CallPosition(block, 0, False, self._tools))
            if found is None and self._tries < _TRIES and is_open(block):
                self._seen = len(block)
                return at
        elif is_whole:
            found = self._try(form, CallPosition(text[at:], 0, True, self._tools))
        if found is None:
            return (yield from self._release(form, at))
        yield from found[0]
        self._form, self._gap = None, ""
        self._is_start = False
        self._is_line_start = self._is_after_call = True
        return at + found[1]

    def _try(self, form: TextCallForm, place: CallPosition) -> FoundCall | None:
        if self._tries >= _TRIES:
            return None
        found = form.read(place)
        self._tries += found is None
        return found

    def _release(self, form: TextCallForm, at: int) -> Generator[TextCallPiece, None, int]:
        """It is no call: the marker is text, and behind it anything may come."""
        self._form = None
        self._is_start = False
        yield self._gap + form.marker
        self._gap = ""
        self._is_line_start = not form.marker
        return at + len(form.marker)

    def _think(self, text: str, at: int, is_whole: bool | None) -> Generator[TextCallPiece, None, int]:
        """Thoughts within the text, up to their end."""
        end = text.find(_THINK_END, at)
        if end >= 0:
            end += len(_THINK_END)
            yield text[at:end]
            self._thinks = False
            self._is_line_start = self._is_start = True  # the answer begins
            return end
        # As many characters at the end as may be the start of the tag.
        starts = range(len(_THINK_END) - 1, 0, -1) if is_whole is None else ()
        kept = next((chars for chars in starts if text.endswith(_THINK_END[:chars])), 0)
        yield text[at : len(text) - kept]
        self._hold(text[len(text) - kept :])
        return len(text)


def _joined(pieces: Iterator[TextCallPiece]) -> list[TextCallPiece]:
    """The pieces with neighbouring texts as one."""
    joined: list[TextCallPiece] = []
    texts: list[str] = []
    for piece in (*pieces, None):
        if isinstance(piece, str):
            texts.append(piece)
            continue
        if text := "".join(texts):
            joined.append(text)
        texts.clear()
        if piece is not None:
            joined.append(piece)
    return joined
