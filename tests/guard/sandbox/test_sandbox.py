"""What a command in a sandbox sees, changes and reaches; and that without one, it would."""

import asyncio
import os
import shutil
import socket
import stat
import tempfile
from pathlib import Path
from typing import Any

import pytest

from oneclaw.core.errors import Kind, ToolError
from oneclaw.core.session import Root, Session, Workspace
from oneclaw.guard.sandbox import bubblewrap, landlock
from oneclaw.guard.sandbox.etc import copy_etc
from oneclaw.guard.sandbox.sandbox import Sandbox, SandboxChoice, SandboxSettings

from .conftest import MakeSay, listening

WAYS: list[SandboxChoice] = ["bubblewrap", "landlock"]
SHUT = pytest.mark.parametrize("way", WAYS)


@SHUT
async def test_a_canary_outside_is_not_read_and_without_a_sandbox_it_is(
    make_say: MakeSay, tmp_path: Path, way: SandboxChoice
) -> None:
    canary = tmp_path / "canary"
    canary.write_text("tweet")
    assert "tweet" not in (await make_say(way)(f"cat {canary}; cat /proc/1/root{canary}")).out.text
    assert (await make_say("none")(f"cat {canary}")).out.text == "tweet", (
        "the twin: this is what it would read"
    )


@SHUT
async def test_nothing_is_written_outside_of_home_workspace_and_tmp(
    make_say: MakeSay, tmp_path: Path, way: SandboxChoice
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    say = make_say(way)
    tried = await say(
        f"for f in {outside} /usr/local /etc /var/tmp /; do echo x >$f/oneclaw-test && echo $f; done"
    )
    assert tried.out.text == ""
    assert list(outside.iterdir()) == []
    assert (await say("cd; echo x >a; echo y >$TMPDIR/b; cat a $TMPDIR/b")).out.text == "x\ny\n"
    await say(f"echo z >{tmp_path}/ws/c")
    assert (tmp_path / "ws" / "c").read_text() == "z\n"
    assert (tmp_path / "data" / "homes" / "default" / "a").read_text() == "x\n"
    await make_say("none")(f"echo x >{outside}/f")
    assert (outside / "f").exists(), "the twin: this is what it would write"


@SHUT
async def test_a_listener_of_this_machine_is_not_reached_without_network(
    make_say: MakeSay, way: SandboxChoice
) -> None:
    reached: list[object] = []

    async def note(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        reached.append(writer)
        writer.close()

    server = await asyncio.start_server(note, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as letters:
        letters.bind(("127.0.0.1", 0))
        letters.setblocking(False)
        to = letters.getsockname()[1]
        call = f"exec 3<>/dev/tcp/127.0.0.1/{port}"
        write = f'python3 -c \'import socket; socket.socket(2, 2).sendto(b"x", ("127.0.0.1", {to}))\''
        async with server:
            say = make_say(way)
            assert (await say(call)).code != 0
            await say(write)
            assert reached == []
            with pytest.raises(BlockingIOError):
                letters.recv(1)
            assert (await say(f"{call}; cat <&3; {write}", network=True)).code == 0
            assert len(reached) == 1, "the twin: with network it is reached"
            assert letters.recv(1) == b"x"


@pytest.mark.parametrize("network", [False, True])
@SHUT
async def test_a_socket_file_or_abstract_name_of_this_machine_is_not_reached(
    make_say: MakeSay, tmp_path: Path, way: SandboxChoice, network: bool
) -> None:
    code = "import socket,sys; socket.socket(1).connect(sys.argv[1].replace('@', chr(0)))"
    with listening(str(tmp_path / "socket")), listening(f"\0oneclaw-{tmp_path.name}-{os.getpid()}"):
        for name in (tmp_path / "socket", f"@oneclaw-{tmp_path.name}-{os.getpid()}"):
            reach = f'python3 -c "{code}" {name}'
            assert (await make_say(way)(reach, network=network)).code != 0
            assert (await make_say("none")(reach)).code == 0, "the twin"


async def test_no_other_process_is_seen(make_say: MakeSay) -> None:
    say = make_say("bubblewrap")
    assert f"\n{os.getpid()}\n" not in "\n" + (await say("ps ax -o pid= | tr -d ' '")).out.text
    assert (await say(f"kill -0 {os.getpid()}")).code != 0
    assert (await make_say("none")(f"kill -0 {os.getpid()}")).code == 0, "the twin: it would be seen"


async def test_with_landlock_other_processes_are_neither_signalled_nor_read(make_say: MakeSay) -> None:
    if landlock.version() < 6:
        pytest.skip("Landlock keeps signals in from version 6 on")
    say = make_say("landlock")
    assert (await say(f"kill -0 {os.getpid()}")).code != 0
    assert (await say(f"cat /proc/{os.getpid()}/environ")).out.text == ""


@pytest.mark.skipif(not landlock.version(), reason="this kernel has no Landlock")
async def test_with_landlock_memory_terminals_and_command_lines_of_the_user_are_not_reached(
    make_say: MakeSay,
) -> None:
    ours, theirs = os.openpty()
    with tempfile.NamedTemporaryFile(dir="/dev/shm") as shared:
        tries = [
            f"cat {shared.name}",
            f"echo x >{shared.name}",
            f"exec 3<>{os.ttyname(theirs)}",
            f"cat /proc/{os.getpid()}/cmdline",
            "ls /proc",
        ]
        try:
            for command in tries:
                assert (await make_say("landlock")(command)).code != 0, command
                assert (await make_say("none")(command)).code == 0, f"the twin: {command}"
        finally:
            os.close(ours)
            os.close(theirs)


async def test_root_cannot_change_the_settings_of_the_machine_through_proc(
    make_say: MakeSay, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = "exec 3>>/proc/sys/kernel/core_pattern && echo open"
    assert (await make_say("bubblewrap")(opened)).out.text == ""
    assert (await make_say("bubblewrap")("exec 3<>/proc/1/mem && echo open")).out.text == ""
    command_line = bubblewrap.command_line

    def without(*given: Any, **named: Any) -> tuple[str, ...]:
        made = list(command_line(*given, **named))
        at = made.index("/proc", made.index("--remount-ro"))
        del made[at - 1 : at + 1]
        return tuple(made)

    monkeypatch.setattr(bubblewrap, "command_line", without)
    if os.geteuid() == 0:  # to others the kernel does not open it
        assert (await make_say("bubblewrap")(opened)).out.text == "open\n", "the twin"


async def test_git_runs_where_its_settings_for_the_machine_are_refused(make_say: MakeSay) -> None:
    done = await make_say("landlock")("git init -q a && git -C a status -sb")
    assert done.code == 0, done.err.text


@SHUT
async def test_no_key_is_in_the_environment(
    make_say: MakeSay, monkeypatch: pytest.MonkeyPatch, way: SandboxChoice
) -> None:
    monkeypatch.setenv("ONECLAW_TEST_API_KEY", "sk-canary-1")
    say = make_say(way)
    seen = await say("env; cat /proc/*/environ | tr '\\0' '\\n'; export -p; declare -p")
    assert "sk-canary" not in seen.out.text
    assert "/usr/local/sbin" in seen.out.text


async def test_secrets_of_the_system_and_other_homes_are_not_there(make_say: MakeSay) -> None:
    seen = await make_say("bubblewrap")(
        "ls /etc/shadow /etc/ssh /root /home /var /sys /run; cat /etc/passwd; id -un"
    )
    assert seen.out.text.splitlines()[:2] == ["/home:", "agent"]
    assert "root" not in seen.out.text
    assert seen.out.text.endswith("agent\n")


def test_only_what_everybody_may_read_is_copied_from_etc(tmp_path: Path) -> None:
    for name, mode in (
        ("hosts", 0o644),
        ("timezone", 0o600),
        ("ssl/certs/a", 0o644),
        ("ssl/certs/key", 0o640),
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
        (tmp_path / name).chmod(mode)
    (tmp_path / "shadow").write_text("tweet")
    (tmp_path / "ssl" / "certs" / "link").symlink_to("/etc/shadow")
    made = copy_etc({"passwd": "agent"}, network=True, source=tmp_path)
    try:
        found = sorted(str(path.relative_to(made)) for path in made.rglob("*") if not path.is_dir())
        assert found == ["hosts", "passwd", "ssl/certs/a", "ssl/certs/link"]
        assert (made / "ssl" / "certs" / "link").is_symlink(), "inside, it leads to nothing"
    finally:
        shutil.rmtree(made)


async def test_no_power_is_gained_inside(make_say: MakeSay) -> None:
    say = make_say("bubblewrap")
    assert (await say("unshare -U true; unshare -r id; mount -t tmpfs x /mnt")).code != 0
    status = (await say("grep -E 'NoNewPrivs|CapEff|CapBnd' /proc/self/status")).out.text
    assert status.split() == ["CapEff:", "0" * 16, "CapBnd:", "0" * 16, "NoNewPrivs:", "1"]


async def test_what_is_closed_inside_the_workspace_stays_closed(make_say: MakeSay, tmp_path: Path) -> None:
    closed, fixed, secret = tmp_path / "ws" / "closed", tmp_path / "ws" / "fixed", tmp_path / "ws" / "secret"
    for folder in (closed, fixed):
        folder.mkdir()
        (folder / "f").write_text("tweet")
    secret.write_text("tweet")
    roots = (
        Root(closed, "none"),
        Root(fixed, "read"),
        Root(secret, "none"),
        Root(tmp_path / "ws" / "absent", "none"),
    )
    say = make_say("bubblewrap", roots)
    assert (await say("cat closed/f secret; ls closed")).out.text == ""
    assert (await say("cat fixed/f")).out.text == "tweet"
    await say("echo x >fixed/f; echo x >closed/f; echo x >closed/g; rm -rf closed fixed secret")
    assert (closed / "f").read_text() == (fixed / "f").read_text() == secret.read_text() == "tweet"
    with pytest.raises(ToolError, match="Landlock cannot keep it") as caught:
        await make_say("landlock", roots)("true")
    assert caught.value.kind is Kind.PERMISSION_DENIED


async def test_what_is_closed_inside_of_what_may_be_read_stays_closed(
    make_say: MakeSay, tmp_path: Path
) -> None:
    closed = tmp_path / "read" / "closed"
    closed.mkdir(parents=True)
    (closed / "f").write_text("tweet")
    for top in (tmp_path / "read", Path("/")):
        roots = (Root(top, "read"), Root(closed, "none"))
        with pytest.raises(ToolError, match="Landlock cannot keep it") as caught:
            await make_say("landlock", roots)(f"cat {closed}/f")
        assert f" {closed} is inside {top}," in str(caught.value)
    say = make_say("bubblewrap", (Root(tmp_path / "read", "read"), Root(closed, "none")))
    assert (await say(f"cat {closed}/f")).out.text == ""


@pytest.mark.parametrize("folder", ["/", "/home", "/run", "/dev", "/tmp"])
async def test_a_folder_that_would_cover_what_a_sandbox_has_of_its_own_is_refused(
    make_say: MakeSay, folder: str
) -> None:
    with pytest.raises(ToolError, match=f"{folder} is open to them, and would cover /") as caught:
        await make_say("bubblewrap", (Root(Path(folder), "read"),))("true")
    assert caught.value.kind is Kind.PERMISSION_DENIED


async def test_a_workspace_in_the_data_folder_shows_nothing_else_of_it(
    make_say: MakeSay, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    (data / "workspace").mkdir(parents=True)
    (data / "oneclaw.db").write_text("tweet")
    say = make_say("bubblewrap", (Root(data, "none"),), data / "workspace")
    assert (await say(f"pwd; ls {data}; cat {data}/oneclaw.db")).out.text == f"{data}/workspace\nworkspace\n"


@pytest.mark.parametrize("folder", ["/", "/usr", "/etc"])
async def test_a_workspace_that_is_the_system_is_refused(make_say: MakeSay, folder: str) -> None:
    with pytest.raises(ToolError, match="holds the system itself"):
        await make_say("bubblewrap", (), Path(folder))("true")


async def test_each_agent_has_a_home_of_its_own_that_others_cannot_enter(tmp_path: Path) -> None:
    sandbox = Sandbox(SandboxSettings(tmp_path / "homes"))
    one, other = sandbox.home("one"), sandbox.home("../other")
    assert one != other
    assert other.parent == tmp_path / "homes"
    for odd in ("", ".", "..", "/etc"):
        assert sandbox.home(odd).resolve().parent == tmp_path / "homes"
    assert stat.S_IMODE(one.stat().st_mode) == 0o700


async def test_without_any_sandbox_commands_are_refused_and_the_remedy_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    monkeypatch.setattr(landlock, "version", lambda: 0)
    (tmp_path / "ws").mkdir()
    session = Session("one", workspace=Workspace(tmp_path / "ws"))
    with pytest.raises(ToolError, match=r"apt install bubblewrap.*shell\.sandbox = \"none\"") as caught:
        Sandbox(SandboxSettings(tmp_path)).make_spec(session, tmp_path, tmp_path, False)
    assert caught.value.kind is Kind.PERMISSION_DENIED


async def test_without_a_sandbox_every_result_says_so(make_say: MakeSay) -> None:
    assert "without a sandbox" in (await make_say("none")("true")).note
    assert (await make_say("bubblewrap")("true")).note == ""


def test_a_bubblewrap_that_does_not_work_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = tmp_path / "bwrap"
    broken.write_text("#!/bin/sh\necho 'bwrap: No permissions to create a new namespace' >&2; exit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    works, why = bubblewrap.probe([])
    assert works is None
    assert "No permissions to create a new namespace" in why
