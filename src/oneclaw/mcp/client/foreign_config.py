"""Reads the MCP servers of other products: the files of Claude, Cursor, VS Code, Zed and Kai."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from oneclaw.core.errors import InvalidConfig

_COMMENT = re.compile(r'("(?:[^"\\]|\\.)*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
_COMMA = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[\]}])', re.DOTALL)
_PLACEHOLDER = re.compile(r"\$\{(?:(?:input|env):)?([A-Za-z0-9_.-]+)\}")
_UNFIT = re.compile(r"[^A-Za-z0-9_-]+")


@dataclass(frozen=True, slots=True)
class ForeignServer:
    """A server as another product has it. `secrets` are the values that are kept as secrets, by name."""

    name: str
    values: Mapping[str, Any]
    secrets: Mapping[str, str] = field(default_factory=dict[str, str])


def read_servers(text: str) -> Iterator[ForeignServer | tuple[str, str]]:
    """The servers of a file; a name with the reason for one that cannot be used. Raises `InvalidConfig`."""
    try:
        plain = _COMMENT.sub(lambda found: found[1] or "", text)
        document = json.loads(_COMMA.sub(lambda found: found[1] or "", plain))
    except ValueError as error:
        raise InvalidConfig(f"The file is no JSON: {error}.") from None
    entries = list(_entries(document))
    if not entries:
        raise InvalidConfig(
            "The file names no MCP servers: it has no mcpServers, servers or context_servers."
        )
    for name, said in entries:
        try:
            yield _server(name, said)
        except (TypeError, ValueError, AttributeError) as error:
            yield name, str(error)


def _entries(document: Any) -> Iterator[tuple[str, Any]]:
    if not isinstance(document, dict):
        return
    tables = cast("dict[str, Any]", document)
    inner = tables.get("mcp")
    places = [tables] if not isinstance(inner, dict) else [tables, cast("dict[str, Any]", inner)]
    for place in places:
        for key in ("mcpServers", "mcp_servers", "servers", "context_servers"):
            found = place.get(key)
            if isinstance(found, str):  # Kai keeps the list as the text of JSON
                found = json.loads(found)
            if isinstance(found, dict):
                yield from cast("dict[str, Any]", found).items()
            elif isinstance(found, list):
                for one in cast("list[Any]", found):
                    if isinstance(one, dict):
                        said = cast("dict[str, Any]", one)
                        yield str(said.get("name") or said.get("id") or "server"), said


def _server(name: str, said: Any) -> ForeignServer:
    if not isinstance(said, dict):
        raise ValueError("it is no object.")
    entry = cast("dict[str, Any]", said)
    if isinstance(entry.get("command"), dict):  # an older form of Zed
        entry = {**entry, **cast("dict[str, Any]", entry["command"])}
        entry["command"] = entry.get("path")
    fitting = (_UNFIT.sub("-", name).strip("-_") or "server")[:32]
    fitting = fitting if fitting[0].isalpha() else f"s{fitting}"[:32]
    values: dict[str, Any] = {}
    secrets: dict[str, str] = {}
    url = entry.get("url") or entry.get("serverUrl") or entry.get("httpUrl")
    if isinstance(entry.get("command"), str) and entry["command"]:
        values["command"] = entry["command"]
        if args := cast("list[Any]", entry.get("args") or []):
            values["args"] = [str(each) for each in args]
        if env := _named(fitting, entry.get("env"), secrets):
            values["env"] = env
        if isinstance(entry.get("cwd"), str):
            values["folder"] = entry["cwd"]
    elif isinstance(url, str):
        if entry.get("type") == "sse":
            raise ValueError(
                "it speaks the old SSE transport, which is not supported; ask for its HTTP address."
            )
        values["url"] = url
        if headers := _named(fitting, entry.get("headers"), secrets):
            values["headers"] = headers
    else:
        raise ValueError("it has neither a command nor a url.")
    is_off = entry.get("disabled") is True or entry.get("enabled") is False or entry.get("isEnabled") is False
    return ForeignServer(fitting, values | ({"enabled": False} if is_off else {}), secrets)


def _named(server: str, given: Any, secrets: dict[str, str]) -> list[str]:
    """Variables or headers by the names of secrets; values that stand in the file become secrets."""
    pairs: dict[str, Any] = {}
    if isinstance(given, dict):
        pairs = cast("dict[str, Any]", given)
    elif isinstance(given, list):
        for one in cast("list[dict[str, Any]]", given):
            pairs[str(one.get("name") or one.get("key"))] = one.get("value")
    named: list[str] = []
    for key, value in pairs.items():
        text = str(value)
        if _PLACEHOLDER.search(text):
            template = _PLACEHOLDER.sub(lambda found: f"{{{_secret_name(found[1])}}}", text)
            named.append(f"{key}={template}")
        elif text:
            name = _secret_name(f"MCP_{server}_{key}")
            secrets[name] = text
            named.append(f"{key}={name}")
    return named


def _secret_name(text: str) -> str:
    name = re.sub(r"[^A-Z0-9_]", "_", text.upper())[:100]
    return name if re.match(r"[A-Z][A-Z0-9_]{2}", name) else f"MCP_{name}"
