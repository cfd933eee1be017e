"""Shell commands that people type out of habit, read as calls of tools: `mv a.txt b.txt` moves a file."""

import re
import shlex
from collections.abc import Callable

from oneclaw_smollm2.call import Ruled
from oneclaw_smollm2.message import looks_like_path

_UNSAFE = re.compile(r"[*?$|;&<>]|\A(?:/|~|\.{1,2})/?\Z")
_ECHO = re.compile(r"echo\s+(?P<text>.+?)\s*(?P<way>>>?)\s*(?P<path>[^\s<>|;&]+)", re.IGNORECASE)
_NAME = re.compile(r"(?:find\s+(?:\S+\s+)?-i?name)\s+(?P<pattern>\S+)", re.IGNORECASE)


def read_command(text: str) -> Ruled | None:
    """The call that a command asks for; None where the text is no command, or one that no tool does."""
    echo, name = _ECHO.fullmatch(text.strip()), _NAME.fullmatch(text.strip())
    if echo is not None:
        mode = "append" if echo["way"] == ">>" else "overwrite"
        content = " ".join(_words(echo["text"]) or [echo["text"]])
        return Ruled("write_file", "write", {"path": echo["path"], "content": content, "mode": mode})
    if name is not None:
        return Ruled("find_files", "find", {"pattern": name["pattern"].strip("\"'")})
    first, *rest = _words(text) or [""]
    read = _COMMANDS.get(first.lower())
    flags = [word for word in rest if word.startswith("-")]
    things = [word for word in rest if word not in flags]
    if read is None or any(_UNSAFE.search(thing) for thing in things if first.lower() not in _SEARCHES):
        return None
    return read(things, "".join(flags))


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:  # a quotation is not closed
        return []


def _list(things: list[str], flags: str) -> Ruled | None:
    return Ruled("list_files", "list", {"path": things[0]} if things else {}) if len(things) < 2 else None


def _read(things: list[str], flags: str) -> Ruled | None:
    is_file = len(things) == 1 and looks_like_path(things[0])
    return Ruled("read_file", "read", {"path": things[0]}) if is_file else None


def _remove(things: list[str], flags: str) -> Ruled | None:
    """One file; `rm -rf` is refused, as it asks for no question and no way back."""
    is_file = (
        len(things) == 1 and looks_like_path(things[0]) and "f" not in flags and "r" not in flags.lower()
    )
    return Ruled("delete_file", "delete", {"path": things[0]}) if is_file else None


def _pair(tool: str) -> Callable[[list[str], str], Ruled | None]:
    def read(things: list[str], flags: str) -> Ruled | None:
        if len(things) != 2 or not looks_like_path(things[0]):
            return None
        return Ruled(tool, tool.partition("_")[0], {"source": things[0], "destination": things[1]})

    return read


def _folder(things: list[str], flags: str) -> Ruled | None:
    return Ruled("make_folder", "make a folder", {"path": things[0]}) if len(things) == 1 else None


def _touch(things: list[str], flags: str) -> Ruled | None:
    if len(things) != 1 or not looks_like_path(things[0]):
        return None
    return Ruled("write_file", "create", {"path": things[0], "content": "", "mode": "append"})


def _grep(things: list[str], flags: str) -> Ruled | None:
    if (
        not things
        or len(things) > 2
        or (len(things) == 2 and not looks_like_path(things[1]) and things[1] not in "*.")
    ):
        return None
    place = {"path": things[1]} if len(things) == 2 and things[1] not in "*." else {}
    return Ruled("search_text", "search", {"pattern": re.escape(things[0]), **place, "ignore_case": True})


_SEARCHES = ("grep", "rg", "ag")
_COMMANDS: dict[str, Callable[[list[str], str], Ruled | None]] = {
    **dict.fromkeys(("ls", "dir", "ll"), _list),
    **dict.fromkeys(("cat", "less", "more", "head", "tail", "type"), _read),
    **dict.fromkeys(("rm", "del", "unlink"), _remove),
    **dict.fromkeys(("mv", "ren"), _pair("move_file")),
    "cp": _pair("copy_file"),
    **dict.fromkeys(("mkdir", "md"), _folder),
    "touch": _touch,
    **dict.fromkeys(_SEARCHES, _grep),
}
