"""Imports a plugin's code and collects its tools.

What is here runs where the plugin runs: in a worker process, or in the program for a plugin the owner trusts.
A file is compiled from the very bytes whose digest was compared, so what runs is what was found.
"""

import hashlib
import os
import re
import stat
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES, SOURCE_SUFFIXES
from importlib.util import find_spec
from itertools import islice
from operator import attrgetter
from pathlib import Path
from types import ModuleType
from typing import Any, cast

from oneclaw.core.errors import OneClawError, describe
from oneclaw.core.registry import ToolLike, as_tool
from oneclaw.core.tool import Tool

FILE_BYTES = 1 << 20
FILES = 5_000
TOOLS = 200
"""The most tools of one plugin."""

_CODE = (*SOURCE_SUFFIXES, *EXTENSION_SUFFIXES)


class InvalidPlugin(OneClawError):
    """A plugin that cannot be used."""


@dataclass(frozen=True, slots=True)
class PluginImport:
    """The import target: one file, or entry points such as `weather.tools:all`.

    `digest` is that of the code when it was found.
    """

    plugin: str
    digest: str
    file: str = ""
    references: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Offered:
    """The tools a plugin gives by name, with their index the things that are none, and what a file is for."""

    tools: dict[str, Tool]
    faults: list[tuple[int, str]]
    about: str = ""


def load(source: PluginImport) -> Offered:
    """Import the code and take its tools. Raises whatever the code raises, also SystemExit."""
    about = ""
    if source.file:
        module = _import_file(source)
        things, about = _tools_of(module), str(module.__doc__ or "").strip()
    else:
        things = _import_package(source)
    tools: dict[str, Tool] = {}
    faults: list[tuple[int, str]] = []
    for index, thing in enumerate(things):
        try:
            made = as_tool(cast(Any, thing))
        except Exception as error:
            faults.append((index, describe(error)))
            continue
        if tools.setdefault(made.name, made) is not made:
            faults.append((index, f"Two of its tools are named {made.name!r}; rename one of them."))
    return Offered(tools, faults, about.partition("\n")[0])


def read_file(path: Path, *, is_own: bool = True) -> bytes:
    """The bytes of a plain file; with `is_own`, of one in its folder that nobody else can write.

    Raises `InvalidPlugin`.
    """
    try:
        if is_own:
            _check_place(path)
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # a pipe must not hold us up
        with os.fdopen(descriptor, "rb") as file:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise InvalidPlugin(f"{path.name} is not a plain file.")
            if is_own:
                _check_owner(path, status)
            data = file.read(FILE_BYTES + 1)
    except OSError as error:
        raise InvalidPlugin(f"{path.name} cannot be read: {error.strerror or error}.") from None
    if len(data) > FILE_BYTES:
        raise InvalidPlugin(f"{path.name} is larger than {FILE_BYTES:,} bytes; make a package of it.")
    return data


def _check_place(path: Path) -> None:
    """A link may lead to where tools write, and what they write there would then be run."""
    folder = os.path.join(os.path.realpath(path.parent), "")
    if not os.path.realpath(path).startswith(folder):
        raise InvalidPlugin(f"{path.name} is a link that leads out of its folder; put the file itself there.")


def _check_owner(path: Path, status: os.stat_result) -> None:
    if status.st_uid not in (os.geteuid(), 0):
        raise InvalidPlugin(f"{path.name} belongs to another user; make it yours if you trust what it says.")
    if status.st_mode & stat.S_IWOTH:
        raise InvalidPlugin(f"{path.name} can be changed by everybody on this machine: chmod o-w {path}")


def digest_of(*parts: bytes) -> str:
    whole = hashlib.sha256()
    for part in parts:
        whole.update(len(part).to_bytes(8, "big") + part)
    return whole.hexdigest()


def digest_of_package(references: Iterable[str]) -> str:
    """Fingerprint of a package's code: its files by size and modification time."""
    lines = [line for top in tops_of(references) for line in _listing(top)]
    return digest_of("\n".join(lines).encode("utf-8", "surrogateescape"))


def tops_of(references: Iterable[str]) -> list[str]:
    """The top-level modules that references lead into."""
    return sorted({re.split("[.:]", reference, maxsplit=1)[0] for reference in references})


def folders_of(module: str) -> list[Path]:
    """The folders of a top-level package, without importing it; of a plain module, none."""
    spec = _spec_of(module)
    return [Path(folder) for folder in spec.submodule_search_locations or ()]


def _spec_of(module: str) -> Any:
    try:
        spec = find_spec(module) if module.isidentifier() else None
    except Exception:  # what finds modules may be anybody's, and raise anything
        spec = None
    if spec is None:
        raise InvalidPlugin(f"The module {module[:100]!r} is not installed; install the package again.")
    return spec


def _listing(module: str) -> list[str]:
    files = [path for folder in folders_of(module) for path in islice(_code_below(folder), FILES)]
    if not files:
        origin = _spec_of(module).origin
        files = [Path(origin)] if origin and os.path.isfile(origin) else []
    lines: list[str] = []
    for path in files:
        status = path.stat()
        lines.append(f"{path}\t{status.st_size}\t{status.st_mtime_ns}")
    return lines


def _code_below(folder: Path) -> Iterator[Path]:
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name != "__pycache__" and not name.startswith("."))
        for name in sorted(names):
            if name.endswith(_CODE):
                yield Path(place, name)


def _import_file(source: PluginImport) -> ModuleType:
    code = read_file(Path(source.file))
    if digest_of(code) != source.digest:
        raise _changed(source)
    module = ModuleType(f"oneclaw_plugin_{source.plugin.replace('-', '_')}_{source.digest[:12]}")
    module.__file__ = source.file
    sys.modules[module.__name__] = module  # dataclasses and annotations look there for what a module has
    try:
        exec(compile(code, source.file, "exec", dont_inherit=True), module.__dict__)  # noqa: S102 - a plugin
    except BaseException:
        sys.modules.pop(module.__name__, None)
        raise
    return module


def _import_package(source: PluginImport) -> list[object]:
    if digest_of_package(source.references) != source.digest:
        raise _changed(source)
    things: list[object] = []
    for reference in source.references:
        module, _, name = reference.partition(":")
        loaded = import_module(module)
        if vars(loaded).setdefault("__oneclaw_digest__", source.digest) != source.digest:
            raise InvalidPlugin(
                f"The plugin {source.plugin} was changed after this program had imported it; start it again"
            )
        things += _things_of(attrgetter(name)(loaded) if name else loaded, reference)
    return things


def _things_of(target: object, reference: str) -> list[object]:
    """Resolves an entry point: a module, a tool, a list of tools, or a function."""
    if isinstance(target, ModuleType):
        return _tools_of(target)
    if _is_tool(target):
        return [target]
    if callable(target):
        target = target()
        if _is_tool(target):
            return [target]
    if isinstance(target, Iterable) and not isinstance(target, str | bytes):
        return list(islice(cast(Iterable[object], target), TOOLS + 1))
    raise InvalidPlugin(
        f"{reference} gives a {type(target).__name__}; it must be a module, a tool, a list of tools, or a"
        " function that returns them."
    )


def _tools_of(module: ModuleType) -> list[object]:
    """The tools that stand in a module, in their order; those of ours that it uses are not its own."""
    names: Iterable[str] = getattr(module, "__all__", None) or [n for n in vars(module) if n[:1] != "_"]
    found: dict[int, object] = {}
    for name in names:
        thing = getattr(module, name, None)
        if _is_tool(thing) and not _is_ours(thing):
            found.setdefault(id(thing), thing)
    return list(found.values())


def _is_tool(thing: object) -> bool:
    return isinstance(thing, Tool) or (isinstance(thing, ToolLike) and not isinstance(thing, type))


def _is_ours(thing: object) -> bool:
    work = thing.function or thing.execute if isinstance(thing, Tool) else type(thing)
    return str(getattr(work, "__module__", "")).partition(".")[0] == "oneclaw"


def _changed(source: PluginImport) -> InvalidPlugin:
    return InvalidPlugin(
        f"The plugin {source.plugin} was changed after it was loaded; load it anew: oneclaw tools reload"
    )
