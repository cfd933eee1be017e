"""Rules of the owner for the arguments of a call: granted ahead, and answers that hold for one thing."""

from collections.abc import Mapping
from typing import Any

import pytest
from tests.core.permit.test_permission import SESSION, Person

from oneclaw.core.errors import Kind, ToolError
from oneclaw.core.permit.grant import Grant, MemoryBook
from oneclaw.core.permit.judgement import Judgement
from oneclaw.core.permit.need import CHANGES, Mode, State
from oneclaw.core.permit.permission import Permissions
from oneclaw.core.question import PermissionAnswer
from oneclaw.core.tool import ToolDefinition

SHELL = ToolDefinition(name="shell", needs=("shell",), effect="write")


def judge(definition: ToolDefinition, need: str, arguments: Mapping[str, Any]) -> Judgement | None:
    if need != "shell" or definition.name != "shell":
        return None
    command = arguments["command"]
    return Judgement(command == "ls", f"run {command}", ("Programs: one.", f"No rule for {command}."))


def permissions(answer: PermissionAnswer = "no", **options: Any) -> tuple[Permissions, Person]:
    person = Person(answer)
    return Permissions(broker=person.broker, judge=judge, **options), person


async def test_what_a_rule_covers_is_not_asked() -> None:
    permitted, person = permissions()
    await permitted.check("c1", SHELL, {"command": "ls"}, SESSION)
    assert person.asked == []


async def test_without_the_rules_the_same_call_is_asked() -> None:
    person = Person("no")
    with pytest.raises(ToolError, match="A person said no"):
        await Permissions(broker=person.broker).check("c1", SHELL, {"command": "ls"}, SESSION)


async def test_what_no_rule_covers_is_asked_with_the_notes() -> None:
    permitted, person = permissions("once")
    await permitted.check("c1", SHELL, {"command": "make"}, SESSION)
    (prompt,) = person.asked
    assert prompt.about == "run make"
    assert "Why: run make\n  Programs: one.\n  No rule for make.\n" in prompt.text
    assert prompt.text.endswith(
        '"always" allow only this: run make. "Never" refuses every call of shell that needs this.'
    )


@pytest.mark.parametrize("answer", ["session", "agent", "always"])
async def test_an_answer_that_is_kept_holds_for_that_very_thing(answer: PermissionAnswer) -> None:
    permitted, person = permissions(answer)
    for _ in range(2):
        await permitted.check("c1", SHELL, {"command": "make *"}, SESSION)
    assert len(person.asked) == 1
    await permitted.check("c1", SHELL, {"command": "make x"}, SESSION)
    assert [prompt.about for prompt in person.asked] == ["run make *", "run make x"], "a star is a star"


async def test_a_rule_does_not_beat_a_denial() -> None:
    book = MemoryBook()
    await book.add(Grant(id="g1", need="shell", tool="shell", verdict="deny", scope="everywhere"))
    permitted, _ = permissions("once", grants=book)
    with pytest.raises(ToolError, match="oneclaw grants revoke g1"):
        await permitted.check("c1", SHELL, {"command": "ls"}, SESSION)
    permitted, _ = permissions("once", states={"shell": State.DENIED})
    with pytest.raises(ToolError, match="The owner denied it permanently"):
        await permitted.check("c1", SHELL, {"command": "ls"}, SESSION)


@pytest.mark.parametrize(("mode", "asked"), [("ask", [CHANGES]), ("deny", [])])
async def test_a_rule_covers_its_need_and_not_the_mode(mode: Mode, asked: list[str]) -> None:
    permitted, person = permissions("no", mode=mode)
    with pytest.raises(ToolError) as refused:
        await permitted.check("c1", SHELL, {"command": "ls"}, SESSION)
    assert refused.value.kind is Kind.PERMISSION_DENIED
    assert [prompt.need for prompt in person.asked] == asked


async def test_a_need_that_shows_while_running_keeps_its_own_reason() -> None:
    permitted, person = permissions("once")
    await permitted.require(
        "c1", SHELL, {"command": "ls"}, SESSION, "network.private", "It reaches 10.0.0.1."
    )
    assert [prompt.about for prompt in person.asked] == ["It reaches 10.0.0.1."]


async def test_commands_that_differ_in_a_secret_differ_for_an_answer() -> None:
    permitted, person = permissions("always", redact=_without_digits)
    await permitted.check("c1", SHELL, {"command": "login 111"}, SESSION)
    await permitted.check("c1", SHELL, {"command": "login 111"}, SESSION)
    await permitted.check("c1", SHELL, {"command": "login 222"}, SESSION)
    first, second = person.asked
    assert first.about != second.about
    assert all("111" not in f"{prompt.about} {prompt.text}".split("SHA-256")[0] for prompt in person.asked)


def _without_digits(value: Any) -> Any:
    if isinstance(value, str):
        return value.replace("111", "***").replace("222", "***")
    return {name: _without_digits(one) for name, one in value.items()}
