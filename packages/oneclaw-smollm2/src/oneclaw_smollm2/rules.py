"""Calls that are read by rule, of tools the model was not trained on: no model is asked for them.

A rule has to fit a request as a whole. `delete a.txt` deletes a file, `delete the last line of a.txt` fits no
rule and is refused.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from oneclaw_smollm2.call import Ruled
from oneclaw_smollm2.facts import read_fact
from oneclaw_smollm2.message import looks_like_path
from oneclaw_smollm2.searches import read_search
from oneclaw_smollm2.shell_words import read_command
from oneclaw_smollm2.sums import read_sum

RULED = (
    "calculate",
    "copy_file",
    "delete_file",
    "edit_file",
    "make_folder",
    "move_file",
    "restore_file",
    "search_history",
)
"""The tools that only these rules call."""


_QUOTED = r"\"[^\"]+\"|“[^”]+”|‘[^’]+’|'[^']+'|`[^`]+`"
_KIND = r"(?:file|folder|directory|document|note|dir)"


def _thing(name: str) -> str:
    """A file or folder, with what people say around it: `the file a.txt`, `the archive folder`."""
    return (
        rf"(?:(?:the|my|this|that|our|a)\s+)?(?:new\s+)?(?P<{name}_is>{_KIND}\s+)?(?:called\s+|named\s+)?"
        rf"(?P<{name}>{_QUOTED}|[^\s,;\"']+?)(?P<{name}_kind>\s+{_KIND})?"
    )


_TO = (
    r"(?P<to>(?:in|on)?to|as|in|inside|under|->|→|be|called|named|and\s+(?:call|name)\s+it|with\s+the\s+name"
    r"|(?:in)?to\s+a\s+(?:new\s+)?(?:file|folder)\s+(?:called|named))"
)
_SOURCE, _DESTINATION, _PATH = _thing("source"), _thing("destination"), _thing("path")
_WITHIN = r"(?:in|inside|from)\s+(?:the\s+)?(?P<folder>[\w./-]+?)(?:\s+(?:folder|directory))?"
_MOVE = (
    rf"(?P<verb>rename|move|relocate|shift|transfer)\s+{_SOURCE}(?:\s+{_TO})?\s+{_DESTINATION}",
    rf"(?P<verb>rename|move|relocate)\s+{_SOURCE}",
    rf"(?P<verb>rename|move)\s+{_SOURCE}\s+{_WITHIN}\s+(?P<to>to|as|into)\s+{_DESTINATION}",
    rf"(?P<verb>change)\s+the\s+(?:file\s*)?name\s+of\s+{_SOURCE}\s+(?P<to>to|into)\s+{_DESTINATION}",
    rf"(?P<verb>change)\s+{_SOURCE}'s\s+name\s+(?P<to>to|into)\s+{_DESTINATION}",
    rf"(?P<verb>call)\s+{_SOURCE}\s+{_DESTINATION}(?:\s+from\s+now\s+on)?",
    rf"(?P<verb>give)\s+{_SOURCE}\s+(?P<to>the\s+(?:new\s+)?name)\s+{_DESTINATION}",
    rf"(?P<verb>put|place|stick|drop|file|take|bring)\s+{_SOURCE}\s+(?P<to>in|into|inside|under|to)\s+{_DESTINATION}",
)
_COPY_VERBS = (
    r"copy|duplicate|clone|back\s?up|make\s+(?:me\s+)?a\s+(?:copy|duplicate|backup)\s+of|save\s+a\s+copy\s+of"
)
_COPY = (
    rf"(?P<verb>{_COPY_VERBS})\s+{_SOURCE}(?:\s+{_TO})?\s+{_DESTINATION}",
    rf"(?P<verb>{_COPY_VERBS})\s+{_SOURCE}",
    rf"(?P<verb>copy)\s+{_SOURCE}\s+{_WITHIN}\s+(?P<to>to|as|into)\s+{_DESTINATION}",
    rf"(?P<verb>save|store)\s+{_SOURCE}\s+(?P<to>as|under)\s+{_DESTINATION}",
)
_DELETE = (
    rf"(?P<verb>delete|remove|erase|trash|discard|scrap|bin|get\s+rid\s+of|throw\s+(?:away|out))\s+{_PATH}",
    rf"(?P<verb>throw)\s+{_PATH}\s+(?:away|out)",
    rf"(?P<verb>put|move|throw)\s+{_PATH}\s+(?:in|into|to)\s+(?:the\s+)?(?:trash|bin|recycle\s+bin|rubbish)",
)
_RESTORE = (
    rf"(?P<verb>restore|undelete|recover|bring\s+back|get\s+back)\s+{_PATH}(?:\s+(?:from\s+the\s+(?:trash|bin)))?",
    rf"(?P<verb>bring|get|put|give)\s+(?:me\s+)?{_PATH}\s+back",
    rf"(?P<verb>undo)\s+(?:the\s+)?(?:delete|deletion|removal|deleting)\s+of\s+{_PATH}",
)
_NEW_FOLDER = (
    r"(?:(?P<verb>make|create|add|start|set\s+up)\s+(?:me\s+)?(?:an?\s+|the\s+|another\s+)?(?:new\s+|empty\s+|sub)*|new\s+)"
    r"(?:folder|directory|dir)"
)
_FOLDER = (
    rf"{_NEW_FOLDER}\s+(?P<path>{_QUOTED}|\S+?)",
    rf"{_NEW_FOLDER}(?:\s+(?:called|named))?\s+(?P<path>{_QUOTED}|\S+?)\s+{_WITHIN}",
    rf"{_NEW_FOLDER}\s+(?:called|named|with\s+the\s+name)\s+(?P<path>{_QUOTED}|\S+(?:\s+\S+){{0,2}}?)",
    rf"{_NEW_FOLDER}\s+for\s+(?:my\s+|the\s+|our\s+)?(?P<path>{_QUOTED}|[\w-]+)",
    rf"(?P<verb>make|create|add)\s+(?:me\s+)?(?:an?|the)\s+(?:new\s+)?(?P<path>{_QUOTED}|[\w./-]+?)\s+(?:folder|directory|dir)",
)
_EMPTY = (
    rf"(?P<verb>make|create|start|add)\s+(?:me\s+)?(?:an?\s+)?(?:new\s+|empty\s+|blank\s+|text\s+)*(?:file|document)"
    rf"(?:\s+(?:called|named|with\s+the\s+name))?\s+(?P<path>{_QUOTED}|\S+?)",
)
_OLD, _NEW = rf"(?P<old>{_QUOTED}|.+?)", rf"(?P<new>{_QUOTED}|.+?)"
_EACH = r"(?P<each>(?:all|every|each)\s+(?:occurrences?\s+of\s+)?)?(?:the\s+words?\s+)?"
_EDIT = (
    rf"(?P<verb>replace|substitute|swap)\s+{_EACH}{_OLD}\s+(?:with|by|for)\s+{_NEW}\s+in\s+{_PATH}",
    rf"(?P<verb>change|correct)\s+{_EACH}{_OLD}\s+(?:in)?to\s+{_NEW}\s+in\s+{_PATH}",
    rf"(?P<verb>replace|substitute)\s+{_EACH}{_OLD}\s+in\s+{_PATH}\s+(?:with|by)\s+{_NEW}",
    rf"(?P<verb>change|correct)\s+{_EACH}{_OLD}\s+in\s+{_PATH}\s+(?:in)?to\s+{_NEW}",
    rf"(?:(?:edit|open|update)\s+|in\s+){_PATH},?\s+(?:(?:and|to)\s+)?(?P<verb>replace|change|correct)\s+{_EACH}{_OLD}\s+(?:with|by|to)\s+{_NEW}",
)
_WHOLE_TEXT = re.compile(
    r"(?:everything|all|(?:all\s+)?(?:the\s+)?(?:whole\s+)?(?:texts?|contents?|file|lines?)|what(?:'s|\s+is))",
    re.IGNORECASE,
)
_GAPS = {
    "delete_file": "delete|remove|erase|trash|get rid of",
    "move_file": "rename|move",
    "copy_file": "copy|duplicate|back up",
    "restore_file": "restore|undelete",
    "make_folder": r"(?:make|create|add)(?= .*\b(?:folder|directory)\b)",
    "search_text": "search|grep",
}
_UNNAMED = rf"(?:(?:a|an|the|some|one|another|this|that|my)\s+)?(?:new\s+)?(?:{_KIND}|something)"
"""Words for a file that name none."""
_PUTTING = ("put", "place", "stick", "drop", "file", "take", "bring")
"""Verbs that move a file into a folder; into another file nothing is moved by them."""
_POLITE_END = r"(?:,?\s+(?:please|pls|for\s+me|now|thanks|thank\s+you|again|instead|ok|okay|then))*\s*[.!?]*"
_ALL = re.compile(r"(?:everything|all|every|any|\*|\*\.\*|files|it|that|this|them|one|/|~|\.)", re.IGNORECASE)


def read_call(request: str) -> Ruled | None:
    """The call that a request without polite words asks for; None where no rule fits it."""
    expression = read_sum(request)
    if expression:
        return Ruled("calculate", "calculate", {"expression": expression})
    name = request.strip().strip("\"'`").rstrip("?!.")
    if looks_like_path(name) and re.fullmatch(r"\S*\w\.\w+", name):
        return Ruled("read_file", "read", {"path": name})
    found = read_command(request) or read_fact(request) or read_search(request) or _read_gap(request)
    if found is not None:
        return found
    for rows, read in _RULES:
        for row in rows:
            found = re.fullmatch(row + _POLITE_END, request.strip(), re.IGNORECASE)
            ruled = read(found) if found is not None else None
            if ruled is not None:
                return ruled
    return None


def _read_gap(request: str) -> Ruled | None:
    """A verb with no file: `delete a file`."""
    for tool, verbs in _GAPS.items():
        found = re.fullmatch(rf"(?P<verb>{verbs})(?:\s+{_UNNAMED})?[.!?]*", request.strip(), re.IGNORECASE)
        if found is not None:
            return Ruled(tool, found["verb"].lower())
    return None


def _read_pair(found: re.Match[str], tool: str) -> Ruled | None:
    """A call with a source and a destination; the source has to be a file or folder beyond doubt."""
    parts, verb = found.groupdict(), _verb(found, tool)
    source = _name(parts["source"])
    if not _is_file(parts, "source") or _ALL.fullmatch(source):
        return None
    if not parts.get("destination"):
        return Ruled(tool, verb)
    destination = _name(parts["destination"])
    if parts.get("folder"):
        source = f"{parts['folder']}/{source}"
        destination = f"{parts['folder']}/{destination}" if verb == "rename" else destination
    has_ending = re.search(r"\w\.\w+\Z", destination) is not None
    is_folder = not has_ending and parts.get("to") is not None
    is_meant = (
        is_folder if verb in _PUTTING else parts.get("to") is not None or _is_file(parts, "destination")
    )
    if _ALL.fullmatch(destination) or not is_meant:
        return None
    if not has_ending and _is_into(parts, verb) and not destination.endswith("/"):
        destination = f"{destination}/{source.rstrip('/').rpartition('/')[2]}"
    return Ruled(tool, verb, {"source": source, "destination": destination})


def _is_into(parts: Mapping[str, str | None], verb: str) -> bool:
    """Whether the destination is a folder, there or not: `into the archive folder`, `move it to archive`."""
    said = f"{parts.get('destination_is') or ''}{parts.get('destination_kind') or ''}".lower()
    is_inside = (parts.get("to") or "").lower() in ("into", "in", "inside", "under")
    return (
        "folder" in said
        or "dir" in said
        or is_inside
        or verb in ("move", "relocate", "shift", "transfer", *_PUTTING)
    )


def _read_path(found: re.Match[str], tool: str) -> Ruled | None:
    parts = found.groupdict()
    path = _name(parts["path"])
    if not _is_file(parts, "path") or _ALL.fullmatch(path):
        return None
    return Ruled(tool, _verb(found, tool), {"path": path})


def _read_folder(found: re.Match[str]) -> Ruled | None:
    path, folder = _name(found["path"]), found.groupdict().get("folder")
    path = f"{folder}/{path}" if folder else path
    return (
        None
        if _ALL.fullmatch(path) or path in ("for", "in", "inside")
        else Ruled("make_folder", "make a folder", {"path": path})
    )


def _read_empty(found: re.Match[str]) -> Ruled:
    # Added to, so that a file of that name that is there keeps what it holds.
    return Ruled("write_file", "create", {"path": _name(found["path"]), "content": "", "mode": "append"})


def _read_edit(found: re.Match[str]) -> Ruled | None:
    parts = found.groupdict()
    if not _is_file(parts, "path") or _WHOLE_TEXT.fullmatch(parts["old"]):
        return None
    arguments: dict[str, Any] = {
        "path": _name(parts["path"]),
        "old": _name(parts["old"]),
        "new": _name(parts["new"]),
    }
    return Ruled("edit_file", _verb(found, "edit_file"), arguments | ({"all": True} if parts["each"] else {}))


_RULES: tuple[tuple[tuple[str, ...], Callable[[re.Match[str]], Ruled | None]], ...] = (
    (_FOLDER, _read_folder),
    (_EMPTY, _read_empty),
    (_EDIT, _read_edit),
    (_DELETE, lambda found: _read_path(found, "delete_file")),
    (_RESTORE, lambda found: _read_path(found, "restore_file")),
    (_MOVE, lambda found: _read_pair(found, "move_file")),
    (_COPY, lambda found: _read_pair(found, "copy_file")),
)


def _is_file(parts: Mapping[str, str | None], name: str) -> bool:
    """Whether a thing looks like a path, or is called a folder."""
    is_called = parts.get(f"{name}_kind") is not None or parts.get(f"{name}_is") is not None
    return looks_like_path(_name(parts[name])) or is_called


def _verb(found: re.Match[str], tool: str) -> str:
    said = found.groupdict().get("verb") or tool.partition("_")[0]
    return " ".join(said.lower().split())


def _name(thing: str | None) -> str:
    text = (thing or "").strip()
    is_quoted = len(text) > 1 and text[0] in "\"“‘'`"
    return text[1:-1] if is_quoted else text.rstrip(".,!?")
