"""Parses server-sent events from any chunking."""

import re

from oneclaw.providers.base import ProviderError, ServerEvent

MOST_BYTES = 32 << 20

_LINE_END = re.compile(rb"\r\n|\n|\r")
_BOM = b"\xef\xbb\xbf"


class ServerEvents:
    """Reads one stream. What is not whole yet is kept, at most `most_bytes` of it.

    Comments, ids and events without data are left out: they only keep a connection alive.
    """

    __slots__ = ("_data", "_data_bytes", "_is_first", "_line", "_most_bytes", "_name", "_skips_lf")

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._line = bytearray()
        self._data: list[bytes] = []
        self._data_bytes = 0
        self._name = b""
        self._is_first = True
        self._skips_lf = False

    def feed(self, chunk: bytes) -> list[ServerEvent]:
        """The events that end within `chunk`; raises `ProviderError` when one is too large."""
        if self._skips_lf and chunk:
            chunk = chunk.removeprefix(b"\n")
            self._skips_lf = False
        events: list[ServerEvent] = []
        start = 0
        for end in _LINE_END.finditer(chunk):
            line = chunk[start : end.start()]
            if self._line:
                line = bytes(self._line + line)
                self._line.clear()
            self._end_line(line, events)
            start = end.end()
        self._line += chunk[start:]
        # A CR ends its line at once; the LF that may follow in the next chunk belongs to it.
        self._skips_lf = self._skips_lf or chunk.endswith(b"\r")
        self._check_size()
        return events

    def finish(self) -> list[ServerEvent]:
        """The event the stream ended in, as far as it came."""
        events: list[ServerEvent] = []
        if self._line:
            self._end_line(bytes(self._line), events)
            self._line.clear()
        self._end_event(events)
        return events

    def _end_line(self, line: bytes, events: list[ServerEvent]) -> None:
        if self._is_first:
            line = line.removeprefix(_BOM)
            self._is_first = False
        if not line:
            self._end_event(events)
            return
        field, _, value = line.partition(b":")
        if field == b"data":
            value = value.removeprefix(b" ")
            self._data.append(value)
            self._data_bytes += len(value) + 1
            self._check_size()
        elif field == b"event":
            self._name = value.removeprefix(b" ")

    def _end_event(self, events: list[ServerEvent]) -> None:
        if not self._data:
            self._name = b""
            return
        data = b"\n".join(self._data)
        if data and not data.isspace():
            events.append(ServerEvent(self._name.decode("utf-8", "replace"), data.decode("utf-8", "replace")))
        self._data.clear()
        self._data_bytes = 0
        self._name = b""

    def _check_size(self) -> None:
        if len(self._line) + self._data_bytes > self._most_bytes:
            raise ProviderError(
                f"One event of the answer is larger than {self._most_bytes:,} bytes, so it was not read on.",
                "stream",
            )
