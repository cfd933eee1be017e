"""An answer about a command that was kept: what was approved is what runs, and where it was approved."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from tests.person import Person
from tests.sandboxes import skip_without

from oneclaw import App, Config, Context, Kind, ToolCall, ToolResult
from oneclaw.core.permit.permission import Permissions
from oneclaw.core.question import PermissionAnswer, Question

LIST = "ls -d here"


class OrderedPerson(Person):
    """Gives these answers in their order."""

    def __init__(self, app: App, *answers: PermissionAnswer) -> None:
        self._answers = list(answers)
        super().__init__(answers[0], app.broker)

    def _show(self, prompt: Question) -> None:
        self.answer = self._answers.pop(0)
        super()._show(prompt)


@pytest.fixture
async def app(tmp_path: Path) -> AsyncIterator[App]:
    skip_without("bubblewrap")
    (tmp_path / "ws").mkdir()
    (tmp_path / "ws" / "here").touch()
    async with open_app(tmp_path, reads_unasked=False) as opened:
        yield opened


def open_app(tmp_path: Path, *, reads_unasked: bool) -> App:
    values = {"features.shell": True, "shell.read_unasked": reads_unasked}
    return App(Config(home=tmp_path / "home", workspace=tmp_path / "ws", values=values))


async def run(app: App, command: str, **arguments: Any) -> ToolResult:
    return await app.engine.call(ToolCall("execute_shell_command", {"command": command, **arguments}))


TRAPS = [
    "ls() { echo EVIL; }",
    "alias ls='echo EVIL'",
    "mkdir bin; printf '#!/bin/sh\\necho EVIL' >bin/ls; chmod +x bin/ls; PATH=$PWD/bin:$PATH",
    "printf '#!/bin/sh\\necho EVIL' >ls; chmod +x ls; unset PATH",
    "hash -p /bin/echo ls; set -x; PS4='$(echo EVIL >&2)'",
    "trap 'echo EVIL' DEBUG; set -T",
    "shopt -s extdebug; trap 'echo EVIL; false' DEBUG",
    "export BASH_ENV=./evil; ls() { echo EVIL; }; readonly -f ls",
]
FORGED = "printf 'cd /; ls() { echo EVIL; }\\n#whole\\n' | tee /run/shell/1 >/run/shell/2; kill -9 $BASHPID"


@pytest.mark.parametrize("trap", TRAPS)
async def test_what_was_approved_is_what_runs(app: App, trap: str) -> None:
    person = OrderedPerson(app, "session", "once")
    assert (await run(app, LIST)).value["stdout"] == "here\n"
    await run(app, trap)
    for ways in ({}, {"network": False}, {"timeout": 20}):
        again = await run(app, LIST, **ways)
        assert again.ok, again.text
        assert again.value["stdout"] == "here\n"
        assert "EVIL" not in again.text
    assert len(person.asked) == 2


@pytest.mark.parametrize("trap", [*TRAPS, FORGED])
async def test_what_reads_unasked_runs_nothing_that_was_left_there(
    app: App, tmp_path: Path, trap: str
) -> None:
    async with open_app(tmp_path, reads_unasked=True) as reading:
        person = OrderedPerson(reading, "once")
        await run(reading, trap)
        again = await run(reading, LIST)
        assert "EVIL" not in again.text
        assert again.ok or trap == FORGED, again.text
        assert len(person.asked) == 1


async def test_the_twin_runs_what_was_left_there(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    check = Permissions.check

    async def forgetful(self: Permissions, *given: Any) -> frozenset[str]:
        await check(self, *given)
        return frozenset()

    monkeypatch.setattr(Permissions, "check", forgetful)
    OrderedPerson(app, "session", "once")
    await run(app, LIST)
    await run(app, TRAPS[0])
    assert (await run(app, LIST)).value["stdout"] == "EVIL\n"


async def test_plain_variables_are_there_and_a_person_who_is_asked_gets_all_of_the_shell(app: App) -> None:
    person = OrderedPerson(app, "session", "once", "once", "once")
    await run(app, "echo $X")
    await run(app, "export X=1")
    assert (await run(app, "echo $X")).value == {"exit_code": 0, "stdout": "1\n", "stderr": ""}
    await run(app, "f() { echo f; }")
    apart = await run(app, "echo $X")
    assert apart.value["stdout"] == "1\n"
    assert "Nobody was asked" in apart.value["note"]
    assert (await run(app, "f")).value["stdout"] == "f\n"
    assert len(person.asked) == 4


async def test_in_another_folder_it_is_asked_about_again_and_that_is_kept_too(
    app: App, tmp_path: Path
) -> None:
    for name in ("build", "a/build"):
        (tmp_path / "ws" / name).mkdir(parents=True)
    remove = "rm -r build; mkdir build"
    person = OrderedPerson(app, "session", "once", "session", "once")
    await run(app, remove)
    assert (await run(app, remove)).ok
    assert len(person.asked) == 1
    await run(app, "cd a")
    for asked in (3, 3):  # here it is another command; the answer for this folder is kept as well
        assert (await run(app, remove)).ok
        assert len(person.asked) == asked
    assert 'in "' + str(tmp_path / "ws" / "a") in person.asked[-1].text
    await run(app, "cd ..")
    assert (await run(app, remove)).ok
    assert len(person.asked) == 4


async def test_a_no_for_another_folder_is_a_no(app: App, tmp_path: Path) -> None:
    (tmp_path / "ws" / "a").mkdir()
    OrderedPerson(app, "session", "once", "no")
    assert (await run(app, "touch made")).ok
    await run(app, "cd a")
    refused = await run(app, "touch made")
    assert refused.kind is Kind.PERMISSION_DENIED
    assert not (tmp_path / "ws" / "a" / "made").exists()


async def test_a_state_that_was_forged_has_a_person_asked(app: App) -> None:
    person = OrderedPerson(app, "session", "once", "no")
    await run(app, LIST)
    await run(app, FORGED)
    assert (await run(app, LIST)).kind is Kind.PERMISSION_DENIED
    assert 'in "an unknown folder"' in person.asked[-1].text


def test_a_context_that_nobody_filled_knows_of_no_kept_answers() -> None:
    assert Context().kept == frozenset()
