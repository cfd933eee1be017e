"""Questions as MCP elicitations: the form that a client shows, and the answer that it makes.

A client says that a person answered; it may as well have answered by itself. So a permission is given through
it for this call or this session only, never for good.
"""

from collections.abc import Mapping
from typing import Any

from oneclaw.core.question import Question

OFFERED = {"once": "Yes, this time", "session": "Yes, for this session", "no": "No"}
"""The answers to a permission that a client is offered, and how they read."""
_PRIMITIVE = ("string", "number", "integer", "boolean")


def can_elicit(capabilities: Any) -> bool:
    """Whether a client shows forms; one that names no mode of elicitation shows forms, too."""
    elicitation = getattr(capabilities, "elicitation", None)
    if elicitation is None:
        return False
    return elicitation.form is not None or elicitation.url is None


def form_of(question: Question) -> dict[str, Any] | None:
    """The schema of the form that asks the question; None for one that MCP has no form for."""
    if question.kind == "permission":
        offered = [answer for answer in OFFERED if answer in question.answers]
        choices = [{"const": answer, "title": OFFERED[answer]} for answer in offered]
        return _form({"type": "string", "title": "May it?", "oneOf": choices, "default": "no"})
    if question.kind == "choice":
        return _form({"type": "string", "title": "Answer", "enum": list(question.answers)})
    if question.kind == "text":
        return _form({"type": "string", "title": "Answer", "minLength": 1})
    schema = question.schema or {}
    properties = schema.get("properties", {})
    is_flat = schema.get("type") == "object" and all(map(_is_primitive, properties.values()))
    return dict(schema) if is_flat else None


def answer_of(question: Question, action: str, content: Mapping[str, Any] | None) -> Any:
    """The answer that a filled form gives; declining is a no to a permission, and None otherwise."""
    if question.kind == "permission":
        said = (content or {}).get("answer") if action == "accept" else "no"
        return said if said in OFFERED and said in question.answers else "no"
    if action != "accept":
        return None
    return dict(content or {}) if question.kind == "form" else (content or {}).get("answer")


def _form(field: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": {"answer": field}, "required": ["answer"]}


def _is_primitive(schema: Any) -> bool:
    if not isinstance(schema, Mapping):
        return False
    kind: Any = schema.get("type")  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    items: Any = schema.get("items")  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    if kind == "array" and isinstance(items, Mapping):  # several of a list of texts
        return "enum" in items or "anyOf" in items
    return kind in _PRIMITIVE
