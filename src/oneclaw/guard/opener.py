"""Opens files and URLs on the person's desktop, without a shell.

Who opens. The page, when a page is the front and takes it; else the desktop's opener, found in a folder that
is named in full and that no tool can write; else nobody, and the person is given the path or address.

What is opened. Files of the workspace and its roots, and of those only kinds that are shown and not run: a
model that may write files could otherwise start programs. Web addresses, which pass the gate as a request
does, because a browser sends what its person is logged in with.
"""

import asyncio
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from pathlib import Path, PurePath
from urllib.parse import quote, unquote, urlsplit

from oneclaw.core.errors import Kind, ToolError, invalid
from oneclaw.core.session import Network, Session, Workspace
from oneclaw.core.tool import Context
from oneclaw.guard.files import paths
from oneclaw.guard.files.route import spell
from oneclaw.guard.network.dial import lookup
from oneclaw.guard.network.gate import AllowPrivate, Gate, Resolve
from oneclaw.guard.network.url import parse
from oneclaw.guard.own_thread import run_in_own_thread

ShowFile = Callable[[Session, str], Awaitable[bool]]
"""Shows a file (by its path) or an address in the page of a session; False when there is no page."""

PLATFORM = sys.platform
WAIT_SECONDS = 3.0
"""How long an opener is waited for: one that still runs then is taken to have opened it."""

SHOWN_KINDS = frozenset(
    (
        *("txt", "md", "log", "csv", "tsv", "json", "jsonl", "xml", "yaml", "yml", "toml", "ini", "rst"),
        "tex",
        *("html", "htm", "xhtml", "pdf", "epub", "odt", "ods", "odp", "docx", "xlsx", "pptx", "rtf"),
        *("png", "jpg", "jpeg", "gif", "webp", "bmp", "tif", "tiff", "svg", "avif", "heic", "ico"),
        *("mp3", "wav", "ogg", "oga", "flac", "m4a", "opus", "mp4", "m4v", "webm", "mkv", "mov", "avi"),
        "ogv",
        *("ics", "vcf", "srt", "vtt", "diff", "patch"),
    )
)
"""Endings of files that programs show. Anything else may be run by whoever opens it."""

_KEPT = frozenset(
    (
        *("HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "PATH", "TMPDIR", "TZ", "SHELL", "BROWSER"),
        *("DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS", "DESKTOP_SESSION"),
        *("KDE_FULL_SESSION", "KDE_SESSION_VERSION", "GNOME_DESKTOP_SESSION_ID"),
    )
)
_KEPT_BEGINNINGS = ("LC_", "XDG_")
_FRAGMENT_SAFE = "!$%&()*+,-./:;=?@_~"


def find_opener(workspace: Workspace) -> Path | None:
    """The desktop's opener; None where there is no desktop, or nothing on it that opens files."""
    environment = os.environ
    if PLATFORM == "darwin":
        return next((one for one in (Path("/usr/bin/open"),) if _is_program(one)), None)
    if not (environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY")):
        return None
    for folder in environment.get("PATH", "").split(os.pathsep):
        program = Path(folder, "xdg-open")
        if folder.startswith("/") and _is_program(program) and not _can_be_written(program, workspace):
            return program
    return None


def locate(workspace: Workspace, path: str) -> str:
    """The full path of a file that tools may read, links resolved; raises `ToolError` for any other."""
    with paths.open_file(workspace, path) as file:
        real = os.path.realpath(os.path.join(workspace.folder, path))
        with suppress(OSError):
            if os.path.samestat(os.stat(real), os.fstat(file.fileno())):
                return real
    raise ToolError(f"{spell(path)} was exchanged while it was looked at; try again.", Kind.PATH_NOT_ALLOWED)


def path_of_url(url: str) -> str | None:
    """The path that a `file:` address names; None for other addresses."""
    if not url.strip().lower().startswith("file:"):
        return None
    parts = urlsplit(url.strip())
    if parts.netloc not in ("", "localhost") or not parts.path or parts.query:
        raise invalid(f"{url[:200]} names no file of this machine; write it as file:///path.")
    return unquote(parts.path, errors="surrogateescape")


def is_shown(path: str) -> bool:
    """Whether a file of this name is shown by what opens it, and not run."""
    return PurePath(path).suffix[1:].lower() in SHOWN_KINDS


async def admit(
    url: str, network: Network, allow_private: AllowPrivate | None, resolve: Resolve = lookup
) -> str:
    """The address as it will be opened; raises `ToolError` where a request to it would be refused."""
    target = parse(url)
    await Gate(network, allow_private, resolve).admit(target.host, target.port, target.is_odd)
    fragment = quote(url.strip().partition("#")[2], safe=_FRAGMENT_SAFE)
    return f"{target}#{fragment}" if fragment else str(target)


async def open_on_screen(context: Context, target: str, show: ShowFile | None) -> str:
    """Open a file or an address in the page or on the desktop; says in a sentence what happened."""
    if show is not None and await show(context.session, target):
        return f"Opened in the page: {target}"
    program = find_opener(context.workspace)
    if program is None:
        return f"Not opened: there is no desktop here to open it on. The person can open it: {target}"
    await start(program, target)
    return f"Opened: {target}"


async def start(opener: Path, target: str) -> None:
    """Have the opener open the target, detached from us; raises `ToolError` when it says it could not."""

    def work() -> int:
        return subprocess.Popen(
            [str(opener), target],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=_environment(os.environ),
            cwd="/",
            start_new_session=True,  # it outlives us, as the window does
        ).wait()

    # A thread of its own, so that a window that stays open holds nobody up, and its end is still noticed.
    try:
        code = await asyncio.wait_for(run_in_own_thread(work, "opener"), WAIT_SECONDS)
    except TimeoutError:
        return
    except OSError as error:
        why = error.strerror
        raise ToolError(f"{opener} could not be started ({why}); open it by hand: {target}") from None
    if code != 0:
        raise ToolError(f"{opener} could not open it (exit code {code}); open it by hand: {target}")


def _is_program(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)


def _can_be_written(program: Path, workspace: Workspace) -> bool:
    """Whether a tool could have put it there: it lies in the workspace or in a root open to writing."""
    writable = [workspace.folder, *(root.folder for root in workspace.roots if root.access == "write")]
    real = program.resolve()
    return any(real.is_relative_to(folder.resolve()) for folder in writable)


def _environment(ours: Mapping[str, str]) -> dict[str, str]:
    """Environment of desktop programs, without keys."""
    return {name: value for name, value in ours.items() if name in _KEPT or name.startswith(_KEPT_BEGINNINGS)}
