"""Structured answers: the schema sent to the model, and parsing of its final answer into a value."""

import json
import re
from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Any, cast

from oneclaw.core.check.coerce import coerce, has_whole_floats, round_whole_floats
from oneclaw.core.check.payload import read
from oneclaw.core.check.plain import ArgumentsRefused
from oneclaw.core.check.problem import describe_problems, render_path
from oneclaw.core.check.repair import REPAIR_CHARS
from oneclaw.core.define.annotation import UnknownType
from oneclaw.core.define.scalar import TypeMismatch, keep
from oneclaw.core.define.types import Types
from oneclaw.core.errors import InvalidConfig, InvalidSchema
from oneclaw.providers.base import OutputSchema

NAME = "answer"
"""Name of the wrapping member when an answer is not an object."""
_DEFINITIONS = ("$defs", "definitions")
_OWN_REFERENCE = re.compile(r'"\$ref": "#(?!/(?:\$defs|definitions)/)')


class AnswerMismatch(Exception):
    """An answer that does not fit its type; the text lists every problem, without a stop at its end."""


class AnswerType:
    """The output type: a dataclass, pydantic model, other type, or JSON Schema.

    schema  the JSON Schema of the value
    sent    the schema that the model is held to: `schema`, or an object with it as its one member
    """

    __slots__ = ("_check", "_convert", "_is_wrapped", "schema", "sent")

    def __init__(self, output: Any) -> None:
        """Raises `InvalidConfig` for what is no type and no schema."""
        from oneclaw.core.check.schema import CompiledSchema  # loads the validator, which takes a while

        name, self.schema, self._convert = _describe(output)
        self._is_wrapped = self.schema.get("type") != "object"
        try:
            own = CompiledSchema(self.schema)
            document = _wrap(self.schema) if self._is_wrapped else self.schema
            self._check = CompiledSchema(document) if self._is_wrapped else own
        except InvalidSchema as error:
            raise InvalidConfig(f"output: {error}") from None
        self.sent = OutputSchema(re.sub(r"[^A-Za-z0-9_-]", "_", name)[:64] or NAME, document)

    def read(self, text: str) -> Any:
        """The value that the text of an answer holds; raises `AnswerMismatch`."""
        found = self._fit(_parse(text))
        try:
            return self._convert(found[NAME] if self._is_wrapped else found)
        except TypeMismatch as misfit:
            where = render_path(misfit.path)
            raise AnswerMismatch(f"{repr(where) if where else 'it'} {misfit.problem}".rstrip(".")) from None

    def _fit(self, found: dict[str, Any]) -> dict[str, Any]:
        if not self._check.is_valid(found):
            mended, repairs = coerce(self._check, deepcopy(found))
            if not any(repair.ambiguous for repair in repairs):
                found = mended
            if problems := self._check.problems(found):
                raise AnswerMismatch(describe_problems(problems))
        if has_whole_floats(found):
            round_whole_floats(self._check, found)
        return found


def _describe(output: Any) -> tuple[str, dict[str, Any], Callable[[Any], Any]]:
    if isinstance(output, Mapping):
        schema = dict(cast("Mapping[str, Any]", output))
        return str(schema.get("title", NAME)), schema, keep
    types = Types()
    try:
        shape = types.shape(output)
    except UnknownType as problem:
        raise InvalidConfig(
            f"output is {output!r:.80}: {problem}; give a dataclass, a pydantic model or a JSON Schema."
        ) from None
    defs = {"$defs": types.defs} if types.defs else {}
    name: str = getattr(output, "__name__", NAME)
    return name, {**shape.whole_schema, **defs}, shape.whole_convert


def _wrap(schema: dict[str, Any]) -> dict[str, Any]:
    """An object with the value as its one member; definitions stay where references look for them."""
    if _OWN_REFERENCE.search(json.dumps(schema, default=str)):
        raise InvalidConfig(
            "output is no object and refers to itself; put the schema under $defs and refer to it as"
            " #/$defs/NAME."
        )
    inner = {word: value for word, value in schema.items() if word not in (*_DEFINITIONS, "$schema")}
    outer = {word: value for word, value in schema.items() if word not in inner}
    return {"type": "object", "properties": {NAME: inner}, "required": [NAME], **outer}


def _parse(text: str) -> dict[str, Any]:
    if not text.strip():
        raise AnswerMismatch("it is empty")
    if len(text) >= REPAIR_CHARS:  # too long to be repaired: what stands around the object is left out
        text = text[max(text.find("{"), 0) : text.rfind("}") + 1] or text
    try:
        return read(text)[0]
    except ArgumentsRefused as refused:
        return _refuse(str(refused))


def _refuse(reason: str) -> Any:
    """Raise why text is not read, said of an answer: the reader speaks of the arguments of a call."""
    for words, instead in _SAID.items():
        reason = reason.replace(words, instead)
    raise AnswerMismatch(reason.rstrip("."))


_SAID = {
    "The arguments are": "it is",
    "The arguments were": "it was",
    "The arguments hold": "it holds",
    "The arguments must": "it must",
    "The arguments could": "it could",
    "the arguments": "it",
}
