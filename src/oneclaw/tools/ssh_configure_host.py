"""ssh_configure_host: names a host so that sandboxed commands can use `ssh NAME`."""

import re
import shutil
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

from oneclaw.core.define.function import tool
from oneclaw.core.errors import Kind, ToolError, invalid
from oneclaw.core.session import Workspace
from oneclaw.core.tool import Context, Tool
from oneclaw.guard.network.address import is_address

if TYPE_CHECKING:
    from oneclaw.run.shell.shells import Shells

FEATURE = "sandbox"
CONFIG = ".ssh/config"
MOST_BYTES = 256 * 1024

_HOME = "${HOME}"
"""Filled in by ssh: the home is elsewhere in another sandbox, and its path may have blanks in it."""
_USUAL_KEYS = ("id_ed25519", "id_ecdsa", "id_rsa")
_ALIAS = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}", re.ASCII)
_HOST = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?", re.ASCII)
_USER = re.compile(r"[A-Za-z_][A-Za-z0-9._-]{0,31}", re.ASCII)
_KEY = re.compile(
    r"[A-Za-z0-9_][A-Za-z0-9._-]*(?:/[A-Za-z0-9_.][A-Za-z0-9._-]*)*|\.ssh(?:/[A-Za-z0-9._-]+)+", re.ASCII
)


def what_is_missing() -> str:
    """Says what is missing for `ssh NAME`, and how to get it."""
    missing = "ssh is not installed (on Debian and Ubuntu: apt install openssh-client)."
    return "" if shutil.which("ssh") else missing


def ssh_configure_host(shells: "Callable[[], Shells]") -> Tool:
    """The tool over the homes of the sandbox."""

    @tool(
        needs=["shell"],
        effect="write",
        group="shell",
        feature=FEATURE,
        switchable=False,
        resource="ssh:{alias}",
        missing=what_is_missing,
        label="Name an SSH host",
    )
    async def ssh_configure_host(
        context: Context,
        alias: str,
        host: str,
        user: str,
        port: Annotated[int, {"minimum": 1, "maximum": 65535}] = 22,
        key_path: str = "",
    ) -> dict[str, Any]:
        """Register a named SSH host, so that later commands with network can use `ssh ALIAS`.

        alias: The name to use: letters, digits, dots, dashes and underscores. The same name replaces it.
        host: Its host name or address.
        user: The user to log in as.
        port: Its port. Defaults to 22.
        key_path: The private key in your home folder, as '.ssh/id_ed25519'. Without it, ssh tries its own.
        """
        from oneclaw.guard.files import paths

        opened = shells()
        _check(alias, host, user)
        home, inside = opened.sandbox.home(context.agent), opened.sandbox.home_inside(context.agent)
        if inside is None:
            raise ToolError(
                "Commands run as the user here, with the user's own ~/.ssh/config: there is no home of the"
                " sandbox to write to.",
                Kind.PERMISSION_DENIED,
                effects="none",
            )
        lines = [f"Host {alias}", f"HostName {host}", f"User {user}", f"Port {port}"]
        if key_path:
            key = _key(key_path, inside)
            if paths.kind_of(Workspace(home), key) != "file":
                raise ToolError(f"{key_path!r} is not a file; make the key first.", Kind.FILE_NOT_FOUND)
            lines += [f"IdentityFile {_HOME}/{key}", "IdentitiesOnly yes"]
        else:
            lines += [f"IdentityFile {_HOME}/.ssh/{name}" for name in _USUAL_KEYS]
        lines += [
            "BatchMode yes",
            "StrictHostKeyChecking accept-new",
            f"UserKnownHostsFile {_HOME}/.ssh/known_hosts",
        ]
        block = "\n  ".join(lines) + "\n"

        def change(old: BinaryIO | None, new: BinaryIO) -> None:
            before = "" if old is None else old.read(MOST_BYTES + 1).decode("utf-8", "replace")
            if len(before) > MOST_BYTES:
                raise ToolError(
                    f"~/{CONFIG} has more than {MOST_BYTES:,} characters; make it shorter first.",
                    effects="none",
                )
            new.write(replaced(before, alias, block).encode())

        paths.change_file(Workspace(home), CONFIG, change, context.check)
        return {"alias": alias, "use": f"ssh {alias} COMMAND, with network set to true"}

    return ssh_configure_host


def replaced(text: str, alias: str, block: str) -> str:
    """The text of a configuration with the block of a host in place of an earlier one; the first one wins."""
    start, end = f"# oneclaw {alias} {{\n", f"# }} oneclaw {alias}\n"
    head, found, rest = text.partition(start)
    if found and end in rest:
        text = head + rest.partition(end)[2]
    return f"{start}{block}{end}{text}"


def _check(alias: str, host: str, user: str) -> None:
    if not _ALIAS.fullmatch(alias):
        raise _wrong(
            "alias", alias, "letters, digits, dots, dashes and underscores, beginning with a letter or digit"
        )
    if not _HOST.fullmatch(host) and ("%" in host or not is_address(host)):
        raise _wrong("host", host, "a host name or an address, without a user or a port")
    if not _USER.fullmatch(user):
        raise _wrong("user", user, "letters, digits, dots, dashes and underscores, beginning with a letter")


def _key(path: str, inside: str) -> str:
    """The path of a key below the home folder, however it was spelled."""
    for prefix in ("~/", "$HOME/", f"{inside}/"):
        path = path.removeprefix(prefix)
    if not _KEY.fullmatch(path) or ".." in path.split("/"):
        raise _wrong("key_path", path, "a file in your home folder, as '.ssh/id_ed25519'")
    return path


def _wrong(name: str, value: str, right: str) -> ToolError:
    return invalid(f"{name} is {value[:100]!r}; it must be {right}.")
