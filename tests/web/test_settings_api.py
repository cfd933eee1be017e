"""The owner's settings through the API: keys, the mode, rules, grants, models, agents, skills, forks."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from tests.web.conftest import HEADERS, Serve, Served
from tests.web.test_api import events_until, open_socket, watch

from oneclaw.operations.why import explain
from oneclaw.testing import Call

SHELL = "execute_shell_command"
KEY = "sk-test-0123456789abcdefghijklmnopqrstuvwxyz"


@pytest.fixture(autouse=True)
def own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A settings file of the test alone, and no keys."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    return tmp_path / "config" / "oneclaw" / "oneclaw.toml"


async def talk(served: Served, text: str, session: str = "") -> tuple[str, list[dict[str, Any]]]:
    """Say something, and wait for the end of the run."""
    sent = await served.post("/messages", text=text, session=session)
    async with open_socket(served) as socket:
        await watch(socket, sent["session"])
        found: list[dict[str, Any]] = []
        while not found or found[-1]["run"] != sent["run"]:
            found += await events_until(socket, "run_finished")
    return sent["session"], found


async def refused(served: Served, path: str, **body: Any) -> str:
    response = await served.client.post(f"/api{path}", json=body, headers=HEADERS)
    assert response.status_code in (400, 404, 409), response.text
    return response.json()["error"]


async def test_a_key_goes_in_and_never_comes_back(serve: Serve, tmp_path: Path) -> None:
    async with serve() as served:
        made = await served.post("/keys/openai", key=KEY)
        assert (made["is_set"], made["place"]) == (True, "secrets file")
        assert KEY in (tmp_path / "secrets.toml").read_text()
        shown = [await served.get(path) for path in ("/keys", "/models", "/start", "/models/here")]
        assert KEY not in json.dumps([made, *shown])
        wrong = await refused(served, "/keys/openai", key=f"{KEY}\u202e")
        assert KEY not in wrong
        assert KEY not in await refused(served, "/keys/nobody-knows", key=KEY)
        assert (await served.post("/keys/openai/remove"))["removed"] is True
        assert "no key" in await refused(served, "/keys/openai/test")


async def test_a_key_is_tested_and_servers_on_this_machine_are_found(serve: Serve) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        is_list = head.startswith(b"GET")
        body = b'{"data": [{"id": "llama3.2"}]}' if is_list else b'{"error": {"message": "wrong key"}}'
        status = b"200 OK" if is_list else b"401 Unauthorized"
        writer.write(b"HTTP/1.1 %s\r\ncontent-type: application/json\r\n" % status)
        writer.write(b"content-length: %d\r\nconnection: close\r\n\r\n%s" % (len(body), body))
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    settings = {"providers__here__base_url": address, "providers__here__wire": "openai_chat"}
    async with server, serve(**settings) as served:
        found = await served.get("/models/here")
        assert {"name": "here/llama3.2", "origin": "server", "reason": "answers on this machine"} in found
        checks = await served.post("/keys/here/test")
        assert {check["is_good"] for check in checks} == {False, None}
        assert all(set(check) == {"name", "is_good", "seconds", "said"} for check in checks)


async def test_the_default_model_is_chosen_for_this_program_and_the_next(
    serve: Serve, own_settings: Path
) -> None:
    async with serve() as served:
        assert (await served.get("/start"))["default_model"] == "scripted/demo"
        await served.post("/models/default", model="ollama/llama3.2")
        assert (await served.get("/start"))["default_model"] == "ollama/llama3.2"
        assert 'default = "ollama/llama3.2"' in own_settings.read_text()
        assert "nobody" in await refused(served, "/models/default", model="nobody/knows")


async def test_the_mode_holds_from_the_next_call_on(serve: Serve, own_settings: Path) -> None:
    turns = [[Call("write_file", path="a.txt", content="Hi!")], "Done."] * 3
    async with serve(turns) as served:
        await talk(served, "Write")
        (served.app.config.workspace_folder / "a.txt").unlink()
        changed = await served.post("/permissions/mode", mode="deny")
        assert changed["mode"] == "deny"
        assert set(changed["modes"]) == {"auto", "ask", "deny"}
        assert 'mode = "deny"' in own_settings.read_text()
        _, found = await talk(served, "Write")
        assert not (served.app.config.workspace_folder / "a.txt").exists()
        kinds = [each["result"].get("error_type") for each in found if each["event"] == "tool_finished"]
        assert kinds == ["permission_denied"]
        await served.post("/permissions/mode", mode="auto")
        await talk(served, "Write")
        assert (served.app.config.workspace_folder / "a.txt").exists()


async def standing(served: Served, command: str) -> str:
    """How the need `shell` of a command stands."""
    found = await explain(served.app, SHELL, arguments={"command": command})
    return next(one.state for one in found.standings if one.need == "shell")


async def test_rules_for_commands_are_those_of_the_settings(serve: Serve, own_settings: Path) -> None:
    async with serve(shell__read_unasked=False) as served:
        rule = {"list": "allow", "rule": "git  status"}
        assert (await served.post("/permissions/rules", **rule))["allow"] == ["git status"]
        assert (await served.post("/permissions/rules", list="deny", rule="rm **"))["deny"] == ["rm **"]
        shown = await served.get("/permissions")
        assert (shown["allow"], shown["deny"], shown["mode"]) == (["git status"], ["rm **"], "auto")
        assert "git status" in own_settings.read_text()
        assert await standing(served, "git status") == "granted"
        assert (await served.post("/permissions/rules/remove", **rule))["allow"] == []
        assert await standing(served, "git status") == "ask"
        await refused(served, "/permissions/rules", list="allow", rule="git $(x)")


async def test_a_grant_is_given_taken_back_and_given_again(serve: Serve) -> None:
    async with serve() as served:
        given = {"tool": "delete_file", "need": "files.delete", "scope": "agent", "holder": "default"}
        made = await served.post("/grants", **given, pattern={"path": "tmp/*"}, seconds=60)
        assert made["expires"] == pytest.approx(made["created"] + 60)
        assert await served.get("/grants") == [made]
        gone = await served.post(f"/grants/{made['id']}/revoke")
        assert (gone["grant"], await served.get("/grants")) == (made, [])
        assert await served.post("/grants/restore", grant=gone["grant"]) == made
        assert await served.get("/grants") == [made]
        for wrong in (
            {"tool": "nothing", "need": "shell"},
            {"tool": "delete_file", "need": "shell"},
            {**given, "pattern": {"nothing": "*"}},
            {**given, "holder": ""},
            {**given, "verdict": "deny", "pattern": {"path": "*"}},
            {"tool": SHELL, "need": "shell", "pattern": {"command": "git $(x)"}},
        ):
            await refused(served, "/grants", **wrong)
        await refused(served, "/grants/restore", grant=made)
        await refused(served, "/grants/restore", grant={"id": "x"})


async def test_an_agent_is_made_edited_shown_and_removed(serve: Serve) -> None:
    document = {"description": "Writes.", "instructions": "Write.", "tools": {"allow": ["read_file"]}}
    async with serve() as served:
        made = await served.post("/agents/writer", document=document)
        assert (made["is_new"], made["agent"]["tools"]) == (True, ["read_file"])
        shown = await served.get("/agents/writer")
        assert shown["document"] == {"name": "writer", **document}
        assert (await served.post("/agents/writer", document=shown["document"]))["is_new"] is False
        assert "instructions" in (await served.get("/agents/default"))["document"]
        wrong = await refused(served, "/agents/writer", document={"instruction": "x"})
        assert "did you mean instructions?" in wrong
        await refused(served, "/agents/writer", document={"limits": {"rounds": -1}})
        await served.post("/agents/writer/remove")
        assert "OneClaw" in await refused(served, "/agents/default/remove")


async def test_a_skill_is_loaded_by_its_name(serve: Serve, tmp_path: Path) -> None:
    folder = tmp_path / "skills" / "haiku"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text("---\nname: haiku\ndescription: Write haiku.\n---\nFive, seven, five.")
    async with serve(["Done."]) as served:
        assert [one["name"] for one in (await served.get("/skills"))["skills"]] == ["haiku"]
        _, found = await talk(served, "/haiku about rain")
        assert found[0]["text"].startswith("/haiku about rain\n\n<skill")
        assert "Five, seven, five." in found[0]["text"]


async def test_tools_that_are_off_say_why_and_what_to_do(serve: Serve) -> None:
    async with serve() as served:
        await served.post("/tools/read_file/switch", on=False)
        listed = {one["name"]: one for one in await served.get("/tools")}
        assert "oneclaw tools on read_file" in listed["read_file"]["remedy"]
        assert listed["read_file"]["why_off"]
        assert listed["list_files"]["remedy"] == ""
        assert await served.get("/problems") == []


async def test_a_session_goes_on_from_before_a_run_and_is_found_by_its_words(serve: Serve) -> None:
    async with serve(["One.", "Two.", "Again.", "Other."]) as served:
        session, first = await talk(served, "tell me of herons")
        _, second = await talk(served, "and of storks", session)
        made = await served.post(f"/sessions/{session}/fork", run=second[-1]["run"])
        assert made["messages"] == 2
        _, found = await talk(served, "and of cranes", made["id"])
        assert [each["text"] for each in found if each["event"] == "run_started"] == [
            "tell me of herons",
            "and of cranes",
        ]
        again = await served.post(f"/sessions/{session}/fork", run=first[-1]["run"])
        assert again["messages"] == 0
        _, found = await talk(served, "tell me of owls", again["id"])
        assert [each["text"] for each in found if each["event"] == "run_started"] == ["tell me of owls"]
        older = await served.post(f"/sessions/{made['id']}/fork", run="history", number=1)
        assert older["messages"] == 0
        await refused(served, f"/sessions/{session}/fork", run="nothing")
        await refused(served, f"/sessions/{session}/fork", run="history", number=77)
        assert [one["id"] for one in await served.get("/sessions?q=cranes")] == [made["id"]]
        assert "cranes" in (await served.get("/sessions?q=cranes"))[0]["excerpt"]
        assert await served.get("/sessions?q=penguins") == []


async def test_events_of_agents_that_were_asked_come_with_those_of_the_run(serve: Serve) -> None:
    turns = [[Call("ask_helper", text="Help.")], "I helped.", "Done."]
    async with serve(turns) as served:
        await served.post("/agents/helper", document={"description": "Helps.", "instructions": "Help."})
        await served.post("/agents/boss", document={"instructions": "Ask.", "agents": ["helper"]})
        sent = await served.post("/messages", text="Go", agent="boss")
        for _ in range(2):  # live, and from the store
            async with open_socket(served) as socket, asyncio.timeout(30):
                await watch(socket, sent["session"])
                found: list[dict[str, Any]] = []
                while not any(
                    each["event"] == "run_finished" and each["run"] == sent["run"] for each in found
                ):
                    found += json.loads(await socket.recv()).get("events", [])
            inner = [each for each in found if each.get("parent_run") == sent["run"]]
            assert [each["text"] for each in inner if each["event"] == "run_finished"] == ["I helped."]
