"""Builds bubblewrap command lines, and checks that bubblewrap works here."""

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from oneclaw.child.child_spec import LIFELINE
from oneclaw.guard.sandbox.places import SandboxPath, linked_folders
from oneclaw.guard.sandbox.sandbox_spec import FILTER

PROGRAM = "bwrap"
USER = 1000
"""The user id inside the sandbox: an ordinary user, also if the program runs as root."""
PROBE_SECONDS = 10.0

_ISOLATED = ("--unshare-user", "--unshare-all", "--new-session", "--die-with-parent", "--cap-drop", "ALL")
_DISABLED = "--disable-userns"
"""No namespaces within the sandbox; bubblewrap has it since 0.8."""


def command_line(
    program: str,
    places: Sequence[SandboxPath],
    *,
    network: bool,
    can_disable: bool = True,
    has_filter: bool = False,
    directory: str = "/",
    shared_bytes: int = 1 << 30,
) -> tuple[str, ...]:
    """The bubblewrap command line; only the given places are visible.

    `shared_bytes` bounds /dev/shm, which is memory that no process is seen to have.
    bash is process 1: when it ends, or is killed, the kernel ends everything else in the sandbox.
    /proc is only read: for root it holds the settings of the machine, and for all the memory of that bash.
    """
    line = [program, *_ISOLATED, "--as-pid-1", "--uid", str(USER), "--gid", str(USER)]
    line += ["--hostname", "sandbox", "--json-status-fd", LIFELINE]
    line += [_DISABLED] if can_disable else []
    line += ["--share-net"] if network else []
    line += ["--seccomp", FILTER] if has_filter else []
    for path, target in linked_folders():
        line += ["--ro-bind", path, path] if target is None else ["--symlink", target, path]
    line += ["--dev", "/dev", "--proc", "/proc"]
    line += ["--ro-bind-try", "/dev/null", "/proc/keys"]  # names of keys, of which it has none
    line += ["--size", str(shared_bytes)] if can_disable else []  # as new as that
    line += ["--tmpfs", "/dev/shm"]  # noqa: S108
    for place in places:
        line += _bind(place)
    hidden = [place.path for place in places if place.access == "hidden" and place.source.is_dir()]
    for path in (*hidden, "/dev", "/proc", "/"):  # in the end: until then they get what lies in them
        line += ["--remount-ro", path]
    return (*line, "--chdir", directory)


def _bind(place: SandboxPath) -> list[str]:
    if place.access == "hidden":
        if place.source.is_dir():
            return ["--tmpfs", place.path]
        return ["--ro-bind", "/dev/null", place.path]
    return ["--bind" if place.access == "write" else "--ro-bind", str(place.source), place.path]


def probe(places: Sequence[SandboxPath]) -> tuple[tuple[str, bool] | None, str]:
    """The program and whether it can forbid further namespaces, or None and why it does not work here."""
    found = shutil.which(PROGRAM)
    if found is None:
        return None, "bubblewrap is not installed (on Debian and Ubuntu: apt install bubblewrap)"
    why = ""
    for can_disable in (True, False):
        line = command_line(found, places, network=False, can_disable=can_disable)
        why = _try(["2" if word == LIFELINE else word for word in line])
        if not why:
            return (found, can_disable), ""
    return None, f"bubblewrap does not work here ({why})"


def _try(line: list[str]) -> str:
    """The error of starting a sandbox; empty when it works."""
    true = next(path for path in ("/usr/bin/true", "/bin/true") if Path(path).exists())
    try:
        tried = subprocess.run(
            [*line, true],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=PROBE_SECONDS,
            env={},
        )
    except (OSError, subprocess.SubprocessError) as error:
        return str(error)
    said = [text for text in tried.stderr.splitlines() if text.startswith("bwrap:")]
    return "" if tried.returncode == 0 else (said[-1] if said else f"exit code {tried.returncode}")
