"""Converts constraints in `Annotated` to schema keywords or limits."""

import operator
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from oneclaw.core.define.shape import Shape
from oneclaw.core.define.structure import Limit, to_limited
from oneclaw.core.subschema import is_array, is_object

_BOUNDS: dict[str, tuple[str, str, Callable[[Any, Any], bool]]] = {
    "ge": ("minimum", "at least", operator.ge),
    "gt": ("exclusiveMinimum", "more than", operator.gt),
    "le": ("maximum", "at most", operator.le),
    "lt": ("exclusiveMaximum", "less than", operator.lt),
}
_LENGTHS = {"string": "Length", "array": "Items", "object": "Properties"}


def constrain(shape: Shape, metadata: Iterable[Any]) -> Shape:
    """The shape with each piece of metadata applied; what means nothing to us is left alone, as PEP 593 asks.

    Text is a description, a mapping holds schema keywords; objects are known by their attributes (`ge`, `gt`,
    `le`, `lt`, `multiple_of`, `min_length`, `max_length`, `pattern`, `description`), whatever library they
    are from.
    """
    schema = {key: value for key, value in shape.schema.items() if key != "description"}
    limits: list[Limit] = []
    for item in metadata:
        if isinstance(item, str):
            schema["description"] = item
        elif is_object(item):
            schema.update(item)
        else:
            _apply(item, schema, limits)
    convert = partial(to_limited, shape.convert, tuple(limits)) if limits else shape.convert
    is_described = "description" in schema
    return shape._replace(schema={**shape.schema, **schema}, convert=convert, is_described=is_described)


def _apply(item: Any, schema: dict[str, Any], limits: list[Limit]) -> None:
    nested = getattr(item, "metadata", None)
    for each in nested if is_array(nested) else ():
        _apply(each, schema, limits)
    for attribute in ("description", "documentation"):
        if isinstance(text := getattr(item, attribute, None), str):
            schema["description"] = text
    if isinstance(pattern := getattr(item, "pattern", None), str):
        schema["pattern"] = pattern
    for attribute in _BOUNDS:
        if (bound := getattr(item, attribute, None)) is not None:
            _bound(attribute, bound, schema, limits)
    if (divisor := getattr(item, "multiple_of", None)) is not None:
        schema["multipleOf"] = divisor
        if "anyOf" in schema:
            limits.append(("a multiple of", _is_multiple, divisor))
    _length("min", getattr(item, "min_length", None), schema, limits)
    _length("max", getattr(item, "max_length", None), schema, limits)


def _bound(attribute: str, bound: Any, schema: dict[str, Any], limits: list[Limit]) -> None:
    keyword, words, holds = _BOUNDS[attribute]
    is_numeric = schema.get("type") in ("integer", "number")
    if isinstance(bound, int | float) and (is_numeric or "anyOf" in schema):
        if schema.get("type") == "integer" and isinstance(bound, int) and attribute in ("gt", "lt"):
            # Whole numbers need no exclusive bound, which some providers refuse.
            keyword = _BOUNDS[attribute[0] + "e"][0]
            bound += 1 if attribute == "gt" else -1
        schema[keyword] = bound
    if not (is_numeric and isinstance(bound, int | float)):
        limits.append((words, holds, bound))


def _length(which: str, length: Any, schema: dict[str, Any], limits: list[Limit]) -> None:
    if not isinstance(length, int) or (which == "min" and length == 0):
        return
    suffix = _LENGTHS.get(schema.get("type", ""))
    if suffix and "contentEncoding" not in schema:
        schema[which + suffix] = length
    else:
        limits.append((f"of {which}imum length", _is_long if which == "min" else _is_short, length))


def _is_multiple(value: Any, divisor: Any) -> bool:
    return value % divisor == 0


def _is_long(value: Any, length: int) -> bool:
    return len(value) >= length


def _is_short(value: Any, length: int) -> bool:
    return len(value) <= length
