"""The folder of a shell, in which its commands write too: none of that reaches beyond the sandbox."""

import asyncio
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from oneclaw.child.process_tree import descendants
from oneclaw.core.errors import ToolError
from oneclaw.guard.sandbox import bubblewrap
from oneclaw.guard.sandbox.places import SandboxPath
from oneclaw.run.shell.folder import MOST_STATE_BYTES, ShellFolder, make_folder
from oneclaw.run.shell.session import CommandOutcome, ShellCommand, ShellSession

FOLDER = "/run/shell"
MakeShell = Callable[..., ShellSession]


async def run(shell: ShellSession, text: str) -> CommandOutcome:
    async with shell.lock:
        return await shell.run(ShellCommand(text, 60))


TAMPER = {
    "link": "ln -sf {canary} {folder}/command",
    "remove": "rm -f {folder}/command",
    "write": "echo echo two >{folder}/command",
    "another": "echo x >{folder}/another",
    "folder": "mkdir {folder}/another",
    "state": "rm -f {folder}/1 {folder}/2; mkfifo {folder}/1 {folder}/2",
    "rename": "mv {folder} {folder}2",
}


@pytest.mark.parametrize("way", TAMPER)
async def test_the_folder_of_a_shell_cannot_be_changed_from_inside(
    shell: ShellSession, tmp_path: Path, way: str
) -> None:
    canary = tmp_path / "canary"
    canary.write_text("whole")
    before = sorted(path.name for path in shell.folder.states.iterdir())
    await run(shell, TAMPER[way].format(canary=canary, folder=FOLDER))
    outcome = await run(shell, "echo one")
    assert (outcome.out.text, canary.read_text()) == ("one\n", "whole")
    assert sorted(path.name for path in shell.folder.states.iterdir()) == before


@pytest.mark.parametrize("way", ["write", "another", "folder", "remove"])
async def test_a_folder_that_could_be_written_would_be_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make_shell: MakeShell, way: str
) -> None:
    everything = bubblewrap.command_line

    def writable(program: str, places: Sequence[SandboxPath], **rest: Any) -> tuple[str, ...]:
        opened = [replace(place, access="write") if place.path == FOLDER else place for place in places]
        return everything(program, opened, **rest)

    monkeypatch.setattr(bubblewrap, "command_line", writable)
    shell = make_shell()
    before = sorted(path.name for path in shell.folder.states.iterdir())
    text = TAMPER[way].format(canary=tmp_path / "canary", folder=FOLDER)
    await run(shell, text)
    after = sorted(path.name for path in shell.folder.states.iterdir())
    is_written = "two" in (shell.folder.states / "command").read_text() if "command" in after else False
    assert after != before or is_written


async def test_a_command_cannot_fill_the_memory_by_way_of_a_state(shell: ShellSession) -> None:
    outcome = await run(shell, f"head -c 3G /dev/zero >{FOLDER}/1; sleep 50")
    assert outcome.stop == "state"
    assert sum(path.stat().st_size for path in shell.folder.states.iterdir()) < MOST_STATE_BYTES
    assert (await run(shell, "echo one")).out.text == "one\n"


async def test_more_than_can_be_kept_is_not_and_the_shell_goes_on(shell: ShellSession) -> None:
    await run(shell, "A=1")
    outcome = await run(shell, "A=2; X=$(head -c 20000000 /dev/zero | tr '\\0' x); echo ${#X}")
    assert (outcome.stop, outcome.out.text) == ("state", "20000000\n")
    for _ in range(2):
        assert (await run(shell, "echo $A ${#X}")).out.text == "1 0\n"


async def test_a_state_that_a_command_writes_over_ends_no_later_command(shell: ShellSession) -> None:
    await run(shell, "A=1")
    for number in (1, 2):
        assert (await run(shell, f"head -c 20M /dev/zero >{FOLDER}/{number}; sleep 50")).stop == "state"
        assert (await run(shell, "echo on")).out.text == "on\n"


async def test_unwatched_a_state_grows(shell: ShellSession, monkeypatch: pytest.MonkeyPatch) -> None:
    def small(self: ShellFolder) -> bool:
        return False

    monkeypatch.setattr(ShellFolder, "is_too_large", small)
    outcome = await run(shell, f"head -c 64M /dev/zero >{FOLDER}/1; sleep 0.3; stat -c %s {FOLDER}/1")
    assert (outcome.stop, outcome.out.text) == (None, f"{64 << 20}\n")


@pytest.mark.parametrize("kind", ["link", "pipe", "folder", "nothing"])
def test_what_is_no_file_is_neither_read_nor_written(tmp_path: Path, kind: str) -> None:
    (tmp_path / "secret").write_bytes(b"secret\n#whole\n")
    folder, path = ShellFolder(tmp_path, tmp_path), tmp_path / "1"
    {
        "link": lambda: path.symlink_to("secret"),
        "pipe": lambda: os.mkfifo(path),
        "folder": path.mkdir,
        "nothing": lambda: None,
    }[kind]()
    assert (folder.read_state(1), folder.how_ended(1)) == (b"", b"")
    with pytest.raises(ToolError, match="changed the shell's own folder"):
        folder.write_state(1, b"mine")
    assert (tmp_path / "secret").read_bytes() == b"secret\n#whole\n"


def test_a_state_is_written_in_the_place_of_a_longer_one(tmp_path: Path) -> None:
    folder = make_folder(tmp_path)
    for data in (b"long=1\n#whole\n", b"a=1\n#whole\n", b""):
        folder.write_state(1, data)
        assert folder.read_state(1) == data


async def test_a_state_that_was_spoiled_is_begun_anew(shell: ShellSession) -> None:
    await run(shell, "A=1")
    await run(shell, f"echo exit >{FOLDER}/1; kill $BASHPID")
    assert (await run(shell, "echo ${A-none}")).out.text == "none\n"


def test_a_state_that_is_a_file_is_read(tmp_path: Path) -> None:
    folder = make_folder(tmp_path)
    folder.write_state(1, b"a=1\n#whole\n")
    assert folder.read_state(1) == b"a=1\n#whole\n"
    folder.write_state(1, b"a=1\n")
    assert folder.read_state(1) == b""


async def test_a_function_in_the_state_cannot_say_how_the_next_command_ended(shell: ShellSession) -> None:
    """The state is loaded, and its functions run, by a bash that does not have the socket for that."""
    liar = "if [[ $1 == read ]]; then printf 's 7 1\\n' >&60; fi 2>/dev/null; command builtin \"$@\""
    await run(shell, f"builtin() {{ {liar}; }}")
    assert [(await run(shell, "true")).code for _ in range(3)] == [0, 0, 0]


async def test_a_command_that_was_never_begun_is_not_run_later(shell: ShellSession) -> None:
    """Its word to begin may still be in the socket when the next bash waits for its own."""
    await run(shell, "true")
    process = shell._process  # pyright: ignore[reportPrivateUsage]
    assert process is not None
    process._started.go.send(b"1 0\n999 0\n")  # pyright: ignore[reportPrivateUsage]
    shell.folder.write_command("echo stale")
    assert (await run(shell, "echo one")).out.text == "one\n"


async def asleep(shell: ShellSession) -> None:
    """Wait until all of a shell waits for a command."""
    process = shell._process  # pyright: ignore[reportPrivateUsage]
    assert process is not None

    def states() -> list[str]:
        below = descendants(process.child.process_pid)
        return [Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] for pid in below]

    while (usage := process.usage()) is None or usage.processes < 2 or set(states()) != {"S"}:
        await asyncio.sleep(0.01)


async def test_a_command_cannot_begin_the_one_after_it(shell: ShellSession) -> None:
    """Begun ahead, it would be the old text that runs, and that would be taken for the end of the new one."""
    begin = "for fd in /proc/1/fd/* /proc/self/fd/*; do printf '%s 0\\n%s\\n' {1,1,2,2,3,3,4,4} >>$fd; done"
    await run(shell, f"{begin} 2>/dev/null; echo again >>runs; (($(wc -l <runs) < 2)) || sleep 2")
    await asleep(shell)
    outcomes = [await run(shell, f"echo {number}; (exit {number})") for number in (3, 4)]
    assert [(outcome.code, outcome.out.text) for outcome in outcomes] == [(3, "3\n"), (4, "4\n")]
    assert (await run(shell, "cat runs")).out.text == "again\n"


@pytest.mark.parametrize(
    "plant",
    [
        'builtin() { touch ran; command builtin "$@"; }',
        f"printf 'touch ran\\n#whole\\n' | tee {FOLDER}/1 {FOLDER}/2 >/dev/null; kill -9 $BASHPID",
    ],
)
async def test_what_a_command_left_in_the_shell_runs_only_while_it_is_looked_after(
    shell: ShellSession, workspace: Path, plant: str
) -> None:
    await run(shell, "A=1")
    await run(shell, plant)
    (workspace / "ran").unlink(missing_ok=True)
    await asleep(shell)
    assert not (workspace / "ran").exists()
    await run(shell, "true")
    assert (workspace / "ran").exists()
