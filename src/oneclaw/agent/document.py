"""Agent documents (`agents/NAME.toml` and stored agents), validated field by field."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, fields, replace
from difflib import get_close_matches
from typing import Any, cast

from oneclaw.agent.agent import Agent, Limits
from oneclaw.core.errors import InvalidConfig
from oneclaw.core.permit.policy import Rules
from oneclaw.core.settings.schema import explain
from oneclaw.core.subschema import is_object

_TEXTS = ("description", "instructions", "model")
_LISTS = ("fallbacks", "agents")
_TABLES = ("tools", "limits", "options", "output")
_FIELDS = ("name", *_TEXTS, *_LISTS, *_TABLES)


def read_agent(document: Mapping[str, Any], name: str, where: str, limits: Limits | None = None) -> Agent:
    """The agent a document describes; raises `InvalidConfig` that names `where` and the field.

    `limits` are those that hold where the document says nothing.
    """
    _refuse_unknown(document, _FIELDS, where, "")
    given: dict[str, Any] = {"name": document.get("name", name)}
    for field in ("name", *_TEXTS):
        if field in document:
            given[field] = _checked(document[field], _is_text, f"{where}: {field}", "a text")
    for field in _LISTS:
        if field in document:
            given[field] = tuple(_checked(document[field], _is_texts, f"{where}: {field}", "a list of texts"))
    for field in _TABLES:
        if field in document:
            given[field] = _checked(document[field], is_object, f"{where}: {field}", "a table")
    given["tools"] = _read_rules(given.get("tools", {}), where)
    given["limits"] = _read_limits(given.get("limits", {}), where, limits or Limits())
    try:
        return Agent(**given)
    except InvalidConfig as error:
        raise InvalidConfig(f"{where}: {error}") from None


def write_agent(agent: Agent) -> dict[str, Any]:
    """The document of an agent: what differs from a plain one."""
    document: dict[str, Any] = {"name": agent.name}
    document |= {field: getattr(agent, field) for field in _TEXTS if getattr(agent, field)}
    document |= {field: list(getattr(agent, field)) for field in _LISTS if getattr(agent, field)}
    tools = {"allow": agent.rules.allow, "deny": agent.rules.deny or None}
    tools = {field: list(value) for field, value in tools.items() if value is not None}
    plain = asdict(Limits())
    limits = {field: value for field, value in asdict(agent.limits).items() if value != plain[field]}
    output = {} if agent.answer_type is None else agent.answer_type.schema
    tables = {"tools": tools, "limits": limits, "options": dict(agent.options), "output": output}
    return document | {field: table for field, table in tables.items() if table}


def _read_rules(table: Mapping[str, Any], where: str) -> Rules:
    _refuse_unknown(table, ("allow", "deny"), where, "tools.")
    lists = {
        field: tuple(_checked(value, _is_texts, f"{where}: tools.{field}", "a list of texts"))
        for field, value in table.items()
    }
    return Rules(lists.get("allow"), lists.get("deny", ()))


def _read_limits(table: Mapping[str, Any], where: str, limits: Limits) -> Limits:
    names = tuple(field.name for field in fields(Limits))
    _refuse_unknown(table, names, where, "limits.")
    read: dict[str, Any] = {}
    for name, value in table.items():
        setting = explain(f"runs.{name}")
        checked = False if value is None else setting.check(value, f"{where}: limits.{name}")
        read[name] = setting.read(checked)
    return replace(limits, **read)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in cast("list[Any]", value))


def _checked(value: Any, fits: Callable[[Any], bool], where: str, what: str) -> Any:
    if not fits(value):
        raise InvalidConfig(f"{where} is {value!r}; it must be {what}.")
    return value


def _refuse_unknown(table: Mapping[str, Any], known: tuple[str, ...], where: str, prefix: str) -> None:
    for name in table:
        if name not in known:
            near = get_close_matches(name, known, n=1)
            hint = f"did you mean {prefix}{near[0]}?" if near else f"use {', '.join(known)}."
            raise InvalidConfig(f"{where}: there is no field {prefix}{name}; {hint}")
