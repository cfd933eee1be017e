"""The tool system as a whole: what was asked for, through the app, with real files and a real server."""

import asyncio
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.loopback import Asked, answering
from tests.marked import unmark

from oneclaw import App, Config, Kind, ToolCall, ToolResult, tool
from oneclaw.core.question import Question
from oneclaw.core.registry import Registry
from oneclaw.core.session import Session
from oneclaw.tools import builtin


@tool(effect="read", seconds=0.05)
async def dawdle() -> None:
    """Take too long."""
    await asyncio.sleep(60)


@tool(effect="read")
async def stumble() -> None:
    """Fail."""
    raise ValueError("the floor was wet")


@tool(effect="write", needs=["mail"])
async def send() -> str:
    """Need a power that must be asked for."""
    return "sent"


def config(folder: Path, **values: Any) -> Config:
    said = {key.replace("__", "."): value for key, value in values.items()}
    return Config(home=folder / "home", values={"network.private_hosts": ["127.0.0.1"], **said})


def app(folder: Path, **values: Any) -> App:
    return App(config(folder, **values), tools=[dawdle, stumble, send])


@dataclass
class Site:
    """A server on this machine that keeps the heads of the requests it got."""

    address: str
    heads: list[dict[str, str]]


@pytest.fixture
def site() -> Iterator[Site]:
    heads: list[dict[str, str]] = []

    def answer(asked: Asked) -> bytes:
        heads.append({**asked.headers})
        return b"harbour"

    with answering(answer) as port:
        yield Site(f"http://127.0.0.1:{port}/", heads)


def is_in_form(result: ToolResult) -> bool:
    """Whether a result reads as every result must."""
    body = json.loads(result.to_json())
    body.pop("note", None)
    if result.ok:
        return list(body) == ["status", "result"] and body["status"] == "success"
    return list(body) == ["status", "error_type", "message"] and body["error_type"] in list(Kind)


@pytest.mark.covers("FEAT004-AC-16", "RFC004-GO-03", "FEAT004-EC-01", "RFC004-EC-01", "RFC004-EC-02")
async def test_whatever_becomes_of_a_call_its_result_has_the_same_form(tmp_path: Path, site: Site) -> None:
    expected: list[tuple[ToolCall, Kind | None]] = [
        (ToolCall("get_current_time", ""), None),
        (ToolCall("get_current_time", {"unknown": 1}), None),
        (ToolCall("write_file", {"path": "a.txt", "content": "ada"}), None),
        (ToolCall("read_file", '{"path": "a.txt"}'), None),
        (ToolCall("list_files"), None),
        (ToolCall("http_request", {"url": site.address}), None),
        (ToolCall("read_file", ""), Kind.VALIDATION_ERROR),
        (ToolCall("read_file", {"path": "../a"}), Kind.PATH_NOT_ALLOWED),
        (ToolCall("read_file", {"path": "b.txt"}), Kind.FILE_NOT_FOUND),
        (ToolCall("edit_file", {"path": "a.txt", "old": "x", "new": "y"}), Kind.VALIDATION_ERROR),
        (ToolCall("reed_file"), Kind.TOOL_NOT_FOUND),
        (ToolCall("find_files", {"pattern": "*"}), Kind.TOOL_NOT_AVAILABLE),
        (ToolCall("send"), Kind.PERMISSION_DENIED),
        (ToolCall("dawdle"), Kind.TIMEOUT),
        (ToolCall("stumble"), Kind.EXECUTION_ERROR),
    ]
    async with app(tmp_path, tools__deny=["find_files"]) as opened:
        results = [await opened.engine.call(call) for call, _ in expected]
    assert [result.kind for result in results] == [kind for _, kind in expected]
    assert all(map(is_in_form, results))
    assert "unknown" in results[1].repairs[0]


@pytest.mark.covers("FEAT004-AC-17", "FEAT004-FT-14", "RFC004-ET-02", "RFC004-UT-01c")
async def test_each_agent_has_the_tools_that_were_set_for_it(tmp_path: Path) -> None:
    settings = {"agents.clerk.tools.allow": ["get_*", "group:nothing"]}
    async with App(Config(home=tmp_path, values=settings)) as opened:
        clerk, other = Session("1", "clerk"), Session("2", "other")
        assert [one.name for one in opened.engine.available(clerk)] == [
            "get_current_time",
            "get_location_from_ip",
        ]
        # The shell is off where nobody says, and nobody is there to answer what a model asks.
        on = [name for name in builtin.NAMES if name not in (*builtin.SHELL, *builtin.PERSON)]
        names = [one.name for one in opened.engine.available(other)]
        assert [name for name in names if name in builtin.NAMES] == on
        refused = await opened.engine.call(ToolCall("list_files"), clerk)
        assert refused.kind is Kind.TOOL_NOT_AVAILABLE
        assert "not available for this agent" in refused.message
        near, far = [
            await opened.engine.call(ToolCall(name), clerk) for name in ("get_curent_time", "list_file")
        ]
        assert "get_current_time" in near.message
        assert "list_files" not in far.message


@pytest.mark.covers("RFC004-IT-03", "FEAT004-AC-13", "FEAT004-AC-14", "RFC004-GO-05")
async def test_what_was_written_is_read_back_from_the_disk(tmp_path: Path) -> None:
    text = "Zoë\r\n\t𝄞\n" * 500
    async with app(tmp_path) as opened:
        calls = [
            ToolCall("write_file", {"path": "deep/er/a.txt", "content": text}),
            ToolCall("read_file", {"path": "deep/er/a.txt"}),
        ]
        written, read = await opened.engine.call_all(calls)
        assert written.ok
        assert read.value == text
        assert (opened.config.workspace_folder / "deep/er/a.txt").read_bytes() == text.encode()


@pytest.mark.covers("RFC004-VF-04a", "FEAT004-AC-10", "RFC004-IT-04", "RFC004-VF-03a", "FEAT004-AC-15")
async def test_different_tools_called_together_all_answer(tmp_path: Path, site: Site) -> None:
    async with app(tmp_path) as opened:
        (opened.config.workspace_folder / "a.txt").write_text("hello world")
        calls = [
            ToolCall("get_current_time", {}, "c1"),
            ToolCall("read_file", {"path": "a.txt"}, "c2"),
            ToolCall("http_request", {"url": site.address}, "c3"),
        ]
        now, read, fetched = await opened.engine.call_all(calls)
    assert (now.call_id, read.call_id, fetched.call_id) == ("c1", "c2", "c3")
    assert now.value.startswith("20")
    assert read.value == "hello world"
    assert fetched.value.startswith("HTTP 200")
    assert unmark(fetched.value).inside.endswith("harbour")


@pytest.mark.covers("RFC004-SC-03")
async def test_a_request_carries_no_credentials_of_ours(
    tmp_path: Path, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    netrc = tmp_path / ".netrc"
    netrc.write_text("machine 127.0.0.1 login ada password lovelace\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("NETRC", str(netrc))
    async with app(tmp_path) as opened:
        assert (await opened.engine.call(ToolCall("http_request", {"url": site.address}))).ok
    (head,) = site.heads
    assert not {"authorization", "cookie", "proxy-authorization"} & set(head)


@pytest.mark.covers("FEAT004-FT-09", "FEAT004-FT-10", "RFC004-IT-01", "RFC004-IT-02", "FEAT004-PR-02")
async def test_a_person_is_asked_before_each_call_and_the_answer_counts(tmp_path: Path) -> None:
    answers, asked = iter(["once", "no", "once"]), list[Question]()
    async with app(tmp_path) as opened:

        def ask(prompt: Question) -> None:
            asked.append(prompt)
            opened.broker.answer(prompt.id, next(answers))  # pyright: ignore[reportArgumentType]

        opened.broker.bind(ask)
        results = [await opened.engine.call(ToolCall("send")) for _ in range(3)]
    assert [result.kind for result in results] == [None, Kind.PERMISSION_DENIED, None]
    assert "mail" in results[1].message
    assert [prompt.needs for prompt in asked] == [("mail",)] * 3


@pytest.mark.covers("FEAT004-ST-01", "RFC004-SC-02a")
async def test_a_settings_file_in_the_workspace_is_read_and_not_written(tmp_path: Path) -> None:
    settings = tmp_path / "work" / "oneclaw.toml"
    settings.parent.mkdir()
    settings.write_text("[limits]\nparallel = 8\n")
    changes = [
        ToolCall("write_file", {"path": "oneclaw.toml", "content": "[tools]"}),
        ToolCall("write_file", {"path": "oneclaw.toml", "content": "[tools]", "mode": "append"}),
        ToolCall("edit_file", {"path": "oneclaw.toml", "old": "8", "new": "9"}),
    ]
    async with App(Config(home=tmp_path / "home", file=settings, workspace=settings.parent)) as opened:
        kinds = [(await opened.engine.call(call)).kind for call in changes]
        assert (await opened.engine.call(ToolCall("read_file", {"path": "oneclaw.toml"}))).ok
    assert kinds == [Kind.PATH_NOT_ALLOWED] * 3
    assert settings.read_text() == "[limits]\nparallel = 8\n"
    async with App(Config(home=tmp_path / "home", workspace=settings.parent)) as unguarded:
        assert (await unguarded.engine.call(changes[0])).ok, "nothing else would have kept it"


def least(rounds: int, work: Any) -> float:
    """The seconds of the quickest round: what the work costs, and not what else the machine did."""
    took: list[float] = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        took.append(time.perf_counter() - start)
    return min(took)


@pytest.mark.covers("FEAT004-PT-01")
def test_the_built_in_tools_are_registered_in_a_tenth_of_a_second() -> None:
    tools = builtin.load_all()
    assert least(5, lambda: Registry(tools)) < 0.1


@pytest.mark.covers("FEAT004-PT-02")
async def test_the_road_costs_less_than_ten_milliseconds(tmp_path: Path) -> None:
    async with app(tmp_path) as opened:
        took: list[float] = []
        for _ in range(20):
            start = time.perf_counter()
            (await opened.engine.call(ToolCall("get_current_time"))).to_json()
            took.append(time.perf_counter() - start)
    assert min(took) < 0.01
