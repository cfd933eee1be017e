"""Requests of the API for the owner's settings: keys, models, agents, permissions, skills."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from oneclaw.operations import agents, grants, keys, models, permission_rules, setup, skills
from oneclaw.web.endpoint import Endpoint

if TYPE_CHECKING:
    from oneclaw.app import App

Given = Mapping[str, Any]
NAME = {"type": "string", "minLength": 1, "maxLength": 200}
RULE = {"type": "string", "minLength": 1, "maxLength": 2_000}
LIST = {"enum": ["allow", "deny"]}


async def list_keys(app: "App", given: Given) -> Any:
    return [_key(state) for state in keys.list_keys(app)]


async def set_key(app: "App", given: Given) -> Any:
    return _key(keys.keep_key(app, given["provider"], given["key"]))


async def remove_key(app: "App", given: Given) -> Any:
    state, is_gone = keys.remove_key(app, given["provider"])
    return {**_key(state), "removed": is_gone}


async def test_key(app: "App", given: Given) -> Any:
    return await keys.test_key(app, given["provider"])


async def find_models(app: "App", given: Given) -> Any:
    return await setup.find_models(app)


async def choose_model(app: "App", given: Given) -> Any:
    return models.choose_default(app, given["model"])


async def show_agent(app: "App", given: Given) -> Any:
    state = agents.agent_state(app, given["agent"])
    return {**asdict(state), "document": agents.agent_document(app, given["agent"])}


async def show_rules(app: "App", given: Given) -> Any:
    return permission_rules.show_rules(app)


async def set_mode(app: "App", given: Given) -> Any:
    return permission_rules.set_mode(app, given["mode"])


async def add_rule(app: "App", given: Given) -> Any:
    return permission_rules.set_rule(app, given["list"], given["rule"])


async def remove_rule(app: "App", given: Given) -> Any:
    return permission_rules.set_rule(app, given["list"], given["rule"], remove=True)


async def give_grant(app: "App", given: Given) -> Any:
    return await grants.give_grant(
        app,
        given["tool"],
        given["need"],
        verdict=given["verdict"],
        scope=given["scope"],
        holder=given["holder"],
        pattern=given.get("pattern"),
        seconds=given.get("seconds"),
    )


async def restore_grant(app: "App", given: Given) -> Any:
    return await grants.restore_grant(app, given["grant"])


async def list_skills(app: "App", given: Given) -> Any:
    return skills.list_skills(app)


def _key(state: keys.KeyState) -> dict[str, Any]:
    """A key without its value, which nothing here knows."""
    return {
        "provider": state.provider,
        "name": state.name,
        "place": state.place,
        "file": state.file,
        "is_set": state.is_set,
    }


SETTINGS_ENDPOINTS = (
    Endpoint("GET", "/keys", "List keys, without their values", list_keys),
    Endpoint(
        "POST", "/keys/{provider}", "Keep a key", set_key,
        body={"key": {"type": "string", "minLength": 1, "maxLength": keys.MOST_CHARS, "writeOnly": True}},
        required=("key",),
    ),
    Endpoint("POST", "/keys/{provider}/remove", "Remove a key", remove_key),
    Endpoint("POST", "/keys/{provider}/test", "Test a key with six small requests", test_key),
    Endpoint("GET", "/models/here", "Find the models that can answer here", find_models),
    Endpoint(
        "POST", "/models/default", "Choose the model that answers", choose_model,
        body={"model": NAME}, required=("model",),
    ),
    Endpoint("GET", "/agents/{agent}", "Show an agent", show_agent),
    Endpoint("GET", "/permissions", "Show the mode and the rules for commands", show_rules),
    Endpoint(
        "POST", "/permissions/mode", "Set the mode", set_mode,
        body={"mode": {"type": "string", "enum": list(permission_rules.MODES)}}, required=("mode",),
    ),
    Endpoint(
        "POST", "/permissions/rules", "Add a rule for commands", add_rule,
        body={"list": LIST, "rule": RULE}, required=("list", "rule"),
    ),
    Endpoint(
        "POST", "/permissions/rules/remove", "Remove a rule for commands", remove_rule,
        body={"list": LIST, "rule": RULE}, required=("list", "rule"),
    ),
    Endpoint(
        "POST", "/grants", "Give a grant", give_grant,
        body={
            "tool": NAME,
            "need": NAME,
            "verdict": {"enum": ["allow", "deny"], "default": "allow"},
            "scope": {"enum": ["session", "agent", "everywhere"], "default": "everywhere"},
            "holder": {"type": "string", "maxLength": 200, "default": ""},
            "pattern": {"type": ["object", "null"], "additionalProperties": RULE},
            "seconds": {"type": ["number", "null"], "exclusiveMinimum": 0, "maximum": 10**10},
        },
        required=("tool", "need"),
    ),
    Endpoint(
        "POST", "/grants/restore", "Give a grant again that was taken back", restore_grant,
        body={"grant": {"type": "object"}}, required=("grant",),
    ),
    Endpoint("GET", "/skills", "List skills", list_skills),
)  # fmt: skip
