"""Maps type names of other languages to JSON Schema: `List<String>`, `dict`, `int or None`."""

import re

from oneclaw.core.subschema import Schema

_KINDS = {
    "string": "string str text char character varchar charsequence date datetime time timestamp"
    " uuid email url uri path bytes binary regex",
    "integer": "integer int long short byte int8 int16 int32 int64 uint8 uint16 uint32 uint64"
    " bigint biginteger smallint",
    "number": "number float double decimal real numeric bigdecimal float32 float64",
    "boolean": "boolean bool",
    "array": "array list tuple set frozenset arraylist linkedlist vector sequence iterable"
    " collection iterator queue deque stack hashset treeset linkedhashset ndarray",
    "object": "object dict dictionary map hashmap hashtable treemap linkedhashmap mapping record"
    " struct json jsonobject",
    "null": "null none nil undefined void",
}
_NAMES = {name: kind for kind, names in _KINDS.items() for name in names.split()}


def read_type(text: str) -> Schema:
    """The schema a type name stands for; an unknown name, as a class of the author, allows any value."""
    text = re.sub(r",?\s*\(?optional\)?$", "", text.strip().lower())
    if len(parts := _split(text, "|")) > 1:
        return _union(parts)
    if len(parts := re.split(r"\s+or\s+", text)) > 1:
        return _union(parts)
    if text.endswith("[]"):
        return {"type": "array", "items": read_type(text[:-2])}
    if match := re.fullmatch(r"([\w.]+)\s*[\[<(](.*)[\])>]", text):
        return _generic(match[1], _split(match[2], ","))
    if match := re.fullmatch(r"(\w+) of (\w+?)s?", text):
        return _generic(match[1], [match[2]])
    kind = _NAMES.get(text.rpartition(".")[2])
    return {"type": kind} if kind else {}


def _generic(name: str, args: list[str]) -> Schema:
    name = name.rpartition(".")[2]
    if name == "optional":
        return _union([*args, "null"])
    if name == "union":
        return _union(args)
    schema = read_type(name)
    args = [each for each in args if each != "..."]
    inner = read_type(args[-1]) if args else {}
    if schema.get("type") == "array" and len(args) == 1 and inner:
        schema["items"] = inner
    elif schema.get("type") == "object" and len(args) == 2 and inner:
        schema["additionalProperties"] = inner
    return schema


def _union(parts: list[str]) -> Schema:
    schemas = [read_type(part) for part in parts]
    if {} in schemas:
        return {}
    if all(schema.keys() == {"type"} for schema in schemas):
        kinds = list(dict.fromkeys(schema["type"] for schema in schemas))
        return {"type": kinds if len(kinds) > 1 else kinds[0]}
    return {"anyOf": schemas}


def _split(text: str, mark: str) -> list[str]:
    """The parts between marks that stand outside brackets."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "[<(") - (letter in "])>")
        if letter == mark and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]
