"""ssh_configure_host: a name that works against a real server, and fields that cannot carry anything else."""

import asyncio
import getpass
import os
import shutil
import socket
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from tests.marked import unmark
from tests.sandboxes import skip_without

from oneclaw.app import App
from oneclaw.config import Config
from oneclaw.core.call import ToolCall, ToolResult
from oneclaw.core.errors import Kind
from oneclaw.guard.sandbox.sandbox import SandboxChoice
from oneclaw.tools.ssh_configure_host import replaced

NEEDED = ("bwrap", "ssh", "ssh-keygen")
HOME = "my home"
SETTINGS = {"features.shell": True, "permissions.needs.shell": "granted", "shell.network": "always"}


@pytest.fixture
def way() -> SandboxChoice:
    return "bubblewrap"


@pytest.fixture
async def app(tmp_path: Path, way: SandboxChoice) -> AsyncIterator[App]:
    skip_without(way)
    missing = [name for name in NEEDED if shutil.which(name) is None]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")
    (tmp_path / "ws").mkdir()
    values = SETTINGS | {"shell.sandbox": way}
    async with App(Config(home=tmp_path / HOME, workspace=tmp_path / "ws", values=values)) as opened:
        yield opened


async def call(app: App, name: str, **arguments: Any) -> ToolResult:
    return await app.engine.call(ToolCall(name, arguments))


def make_key(path: Path) -> str:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(path)], check=True, timeout=30)
    return path.with_suffix(".pub").read_text()


@pytest.fixture
async def server(tmp_path: Path, app: App) -> AsyncIterator[int]:
    """A real sshd on loopback with keys of its own, which lets the agent's key in."""
    program = shutil.which("sshd", path="/usr/sbin:/usr/bin:/sbin")
    if program is None:
        pytest.skip("sshd is not installed: apt install openssh-server")
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)  # where sshd wants to live as root
    folder = tmp_path / "sshd"
    make_key(folder / "host")
    public = make_key(tmp_path / HOME / "homes" / "default" / ".ssh" / "id_test")
    (folder / "allowed").write_text(public)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (folder / "config").write_text(
        f"Port {port}\nListenAddress 127.0.0.1\nHostKey {folder}/host\nAuthorizedKeysFile {folder}/allowed\n"
        f"PidFile {folder}/pid\nStrictModes no\nUsePAM no\nPasswordAuthentication no\nPermitRootLogin yes\n"
        "Subsystem sftp internal-sftp\n"
    )
    process = await asyncio.create_subprocess_exec(
        program, "-D", "-e", "-f", str(folder / "config"), stderr=asyncio.subprocess.PIPE
    )
    try:
        assert process.stderr is not None
        async with asyncio.timeout(30):
            while b"listening" not in await process.stderr.readline():
                pass
        yield port
    finally:
        process.terminate()
        await process.communicate()


@pytest.mark.covers("KAI-AT-15")
@pytest.mark.parametrize("way", ["bubblewrap", "landlock"])
async def test_a_command_reaches_a_host_by_its_name(app: App, server: int) -> None:
    made = await call(
        app,
        "ssh_configure_host",
        alias="box",
        host="127.0.0.1",
        user=getpass.getuser(),
        port=server,
        key_path="~/.ssh/id_test",
    )
    assert made.ok, made.text
    done = await call(
        app, "execute_shell_command", command="ssh box 'echo reached; cat' </dev/null", network=True
    )
    assert done.ok, done.text
    assert done.value["exit_code"] == 0, done.text
    assert unmark(done.value["stdout"]).inside == "reached\n"
    copied = "echo x >a; scp -q a box:$PWD/b && cat b"
    done = await call(app, "execute_shell_command", command=copied, network=True)
    assert unmark(done.value["stdout"]).inside == "x\n"
    shut = await call(app, "execute_shell_command", command="ssh box true")
    assert shut.value["exit_code"] == 255, "without network it does not"


TOO_MUCH: list[dict[str, Any]] = [
    {"alias": "a\nProxyCommand touch /tmp/x"},
    {"alias": "*"},
    {"alias": "a b"},
    {"alias": "-oProxyCommand=x"},
    {"alias": ""},
    {"alias": "é"},
    {"host": "h\n  ProxyCommand x"},
    {"host": "-oProxyCommand=x"},
    {"host": "user@host"},
    {"host": "h ProxyCommand=x"},
    {"host": "%h"},
    {"host": "fe80::1%eth0"},
    {"user": "u\nLocalCommand x"},
    {"user": "-l"},
    {"user": "u v"},
    {"port": 0},
    {"port": 70000},
    {"key_path": "../../../etc/shadow"},
    {"key_path": "/etc/passwd"},
    {"key_path": ".ssh/../../x"},
    {"key_path": ".ssh/k\nProxyCommand x"},
    {"key_path": '.ssh/k" x'},
    {"key_path": ".ssh/%d"},
    {"key_path": ".ssh/absent"},
    {"key_path": ".ssh"},
    {"alias": "a\n"},
    {"alias": "a\rProxyCommand x"},
    {"alias": "a\u2028b"},
    {"alias": "a" * 64},
    {"alias": "!a"},
    {"host": "${HOME}"},
    {"host": "h\t"},
    {"host": "h\n"},
    {"host": "127.0.0.1\n"},
    {"host": "::1\n"},
    {"host": "[::1]"},
    {"host": "h:22"},
    {"host": '"h"'},
    {"host": "\uff11.1.1.1"},
    {"user": "u\n"},
    {"user": "%r"},
    {"user": "$(id)"},
    {"user": "\u0440oot"},
    {"port": "22\nProxyCommand x"},
    {"key_path": "${HOME}/k"},
    {"key_path": "~root/.ssh/id"},
    {"key_path": ".ssh/k\n"},
    {"key_path": ".ssh//k"},
    {"key_path": "-k"},
]
"""Fields that would be more than one word of a configuration."""


async def test_a_field_that_is_more_than_it_should_be_is_refused(app: App, tmp_path: Path) -> None:
    for changed in TOO_MUCH:
        fields = {"alias": "box", "host": "example.org", "user": "me", **changed}
        result = await call(app, "ssh_configure_host", **fields)
        assert result.kind in (Kind.VALIDATION_ERROR, Kind.FILE_NOT_FOUND, Kind.PATH_NOT_ALLOWED), changed
        assert not (tmp_path / HOME / "homes" / "default" / ".ssh" / "config").exists(), changed


async def test_a_link_in_the_home_leads_nowhere(app: App, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    home = tmp_path / HOME / "homes" / "default"
    home.mkdir(parents=True)
    (home / ".ssh").symlink_to(outside)
    result = await call(app, "ssh_configure_host", alias="box", host="example.org", user="me")
    assert result.kind is Kind.PATH_NOT_ALLOWED
    assert list(outside.iterdir()) == []


async def test_a_configuration_that_is_too_long_is_not_cut(app: App, tmp_path: Path) -> None:
    config = tmp_path / HOME / "homes" / "default" / ".ssh" / "config"
    config.parent.mkdir(parents=True)
    config.write_text("# x\n" * 100_000)
    result = await call(app, "ssh_configure_host", alias="box", host="example.org", user="me")
    assert result.kind is Kind.EXECUTION_ERROR
    assert "make it shorter" in result.message
    assert config.stat().st_size == 400_000


def test_a_block_without_its_end_is_left_as_it_is() -> None:
    text = "# oneclaw a {\nHost a\nHost other\n"
    assert replaced(text, "a", "Host a\n").endswith(text)


def test_a_name_given_again_replaces_its_block_and_leaves_the_rest() -> None:
    first = replaced("Host other\n  User x\n", "a", "Host a\n  Port 1\n")
    second = replaced(first, "a", "Host a\n  Port 2\n")
    assert second.count("Host a\n") == 1
    assert "Port 2" in second
    assert second.endswith("Host other\n  User x\n")
