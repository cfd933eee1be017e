"""Whether a call may happen now."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from tests.person import Person

from oneclaw.core.errors import Kind, StoreError, ToolError
from oneclaw.core.permit.broker import Broker
from oneclaw.core.permit.grant import Grant, MemoryBook, definition_hash, new_id
from oneclaw.core.permit.need import CHANGES, MODES, NEEDS, Mode, State, needs_of
from oneclaw.core.permit.permission import Permissions
from oneclaw.core.question import PermissionAnswer
from oneclaw.core.session import Session
from oneclaw.core.tool import ToolDefinition

READ = ToolDefinition(name="read_file", needs=("files.read",), effect="read")
WRITE = ToolDefinition(name="write_file", needs=("files.write",), effect="write")
SHELL = ToolDefinition(name="shell", label="Shell", needs=("shell",), effect="write")
FETCH = ToolDefinition(name="http_request", needs=("network",), effect="read")
SESSION = Session(id="s1", agent="builder")


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.seconds = 1_000.0

    def __call__(self) -> float:
        return self.seconds


async def run(
    permissions: Permissions,
    tool: ToolDefinition,
    arguments: dict[str, Any] | None = None,
    session: Session = SESSION,
) -> list[str]:
    """The road in small: check, then the effect."""
    effects: list[str] = []
    if not permissions.quick(tool, session):
        await permissions.check("c1", tool, arguments or {}, session)
    effects.append(tool.name)
    return effects


async def refused(
    permissions: Permissions,
    tool: ToolDefinition,
    arguments: dict[str, Any] | None = None,
    session: Session = SESSION,
) -> str:
    with pytest.raises(ToolError) as caught:
        await run(permissions, tool, arguments, session)
    assert caught.value.kind is Kind.PERMISSION_DENIED
    return caught.value.message


def allow(tool: ToolDefinition, need: str, **changes: Any) -> Grant:
    values: dict[str, Any] = {
        "id": new_id(), "need": need, "tool": tool.name, "verdict": "allow", "scope": "everywhere",
        "digest": definition_hash(tool),
    }  # fmt: skip
    return Grant(**(values | changes))


# Mode, tool → what happens with nobody's setting and no grant: runs, asks or is denied.
MODE_TABLE: dict[tuple[Mode, str], str] = {
    ("auto", "read_file"): "runs",
    ("auto", "write_file"): "runs",
    ("auto", "shell"): "asks",
    ("auto", "odd"): "asks",
    ("ask", "read_file"): "runs",
    ("ask", "write_file"): "asks",
    ("ask", "shell"): "asks",
    ("ask", "odd"): "asks",
    ("deny", "read_file"): "runs",
    ("deny", "write_file"): "denied",
    ("deny", "shell"): "denied",
    ("deny", "odd"): "denied",
}
ODD = ToolDefinition(name="odd", needs=("vendor.power",), effect="read")
BY_NAME = {tool.name: tool for tool in (READ, WRITE, SHELL, ODD)}


@pytest.mark.covers("FEAT004-TR-03", "FEAT004-TR-04", "FEAT004-PR-03")
@pytest.mark.parametrize(("key", "what"), MODE_TABLE.items())
async def test_the_modes(key: tuple[Mode, str], what: str) -> None:
    mode, tool = key[0], BY_NAME[key[1]]
    person = Person("once")
    permissions = Permissions(mode=mode, broker=person.broker)
    if what == "denied":
        assert "nobody is asked" in await refused(permissions, tool)
    else:
        assert await run(permissions, tool) == [tool.name]
    assert bool(person.asked) is (what == "asks")


def test_the_needs_and_how_they_stand_by_default() -> None:
    granted = {need.name for need in NEEDS.values() if need.state is State.GRANTED}
    asks = {need.name for need in NEEDS.values() if need.state is State.ASK}
    assert granted == {"files.read", "files.write", "network", "notify", "sessions.read", "person", "changes"}
    asked = {
        *("files.overwrite", "files.delete", "files.protected", "network.private", "shell", "code"),
        *("location", "calendar", "mail", "browser", "sessions.write", "mcp"),
    }
    assert asks == asked
    assert set(MODES) == {"auto", "ask", "deny"}


@pytest.mark.parametrize(("effect", "has_changes"), [("read", False), ("write", True), ("unknown", True)])
def test_what_does_not_only_read_needs_changes(effect: Any, has_changes: bool) -> None:
    tool = ToolDefinition(name="t", needs=("shell", "shell"), effect=effect)
    assert needs_of(tool) == (("shell", CHANGES) if has_changes else ("shell",))


@pytest.mark.parametrize("mode", ["auto", "ask", "deny"])
async def test_the_owners_setting_decides_in_every_mode(mode: Mode) -> None:
    person = Person("no")
    granted = Permissions(
        mode=mode, broker=person.broker, states={"shell": State.GRANTED, "changes": State.GRANTED}
    )
    assert await run(granted, SHELL) == ["shell"]
    denied = Permissions(mode=mode, broker=person.broker, states={"files.read": State.DENIED})
    message = await refused(denied, READ)
    assert message.startswith("Required permissions were denied: files.read. ")
    assert "permanently" in message
    assert 'permissions.needs."files.read"' in message
    assert person.asked == []


async def test_the_owner_can_have_a_need_asked_for() -> None:
    person = Person("once")
    permissions = Permissions(broker=person.broker, states={"files.read": State.ASK})
    assert await run(permissions, READ) == ["read_file"]
    assert len(person.asked) == 1


async def test_a_need_the_owner_denied_is_denied_whatever_was_granted() -> None:
    book = MemoryBook()
    await book.add(allow(SHELL, "shell"))
    assert await run(Permissions(grants=book), SHELL) == ["shell"]
    message = await refused(Permissions(grants=book, states={"shell": State.DENIED}), SHELL)
    assert "permissions.needs.shell" in message


@pytest.mark.covers("FEAT004-AC-07")
@pytest.mark.parametrize("tool", [READ, WRITE, SHELL])
async def test_with_the_check_taken_out_every_call_would_run(
    tool: ToolDefinition, monkeypatch: pytest.MonkeyPatch
) -> None:
    states = dict.fromkeys(NEEDS, State.DENIED)
    permissions = Permissions(states=states)
    await refused(permissions, tool)

    async def nothing(*_: Any) -> None: ...

    monkeypatch.setattr(permissions, "check", nothing)
    assert await run(permissions, tool) == [tool.name]


@pytest.mark.parametrize("answer", ["once", "session", "agent", "always"])
async def test_a_yes_lets_the_call_run(answer: PermissionAnswer) -> None:
    assert await run(Permissions(broker=Person(answer).broker), SHELL) == ["shell"]


@pytest.mark.covers("FEAT004-PR-04", "FEAT004-ES-03", "RFC004-ET-05")
async def test_a_no_refuses_this_call_only() -> None:
    person = Person("no")
    book = MemoryBook()
    permissions = Permissions(broker=person.broker, grants=book)
    message = await refused(permissions, SHELL)
    assert message == (
        "Required permissions were denied: shell. A person said no; ask them what to do instead."
    )
    assert await book.all() == []
    person.answer = "once"
    assert await run(permissions, SHELL) == ["shell"]


@pytest.mark.covers("FEAT004-ST-03", "RFC004-EC-06")
async def test_nobody_there_means_denied_at_once() -> None:
    message = await refused(Permissions(), SHELL)
    assert message.startswith("Required permissions were denied: shell. Nobody is there to ask. ")
    assert "the owner can grant it ahead: list the command in shell.allow" in message
    assert message.endswith(", or set permissions.needs.shell to granted.")


@pytest.mark.covers("FEAT004-EC-09")
async def test_no_answer_in_time_means_denied() -> None:
    broker = Broker(seconds=0.01)
    broker.bind(lambda _: None)
    assert "Nobody answered within 0.01 seconds." in await refused(Permissions(broker=broker), SHELL)


OTHER_SESSION = replace(SESSION, id="s2")
OTHER_AGENT = Session(id="s3", agent="reviewer")
KEPT: list[tuple[PermissionAnswer, tuple[bool, bool, bool]]] = [
    # the answer, and whether it holds in the same session, in another of the agent, for another agent
    ("once", (False, False, False)),
    ("session", (True, False, False)),
    ("agent", (True, True, False)),
    ("always", (True, True, True)),
]


@pytest.mark.covers("FEAT004-PR-02", "FEAT004-PR-06")
@pytest.mark.parametrize(("answer", "holds"), KEPT)
async def test_an_answer_holds_as_far_as_it_was_given(
    answer: PermissionAnswer, holds: tuple[bool, ...]
) -> None:
    person = Person(answer)
    permissions = Permissions(broker=person.broker)
    await run(permissions, SHELL, {"command": "ls"})
    person.answer = "no"
    for session, does_hold in zip((SESSION, OTHER_SESSION, OTHER_AGENT), holds, strict=True):
        if does_hold:
            assert await run(permissions, SHELL, {"command": "rm"}, session) == ["shell"]
        else:
            await refused(permissions, SHELL, {"command": "rm"}, session)


@pytest.mark.covers("FEAT004-PR-07")
async def test_never_is_denied_for_good_until_it_is_revoked() -> None:
    person = Person("never")
    book = MemoryBook()
    permissions = Permissions(broker=person.broker, grants=book)
    first = await refused(permissions, SHELL)
    person.answer = "once"
    (grant,) = await book.all()
    assert (grant.verdict, grant.scope, grant.need, grant.tool) == ("deny", "everywhere", "shell", "shell")
    assert f"oneclaw grants revoke {grant.id}" in first
    assert await refused(permissions, SHELL, session=OTHER_AGENT) == first
    assert len(person.asked) == 1
    assert await book.revoke(grant.id)
    assert await run(permissions, SHELL) == ["shell"]
    assert len(person.asked) == 2


async def test_never_holds_for_a_changed_tool_and_in_every_mode() -> None:
    person = Person("never")
    book = MemoryBook()
    await refused(Permissions(mode="ask", broker=person.broker, grants=book), WRITE)
    auto = Permissions(mode="auto", grants=book)
    assert not auto.quick(WRITE, SESSION)
    assert "permanently" in await refused(auto, replace(WRITE, version="2"))
    assert await run(Permissions(mode="auto"), WRITE) == ["write_file"]


async def test_a_tool_that_changed_asks_again() -> None:
    person = Person("always")
    permissions = Permissions(broker=person.broker)
    await run(permissions, SHELL)
    await run(permissions, SHELL)
    assert len(person.asked) == 1
    await run(permissions, replace(SHELL, description="Run programs, and send them mail."))
    assert len(person.asked) == 2


async def test_a_grant_expires() -> None:
    clock = Clock()
    person = Person("always", seconds=60)
    permissions = Permissions(broker=person.broker, now=clock)
    await run(permissions, SHELL)
    clock.seconds += 59
    await run(permissions, SHELL)
    assert len(person.asked) == 1
    clock.seconds += 1
    await run(permissions, SHELL)
    assert len(person.asked) == 2


async def test_a_grant_with_a_pattern_holds_for_what_fits_it() -> None:
    person = Person("always", pattern={"command": "git *"})
    permissions = Permissions(broker=person.broker)
    await run(permissions, SHELL, {"command": "git status"})
    person.answer, person.options = "no", {}
    await run(permissions, SHELL, {"command": "git log"})
    for command in ("git log; rm x", "rm x", "xgit log"):
        await refused(permissions, SHELL, {"command": command})


async def test_what_needs_asking_is_asked_in_one_prompt_and_kept_for_each_need() -> None:
    person = Person("session")
    book = MemoryBook()
    tool = ToolDefinition(name="post", needs=("network", "mail", "location"), effect="write")
    permissions = Permissions(mode="ask", broker=person.broker, grants=book)
    await run(permissions, tool)
    (prompt,) = person.asked
    assert prompt.needs == ("mail", "location", CHANGES)
    assert [grant.need for grant in (await book.all())] == ["mail", "location", CHANGES]
    await run(permissions, tool)
    assert len(person.asked) == 1


async def test_every_denied_need_is_named() -> None:
    tool = ToolDefinition(name="post", needs=("mail", "network", "shell"), effect="read")
    permissions = Permissions(states={"mail": State.DENIED, "shell": State.DENIED_FOR_GOOD})
    assert (await refused(permissions, tool)).startswith("Required permissions were denied: mail, shell. ")


async def test_in_mode_deny_a_grant_given_ahead_holds() -> None:
    book = MemoryBook()
    permissions = Permissions(mode="deny", grants=book)
    assert CHANGES in await refused(permissions, WRITE)
    await book.add(allow(WRITE, CHANGES))
    assert await run(permissions, WRITE) == ["write_file"]


WORDS = (
    *("approved", "permission", "permissions", "confirm", "confirmed", "granted", "force", "answer"),
    "always",
)


@pytest.mark.covers("FEAT004-PR-05")
@pytest.mark.parametrize("name", WORDS)
@pytest.mark.parametrize("value", [True, "always", {"shell": "granted"}])
async def test_no_argument_changes_anything(name: str, value: Any) -> None:
    arguments = {"command": "ls", name: value}
    await refused(Permissions(), SHELL, arguments)
    await refused(Permissions(mode="deny"), WRITE, arguments)
    person = Person("no")
    await refused(Permissions(broker=person.broker), SHELL, arguments)
    assert f"\n  {name} = " in person.asked[0].text


async def test_a_need_that_shows_while_running_is_asked_with_its_reason() -> None:
    person = Person("always")
    permissions = Permissions(broker=person.broker)

    async def require(reason: str) -> None:
        await permissions.require("c1", FETCH, {"url": "http://x/"}, SESSION, "network.private", reason)

    await require("The host 10.0.0.1 is private.")
    assert "Why: The host 10.0.0.1 is private." in person.asked[0].text
    person.answer = "no"
    await require("The host 10.0.0.1 is private.")
    with pytest.raises(ToolError, match=r"Required permissions were denied: network\.private\."):
        await require("The host 169.254.169.254 is private.")
    assert len(person.asked) == 2


async def test_a_need_that_shows_while_running_follows_settings_and_grants() -> None:
    book = MemoryBook()
    reason = "The host 10.0.0.1 is private."
    request: Any = ("c1", FETCH, {}, SESSION, "network.private", reason)
    await Permissions(states={"network.private": State.GRANTED}).require(*request)
    with pytest.raises(ToolError, match="Nobody is there to ask"):
        await Permissions(grants=book).require(*request)
    with pytest.raises(
        ToolError, match=r"list the host in network\.private_hosts .*, or set permissions\.needs"
    ):
        await Permissions(grants=book).require(*request)
    await book.add(allow(FETCH, "network.private"))
    await Permissions(grants=book).require(*request)


@pytest.mark.parametrize(
    ("session", "missing"),
    [(SESSION, set[str]()), (Session(id="", agent="a"), {"session"}), (Session(id="s", agent=""), {"agent"})],
)
async def test_an_answer_for_what_has_no_name_is_not_offered(session: Session, missing: set[str]) -> None:
    person = Person("once")
    await run(Permissions(broker=person.broker), SHELL, session=session)
    assert {"once", "no", "session", "agent", "always", "never"} - set(person.asked[0].answers) == missing


async def test_what_is_as_by_default_takes_one_line_and_what_was_given_stands_before_it() -> None:
    person = Person("once")
    properties = {
        "command": {},
        "seconds": {"default": 30},
        "apart": {"default": False},
        "note": {"default": ""},
    }
    tool = replace(SHELL, parameters={"type": "object", "properties": properties})
    permissions = Permissions(broker=person.broker)
    for apart in (False, True):
        arguments = {"seconds": 30, "apart": apart, "note": "", "command": "ls"}
        await run(permissions, tool, arguments, SESSION)
    await run(permissions, tool, {"seconds": 30}, SESSION)
    shown = [prompt.text.partition("Arguments:")[2].rpartition("\n")[0] for prompt in person.asked]
    assert shown == [
        '\n  command = "ls"\n  by default: seconds = 30, apart = false, note = ""',
        '\n  apart = true\n  command = "ls"\n  by default: seconds = 30, note = ""',
        " none.\n  by default: seconds = 30",
    ]
    assert person.asked[0].arguments["seconds"] == "30"


async def test_the_text_is_complete_and_escaped() -> None:
    person = Person("once")
    clock = Clock()
    command = "echo safe\u202e\n\x1b[2Krm -rf ~ #\u200b"
    tool = replace(SHELL, label="Shell\u202e")
    permissions = Permissions(broker=person.broker, now=clock)
    await run(permissions, tool, {"command": command, "list": ["a\tb", 1]}, Session(id="s\n1", agent="a\x00"))
    (prompt,) = person.asked
    assert prompt.text == (
        'The tool shell "Shell\\u202e" asks for:\n'
        "  shell: run programs on this machine\n"
        'Agent: "a\\x00". Session: "s\\n1".\n'
        "Arguments:\n"
        '  command = "echo safe\\u202e\\n\\x1b[2Krm -rf ~ #\\u200b"\n'
        '  list = ["a\\tb", 1]\n'
        '"This session", "this agent" and "always" allow every call of shell. "Never" refuses every call of'
        " shell that needs this."
    )
    assert prompt.title == "a\\x00 asks: Shell\\u202e"
    assert prompt.why == "It needs to run programs on this machine."
    assert prompt.given == prompt.arguments
    assert prompt.arguments["list"] == '["a\\tb", 1]'
    assert (prompt.created, prompt.expires) == (1_000.0, 1_060.0)
    assert (prompt.call_id, prompt.tool, prompt.need) == ("c1", "shell", "shell")


async def test_a_reason_and_the_name_of_an_argument_are_escaped_too() -> None:
    person = Person("once")
    permissions = Permissions(broker=person.broker)
    await permissions.require("c1", FETCH, {"a\nb": 1}, SESSION, "vendor\u202e", "because\nAgent: me")
    text = person.asked[0].text
    assert "Why: because\\nAgent: me\n" in text
    assert "\n  a\\nb = 1\n" in text
    assert "vendor\\u202e" in text


async def test_very_many_or_very_long_arguments_are_still_bounded_and_say_so() -> None:
    person = Person("once")
    permissions = Permissions(broker=person.broker)
    await run(permissions, SHELL, {f"a{number}": "x" * 20_000 for number in range(50)})
    await run(permissions, SHELL, {f"a{number}": "x" for number in range(5_000)})
    long, many = (prompt.text for prompt in person.asked)
    assert len(long) < 150_000
    assert long.count("20000 characters in all") == 50
    assert len(many) < 20_000
    assert "characters in all" in many


async def test_arguments_too_deep_to_be_read_are_not_asked_about() -> None:
    value: Any = 1
    for _ in range(500):
        value = [value]
    person = Person("once")
    assert "flatter" in await refused(Permissions(broker=person.broker), SHELL, {"value": value})
    assert person.asked == []


async def test_secrets_are_taken_out_of_what_is_shown_and_not_of_what_is_matched() -> None:
    def redact(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: redact(one) for key, one in value.items()}  # pyright: ignore[reportUnknownVariableType]
        return value.replace("hunter2", "***")

    person = Person("always", pattern={"command": "login hunter2"})
    permissions = Permissions(broker=person.broker, redact=redact)
    await run(permissions, SHELL, {"command": "login hunter2"})
    assert 'command = "login ***"' in person.asked[0].text
    assert "hunter2" not in person.asked[0].text
    await run(permissions, SHELL, {"command": "login hunter2"})
    assert len(person.asked) == 1
    person.options = {}
    for _ in range(2):
        await permissions.require("c1", FETCH, {}, SESSION, "network.private", "The host hunter2 is private.")
    assert len(person.asked) == 2
    assert "Why: The host *** is private." in person.asked[1].text
    assert all("hunter2" not in grant.about for grant in (await permissions.grants.all()))


async def test_quick_is_true_only_where_nothing_can_refuse() -> None:
    book = MemoryBook()
    permissions = Permissions(grants=book)
    assert not permissions.quick(READ, SESSION), "the first check finds it out"
    for tool in (READ, WRITE):
        await run(permissions, tool)
    assert permissions.quick(READ, SESSION)
    assert permissions.quick(WRITE, SESSION)
    assert not permissions.quick(SHELL, SESSION)
    await book.add(allow(SHELL, "shell"))
    assert await run(permissions, SHELL) == ["shell"]
    assert not permissions.quick(SHELL, SESSION)
    denial = allow(WRITE, CHANGES, verdict="deny", scope="session", holder="elsewhere", digest="")
    await book.add(denial)
    assert not permissions.quick(WRITE, SESSION)
    assert await run(permissions, WRITE) == ["write_file"]
    assert not permissions.quick(WRITE, SESSION)
    await book.revoke(denial.id)
    assert await run(permissions, WRITE) == ["write_file"]
    assert permissions.quick(WRITE, SESSION)
    assert not permissions.quick(replace(WRITE, needs=("shell",)), SESSION)
    assert not Permissions(mode="ask").quick(WRITE, SESSION)
    assert not Permissions(mode="deny").quick(WRITE, SESSION)


class SlowBook(MemoryBook):
    """A book whose writing takes until a test lets it."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = asyncio.Event()

    async def add(self, grant: Grant) -> None:
        await self.gate.wait()
        await super().add(grant)


async def test_a_grant_holds_from_the_moment_it_is_given() -> None:
    book, person = SlowBook(), Person("never")
    permissions = Permissions(broker=person.broker, grants=book)
    call = asyncio.create_task(run(permissions, SHELL))
    await asyncio.sleep(0)
    assert await book.all() == []
    person.answer = "once"
    assert "permanently" in await refused(permissions, SHELL)
    assert not call.done()
    book.gate.set()
    with pytest.raises(ToolError, match="permanently"):
        await call
    assert len(await book.all()) == len(person.asked) == 1


async def test_an_answer_is_stored_even_if_its_call_is_cancelled() -> None:
    book, person = SlowBook(), Person("never")
    permissions = Permissions(broker=person.broker, grants=book)
    call = asyncio.create_task(run(permissions, SHELL))
    await asyncio.sleep(0)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    book.gate.set()
    for _ in range(5):
        await asyncio.sleep(0)
    assert [grant.verdict for grant in (await book.all())] == ["deny"]
    assert "permanently" in await refused(permissions, SHELL)


class BrokenBook(MemoryBook):
    """A book that cannot be read, or not be written."""

    def __init__(self, *, is_readable: bool) -> None:
        super().__init__()
        self.is_readable = is_readable

    async def of(self, tool: str) -> Sequence[Grant]:
        if not self.is_readable:
            raise StoreError("the store is corrupt")
        return await super().of(tool)

    async def add(self, grant: Grant) -> None:
        raise StoreError("the disk is full")


async def test_when_the_grants_cannot_be_read_nothing_runs() -> None:
    permissions = Permissions(grants=BrokenBook(is_readable=False))
    assert not permissions.quick(READ, SESSION)
    message = await refused(permissions, READ)
    assert message == "The grants cannot be read, so the call was not run: the store is corrupt"


async def test_when_an_answer_cannot_be_stored_the_call_says_so(caplog: pytest.LogCaptureFixture) -> None:
    person = Person("always")
    permissions = Permissions(broker=person.broker, grants=BrokenBook(is_readable=True))
    assert "The answer could not be stored: the disk is full." in await refused(permissions, SHELL)
    assert "A grant could not be stored" in caplog.text
    person.answer = "never"
    assert "A person denied it permanently." in await refused(permissions, SHELL)
    person.answer = "once"
    assert await run(permissions, SHELL) == ["shell"]


async def test_how_a_need_stands_can_be_asked_without_asking_a_person() -> None:
    book = MemoryBook()
    permissions = Permissions(grants=book)
    assert (
        permissions.state_of("shell")
        is (await permissions.standing(SHELL, "shell", SESSION)).state
        is State.ASK
    )
    grant = allow(SHELL, "shell", pattern={"command": "ls"})
    await book.add(grant)
    assert (await permissions.standing(SHELL, "shell", SESSION, {"command": "rm"})).state is State.ASK
    standing = await permissions.standing(SHELL, "shell", SESSION, {"command": "ls"})
    assert (standing.state, standing.grant) == (State.GRANTED, grant)
    assert (await Permissions(mode="deny").standing(SHELL, "shell", SESSION)).state is State.DENIED
    strict = Permissions(states={"shell": State.DENIED})
    assert (await strict.standing(SHELL, "shell", SESSION)).state is State.DENIED_FOR_GOOD


async def test_the_mode_may_be_set_while_the_program_runs() -> None:
    permissions = Permissions()
    assert await run(permissions, WRITE) == ["write_file"]
    permissions.mode = "deny"
    await refused(permissions, WRITE)
    permissions.mode = "auto"
    assert await run(permissions, WRITE) == ["write_file"]


def test_a_mode_or_state_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="auto, ask, deny"):
        Permissions(mode="yolo")  # pyright: ignore[reportArgumentType]
    with pytest.raises(ValueError, match="yes"):
        Permissions(states={"shell": "yes"})  # pyright: ignore[reportArgumentType]
