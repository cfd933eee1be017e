"""Finds plugins: Python files in tool folders, and packages with the entry point `oneclaw.tools`.

Nothing is imported to find them.
"""

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from oneclaw.guard.entry_points import find_entry_points, read_metadata
from oneclaw.plugins.manifest import FILE, Manifest, read_manifest
from oneclaw.plugins.source import (
    InvalidPlugin,
    PluginImport,
    digest_of,
    digest_of_package,
    folders_of,
    read_file,
    tops_of,
)

GROUP = "oneclaw.tools"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}\Z")
RESERVED = ("built-in", "user", "project", "agents", "code")
"""Where tools come from that are no plugin's; rules that name these are about those."""

_REFERENCE = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*(?::[^\W\d]\w*(?:\.[^\W\d]\w*)*)?\Z")


@dataclass(frozen=True, slots=True)
class PluginLocation:
    """A plugin that is there: its name, and its file or its package's metadata and entry points."""

    name: str
    place: Path
    references: tuple[str, ...] = ()
    version: str = ""
    about: str = ""

    @property
    def is_package(self) -> bool:
        return self.place.suffix != ".py"


@dataclass(frozen=True, slots=True)
class PluginCode:
    """A plugin that was read and not imported. `digest` is that of code and manifest together."""

    source: PluginImport
    manifest: Manifest
    digest: str


def find_files(folder: Path) -> list[PluginLocation]:
    """The Python files of a folder, by name; those that begin with _ or . are nobody's plugin."""
    try:
        names = sorted(entry.name for entry in os.scandir(folder) if entry.name.endswith(".py"))
    except OSError:
        return []
    return [PluginLocation(name[:-3], folder / name) for name in names if name[0] not in "_."]


def find_packages(path: Iterable[str]) -> list[PluginLocation]:
    """The installed packages with an entry point of ours; of two with one name the first on the path."""
    found: dict[str, PluginLocation] = {}
    for place, references in find_entry_points(GROUP, path):
        package = _read_package(place, references)
        found.setdefault(package.name, package)
    return list(found.values())


def read(found: PluginLocation) -> PluginCode:
    """Its code's digest and its manifest. Raises `InvalidPlugin`."""
    check_name(found)
    if not found.is_package:
        code = read_file(found.place)
        source = PluginImport(found.name, digest_of(code), file=str(found.place))
        place = found.place.with_suffix(".toml")
        said = read_file(place) if os.path.lexists(place) else None
    else:
        for reference in found.references:
            if not _REFERENCE.match(reference):
                raise InvalidPlugin(f"The entry point {reference[:100]!r} is not MODULE or MODULE:NAME.")
        source = PluginImport(found.name, digest_of_package(found.references), references=found.references)
        place = _manifest_of(found)
        said = None if place is None else read_file(place, is_own=False)
    manifest = Manifest() if said is None or place is None else read_manifest(said, place.name, found.name)
    return PluginCode(
        source, manifest, digest_of(source.digest.encode(), said or b"", found.version.encode())
    )


def check_name(found: PluginLocation) -> None:
    if not NAME.match(found.name) or found.name in RESERVED:
        raise InvalidPlugin(
            f"{found.name[:80]!r} cannot be the name of a plugin: use letters, digits, _ and -, at most 64,"
            f" and none of {', '.join(RESERVED)}."
        )


def _read_package(place: str, references: Mapping[str, str]) -> PluginLocation:
    about = _headers(read_metadata(f"{place}/METADATA") or read_metadata(f"{place}/PKG-INFO"))
    name = about.get("name") or os.path.basename(place).partition("-")[0]
    return PluginLocation(
        re.sub(r"[-_.]+", "-", name).lower(),
        Path(place),
        tuple(dict.fromkeys(references.values())),
        about.get("version", ""),
        about.get("summary", ""),
    )


def _headers(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for line in text.splitlines():
        key, colon, value = line.partition(":")
        if not colon:
            break
        found.setdefault(key.strip().lower(), value.strip())
    return found


def _manifest_of(found: PluginLocation) -> Path | None:
    """The manifest among the files of a package, or in the folder of its code where no list names it."""
    for line in read_metadata(f"{found.place}/RECORD").splitlines():
        name = line.partition(",")[0].strip('"')
        if name.rpartition("/")[2] == FILE:
            return found.place.parent / name
    folders = [folder for top in tops_of(found.references) for folder in folders_of(top)]
    return next((folder / FILE for folder in folders if (folder / FILE).is_file()), None)
