"""Loads JavaScript tools from a folder: each `NAME.json` with its `NAME.js`."""

import errno
import hashlib
import json
import os
import stat
from collections.abc import Iterator, Mapping, MutableMapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from oneclaw.core.load import Loaded, LoadProblem
from oneclaw.core.subschema import is_array, object_of, objects_in, text_of
from oneclaw.core.tool import Tool
from oneclaw.js.manifest import read_manifest
from oneclaw.js.runtime import JavaScriptSource, Runtime
from oneclaw.js.work import JavaScriptWork

BUILTIN = Path(__file__).parent / "builtin"
"""The groups that come with us."""
MANIFEST, SOURCE = ".json", ".js"
MOST_BYTES = 1 << 20
"""The largest manifest, and the largest source."""
MOST_FILES = 1_000
"""The most files of one folder that are looked at."""

Known = MutableMapping[str, tuple[str, Loaded]]
"""Loaded tools by manifest, reused while both files are unchanged."""


class _Unreadable(Exception):
    """Why a file is not read."""


def load_folder(folder: Path, runtime: Runtime, origin: str, known: Known | None = None) -> Loaded:
    """The tools of a folder, in the order of the files' names; a folder that is not there has none."""
    known = {} if known is None else known
    found = Loaded()
    try:
        bases = list_bases(folder)
    except OSError as error:
        found.problems.append(LoadProblem(str(folder), f"the folder cannot be read ({error.strerror})."))
        return found
    if len(bases) > MOST_FILES:
        reason = f"the folder has more than {MOST_FILES:,} tool files; only the first are looked at."
        found.problems.append(LoadProblem(str(folder), reason))
    for base in bases[:MOST_FILES]:
        loaded = load_pair(folder, base, runtime, origin, known)
        found.tools.extend(loaded.tools)
        found.problems.extend(loaded.problems)
    return found


def list_bases(folder: Path) -> list[str]:
    """The names without ending of the folder's manifests and sources."""
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for entry in entries if not entry.name.startswith(".")]
    except FileNotFoundError:
        return []
    endings = (MANIFEST, SOURCE)
    return sorted({os.path.splitext(name)[0] for name in names if os.path.splitext(name)[1] in endings})


def load_pair(folder: Path, base: str, runtime: Runtime, origin: str, known: Known | None = None) -> Loaded:
    """The tools of one manifest and its source."""
    place = str(folder / f"{base}{MANIFEST}")
    manifest, source = f"{base}{MANIFEST}", f"{base}{SOURCE}"
    for name, missing in ((manifest, source), (source, manifest)):
        if not os.path.lexists(folder / missing):
            reason = f"its other half is missing: {missing} must stand beside it."
            return Loaded(problems=[LoadProblem(str(folder / name), reason)])
    texts: dict[str, str] = {}
    for name in (manifest, source):
        try:
            texts[name] = read_text(folder, name)
        except _Unreadable as error:
            return Loaded(problems=[LoadProblem(str(folder / name), str(error))])
    code = JavaScriptSource.of(source, texts[source])
    fingerprint = hashlib.sha256(f"{origin}\n{code.digest}\n{texts[manifest]}".encode()).hexdigest()
    before = None if known is None else known.get(place)
    if before is not None and before[0] == fingerprint:
        return before[1]
    entries, problems = read_manifest(texts[manifest], base, place, code.digest)
    loaded = Loaded(problems=problems)
    for entry in entries:
        work = JavaScriptWork(
            runtime, code, entry.function, entry.definition, place, entry.index, entry.examples
        )
        loaded.tools.append(Tool(entry.definition, work, origin))
    if known is not None:
        known[place] = (fingerprint, loaded)
    return loaded


def read_text(folder: Path, name: str) -> str:
    """A file of the folder; what leads out of it, is no plain file, is too large or not text is not read."""
    try:
        real = os.path.realpath(folder / name, strict=True)
        if not real.startswith(os.path.join(os.path.realpath(folder), "")):
            raise _Unreadable("it is a link that leads out of its folder; put the file itself there.")
        # Asked before as well as after: opening a pipe or a device can have effects of its own.
        if not stat.S_ISREG(os.lstat(real).st_mode):
            raise _Unreadable("it is not a plain file.")
        descriptor = os.open(real, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise _Unreadable("it is not a plain file.")
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        why = "it is a link in a circle" if error.errno == errno.ELOOP else error.strerror
        raise _Unreadable(f"it cannot be read ({why}).") from None
    if len(data) > MOST_BYTES:
        raise _Unreadable(f"it is larger than {MOST_BYTES >> 20} MB, the most that is read.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _Unreadable(f"it is not UTF-8 text (byte {error.start}).") from None


def list_parameters(folder: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The names of the tools a folder seems to have, with their properties: quick and unchecked, for Tab."""
    for base in list_bases(folder):
        with suppress(_Unreadable, ValueError, RecursionError):
            document = json.loads(read_text(folder, f"{base}{MANIFEST}"))
            for entry in objects_in(document if is_array(document) else [document]):
                if name := text_of(entry.get("name")):
                    yield name, object_of(object_of(entry.get("parameters")).get("properties"))
