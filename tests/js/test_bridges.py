"""What the program answers a worker: only questions of the right shape, whoever asks."""

from pathlib import Path
from typing import Any

import pytest

from oneclaw.core.errors import Kind, ToolError
from oneclaw.core.session import Session, Workspace
from oneclaw.core.tool import Context, ToolDefinition
from oneclaw.js.bridges import Bridges

GET: dict[str, Any] = {"method": "GET", "headers": [], "body": None, "redirect": "follow"}

ODD: list[tuple[str, list[Any]]] = [
    ("", []),
    ("fs", ["a"]),
    ("fs.delete", ["a"]),
    ("fs.read", []),
    ("fs.read", ["a"]),
    ("fs.read", [7, "utf-8"]),
    ("fs.read", ["a", "utf-8", 1]),
    ("fs.write", ["a", None, False]),
    ("fs.write", ["a", "b", "yes"]),
    ("fs.exists", [["a"]]),
    ("fs.list", [None]),
    ("time.format", ["now", None, "iso8601"]),
    ("time.format", [0, 7, "iso8601"]),
    ("time.zone", [None, None]),
    ("time.zones", [1]),
    ("fetch", ["http://a.test"]),
    ("fetch", [None, GET]),
    ("fetch", ["http://a.test", []]),
    ("tool", ["read_file", {}]),
    ("__class__", []),
    ("é" * 1000, [{}]),
]


@pytest.fixture
def bridges(tmp_path: Path) -> Bridges:
    definition = ToolDefinition(name="probe", needs=("files.read", "files.write", "network"))
    return Bridges(definition, Context(session=Session(workspace=Workspace(tmp_path))))


@pytest.mark.parametrize(("op", "arguments"), ODD)
async def test_a_question_of_another_shape_is_refused(
    bridges: Bridges, op: str, arguments: list[Any]
) -> None:
    with pytest.raises(ToolError, match="has no answer to") as caught:
        await bridges.answer(op, arguments)
    assert caught.value.kind is Kind.VALIDATION_ERROR
    assert len(caught.value.message) < 500


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"method": "TRACE"}, "fetch cannot send the method 'TRACE'; use one of: GET"),
        ({"method": "GET\r\nX: y"}, "fetch cannot send the method"),
        ({"method": None}, "fetch cannot send the method"),
        ({"redirect": "sometimes"}, "fetch follows redirects as follow, manual or error"),
        ({"headers": {"a": "b"}}, "The headers of fetch are pairs of text"),
        ({"headers": [["a", 1]]}, "The headers of fetch are pairs of text"),
        ({"headers": [["a", "b", "c"]]}, "The headers of fetch are pairs of text"),
        ({"headers": [["Host", "other"]]}, "Header 'Host' cannot be sent: it is set by the client itself"),
        ({"headers": [["a", "b\r\nc: d"]]}, "Header 'a' cannot be sent: its value has line ends"),
        ({"body": "***"}, "The body of fetch is not base64"),
        ({"body": 7}, "The body of fetch is not base64"),
    ],
)
async def test_a_request_of_another_shape_is_refused(
    bridges: Bridges, options: dict[str, Any], words: str
) -> None:
    with pytest.raises(ToolError) as caught:
        await bridges.answer("fetch", ["http://127.0.0.1:9/", {**GET, **options}])
    assert caught.value.kind is Kind.VALIDATION_ERROR
    assert words in caught.value.message


async def test_what_the_owners_programs_obey_is_written_only_after_a_yes(tmp_path: Path) -> None:
    asked: list[tuple[str, str]] = []

    async def say_no(need: str, reason: str) -> None:
        asked.append((need, reason))
        if len(asked) == 1:
            raise ToolError("No.", Kind.PERMISSION_DENIED)

    definition = ToolDefinition(name="probe", needs=("files.write",))
    context = Context(session=Session(workspace=Workspace(tmp_path)), require=say_no)
    bridges = Bridges(definition, context)
    question = ("fs.write", [".vscode/tasks.json", "{}", False])
    with pytest.raises(ToolError, match="No"):
        await bridges.answer(*question)
    assert not (tmp_path / ".vscode").exists()
    await bridges.answer(*question)
    assert (tmp_path / ".vscode" / "tasks.json").read_text() == "{}"
    assert [need for need, _ in asked] == ["files.protected", "files.protected"]
    await bridges.answer("fs.write", ["note.txt", "x", False])
    assert len(asked) == 2, "the twin: another file is not asked about"
