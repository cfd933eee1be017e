"""Detects Git files that make Git run programs."""

import os
import re
import stat
from collections.abc import Iterator
from contextlib import suppress

from oneclaw.guard.files.places import fold

CONFIG_BYTES = 256 << 10
MODULES = 200
"""How many submodules and worktrees of a repository are looked at."""

_OBEYED = ("hooks", "config", "config.worktree", "commondir", "gitdir")
_HARMLESS = re.compile(
    r"core\.(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|"
    r"autocrlf|eol|safecrlf|sharedrepository|compression|worktree|abbrev|quotepath|sparsecheckout|"
    r"sparsecheckoutcone)|"
    r"user\.(?:name|email)|init\.defaultbranch|pull\.(?:rebase|ff)|push\.(?:default|autosetupremote)|"
    r"extensions\.(?:objectformat|partialclone|worktreeconfig|refstorage|noop)|submodule\.active|gc\.auto|"
    r"remote\..*\.(?:url|pushurl|fetch|mirror|tagopt|promisor|partialclonefilter)|"
    r"branch\..*\.(?:remote|merge|rebase|description|vscode-merge-base)|"
    r"submodule\..*\.(?:url|active|branch|path)|advice\..*|color\..*|lfs\.repositoryformatversion"
)
"""Settings that have git run nothing, whatever their value; an address may not name a helper (`ext::`)."""
_SECTION = re.compile(r'\s*\[\s*([\w.-]+)\s*(?:"((?:[^"\\]|\\.)*)")?\s*\]')
_SETTING = re.compile(r"\s*([A-Za-z][\w-]*)\s*(?:=(.*))?$")


TELLING = ("HEAD", "objects", "refs", "commondir")
"""The names by which git takes a folder for a repository."""
NAMES = (*TELLING, *_OBEYED)
_BY_FOLDED = {fold(name): name for name in NAMES}


def is_git_folder(names: set[str]) -> bool:
    """Whether a folder with these entries is one that git takes for a repository."""
    return {"HEAD", "objects", "refs"} <= names or {"HEAD", "commondir"} <= names


def is_git_write(folder: str, name: str) -> bool:
    """Whether writing this name in a folder makes a repository of it, or changes what git obeys in one."""
    named = _BY_FOLDED.get(fold(name))
    if named is None:
        return False
    return is_git_folder({each for each in TELLING if each == named or os.path.lexists(f"{folder}/{each}")})


def obeyed_in(folder: str) -> Iterator[str]:
    """The paths of what git obeys in a folder of its own, whether they are there or not, modules included."""
    yield from (f"{folder}/{name}" for name in _OBEYED)
    for kind in ("modules", "worktrees"):
        for inner in _folders(f"{folder}/{kind}"):
            yield from (f"{inner}/{name}" for name in _OBEYED)


def inner_folders(folder: str) -> list[str]:
    """The folders of submodules and worktrees in a folder of git."""
    return [inner for kind in ("modules", "worktrees") for inner in _folders(f"{folder}/{kind}")]


def pointed_to(file: str) -> str:
    """Where a `.git` that is a file says that the folder of git is; empty if it does not say."""
    text = _read(file)
    if text is None or not text.startswith("gitdir:"):
        return ""
    return os.path.normpath(os.path.join(os.path.dirname(file), text.removeprefix("gitdir:").strip()))


def hooks_path(folder: str) -> str:
    """The value of `core.hooksPath` in a folder of git; empty if there is none."""
    found = [value for key, value in _settings(_read(f"{folder}/config") or "") if key == "core.hookspath"]
    return found[-1].strip().strip('"') if found else ""


def harm_in(folder: str) -> str:
    """Names what in a Git folder makes Git run programs; empty when nothing does."""
    for name in ("config", "config.worktree"):
        text = _read(f"{folder}/{name}")
        if text is None and os.path.lexists(f"{folder}/{name}"):
            return f"its {name}, which cannot be read"
        for key, value in _settings(text or ""):
            if not _HARMLESS.fullmatch(key) or "::" in value:
                return f"its setting {key[:80]}"
            if key == "core.worktree" and not _is_beside(folder, value.strip()):
                return "its core.worktree, which leads elsewhere,"
    for name in _names(f"{folder}/hooks"):
        if not name.endswith(".sample"):
            return f"its hook {name[:80]}"
    if os.path.islink(f"{folder}/hooks"):
        return "its hooks, which are a link"
    if os.path.lexists(f"{folder}/commondir"):
        is_worktree = os.path.basename(os.path.dirname(folder)) == "worktrees"
        if not is_worktree or (_read(f"{folder}/commondir") or "").strip() != "../..":
            return "its commondir, which leads elsewhere"
    return next((harm for inner in inner_folders(folder) if (harm := harm_in(inner))), "")


def _is_beside(folder: str, work_tree: str) -> bool:
    """Whether the files of a repository lie in the folder that its folder of git lies in."""
    above, is_usual, _ = f"{folder}/".partition("/.git/")
    base = os.path.realpath(above if is_usual else os.path.dirname(folder))
    found = os.path.realpath(os.path.join(folder, work_tree))
    return not set(work_tree) & set('"\\;#') and f"{found}/".startswith(f"{base}/")


def _settings(text: str) -> Iterator[tuple[str, str]]:
    """The settings of a config file: `section.subsection.name`, in small letters but for the middle.

    Lines end where git has them end. They are not joined: one that goes on in the next is a strange setting.
    """
    section = ""
    for line in text.replace("\r\n", "\n").split("\n"):
        rest = line
        if line.endswith("\\"):
            yield f"{section}?", line
        while found := _SECTION.match(rest):
            section = f"{found[1].lower()}.{found[2]}." if found[2] is not None else f"{found[1].lower()}."
            rest = rest[found.end() :]
        rest = rest.strip()
        if not rest or rest[0] in "#;":
            continue
        setting = _SETTING.match(rest)
        yield (section + setting[1].lower(), setting[2] or "") if setting else (f"{section}?", rest)


def _folders(folder: str) -> list[str]:
    """The folders of git below one that holds them, however deep their names lead (`modules/a/b`)."""
    found: list[str] = []
    todo = [folder]
    while todo and len(found) < MODULES:
        here = todo.pop()
        names = set(_names(here))
        if here != folder and ("HEAD" in names or "commondir" in names or "config" in names):
            found.append(here)
            continue
        todo += [f"{here}/{name}" for name in sorted(names, reverse=True)[:MODULES]]
    return found


def _names(folder: str) -> list[str]:
    with suppress(OSError):
        if stat.S_ISDIR(os.lstat(folder).st_mode):
            return os.listdir(folder)
    return []


def _read(file: str) -> str | None:
    """The text of a small regular file that is no link; None for anything else."""
    try:
        fd = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    with os.fdopen(fd, "rb") as opened:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            return None
        data = opened.read(CONFIG_BYTES + 1)
    return data.decode("utf-8", "surrogateescape") if len(data) <= CONFIG_BYTES else None
