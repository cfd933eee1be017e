"""Where plugins are: single files in the user's tools folder, and packages with an entry point of ours.

Nothing is imported to find them. The entry points are read from the installed packages' own files, which
takes a tenth of the time that `importlib.metadata` takes to be loaded. The current folder is not searched:
what lies there may have come with somebody else's code.
"""

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from oneclaw.plugins.manifest import FILE, Manifest, read_manifest
from oneclaw.plugins.source import (
    InvalidPlugin,
    Source,
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
_META_BYTES = 256 * 1024


@dataclass(frozen=True, slots=True)
class Found:
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
class Read:
    """A plugin that was read and not imported. `digest` is that of code and manifest together."""

    source: Source
    manifest: Manifest
    digest: str


def find_files(folder: Path) -> list[Found]:
    """The Python files of a folder, by name; those that begin with _ or . are nobody's plugin."""
    try:
        names = sorted(entry.name for entry in os.scandir(folder) if entry.name.endswith(".py"))
    except OSError:
        return []
    return [Found(name[:-3], folder / name) for name in names if name[0] not in "_."]


def find_packages(path: Iterable[str]) -> list[Found]:
    """The installed packages with an entry point of ours; of two with one name the first on the path."""
    found: dict[str, Found] = {}
    for folder in path:
        if folder and not _is_here(folder):
            for place in _metadata_in(folder):
                package = _read_package(place)
                if package is not None:
                    found.setdefault(package.name, package)
    return list(found.values())


def read(found: Found) -> Read:
    """Its code's digest and its manifest. Raises `InvalidPlugin`."""
    check_name(found)
    if not found.is_package:
        code = read_file(found.place)
        source = Source(found.name, digest_of(code), file=str(found.place))
        place = found.place.with_suffix(".toml")
        said = read_file(place) if os.path.lexists(place) else None
    else:
        for reference in found.references:
            if not _REFERENCE.match(reference):
                raise InvalidPlugin(f"The entry point {reference[:100]!r} is not MODULE or MODULE:NAME.")
        source = Source(found.name, digest_of_package(found.references), references=found.references)
        place = _manifest_of(found)
        said = None if place is None else read_file(place, is_own=False)
    manifest = Manifest() if said is None or place is None else read_manifest(said, place.name, found.name)
    return Read(source, manifest, digest_of(source.digest.encode(), said or b"", found.version.encode()))


def check_name(found: Found) -> None:
    if not NAME.match(found.name) or found.name in RESERVED:
        raise InvalidPlugin(
            f"{found.name[:80]!r} cannot be the name of a plugin: use letters, digits, _ and -, at most 64,"
            f" and none of {', '.join(RESERVED)}."
        )


def _is_here(folder: str) -> bool:
    try:
        return os.path.abspath(folder) == os.getcwd()
    except OSError:  # the current folder is gone
        return not os.path.isabs(folder)


def _metadata_in(folder: str) -> list[str]:
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith((".dist-info", ".egg-info")))
    except OSError:
        return []
    return [f"{folder}/{name}" for name in names]


def _read_package(place: str) -> Found | None:
    references = _entry_points(_text_of(f"{place}/entry_points.txt"))
    if not references:
        return None
    about = _headers(_text_of(f"{place}/METADATA") or _text_of(f"{place}/PKG-INFO"))
    name = about.get("name") or os.path.basename(place).partition("-")[0]
    return Found(
        re.sub(r"[-_.]+", "-", name).lower(),
        Path(place),
        tuple(references),
        about.get("version", ""),
        about.get("summary", ""),
    )


def _text_of(path: str) -> str:
    try:
        with open(path, "rb") as file:
            return file.read(_META_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""


def _entry_points(text: str) -> list[str]:
    """What the entry points of our group refer to, without the extras some name."""
    if GROUP not in text:
        return []
    section, found = "", list[str]()
    for line in map(str.strip, text.splitlines()):
        if line.startswith("["):
            section = line.strip("[] ")
        elif section == GROUP and "=" in line and line[0] not in "#;":
            value = line.partition("=")[2].partition("[")[0]
            found.append("".join(value.split()))
    return list(dict.fromkeys(found))


def _headers(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for line in text.splitlines():
        key, colon, value = line.partition(":")
        if not colon:
            break
        found.setdefault(key.strip().lower(), value.strip())
    return found


def _manifest_of(found: Found) -> Path | None:
    """The manifest among the files of a package, or in the folder of its code where no list names it."""
    for line in _text_of(f"{found.place}/RECORD").splitlines():
        name = line.partition(",")[0].strip('"')
        if name.rpartition("/")[2] == FILE:
            return found.place.parent / name
    folders = [folder for top in tops_of(found.references) for folder in folders_of(top)]
    return next((folder / FILE for folder in folders if (folder / FILE).is_file()), None)
