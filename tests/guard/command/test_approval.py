"""The rules for commands in the permission of a call, from the settings to the question."""

from pathlib import Path
from typing import Any

import pytest
from tests.person import Person

from oneclaw import App, Config, Kind, Session, ToolCall, tool
from oneclaw.core.errors import InvalidConfig, ToolError
from oneclaw.core.tool import Tool, ToolDefinition
from oneclaw.guard.command.approval import NEED, TOOL, exactly, judge_calls

RAN: list[str] = []


@tool(name=TOOL, needs=["shell"], effect="unknown")
def stand_in(
    command: str,
    working_dir: str = "",
    env: dict[str, str] | None = None,
    background: bool = False,
) -> str:
    """Take a command and run nothing: what counts here is whether it is asked about."""
    RAN.append(command)
    return command


def app_with(folder: Path, *rules: str) -> App:
    config = Config(home=folder, values={"shell.allow": list(rules), "shell.read_unasked": False})
    tools: list[Tool] = [stand_in]
    return App(config, tools=tools, builtins=False)


async def call(app: App, **arguments: Any) -> str:
    result = await app.engine.call(ToolCall(TOOL, arguments))
    assert result.kind in (None, Kind.PERMISSION_DENIED), result
    return "ran" if result.ok else result.message or ""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"command": "ls", "env": {"LD_PRELOAD": "x"}}, "The variable 'LD_PRELOAD' cannot be set"),
        ({"command": "ls", "env": {"A": "1", "bash_env": "x"}}, "The variable 'bash_env' cannot be set"),
        ({"command": " \n"}, "The command is empty"),
        ({"command": "ls \0"}, "a NUL character"),
        ({"command": "x" * 100_001}, "more than 100,000"),
    ],
)
async def test_nobody_is_asked_about_what_can_never_run(
    tmp_path: Path, arguments: dict[str, Any], said: str
) -> None:
    async with app_with(tmp_path) as app:
        person = Person("once", broker=app.broker)
        result = await app.engine.call(ToolCall(TOOL, arguments))
        assert said in (result.message or "")
        assert not person.asked
        with pytest.raises(ToolError, match=said):
            (await app.permissions.foresee(stand_in.definition, arguments, Session()))
        assert await call(app, command="ls", env={"A": "1"}) == "ran"
        assert len(person.asked) == 1


async def test_a_command_that_a_rule_covers_runs_unasked(tmp_path: Path) -> None:
    async with app_with(tmp_path, "git status", "ls **", "cd *") as app:
        assert await call(app, command="git status") == "ran"
        assert await call(app, command="cd src && ls -la") == "ran"
        assert await call(app, command="ls", working_dir="src") == "ran"
        assert await call(app, command="ls", background=True) == "ran"


async def test_without_the_rule_nobody_is_there_to_ask(tmp_path: Path) -> None:
    async with app_with(tmp_path) as app:
        assert "Nobody is there to ask" in await call(app, command="git status")


@pytest.mark.parametrize(
    "arguments",
    [
        {"command": "git push"},
        {"command": "git status; git push"},
        {"command": "git status $(git push)"},
        {"command": "git status", "env": {"A": "1"}},
        {"command": "git status", "working_dir": "src"},
    ],
)
async def test_what_no_rule_covers_is_asked(tmp_path: Path, arguments: dict[str, Any]) -> None:
    async with app_with(tmp_path, "git status") as app:
        person = Person("no", broker=app.broker)
        assert "A person said no" in await call(app, **arguments)
        assert len(person.asked) == 1


async def test_the_question_shows_the_programs_the_danger_and_why(tmp_path: Path) -> None:
    async with app_with(tmp_path, "ls **") as app:
        person = Person("no", broker=app.broker)
        await call(app, command="ls | xargs rm -rf")
        (prompt,) = person.asked
        assert "Why: run: ls | xargs rm -rf\n" in prompt.text
        assert "  Programs: ls, xargs, rm.\n" in prompt.text
        assert "  Danger: It deletes without asking (rm with force).\n" in prompt.text
        assert "  No rule in shell.allow covers this use of xargs.\n" in prompt.text


@pytest.mark.parametrize("setting", [{"shell.mode": "native"}, {"shell.sandbox": "none"}, {}])
async def test_whoever_is_asked_is_told_where_no_sandbox_shuts_commands_in(
    tmp_path: Path, setting: dict[str, str]
) -> None:
    tools: list[Tool] = [stand_in]
    async with App(Config(home=tmp_path, values=setting), tools=tools, builtins=False) as app:
        person = Person("no", broker=app.broker)
        await call(app, command="make")
        assert ("  Danger: No sandbox shuts it in" in person.asked[0].text) is bool(setting)


async def test_a_command_is_shown_with_one_escape_for_what_could_deceive(tmp_path: Path) -> None:
    async with app_with(tmp_path) as app:
        person = Person("no", broker=app.broker)
        await call(app, command='cat > x <<E\n"a"\nE\nl\u200bs', working_dir="sub")
        (prompt,) = person.asked
        assert 'Why: run in "sub": cat > x <<E\\n"a"\\nE\\nl\\u200bs\n' in prompt.text
        assert "  Programs: cat, l\\u200bs.\n" in prompt.text


def test_no_two_calls_are_said_the_same_way() -> None:
    long = "x" * 2001
    said = [
        exactly("ls", {"working_dir": "a"}),
        exactly('ls" in "a', {}),
        exactly('in "a": ls', {}),
        exactly("ls", {"working_dir": 'a": ls'}),
        exactly("ls", {"env": {"A": "1"}}),
        exactly("ls", {"background": True}),
        exactly(long, {}),
        exactly(exactly(long, {}).removeprefix("run "), {}),
        exactly("a\0", {}),
        exactly("a\\u0000", {}),
        exactly("a\ud800", {}),
    ]
    assert len(set(said)) == len(said)
    for text in said:
        text.encode()


async def test_an_answer_that_is_kept_is_for_that_command_alone(tmp_path: Path) -> None:
    asked: list[int] = []
    async with app_with(tmp_path) as app:
        person = Person("always", broker=app.broker)
        for arguments in (
            {"command": "make *"},
            {"command": "make *"},
            {"command": "make all"},
            {"command": "make *", "env": {"A": "1"}},
            {"command": "make *", "env": {"A": "1"}},
            {"command": "make *", "working_dir": "x"},
            {"command": "make *", "background": True},
            {"command": "make * "},
        ):
            assert await call(app, **arguments) == "ran"
            asked.append(len(person.asked))
    assert asked == [1, 1, 2, 3, 3, 4, 5, 6]
    async with app_with(tmp_path) as app:
        assert await call(app, command="make *") == "ran", "and it is remembered"
        assert "Nobody is there" in await call(app, command="make x")


async def test_long_commands_are_told_apart(tmp_path: Path) -> None:
    async with app_with(tmp_path) as app:
        person = Person("always", broker=app.broker)
        await call(app, command="echo " + "a" * 5000)
        await call(app, command="echo " + "a" * 4999 + "b")
        assert len({prompt.about for prompt in person.asked}) == 2
        assert all(len(prompt.about) < 1000 for prompt in person.asked)


async def test_the_rules_are_for_the_shell_alone(tmp_path: Path) -> None:
    @tool(needs=["shell"], effect="read")
    def other(command: str) -> str:
        """Another tool with an argument of that name."""
        return command

    config = Config(home=tmp_path, values={"shell.allow": ["ls"]})
    async with App(config, tools=[other], builtins=False) as app:
        result = await app.engine.call(ToolCall("other", {"command": "ls"}))
        assert result.kind is Kind.PERMISSION_DENIED


def test_a_rule_that_would_allow_anything_is_refused_at_the_start(tmp_path: Path) -> None:
    with pytest.raises(InvalidConfig, match=r"shell\.allow would allow anything"):
        app_with(tmp_path, "bash -c *")


async def test_the_shell_itself_is_asked_about_by_these_rules(tmp_path: Path) -> None:
    """The real tool: what a rule covers runs, in a chain and in a folder too; anything else is not run."""
    values = {"features.shell": True, "shell.allow": ["echo **", "cd *", "touch *"]}
    async with App(Config(home=tmp_path, values=values)) as app:
        (app.config.workspace_folder / "sub").mkdir()
        result = await app.engine.call(ToolCall(TOOL, {"command": "cd sub && echo 'a  b' $ | cat"}))
        assert result.kind is Kind.PERMISSION_DENIED
        result = await app.engine.call(ToolCall(TOOL, {"command": "cd sub && touch made && echo 'a  b;c'"}))
        if not result.ok and "sandbox" in result.message:
            pytest.skip(f"commands cannot be run here: {result.message}")
        assert result.value["stdout"] == "a  b;c\n"
        assert (app.config.workspace_folder / "sub" / "made").exists()
        for command in ("touch $(echo x)", "touch x > y", "touch -r made z", "touch a && rm a"):
            assert "Nobody is there to ask" in await call(app, command=command)
        assert sorted(path.name for path in app.config.workspace_folder.iterdir()) == ["sub"]


# ---------------------------------------------------------------------- patterns that people give


@pytest.mark.parametrize(
    ("pattern", "command", "more", "fits"),
    [
        ("git commit *", "git commit notes.txt", {}, True),
        ("git commit *", "git commit notes.txt; rm -rf .", {}, False),
        ("git commit *", "git commit $(id)", {}, False),
        ("git commit *", "git commit --amend", {}, False),
        ("git commit *", "git commit notes.txt", {"env": {"FLAVOUR": "x"}}, False),
        ("git commit *", "git commit notes.txt", {"working_dir": "elsewhere"}, False),
        ("git commit *", "git push origin", {}, False),
    ],
)
def test_a_pattern_for_commands_is_read_as_a_rule(
    pattern: str, command: str, more: dict[str, Any], fits: bool
) -> None:
    judged = judge_calls(())(ToolDefinition(name=TOOL), NEED, {"command": command, **more})
    assert judged is not None
    assert judged.fits is not None
    assert judged.fits({"command": pattern}) is fits
    for wrong in ({"command": "python3 *"}, {"env": "*"}, {"command": "a *", "env": "*"}):
        with pytest.raises(ValueError):
            judged.fits(wrong)
