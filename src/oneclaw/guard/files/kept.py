"""Earlier versions of files and deleted files, kept so that a change can be undone.

    changes/SESSION/ID.jsonl   one file per call: a head, then one line per step
    content/ab/SHA256          bytes that a file had, stored once however often they are needed
    trash/ID-NUMBER            a deleted file or folder, moved here whole
    size, pruned               the bytes of content and trash, counted on; when old changes were removed last

Theory. A step is on the disk before its effect begins, and the bytes it needs are there before the step. So a
program that is killed at any moment has lost nothing: either the effect did not happen, and undo finds the
state before it and has nothing to do, or it happened, and undo has all it needs. A line that was cut by a
kill belongs to an effect that never began, and is not read.
"""

import fcntl
import json
import os
import secrets
import shutil
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from time import time
from typing import Any, BinaryIO, Literal
from urllib.parse import quote

from oneclaw.core.errors import ToolError
from oneclaw.core.session import UndoFolder
from oneclaw.guard.files.state import FileState, state_of

TRASH = "trash:"
"""Stands before the name of an entry of the trash, in place of a path."""
_DAY_SECONDS = 86_400.0
_FRESH_SECONDS = 3600.0
"""Content that no step names yet may be that of a step which is just being written."""
_ROOM = 0.9
"""To which part of the allowed size old changes are removed when there is no room."""
MOST_CHANGES = 10_000


@dataclass(frozen=True, slots=True)
class FileStep:
    """One effect on one path.

    put   a file's content changed from `before` to `after`; None where there is no file
    make  a folder was made, or with `after` None, removed
    move  an entry was moved to the path `to`
    Paths are absolute and without links; one that begins with `trash:` is an entry of the trash.
    """

    do: Literal["put", "make", "move"]
    path: str
    to: str = ""
    before: FileState | None = None
    after: FileState | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeHead:
    """The call that made a change. `undoes` are the ids of the changes it took back, if it is an undo."""

    id: str
    session: str
    run: str = ""
    call_id: str = ""
    number: int = 0
    tool: str = ""
    time: float = 0.0
    undoes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class KeptChange:
    """The recorded changes of one call, step by step.

    Of an undo, `undid` are the steps that it took back, as `ID/NUMBER`; `is_done` when it came to its end.
    """

    head: ChangeHead
    steps: tuple[FileStep, ...]
    undid: frozenset[str] = frozenset()
    is_done: bool = False

    @property
    def keyed(self) -> list[tuple[str, FileStep]]:
        """The steps, the newest first, each with the name that `undid` has for it."""
        return [(f"{self.head.id}/{number}", step) for number, step in enumerate(self.steps)][::-1]


class ChangeKeeper:
    """Keeps what one call changes, each step before its effect. The file is made with the first step."""

    __slots__ = ("_trashed", "head", "undo")

    def __init__(self, undo: UndoFolder, head: ChangeHead) -> None:
        self.undo = undo
        self.head = head
        self._trashed = 0

    def make(self, path: str) -> None:
        self._add(FileStep("make", path, after=FileState("folder")))

    def unmake(self, path: str) -> None:
        self._add(FileStep("make", path, before=FileState("folder")))

    def put(self, path: str, old: BinaryIO | None, new: BinaryIO | None) -> None:
        with _keeping():
            before = None if old is None else _keep_content(self.undo, old)
        after = None if new is None else state_of(new, self.undo.file_bytes)
        self._add(FileStep("put", path, "", before, after))

    def move(self, path: str, to: str, state: FileState | None) -> None:
        self._add(FileStep("move", path, to, state, state))

    def new_trash(self, size: int) -> tuple[str, str]:
        """The place for the next thing this call deletes: its name in the record, its path on the disk."""
        self._trashed += 1
        with _keeping():
            _folder(self.undo.folder / "trash")
            _count(self.undo, size)
        named = f"{TRASH}{self.head.id}-{self._trashed}"
        return named, str(place_of(self.undo, named))

    def undid(self, *keys: str) -> None:
        """An undo took steps back; an empty key says that it came to its end."""
        if keys:
            self._write(b"".join(_line({"undid": key}) for key in keys))

    def _add(self, step: FileStep) -> None:
        self._write(_line(asdict(step)))

    def _write(self, lines: bytes) -> None:
        with _keeping():
            self._append(lines)

    def _append(self, lines: bytes) -> None:
        path = _folder(_session_folder(self.undo, self.head.session)) / f"{self.head.id}.jsonl"
        if not path.exists():
            lines = _line(asdict(self.head)) + lines
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        with os.fdopen(fd, "wb") as file:
            file.write(lines)
            file.flush()
            os.fsync(fd)


@contextmanager
def _keeping() -> Generator[None]:
    """Refuses a change whose undo cannot be kept, before its effect."""
    try:
        yield
    except OSError as error:
        raise ToolError(
            f"Nothing was changed, for its undo could not be kept ({error.strerror}): ask the user to make"
            " room in the folder `undo` of the data folder, or to check that it can be written."
        ) from None


def new_change_id() -> str:
    """An id that sorts by time."""
    return f"{int(time() * 1e6):014x}-{secrets.token_hex(3)}"


def place_of(undo: UndoFolder, trashed: str) -> Path:
    """Where an entry of the trash is."""
    return undo.folder / "trash" / trashed.removeprefix(TRASH)


def open_content(undo: UndoFolder, state: FileState) -> BinaryIO | None:
    """The bytes of an earlier state; None where they were not kept or are gone."""
    with suppress(OSError):
        if state.sha256:
            return open(_content(undo, state.sha256), "rb")
    return None


def read_changes(undo: UndoFolder, session: str | None = None) -> list[KeptChange]:
    """The kept changes of a session or of all, newest first."""
    files = [
        path
        for folder in ([_session_folder(undo, session)] if session is not None else _sessions(undo))
        for path in folder.glob("*.jsonl")
    ]
    found = (_read(path) for path in sorted(files, key=lambda path: path.stem, reverse=True))
    return [change for change in found if change is not None]


def deleted(undo: UndoFolder) -> dict[str, str]:
    """The paths of what is in the trash, each with the name of what was deleted there last."""
    found: dict[str, str] = {}
    for change in read_changes(undo):
        for step in reversed(change.steps):
            if step.do == "move" and step.to.startswith(TRASH) and os.path.lexists(place_of(undo, step.to)):
                found.setdefault(step.path, step.to)
    return found


def forget_session(undo: UndoFolder, session: str) -> None:
    """Remove the changes of a session; their content goes with the next `prune`."""
    shutil.rmtree(_session_folder(undo, session), ignore_errors=True)


def is_due(undo: UndoFolder) -> bool:
    """Whether the last `prune` was so long ago that it should be done again."""
    try:
        return (undo.folder / "pruned").stat().st_mtime < time() - _DAY_SECONDS
    except OSError:
        return undo.folder.is_dir()


def prune(undo: UndoFolder) -> None:
    """Remove what is too old and, oldest first, what there is no room for."""
    with _locked(undo):
        _write_size(undo, _prune(undo))
        (undo.folder / "pruned").touch()


def _prune(undo: UndoFolder, coming: int = 0) -> int:
    """Remove old changes and what only they needed; returns the bytes that are left, with those `coming`."""
    sizes = {path: _size(path) for path in _stored(undo)}
    needed: dict[Path, int] = {}
    files = sorted((path for folder in _sessions(undo) for path in folder.glob("*.jsonl")), key=_stem)
    kept = [(path, _needs(undo, path)) for path in files]
    for _, needs in kept:
        for each in needs:
            needed[each] = needed.get(each, 0) + 1
    fresh = time() - _FRESH_SECONDS
    for path in sizes:
        if path not in needed and path.lstat().st_ctime < fresh:
            needed[path] = 0
    for path in [path for path, count in needed.items() if not count]:
        _remove(path)
        sizes.pop(path)
    total = sum(sizes.values()) + coming
    oldest = 0.0 if undo.days is None else time() - undo.days * _DAY_SECONDS
    room = undo.total_bytes * _ROOM if total > undo.total_bytes else undo.total_bytes
    for left, (path, needs) in zip(range(len(kept), 0, -1), kept, strict=True):
        is_old = int(path.stem.partition("-")[0], 16) / 1e6 < oldest
        if not is_old and left <= MOST_CHANGES and (total <= room or left == 1):
            break
        path.unlink(missing_ok=True)
        for each in needs:
            needed[each] -= 1
            if not needed[each]:
                total -= sizes.pop(each, 0)
                _remove(each)
    return total


def _needs(undo: UndoFolder, path: Path) -> set[Path]:
    """The content and the trash that a change is undone with."""
    change = _read(path)
    needs: set[Path] = set()
    for step in () if change is None else change.steps:
        if step.do == "put" and step.before is not None and step.before.sha256:
            needs.add(_content(undo, step.before.sha256))
        needs |= {place_of(undo, each) for each in (step.path, step.to) if each.startswith(TRASH)}
    return needs


def _stored(undo: UndoFolder) -> Iterator[Path]:
    for pattern in ("content/*/*", "trash/*"):
        yield from undo.folder.glob(pattern)


def _size(path: Path) -> int:
    if path.is_dir() and not path.is_symlink():
        return sum(each.lstat().st_size for each in path.rglob("*"))
    with suppress(OSError):
        return path.lstat().st_size
    return 0


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        for folder in (path, *path.rglob("*/")):
            with suppress(OSError):  # a folder nobody may write would keep what is in it
                os.chmod(folder, 0o700, follow_symlinks=False)
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink()


def _keep_content(undo: UndoFolder, file: BinaryIO) -> FileState:
    """Copy the bytes of a file, unless they are too many or there already; returns its state."""
    state = state_of(file, undo.file_bytes)
    path = _content(undo, state.sha256)
    if not state.sha256 or path.exists():
        return state
    _folder(path.parent)
    beside = path.with_name(f".{secrets.token_hex(8)}")
    file.seek(0)
    with open(beside, "wb") as copy:
        os.fchmod(copy.fileno(), 0o600)
        shutil.copyfileobj(file, copy)
        copy.flush()
        os.fsync(copy.fileno())
    beside.rename(path)
    _count(undo, state.size)
    return state


def _count(undo: UndoFolder, size: int) -> None:
    """Count on what is stored, and make room where it is too much."""
    with _locked(undo):
        try:
            total = int((undo.folder / "size").read_bytes()) + size
        except (OSError, ValueError):
            total = sum(map(_size, _stored(undo)))
        _write_size(undo, total if total <= undo.total_bytes else _prune(undo, size))


def _write_size(undo: UndoFolder, total: int) -> None:
    (undo.folder / "size").write_text(f"{total}\n")


@contextmanager
def _locked(undo: UndoFolder) -> Generator[None]:
    fd = os.open(_folder(undo.folder) / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield
    finally:
        os.close(fd)


def _read(path: Path) -> KeptChange | None:
    """A kept change; None where its file is gone or has no whole head."""
    try:
        head, *lines = path.read_bytes().split(b"\n")
        given = json.loads(head)
        given["undoes"] = tuple(given["undoes"])
        made = ChangeHead(**given)
    except (OSError, ValueError, TypeError, KeyError):
        return None
    steps: list[FileStep] = []
    undid: set[str] = set()
    for line in lines:
        with suppress(ValueError, TypeError):  # cut by a kill: its effect never began
            given = json.loads(line)
            if "undid" in given:
                undid.add(given["undid"])
            else:
                steps.append(_step(given))
    return KeptChange(made, tuple(steps), frozenset(undid), "" in undid)


def _step(given: Mapping[str, Any]) -> FileStep:
    step = FileStep(**given)
    states = {name: FileState(**given[name]) for name in ("before", "after") if given[name] is not None}
    return replace(step, **states)


def _line(value: Mapping[str, Any]) -> bytes:
    return json.dumps(value).encode() + b"\n"


def _content(undo: UndoFolder, digest: str) -> Path:
    return undo.folder / "content" / digest[:2] / digest


def _sessions(undo: UndoFolder) -> list[Path]:
    with suppress(OSError):
        return [path for path in (undo.folder / "changes").iterdir() if path.is_dir()]
    return []


def _session_folder(undo: UndoFolder, session: str) -> Path:
    return undo.folder / "changes" / f"s-{quote(session, safe='')[:200]}"


def _folder(path: Path) -> Path:
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    return path


def _stem(path: Path) -> str:
    return path.stem
