"""The latest output of a job, with secrets masked and stable offsets."""

from dataclasses import dataclass

from oneclaw.core.text.encoding import make_decoder, replace_surrogates
from oneclaw.guard.secret.redactor import SECRET_CHARS
from oneclaw.run.shell.output import Redact, is_binary

CHARS = 2_000_000
"""The most characters kept; when there are more, the older half goes."""


@dataclass(frozen=True, slots=True)
class Page:
    """A piece of a log: where it begins, where one would read on, and how much was written in all."""

    text: str
    offset: int
    next_offset: int
    total_chars: int


class Log:
    """Takes bytes as they come and gives text in pieces."""

    def __init__(self, redact: Redact = str) -> None:
        self._decoder = make_decoder("utf-8")
        self._redact = redact
        self._text = ""
        self._held = ""
        """Its end, in which a secret may have begun: half of one is not known as one."""
        self._parts: list[str] = []
        self._parts_chars = 0
        self._dropped = 0

    def add(self, data: bytes) -> None:
        part = self._decoder.decode(data)
        self._parts.append(part)
        self._parts_chars += len(part)
        if len(self._text) + self._parts_chars > CHARS:
            self._join()
            kept = self._text[-(CHARS // 2) :]
            self._dropped += len(self._text) - len(kept)
            self._text = kept

    def page(self, offset: int | None, limit: int) -> Page:
        """The text from `offset` on, or the last of it; what was dropped is passed over."""
        self._join()
        whole = self._text + self._held
        total = self._dropped + len(whole)
        start = max(0, total - limit) if offset is None else offset
        start = min(max(start, self._dropped), total)
        text = whole[start - self._dropped :][:limit]
        shown = (
            f"(Binary output of {len(text):,} characters.)"
            if is_binary(text)
            else replace_surrogates(text)[0]
        )
        return Page(shown, start, start + len(text), total)

    def _join(self) -> None:
        if self._parts:
            text = self._redact(self._held + "".join(self._parts))
            end = max(0, len(text) - SECRET_CHARS)
            self._text += text[:end]
            self._held = text[end:]
            self._parts.clear()
            self._parts_chars = 0
