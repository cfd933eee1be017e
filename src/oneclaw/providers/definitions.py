"""Tool definitions as each provider gets them, and decoding of its calls."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from oneclaw.core.define.naming import fit_name
from oneclaw.core.subschema import is_object
from oneclaw.core.tool import ToolDefinition
from oneclaw.providers.dialect.change import Changes
from oneclaw.providers.dialect.convert import Dialected, to_dialect
from oneclaw.providers.dialect.resolve import resolve
from oneclaw.providers.names import Names

WireTool = dict[str, Any]
_ALLOWED = re.compile(r"[a-zA-Z0-9_-]{1,64}\Z")
_Write = Callable[[WireTool, Dialected], WireTool]
_OUTPUTS = {
    "openai_responses": ("output_schema", "openai"),
    "gemini": ("responseJsonSchema", "gemini"),
    "gemini_parameters": ("response", "gemini_parameters"),
}
"""The field for the schema of results, and its dialect; the other formats have none."""
_RESULT: WireTool = {
    "status": {"type": "string", "enum": ["success", "error"]},
    "error_type": {"type": "string"},
    "message": {"type": "string"},
    "note": {"type": "string"},
}


@dataclass(frozen=True, slots=True)
class Definitions:
    """Tool definitions for one provider, in a stable order.

    tools      the value of the field `tools` of a request
    names      the names on the wire
    dialected  the parameters as they are sent, by the tools' own names
    """

    tools: list[WireTool]
    names: Names
    dialected: Mapping[str, Dialected]

    def read_call(self, name: str, arguments: Any) -> tuple[str, Any]:
        """A call as the model made it → the tool and the arguments as the tool knows them."""
        ours = self.names.ours(name)
        dialected = self.dialected.get(ours)
        if dialected is None or (dialected.way is None and dialected.gaps is None):
            return ours, arguments
        try:
            read = json.loads(arguments) if isinstance(arguments, str | bytes) else arguments
            restored = dialected.restore(read) if is_object(read) else read
            return ours, arguments if restored == read else restored
        except (ValueError, RecursionError):
            return ours, arguments  # the engine reads it once more, repairs it, or says what is wrong

    def sent_name(self, name: str) -> str:
        """The name of a past call: as its tool is sent now, or one that is allowed."""
        if name in self.dialected:
            return self.names.wire(name)
        return name if _ALLOWED.match(name) else fit_name(name)


def definitions_for(
    definitions: Iterable[ToolDefinition], provider: str, *, strict: bool = True
) -> Definitions:
    """The tools for one of `PROVIDERS`; `strict` lets OpenAI hold a model to the schemas that allow it."""
    if provider not in PROVIDERS:
        raise ValueError(f"There is no provider {provider!r}; use one of {', '.join(PROVIDERS)}.")
    dialect, write = PROVIDERS[provider]
    if dialect == "openai" and strict:
        dialect = "openai_strict"
    ordered = sorted(definitions, key=lambda each: each.name)
    names = Names(each.name for each in ordered)
    dialected = {each.name: to_dialect(each.parameters, dialect) for each in ordered}
    tools = [write(_head(each, names), dialected[each.name]) | _output(each, provider) for each in ordered]
    if provider.startswith("gemini") and tools:
        tools = [{"functionDeclarations": tools}]
    return Definitions(tools, names, dialected)


def _head(definition: ToolDefinition, names: Names) -> WireTool:
    head = {"name": names.wire(definition.name)}
    return {**head, "description": definition.description} if definition.description else head


def _output(definition: ToolDefinition, provider: str) -> WireTool:
    """The schema of what a model reads of a result (`ToolResult.for_model`), where the provider takes one."""
    if definition.output is None or provider not in _OUTPUTS:
        return {}
    field, dialect = _OUTPUTS[provider]
    result = resolve(definition.output, Changes())
    properties = {**_RESULT, "result": result}
    schema = {"type": "object", "properties": properties, "required": ["status"]}
    return {field: to_dialect(schema, dialect).schema}


def _write_chat(head: WireTool, dialected: Dialected) -> WireTool:
    strict = {"strict": True} if dialected.is_strict else {}
    return {"type": "function", "function": {**head, "parameters": dialected.schema, **strict}}


def _write_responses(head: WireTool, dialected: Dialected) -> WireTool:
    return {"type": "function", **head, "parameters": dialected.schema, "strict": dialected.is_strict}


def _write_anthropic(head: WireTool, dialected: Dialected) -> WireTool:
    return {**head, "input_schema": dialected.schema}


def _write_gemini(field: str, head: WireTool, dialected: Dialected) -> WireTool:
    return head if dialected.schema is None else {**head, field: dialected.schema}


PROVIDERS: dict[str, tuple[str, _Write]] = {
    "openai_chat": ("openai", _write_chat),
    "openai_responses": ("openai", _write_responses),
    "anthropic": ("anthropic", _write_anthropic),
    "gemini": ("gemini", partial(_write_gemini, "parametersJsonSchema")),
    "gemini_parameters": ("gemini_parameters", partial(_write_gemini, "parameters")),
}
"""Each wire format with the dialect it takes."""
