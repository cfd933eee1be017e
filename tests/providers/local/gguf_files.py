"""GGUF files made for tests: small ones from scratch, and a real one with another chat template."""

import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ALIGNMENT = 32
TOOL_TEMPLATE = (
    "{%- if tools %}<|im_start|>system\nYou may call tools. Each is given as JSON:\n{% for tool in tools %}\n"
    "{{ tool.function | tojson }}{% endfor %}\n\nTo call one, write on a line of its own:\n"
    '<tool_call>{"name": "the tool", "arguments": {...}}</tool_call>\n'
    "The results come in the next message. If no tool is needed, just answer.<|im_end|>\n{% endif %}"
    '{% for message in messages %}{% if message.role == "tool" %}<|im_start|>user\n<tool_response>'
    "{{ message.content }}</tool_response><|im_end|>\n{% else %}<|im_start|>{{ message.role }}\n"
    "{% if message.content %}{{ message.content }}{% endif %}{% if message.tool_calls %}"
    "{% for tool_call in message.tool_calls %}\n<tool_call>"
    '{"name": "{{ tool_call.function.name }}", "arguments": {{ tool_call.function.arguments | tojson }}}'
    "</tool_call>{% endfor %}{% endif %}<|im_end|>\n{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
"""A template with a place for tools, as Hermes and Qwen have it."""
_SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}


def text_bytes(text: str) -> bytes:
    data = text.encode()
    return struct.pack("<Q", len(data)) + data


def small_gguf(fields: Mapping[str, str | int], tensor_values: int = 0) -> bytes:
    """A file with these fields and, if wanted, one tensor of so many 32-bit numbers."""
    body = b"GGUF" + struct.pack("<IQQ", 3, 1 if tensor_values else 0, len(fields))
    for key, value in fields.items():
        body += text_bytes(key)
        body += (
            struct.pack("<I", 8) + text_bytes(value)
            if isinstance(value, str)
            else struct.pack("<II", 4, value)
        )
    if tensor_values:
        body += text_bytes("weights") + struct.pack("<IQIQ", 1, tensor_values, 0, 0)
        body += bytes(-len(body) % ALIGNMENT) + bytes(4 * tensor_values)
    return body


def with_template(source: Path, target: Path, template: str) -> Path:
    """A copy of a model whose chat template is another one."""
    data = source.read_bytes()
    place = _Places(data)
    start, end, head_end = place.template()
    head = data[:start] + text_bytes(template) + data[end:head_end]
    weights = data[-(-head_end // ALIGNMENT) * ALIGNMENT :]
    target.write_bytes(head + bytes(-len(head) % ALIGNMENT) + weights)
    return target


class _Places:
    """Where things stand in a GGUF file."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 8

    def template(self) -> tuple[int, int, int]:
        """Where the value of the chat template begins and ends, and where the header ends."""
        tensors, keys = self._number("Q"), self._number("Q")
        found = (0, 0)
        for _ in range(keys):
            name = self._text()
            kind = self._number("I")
            start = self._at
            self._skip(kind)
            if name == b"tokenizer.chat_template":
                found = (start, self._at)
        for _ in range(tensors):
            self._text()
            dimensions = self._number("I")
            self._at += 8 * dimensions + 12
        return found[0], found[1], self._at

    def _skip(self, kind: int) -> None:
        if kind == 8:
            self._text()
        elif kind == 9:
            inner, count = self._number("I"), self._number("Q")
            for _ in range(count if inner == 8 else 0):
                self._text()
            self._at += 0 if inner == 8 else count * _SIZES[inner]
        else:
            self._at += _SIZES[kind]

    def _text(self) -> bytes:
        size = self._number("Q")
        self._at += size
        return self._data[self._at - size : self._at]

    def _number(self, form: str) -> Any:
        size = struct.calcsize("<" + form)
        self._at += size
        return struct.unpack("<" + form, self._data[self._at - size : self._at])[0]
