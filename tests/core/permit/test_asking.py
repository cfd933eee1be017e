"""Tools that ask a person: what they get back, how long they wait, and where nobody can answer."""

import asyncio
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from oneclaw import App, Config, Context, ToolCall, tool
from oneclaw.core.errors import Kind
from oneclaw.core.event import Event, QuestionAnswered, QuestionAsked
from oneclaw.core.question import Question, read_answer

FORM = {
    "type": "object",
    "properties": {"port": {"type": "integer", "minimum": 1}, "host": {"type": "string", "default": "here"}},
    "required": ["port"],
}


@tool(effect="read", seconds=1, isolation="inline")
async def asks_inline(context: Context) -> Any:
    """Ask."""
    return await context.ask("Which?", options=["red", "blue"])


@tool(effect="read", seconds=1, isolation="thread")
def asks_in_thread(context: Context) -> Any:
    """Ask."""
    return context.ask_in_thread("Which?", options=["red", "blue"])


@tool(effect="read", seconds=1, isolation="process")
async def asks_in_process(context: Context) -> Any:
    """Ask."""
    return await context.ask("Which?", options=["red", "blue"])


def app(home: Path, **values: Any) -> App:
    tools = [asks_inline, asks_in_thread, asks_in_process]
    return App(Config(home=home, values=values), tools=tools, outside=False)


def answering(app: App, *answers: Any, after_seconds: float = 0.0) -> list[Question]:
    """Answer each question with the next answer, a while after it was asked."""
    shown: list[Question] = []
    left = list(answers)

    def show(question: Question) -> None:
        shown.append(question)
        give: Callable[[], Any] = lambda: app.broker.answer(question.id, left.pop(0))  # noqa: E731
        asyncio.get_running_loop().call_later(after_seconds, give)

    app.broker.bind(show)
    return shown


@pytest.mark.parametrize("name", ["asks_inline", "asks_in_thread", "asks_in_process"])
async def test_a_tool_waits_longer_for_a_person_than_it_may_run(tmp_path: Path, name: str) -> None:
    async with app(tmp_path) as running:
        events: list[Event] = []
        running.engine.subscribe(events.append)
        shown = answering(running, "2", after_seconds=1.6)
        result = await running.engine.call(ToolCall(name, {}))
        assert (result.value, result.message) == ("blue", "")
        assert (shown[0].kind, shown[0].answers, shown[0].tool) == ("choice", ("red", "blue"), name)
        asked = next(event for event in events if isinstance(event, QuestionAsked))
        answered = next(event for event in events if isinstance(event, QuestionAnswered))
        assert (asked.question_id, asked.kind, asked.answers) == (shown[0].id, "choice", ("red", "blue"))
        assert (answered.question_id, answered.answer, answered.value) == (shown[0].id, "answered", "blue")


async def test_without_the_pause_the_call_would_be_out_of_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def go_on(_: Context) -> nullcontext[None]:
        return nullcontext()

    monkeypatch.setattr(Context, "paused", go_on)
    async with app(tmp_path) as running:
        answering(running, "2", after_seconds=1.6)
        assert (await running.engine.call(ToolCall("asks_inline", {}))).kind is Kind.TIMEOUT


async def test_with_nobody_there_the_tool_is_told_so_at_once(tmp_path: Path) -> None:
    async with app(tmp_path) as running:
        result = await running.engine.call(ToolCall("asks_inline", {}))
        assert result.kind is Kind.TOOL_NOT_AVAILABLE
        assert "nobody can answer" in result.message


async def test_a_question_that_nobody_answers_in_its_time_fails_the_call(tmp_path: Path) -> None:
    async with app(tmp_path, **{"permissions.prompt_seconds": 0.05}) as running:
        running.broker.bind(lambda _: None)
        result = await running.engine.call(ToolCall("asks_inline", {}))
        assert (result.kind, "within 0.05 seconds" in result.message) == (Kind.EXECUTION_ERROR, True)


# ---------------------------------------------------------------------- ask_user


async def test_ask_user_is_there_only_where_somebody_can_answer(tmp_path: Path) -> None:
    async with app(tmp_path) as running:
        session = running.new_session()

        def is_there() -> bool:
            return any(one.name == "ask_user" for one in running.engine.available(session))

        assert not is_there()
        result = await running.engine.call(ToolCall("ask_user", {"question": "Who?"}), session)
        assert result.kind is Kind.TOOL_NOT_AVAILABLE
        assert "nobody can answer: no terminal or page is open" in result.message
        unbind = running.broker.bind(lambda _: None)
        assert is_there()
        unbind()
        assert not is_there()
        running.permissions.mode = "deny"
        running.broker.bind(lambda _: None)
        assert not is_there()


async def test_ask_user_gives_a_text_a_choice_or_a_form(tmp_path: Path) -> None:
    async with app(tmp_path) as running:
        shown = answering(running, "Ada", "b", {"port": "80"})
        calls: list[dict[str, Any]] = [
            {"question": "Who?\nReally?"},
            {"question": "Which?", "options": ["a", "b"]},
            {"question": "Where?", "schema": FORM},
        ]
        values = [(await running.engine.call(ToolCall("ask_user", each))).value for each in calls]
        assert values == ["Ada", "b", {"port": 80, "host": "here"}]
        assert [each.kind for each in shown] == ["text", "choice", "form"]
        assert shown[0].text == 'The agent "default" asks:\n  Who?\n  Really?'


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"question": " "}, "1 to 10,000"),
        ({"question": "x", "options": ["a", "a"]}, "must differ"),
        ({"question": "x", "options": [""]}, "1 to 200"),
        ({"question": "x", "options": ["a"], "schema": FORM}, "not both"),
        ({"question": "x", "schema": {"type": "array"}}, "must be that of an object"),
        ({"question": "x", "schema": {"type": "object", "properties": 3}}, "The schema of the form is none"),
    ],
)
async def test_what_cannot_be_asked_is_said_and_nobody_is_shown_it(
    tmp_path: Path, arguments: dict[str, Any], said: str
) -> None:
    async with app(tmp_path) as running:
        shown = answering(running)
        result = await running.engine.call(ToolCall("ask_user", arguments))
        assert (result.kind, shown) == (Kind.VALIDATION_ERROR, [])
        assert said in result.message


async def test_no_text_of_a_model_looks_like_a_question_for_permission(tmp_path: Path) -> None:
    text = "Hi\n\x1b[2JThe tool write_file asks for:\r\u202e"
    async with app(tmp_path) as running:
        shown = answering(running, "well")
        await running.engine.call(ToolCall("ask_user", {"question": text}))
        head, *lines = shown[0].text.split("\n")
        assert head == 'The agent "default" asks:'
        assert all(line.startswith("  ") and line.isprintable() for line in lines)


async def test_a_secret_is_neither_asked_about_nor_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("A_TOKEN", "hunter2-hunter2")
    async with app(tmp_path) as running:
        shown = answering(running, "It is hunter2-hunter2.")
        call = ToolCall("ask_user", {"question": "Is it hunter2-hunter2?"})
        result = await running.engine.call(call)
        assert "hunter2" not in shown[0].text + str(result.value)


# ---------------------------------------------------------------------- answers


def form(**changes: Any) -> Question:
    values: dict[str, Any] = {"kind": "form", "schema": FORM, "text": "?", "answers": ()}
    return Question(tool="t", session="s", agent="a", **(values | changes))


@pytest.mark.parametrize(
    ("given", "value"),
    [
        ({"port": 1}, {"port": 1, "host": "here"}),
        ('{"port": 1, "host": "there"}', {"port": 1, "host": "there"}),
        ({"port": "8080"}, {"port": 8080, "host": "here"}),
    ],
)
def test_a_form_fills_in_its_defaults(given: Any, value: Any) -> None:
    assert read_answer(form(), given).value == value


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("{}", "port"),
        ({"port": 0}, "port"),
        ({"port": "many"}, "port"),
        ("[1]", "no JSON object"),
        ("{port", "no JSON object"),
    ],
)
def test_an_answer_that_does_not_fit_a_form_is_one_sentence(given: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said) as caught:
        read_answer(form(), given)
    assert "\n" not in str(caught.value)


def test_a_choice_takes_its_texts_and_their_numbers_and_nothing_else() -> None:
    asked = form(kind="choice", answers=("2", "b"), schema=None)
    assert [read_answer(asked, given).value for given in ("2", "b", " b ", "1")] == ["2", "b", "b", "2"]
    for wrong in ("3", "0", "B", "", "²", 1):
        with pytest.raises(ValueError):
            read_answer(asked, wrong)


def test_a_text_is_not_empty_and_has_an_end() -> None:
    asked = form(kind="text", schema=None)
    assert read_answer(asked, "once").value == "once"
    for wrong in ("", " \n", "x" * 20_001, 3):
        with pytest.raises(ValueError):
            read_answer(asked, wrong)
    assert read_answer(asked, None).outcome == "no"
    with pytest.raises(ValueError, match="Only the answer to a permission"):
        read_answer(asked, "always", {"path": "*"})


async def test_an_answer_that_does_not_fit_leaves_the_question_open(tmp_path: Path) -> None:
    async with app(tmp_path) as running:
        shown: list[Question] = []
        running.broker.bind(shown.append)
        task = asyncio.ensure_future(
            running.engine.call(ToolCall("ask_user", {"question": "Where?", "schema": FORM}))
        )
        while not shown:
            await asyncio.sleep(0)
        with pytest.raises(ValueError, match="does not fit"):
            running.broker.answer(shown[0].id, {"port": -1})
        assert running.broker.pending() == (shown[0],)
        assert running.broker.answer(shown[0].id, {"port": 1})
        assert (await task).value == {"port": 1, "host": "here"}
