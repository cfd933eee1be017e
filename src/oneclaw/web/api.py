"""The requests of the API: each calls one operation and returns what it found."""

from collections.abc import Mapping
from dataclasses import asdict
from time import time
from typing import TYPE_CHECKING, Any

from oneclaw.operations import (
    agents,
    attachments,
    conversing,
    features,
    grants,
    models,
    questions,
    runs,
    sessions,
    tools,
    why,
)
from oneclaw.web.endpoint import Endpoint
from oneclaw.web.event_stream import STREAM_ENDPOINTS
from oneclaw.web.files import FILE_ENDPOINTS
from oneclaw.web.history_api import HISTORY_ENDPOINTS
from oneclaw.web.mcp_api import MCP_ENDPOINTS
from oneclaw.web.settings_api import SETTINGS_ENDPOINTS

if TYPE_CHECKING:
    from oneclaw.app import App

Given = Mapping[str, Any]
TEXT = {"type": "string", "minLength": 1, "maxLength": 200_000}
NAME = {"type": "string", "minLength": 1, "maxLength": 200}
WORD = {"type": "string", "maxLength": 200, "default": ""}
REQUEST = {
    "type": "string",
    "maxLength": 100,
    "default": "",
    "description": "an id of the client's making: a repeat is answered as the first was, and does nothing",
}
FILES: dict[str, Any] = {
    "type": "array",
    "items": {"type": "string", "minLength": 1, "maxLength": 1_000},
    "maxItems": attachments.MOST_FILES,
    "default": [],
    "description": "paths of files of the workspace, as POST /files gives them",
}
LIMIT = {"type": "integer", "minimum": 1, "maximum": 1_000, "default": 200}
MARKED = ("running", "failed", "interrupted")
"""The states of a session's last run that a person wants to see beside its title."""
STATE = {"type": ["boolean", "null"], "description": "null takes the owner's word back"}


async def show_start(app: "App", given: Given) -> Any:
    """The data that a page needs first."""
    from oneclaw import __version__

    listed = agents.list_agents(app)
    return {
        "version": __version__,
        "workspace": app.config.workspace_folder,
        "mode": app.permissions.mode,
        "default_model": app.catalog.default or "",
        "agents": [{"name": one.name, "model": one.model, "problem": one.problem} for one in listed],
        "models": [one for one in models.list_models(app).models if one.is_set],
        "labels": {tool.name: tool.definition.label_in(given["language"]) for tool in app.registry},
        "time": time(),
    }


async def list_sessions(app: "App", given: Given) -> Any:
    if given["q"].strip():
        found = await sessions.search_sessions(app, given["q"], limit=given["limit"])
    else:
        found = [(one, "") for one in await sessions.list_sessions(app.store, limit=given["limit"])]
    latest: dict[str, str] = {}
    for run in await runs.list_runs(app.store, limit=1_000):
        latest.setdefault(run.session, run.state if run.state in MARKED else "")
    asking = {
        one.question.session for one in await questions.list_questions(app.store, is_open=True, limit=1_000)
    }
    return [
        {
            "id": one.session.id,
            "title": one.session.title,
            "agent": one.session.agent,
            "updated": one.session.updated,
            "cost": one.cost,
            "mark": "asking" if one.session.id in asking else latest.get(one.session.id, ""),
            "excerpt": excerpt,
        }
        for one, excerpt in found
        if one.session.parent is None
    ]


async def show_session(app: "App", given: Given) -> Any:
    record = await sessions.find_session(app.store, given["session"])
    usage, cost, answers = await app.store.messages.usage(record.id)
    return {"session": record, "usage": usage, "cost": cost, "answers": answers}


async def rename_session(app: "App", given: Given) -> Any:
    return await sessions.rename_session(app, given["session"], given["title"])


async def fork_session(app: "App", given: Given) -> Any:
    return await sessions.fork_session(app, given["session"], given["run"], given["number"])


async def remove_session(app: "App", given: Given) -> Any:
    return await sessions.remove_session(app, given["session"])


async def send_message(app: "App", given: Given) -> Any:
    said = {name: given[name] for name in ("session", "agent", "model", "files")}
    return await conversing.send_message(app, given["text"], **said, request_id=given["id"])


async def list_runs(app: "App", given: Given) -> Any:
    state = given["state"] or None
    return [runs.run_json(one) for one in await runs.list_runs(app.store, state=state, limit=given["limit"])]


async def stop_run(app: "App", given: Given) -> Any:
    return {"stopped": await conversing.stop_run(app, given["run"])}


async def resume_run(app: "App", given: Given) -> Any:
    return await conversing.resume_run(app, given["run"])


async def withdraw_message(app: "App", given: Given) -> Any:
    return {"withdrawn": await conversing.withdraw_message(app, given["run"], given["message"])}


async def list_questions(app: "App", given: Given) -> Any:
    found = await questions.list_questions(app.store, is_open=True, limit=100)
    return [questions.question_json(one) for one in found]


async def answer_question(app: "App", given: Given) -> Any:
    narrowed = {"pattern": given.get("pattern"), "seconds": given.get("seconds")}
    await conversing.give_answer(app, given["question"], given.get("answer"), **narrowed)
    return {"answered": True}


async def list_tools(app: "App", given: Given) -> Any:
    found = await tools.list_tools(app, given["agent"])
    return [
        {**asdict(one), "remedy": "" if one.on else (await why.explain(app, one.name, given["agent"])).remedy}
        for one in found
    ]


async def list_problems(app: "App", given: Given) -> Any:
    return app.problems


async def switch_tool(app: "App", given: Given) -> Any:
    return await tools.switch_tools(app, given["tool"], given.get("on"))


async def explain_tool(app: "App", given: Given) -> Any:
    found = await why.explain(app, given["tool"], given["agent"])
    return {"why": found.why, "needs": found.standings, "remedy": found.remedy}


async def list_features(app: "App", given: Given) -> Any:
    return features.list_features(app)


async def switch_feature(app: "App", given: Given) -> Any:
    return await features.switch_feature(app, given["feature"], given.get("on"))


async def list_agents(app: "App", given: Given) -> Any:
    return agents.list_agents(app)


async def save_agent(app: "App", given: Given) -> Any:
    return await agents.add_agent(app, given["document"], given["agent"], "The form")


async def remove_agent(app: "App", given: Given) -> Any:
    await agents.remove_agent(app, given["agent"])
    return {"removed": given["agent"]}


async def list_models(app: "App", given: Given) -> Any:
    return models.list_models(app)


async def list_grants(app: "App", given: Given) -> Any:
    return await grants.list_grants(app)


async def revoke_grant(app: "App", given: Given) -> Any:
    return {"revoked": given["grant"], "grant": await grants.revoke_grant(app, given["grant"])}


async def undo_change(app: "App", given: Given) -> Any:
    return (await app.undo(given["name"], force=given["force"])).to_json()


ENDPOINTS = (
    *FILE_ENDPOINTS,
    *SETTINGS_ENDPOINTS,
    *MCP_ENDPOINTS,
    *STREAM_ENDPOINTS,
    *HISTORY_ENDPOINTS,
    Endpoint(
        "GET", "/start", "What a page needs first", show_start,
        query={"language": {**WORD, "default": "en", "description": "of the labels of tools"}},
    ),
    Endpoint("GET", "/sessions", "List sessions", list_sessions, query={"q": WORD, "limit": LIMIT}),
    Endpoint("GET", "/sessions/{session}", "Show a session", show_session),
    Endpoint(
        "POST", "/sessions/{session}/rename", "Rename a session", rename_session,
        body={"title": NAME}, required=("title",),
    ),
    Endpoint(
        "POST", "/sessions/{session}/fork", "Copy a session, or what was said before a run of it",
        fork_session, body={"run": WORD, "number": {"type": "integer", "minimum": 0, "default": 0}},
    ),
    Endpoint("POST", "/sessions/{session}/remove", "Forget a session", remove_session),
    Endpoint(
        "POST", "/messages", "Send a message", send_message,
        body={"text": TEXT, "session": WORD, "agent": WORD, "model": WORD, "files": FILES, "id": REQUEST},
        required=("text",),
    ),
    Endpoint("GET", "/runs", "List runs", list_runs, query={"state": WORD, "limit": LIMIT}),
    Endpoint("POST", "/runs/{run}/stop", "Stop a run", stop_run),
    Endpoint("POST", "/runs/{run}/resume", "Resume a run", resume_run),
    Endpoint(
        "POST", "/runs/{run}/withdraw", "Take back a queued message", withdraw_message,
        body={"message": NAME}, required=("message",),
    ),
    Endpoint(
        "POST", "/undo", "Undo what a call or a run changed", undo_change,
        body={"name": NAME, "force": {"type": "boolean", "default": False}}, required=("name",),
    ),
    Endpoint("GET", "/questions", "List open questions", list_questions),
    Endpoint(
        "POST", "/questions/{question}/answer", "Answer a question", answer_question,
        body={
            "answer": {},
            "pattern": {"type": ["object", "null"], "additionalProperties": {"type": "string"}},
            "seconds": {"type": ["number", "null"], "exclusiveMinimum": 0},
        },
    ),
    Endpoint("GET", "/tools", "List tools", list_tools, query={"agent": {**WORD, "default": "default"}}),
    Endpoint("GET", "/problems", "List what could not be loaded, and why", list_problems),
    Endpoint(
        "POST", "/tools/{tool}/switch", "Switch a tool", switch_tool,
        body={"on": STATE}, required=("on",),
    ),
    Endpoint(
        "GET", "/tools/{tool}/why", "Explain whether a tool may be called", explain_tool,
        query={"agent": {**WORD, "default": "default"}},
    ),
    Endpoint("GET", "/features", "List features", list_features),
    Endpoint(
        "POST", "/features/{feature}/switch", "Switch a feature", switch_feature,
        body={"on": STATE}, required=("on",),
    ),
    Endpoint("GET", "/agents", "List agents", list_agents),
    Endpoint(
        "POST", "/agents/{agent}", "Save an agent", save_agent,
        body={"document": {"type": "object"}}, required=("document",),
    ),
    Endpoint("POST", "/agents/{agent}/remove", "Remove an agent", remove_agent),
    Endpoint("GET", "/models", "List models", list_models),
    Endpoint("GET", "/grants", "List grants", list_grants),
    Endpoint("POST", "/grants/{grant}/revoke", "Take a grant back", revoke_grant),
)  # fmt: skip
