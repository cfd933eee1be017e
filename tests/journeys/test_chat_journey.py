"""Stories told in a chat, whole: a person types, a model on loopback asks for tools and answers with them."""

import json
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.cli.vt import Terminal, environment
from tests.loopback import Asked, answering

Calls = list[tuple[str, dict[str, Any]]]
SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"


class Model:
    """A model behind an address: asks for the calls of its plan, then tells what came of them, word for word.

    It holds back the end of an answer with calls until `go` is set, so that a test can look meanwhile.
    """

    def __init__(self) -> None:
        self.plan: Calls = []
        self.page = "The ferry leaves at nine."
        self.go = threading.Event()
        self.port = 0
        self.bodies: list[dict[str, Any]] = []

    def answer(self, body: dict[str, Any]) -> Iterator[dict[str, Any]]:
        results = [each["content"] for each in body["messages"] if each["role"] == "tool"]
        if results or not self.plan:
            told = " and ".join(tell(each) for each in results)
            yield {"delta": {"content": f"I found: {told}."}}
            yield {"delta": {}, "finish_reason": "stop"}
            return
        for number, (name, arguments) in enumerate(self.plan):
            function = {"name": name, "arguments": json.dumps(arguments)}
            call = {"index": number, "id": f"call_{number}", "type": "function", "function": function}
            yield {"delta": {"tool_calls": [call]}}
        self.go.wait(30)
        yield {"delta": {}, "finish_reason": "tool_calls"}


def tell(content: str) -> str:
    body = json.loads(content)
    return str(body.get("result", body.get("message")))


@pytest.fixture
def model() -> Iterator[Model]:
    made = Model()

    def stream(body: dict[str, Any]) -> Iterator[bytes]:
        made.bodies.append(body)
        for choice in made.answer(body):
            chunk = {"id": "x", "object": "chat.completion.chunk", "choices": [{"index": 0, **choice}]}
            yield f"data: {json.dumps(chunk)}\n\n".encode()
        yield b"data: [DONE]\n\n"

    def answer(asked: Asked) -> bytes | Iterator[bytes]:
        return made.page.encode() if asked.method == "GET" else stream(json.loads(asked.body))

    with answering(answer) as made.port:
        yield made
        made.go.set()


@pytest.fixture
def home(tmp_path: Path, model: Model) -> Path:
    folder = tmp_path / "config" / "oneclaw"
    folder.mkdir(parents=True)
    (folder / "oneclaw.toml").write_text(
        '[models]\ndefault = "own/story"\n'
        f'[providers.own]\nwire = "openai_chat"\nbase_url = "http://127.0.0.1:{model.port}/v1"\n'
        '[models."own/story"]\nsmall = false\nwindow = 100000\n'
        '[network]\nprivate_hosts = ["127.0.0.1"]\n'
    )
    (tmp_path / "home" / "workspace").mkdir(parents=True)
    return tmp_path / "home"


def tell_story(home: Path, model: Model, text: str) -> tuple[list[str], list[str]]:
    """Type the text; what the screen shows while the calls are on their way, and at the end."""
    with Terminal("chat", environment=environment(home), columns=110) as terminal:
        terminal.say(f"{text}")
        names = [name for name, _ in model.plan]

        def are_seen(seen: Terminal) -> bool:
            going = [line.split()[1] for line in seen.screen.lines if line and line[0] in SPINNER]
            return going == names

        terminal.wait(are_seen)
        meanwhile = terminal.screen.lines
        model.go.set()
        terminal.wait("I found: ")
        assert terminal.leave() == 0
        return meanwhile, [line for line in terminal.screen.lines if line]


@pytest.mark.covers("RFC004-VF-01b")
def test_asked_for_the_time_the_model_looks_and_answers_with_it(home: Path, model: Model) -> None:
    model.plan = [("get_current_time", {"timezone": "Asia/Tokyo"})]
    meanwhile, lines = tell_story(home, model, "What time is it in Tokyo?")
    assert any("get_current_time" in line for line in meanwhile)
    assert any(line.startswith("✓ get_current_time timezone=Asia/Tokyo · ") for line in lines)
    answer = next(line for line in lines if line.startswith("I found: "))
    assert "+09:00" in answer


@pytest.mark.covers("RFC004-VF-02b")
def test_asked_about_a_file_the_model_reads_it_and_tells_what_it_says(home: Path, model: Model) -> None:
    (home / "workspace" / "notes.txt").write_text("buy milk")
    model.plan = [("read_file", {"path": "notes.txt"})]
    _, lines = tell_story(home, model, "What is in notes.txt?")
    assert any(line.startswith("✓ read_file path=notes.txt · ") for line in lines)
    assert any(line.startswith("I found: ") and "buy milk" in line for line in lines)


@pytest.mark.covers("RFC004-VF-03b")
def test_asked_for_a_page_the_model_requests_it_and_shows_what_came(home: Path, model: Model) -> None:
    model.plan = [("http_request", {"url": f"http://127.0.0.1:{model.port}/news"})]
    _, lines = tell_story(home, model, "What is the news?")
    assert any(line.startswith("✓ http_request url=http://127.0.0.1:") for line in lines)
    assert "The ferry leaves at nine." in " ".join(lines)


@pytest.mark.covers("RFC004-VF-04b")
def test_both_calls_of_one_message_are_seen_and_the_answer_uses_both(home: Path, model: Model) -> None:
    (home / "workspace" / "notes.txt").write_text("buy milk")
    model.plan = [("get_current_time", {"timezone": "UTC"}), ("read_file", {"path": "notes.txt"})]
    meanwhile, lines = tell_story(home, model, "The time, and my notes?")
    assert sum(line[:1] in SPINNER for line in meanwhile if line) == 2
    assert {line.split()[1] for line in lines if line.startswith("✓ ")} == {"get_current_time", "read_file"}
    assert re.search(r"I found: \d{4}-\d\d-\d\dT\S+ and .*buy milk", " ".join(lines))
    tools = [each for each in model.bodies[-1]["messages"] if each["role"] == "tool"]
    assert len(tools) == 2


@pytest.mark.covers("RFC004-VF-05b")
def test_a_refusal_is_told_to_the_model_and_it_says_so(home: Path, model: Model) -> None:
    model.plan = [("read_file", {"path": "/etc/shadow"})]
    _, lines = tell_story(home, model, "Read the passwords.")
    failed = next(number for number, line in enumerate(lines) if line.startswith("✗ read_file"))
    assert lines[failed + 1].startswith("  path_not_allowed: ")
    assert any(line.startswith("I found: ") and "/etc/shadow" in line for line in lines)
    assert "Traceback" not in " ".join(lines)
