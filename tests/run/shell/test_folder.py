"""The folder of a shell, in which its commands write too: none of that reaches beyond the sandbox."""

import os
from pathlib import Path

import pytest

from oneclaw.core.errors import ToolError
from oneclaw.run.shell.folder import ShellFolder
from oneclaw.run.shell.session import Command, Outcome, ShellSession

FOLDER = "/run/shell"


async def run(shell: ShellSession, text: str) -> Outcome:
    async with shell.lock:
        return await shell.run(Command(text, 60))


async def test_a_link_in_place_of_the_command_has_nothing_written_outside(
    shell: ShellSession, tmp_path: Path
) -> None:
    canary = tmp_path / "canary"
    canary.write_text("whole")
    await run(shell, f"ln -sf {canary} {FOLDER}/command")
    outcome = await run(shell, "echo one")
    assert (outcome.out.text, canary.read_text()) == ("one\n", "whole")


async def test_written_through_the_link_it_would_be(
    shell: ShellSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write(self: ShellFolder, text: str) -> None:
        (self.states / "command").write_text(text)

    canary = tmp_path / "canary"
    canary.write_text("whole")
    await run(shell, f"ln -sf {canary} {FOLDER}/command")
    monkeypatch.setattr(ShellFolder, "write_command", write)
    await run(shell, "echo one")
    assert "echo one" in canary.read_text()


async def test_a_pipe_in_place_of_the_command_stops_nobody(shell: ShellSession) -> None:
    await run(shell, f"rm {FOLDER}/command; mkfifo {FOLDER}/command")
    assert (await run(shell, "echo one")).out.text == "one\n"


async def test_a_folder_in_place_of_the_command_is_said(shell: ShellSession) -> None:
    await run(shell, f"rm {FOLDER}/command; mkdir {FOLDER}/command")
    with pytest.raises(ToolError, match="changed the shell's own folder"):
        await run(shell, "echo one")


@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
def test_a_state_that_is_no_file_is_none(tmp_path: Path, kind: str) -> None:
    (tmp_path / "secret").write_bytes(b"secret\n#whole\n")
    folder = ShellFolder(tmp_path, tmp_path)
    path = tmp_path / "7"
    {"link": lambda: path.symlink_to("secret"), "pipe": lambda: os.mkfifo(path), "folder": path.mkdir}[kind]()
    assert (folder.read_state(7), folder.how_ended(7)) == (b"", b"")


def test_a_state_that_is_a_file_is_read(tmp_path: Path) -> None:
    folder = ShellFolder(tmp_path, tmp_path)
    folder.write_state(7, b"a=1\n#whole\n")
    assert folder.read_state(7) == b"a=1\n#whole\n"
    folder.write_state(8, b"a=1\n")
    assert folder.read_state(8) == b""


async def test_a_function_in_the_state_cannot_say_how_the_next_command_ended(shell: ShellSession) -> None:
    """The state is loaded, and its functions run, by a bash that does not have the socket for that."""
    liar = "if [[ $1 == read ]]; then printf 's 7 1\\n' >&60; fi 2>/dev/null; command builtin \"$@\""
    await run(shell, f"builtin() {{ {liar}; }}")
    assert [(await run(shell, "true")).code for _ in range(3)] == [0, 0, 0]


async def test_a_command_that_was_never_begun_is_not_run_later(shell: ShellSession) -> None:
    """Its word to begin may still be in the pipe when the next bash waits for its own."""
    await run(shell, "true")
    box = shell._box  # pyright: ignore[reportPrivateUsage]
    assert box is not None
    os.write(box._started.go, b"1\n999\n")  # pyright: ignore[reportPrivateUsage]
    shell.folder.write_command("echo stale")
    assert (await run(shell, "echo one")).out.text == "one\n"
