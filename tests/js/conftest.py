"""What the tests of JavaScript tools share: a worker in which a piece of code is the body of a tool."""

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import pytest
from tests.js.caller import CallJs, caller

from oneclaw.core.session import Network, Session, Workspace
from oneclaw.core.tool import Context, ToolDefinition
from oneclaw.guard.network.pool import Wiring
from oneclaw.js.bridges import Bridges
from oneclaw.js.runtime import JavaScriptSource, Runtime

NEEDS = ("files.read", "files.write", "network")


class Evaluate(Protocol):
    """Runs `body` as a tool in a workspace of the test; what it returns, back from JSON."""

    async def __call__(
        self,
        body: str,
        arguments: Mapping[str, Any] | None = None,
        *,
        needs: Sequence[str] = NEEDS,
        context: Context | None = None,
        wiring: Wiring | None = None,
    ) -> Any: ...


@pytest.fixture
async def runtime() -> AsyncIterator[Runtime]:
    runtime = Runtime(size=2)
    yield runtime
    await runtime.close()


@pytest.fixture
def call_js(runtime: Runtime) -> CallJs:
    return caller(runtime)


@pytest.fixture
async def evaluate(tmp_path: Path) -> AsyncIterator[Evaluate]:
    """`await evaluate("return p.a + 1", {"a": 1})`; loopback is a private host the owner listed."""
    runtime = Runtime(size=1)
    workspace = Workspace(tmp_path / "work")
    workspace.folder.mkdir()
    here = Session(workspace=workspace, network=Network(private_hosts=("127.0.0.1",)))

    async def run(
        body: str,
        arguments: Mapping[str, Any] | None = None,
        *,
        needs: Sequence[str] = NEEDS,
        context: Context | None = None,
        wiring: Wiring | None = None,
    ) -> Any:
        # The value goes out as text of ours: null, numbers and text come back as what they were.
        text = f"async function body(p) {{{body}\n}}\nasync function execute(p) {{ return [await body(p)]; }}"
        context = context or Context(session=here)
        definition = ToolDefinition(name="probe", needs=tuple(needs))
        bridges = Bridges(definition, context, wiring=wiring)
        ran = await runtime.call(
            JavaScriptSource.of("probe.js", text), "execute", arguments or {}, bridges, context
        )
        return json.loads(ran.text)[0]

    yield run
    await runtime.close()


async def outcomes(evaluate: Evaluate, calls: Sequence[str], **arguments: Any) -> list[Any]:
    """What each expression gives, or `Error: what it threw`; many in one call, to start one worker."""
    works = ", ".join(f"async () => ({call})" for call in calls)
    body = f"""
        const told = [];
        for (const work of [{works}]) {{
            try {{ told.push(await work() ?? null) }}
            catch (error) {{ told.push(`${{error.name}}: ${{error.message}}`) }}
        }}
        return told;
    """
    return await evaluate(body, arguments)
