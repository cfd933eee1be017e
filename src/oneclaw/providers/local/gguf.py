"""Reads the header of a GGUF file: name, window, chat template and memory use."""

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

from oneclaw.core.errors import InvalidConfig
from oneclaw.core.subschema import list_of

MAGIC = b"GGUF"
UNKNOWN_WINDOW = 4_096
MOST_KEYS = 100_000
KEPT_ITEMS = 4_096
"""Of a longer array nothing is kept, unless it is one of these."""
_TOKENS, _TOKEN_KINDS = "tokenizer.ggml.tokens", "tokenizer.ggml.token_type"
_CONTROL = 3
"""The kind of token that means something to the model and is no text, as the end of a turn."""

_FORMATS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_TEXT, _ARRAY = 8, 9

# Values in a block and bytes of a block, by the number of the tensor type.
_BLOCKS = {
    0: (1, 4),
    1: (1, 2),
    2: (32, 18),
    3: (32, 20),
    6: (32, 22),
    7: (32, 24),
    8: (32, 34),
    10: (256, 84),
    11: (256, 110),
    12: (256, 144),
    13: (256, 176),
    14: (256, 210),
    30: (1, 2),
}


class InvalidModel(InvalidConfig):
    """A file that is no model that can be run; the text says why, and what to do."""


@dataclass(frozen=True, slots=True)
class Header:
    """Facts about a model, read before it is loaded.

    window       the most tokens it was made for
    token_bytes  what one token of the conversation takes in memory; 0 where the file does not say
    template     its chat template; empty where the file has none
    marks        the tokens that begin or end a turn and the like, as they are spelled
    """

    name: str
    architecture: str
    window: int
    file_bytes: int
    token_bytes: int = 0
    template: str = ""
    marks: tuple[str, ...] = ()

    @property
    def takes_tools(self) -> bool:
        """Whether its chat template has a place for tools."""
        return "tools" in self.template


def read_header(file: Path) -> Header:
    """Read and check a model file; raises `InvalidModel` for one that is not there, no model, or cut off."""
    try:
        with file.open("rb") as opened:
            size = file.stat().st_size
            reader = _Reader(opened, size)
            fields, end = reader.read()
    except OSError as error:
        raise InvalidModel(
            f"The model file {file} cannot be read ({error.strerror}); check its path."
        ) from None
    except _NotGguf as error:
        raise InvalidModel(f"{file} is no GGUF file ({error}); name a model in the GGUF format.") from None
    except _Cut as error:
        raise InvalidModel(f"The model file {file} is cut off or damaged ({error}); get it again.") from None
    if end > size:
        missing = end - size
        raise InvalidModel(f"The model file {file} is cut off: {missing:,} bytes are missing; get it again.")
    return _header(file, fields, size)


def _header(file: Path, fields: Mapping[str, Any], size: int) -> Header:
    architecture = str(fields.get("general.architecture", ""))
    if fields.get("general.type", "model") != "model" or architecture in ("", "clip"):
        kind = fields.get("general.type") or architecture or "something"
        raise InvalidModel(f"{file} holds no language model but {kind!r}; name the file of the model itself.")
    if _number(fields.get("split.count")) > 1:
        raise InvalidModel(f"{file} is one part of several; merge them with `llama-gguf-split --merge`.")
    tokens = zip(list_of(fields.get(_TOKENS)), list_of(fields.get(_TOKEN_KINDS)), strict=False)
    return Header(
        name=str(fields.get("general.name") or file.stem),
        architecture=architecture,
        window=_number(fields.get(f"{architecture}.context_length")) or UNKNOWN_WINDOW,
        file_bytes=size,
        token_bytes=_token_bytes(architecture, fields),
        template=str(fields.get("tokenizer.chat_template", "")),
        marks=tuple(str(token) for token, kind in tokens if kind == _CONTROL),
    )


def _token_bytes(architecture: str, fields: Mapping[str, Any]) -> int:
    """Keys and values of one token in every layer, two bytes each."""

    def number(key: str) -> int:
        return _number(fields.get(f"{architecture}.{key}"))

    heads = number("attention.head_count")
    width = number("embedding_length") // heads if heads else 0
    keys = number("attention.key_length") or width
    values = number("attention.value_length") or width
    shared = number("attention.head_count_kv") or heads
    return 2 * number("block_count") * shared * (keys + values)


def _number(value: Any) -> int:
    """A whole number; of one for each layer, the largest."""
    if isinstance(value, list):
        return max((_number(each) for each in cast("list[Any]", value)), default=0)
    return value if isinstance(value, int) and value > 0 else 0


class _NotGguf(Exception):
    """The file is of another kind."""


class _Cut(Exception):
    """The file ends, or makes no sense, before its header is read."""


class _Reader:
    """Reads one header; believes no length that the file has no room for."""

    def __init__(self, file: BinaryIO, size: int) -> None:
        self._file = file
        self._left = size

    def read(self) -> tuple[dict[str, Any], int]:
        """The fields, and where the last tensor ends."""
        magic = self._take(4) if self._left >= 4 else b""
        if magic != MAGIC:
            raise _NotGguf("it does not begin with GGUF")
        version = self._unpack("I")
        if version not in (2, 3):
            raise _NotGguf(f"its version is {version}; 2 and 3 are known")
        tensors, keys = self._unpack("Q"), self._unpack("Q")
        if max(tensors, keys) > MOST_KEYS:
            raise _Cut("its counts make no sense")
        fields: dict[str, Any] = {}
        for _ in range(keys):
            name = self._text()
            fields[name] = self._value(self._unpack("I"), name in (_TOKENS, _TOKEN_KINDS))
        return fields, self._data_end(tensors, _number(fields.get("general.alignment")) or 32)

    def _data_end(self, tensors: int, alignment: int) -> int:
        furthest = 0
        for _ in range(tensors):
            self._text()
            count = 1
            for _ in range(min(self._unpack("I"), 8)):
                count *= self._unpack("Q")
            kind, offset = self._unpack("I"), self._unpack("Q")
            values, size = _BLOCKS.get(kind, (1, 0))
            furthest = max(furthest, offset + count // values * size)
        start = -(-self._file.tell() // alignment) * alignment
        return start + furthest if furthest else 0

    def _value(self, kind: int, is_kept: bool = False) -> Any:
        if kind == _TEXT:
            return self._text()
        if kind == _ARRAY:
            return self._array(self._unpack("I"), self._unpack("Q"), is_kept)
        if kind not in _FORMATS:
            raise _Cut(f"a field has the unknown type {kind}")
        return self._unpack(_FORMATS[kind])

    def _array(self, kind: int, count: int, is_kept: bool) -> list[Any] | None:
        is_kept = is_kept or count <= KEPT_ITEMS
        if kind in _FORMATS:
            data = self._take(count * struct.calcsize(_FORMATS[kind]))
            return list(struct.unpack(f"<{count}{_FORMATS[kind]}", data)) if is_kept else None
        if kind != _TEXT:
            raise _Cut(f"a list has the unknown type {kind}")
        kept: list[Any] | None = [] if is_kept else None
        for _ in range(count):
            size = self._unpack("Q")
            data = self._take(size)
            if kept is not None:
                kept.append(data.decode("utf-8", "replace"))
        return kept

    def _text(self) -> str:
        return self._take(self._unpack("Q")).decode("utf-8", "replace")

    def _unpack(self, form: str) -> Any:
        return struct.unpack("<" + form, self._take(struct.calcsize("<" + form)))[0]

    def _take(self, size: int) -> bytes:
        if size > self._left:
            raise _Cut("its header ends too soon")
        data = self._file.read(size)
        self._left -= size
        if len(data) < size:
            raise _Cut("its header ends too soon")
        return data
