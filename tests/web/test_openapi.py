"""The OpenAPI document is true: schemathesis makes requests by it, and every answer is one that it names."""

import asyncio
import threading
from collections.abc import Iterator
from typing import Any, cast

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.core.failures import FailureGroup
from schemathesis.specs.openapi import checks as openapi_checks
from tests.mcp.servers import RAW, local

from oneclaw import App, Config, Scripted, tool
from oneclaw.operations.access import AccessBook, access_file
from oneclaw.testing import Call
from oneclaw.web.answers import ANSWERS
from oneclaw.web.api import ENDPOINTS
from oneclaw.web.endpoint import EVENTS
from oneclaw.web.openapi import openapi
from oneclaw.web.server import Server

pytestmark = pytest.mark.slow

EXAMPLES = 16
CHECKS: list[Any] = [
    getattr(openapi_checks, name)
    for name in ("status_code_conformance", "content_type_conformance", "response_schema_conformance")
]
CALLED = [one for one in ENDPOINTS if one.gives != EVENTS]


Served = tuple[str, str, dict[str, str]]
"""The address of a server, a token, and a name of each thing that paths name."""


@tool(effect="read", chars=1_000)
def long() -> str:
    """Say a lot."""
    return "word " * 1_000


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    home = tmp_path_factory.mktemp("home")
    patch = pytest.MonkeyPatch()
    patch.setenv("XDG_CONFIG_HOME", str(home / "config"))
    begun, told = threading.Event(), list[Any]()

    async def serve() -> None:
        servers = {"raw": local(*RAW)}
        config = Config(home=home, values={"models.default": "scripted/demo", "mcp": {"servers": servers}})
        turns = [[Call("long")], "Done."]
        async with App(config, providers={"scripted": Scripted(turns, repeats=True)}, tools=[long]) as app:
            ended = await app.ask("default", "Go")
            (run,) = await app.store.runs.list()
            server = Server(app, port=0)
            known = {"session": ended.session, "run": run.id, "tool": "read_file", "feature": "shell"}
            known |= {
                "agent": "default",
                "provider": "openai",
                "question": "none",
                "grant": "none",
                "server": "raw",
            }
            told.extend((server, asyncio.get_running_loop(), server.address, known))
            begun.set()
            await server.serve()

    thread = threading.Thread(target=asyncio.run, args=(serve(),))
    thread.start()
    assert begun.wait(60)
    server, loop, address, known = told
    yield address, AccessBook(access_file(home)).make_token("schemathesis"), known
    loop.call_soon_threadsafe(server.stop)
    thread.join()
    patch.undo()


def test_every_answer_has_a_schema() -> None:
    named = {f"{one.method} {one.path}" for one in ENDPOINTS if one.gives == "application/json"}
    assert named == set(ANSWERS)


@pytest.mark.parametrize("endpoint", CALLED, ids=[f"{one.method} {one.path}" for one in CALLED])
def test_every_request_of_the_document_is_answered_as_it_says(served: Served, endpoint: Any) -> None:
    address, token, known = served
    schema = schemathesis.openapi.from_dict(openapi(ENDPOINTS))
    operation = cast(Any, schema)[f"/api{endpoint.path}"][endpoint.method]
    right, wrong = operation.as_strategy(), operation.as_strategy(generation_mode=GenerationMode.NEGATIVE)
    headers = {"authorization": f"Bearer {token}", "x-oneclaw": "1"}

    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
    )
    @given(case=st.one_of(right, wrong), is_known=st.booleans())
    def ask(case: Any, is_known: bool) -> None:
        if is_known and not endpoint.path.endswith("/remove"):
            case.path_parameters |= {name: known[name] for name in case.path_parameters}
        response = case.call(base_url=address.rstrip("/"), headers=headers)
        case.validate_response(response, checks=CHECKS, headers=headers)

    ask()


def test_an_answer_that_the_document_does_not_name_is_found(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The twin."""
    monkeypatch.setitem(ANSWERS, "GET /tools", [{"name": int}])
    endpoint = next(one for one in ENDPOINTS if one.path == "/tools")
    with pytest.raises(FailureGroup):
        test_every_request_of_the_document_is_answered_as_it_says(served, endpoint)
