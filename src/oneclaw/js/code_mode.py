"""run_javascript and describe_tools: scripts by the model that call its other tools.

    model ── run_javascript(code) ──> worker process: the script
                                          │ await tools.NAME({…})
    engine.call(…, parent) <──────────────┘ each the whole road: policy, permission, journal, limits

A script has no other power than these calls: no files, no network, no clock but timers. It comes from a model
and the worker it runs in is not trusted: what it asks for is looked at here and again by the engine.
"""

import asyncio
import json
import re
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from oneclaw.core.call import EFFECTS, Effects, Output, ToolCall, ToolResult
from oneclaw.core.define.function import tool
from oneclaw.core.engine import Engine
from oneclaw.core.errors import Kind, ToolError, invalid
from oneclaw.core.registry import nearest
from oneclaw.core.session import Session
from oneclaw.core.subschema import is_object
from oneclaw.core.tool import Context, Tool, ToolDefinition
from oneclaw.core.trim import trim
from oneclaw.guard.outside_mark import FOREIGN, mark
from oneclaw.js.bridges import Bridges
from oneclaw.js.runtime import JavaScriptSource, Runtime
from oneclaw.js.stubs import declare, summarise
from oneclaw.js.work import IS_JSON

NAME = "run_javascript"
GROUP = "code"
LEFT_OUT = (GROUP, "agents")
"""Groups a script cannot call: itself, and agents, who would run scripts of their own inside it."""
SECONDS = 120
MOST_CALLS = 200
MOST_AT_ONCE = 16
CODE_CHARS = 100_000
FAILED_LOG_CHARS = 1_000
FAILED_CHARS = 1_400
"""The most that is said of a failure inside the mark: with it, all of it fits into a message."""
FILE = "script.js"
_HEAD = "async function script() {"
_FENCE = re.compile(r"\s*```[\w+-]*[ \t]*\n(.*?)\n?[ \t]*```\s*", re.DOTALL)
_FIRST_LINE = re.compile(rf"\({re.escape(FILE)}:1:(\d+)\)")
_USED = re.compile(r"\btools\s*(?:\.\s*([A-Za-z_$][\w$]*)|\[\s*['\"`]([^'\"`]{1,100})['\"`]\s*\])")

HOW = """\
// In a script, `await tools.NAME({…})` gives what the tool gives: a text, or a JSON value as such.
// A call that fails throws an Error with `message` and `kind`; Promise.all runs calls side by side.
"""


def code_tools(
    runtime: Runtime, engine: Callable[[], Engine], spend: Callable[[Session], str] = lambda session: ""
) -> list[Tool]:
    """The two tools; `engine` is asked for when one is called.

    `spend` counts one call against the limits of the session's run, and says why it must not be made.
    """

    @tool(
        name=NAME,
        label="Run JavaScript",
        needs=["code"],
        effect="unknown",
        seconds=SECONDS,
        group=GROUP,
        default_on=False,
        trim="middle",
    )
    async def run_javascript(context: Context, code: str) -> Output:
        """Run a script in which your other tools are async functions: many calls, loops and filters at once.

        Write the body of an async function: `await tools.NAME({...})` calls the tool of this name with the
        same arguments, console.log prints, `return` gives the result; you read what is printed and returned.
        Calls may run side by side with Promise.all; one that fails throws an Error with `kind` and `message`.
        Ask describe_tools for the types. There are no files and no network but through tools; no imports.

        code: JavaScript, the body of an async function.
        """
        if len(code) > CODE_CHARS:
            raise invalid(f"The code has {len(code):,} characters; a script may have {CODE_CHARS:,}.")
        return await RunningScript(code, context, engine(), spend).run(runtime)

    @tool(label="Describe tools", effect="read", group=GROUP, feature=NAME, switchable=False)
    async def describe_tools(context: Context, names: list[str] | None = None) -> str:
        """Show the tools that a script of run_javascript can call, as TypeScript declarations.

        names: The tools to show with all their types. Without names: every tool on one line.
        """
        return describe(offered(engine(), context.session), names)

    return [run_javascript, describe_tools]


def offered(engine: Engine, session: Session) -> dict[str, ToolDefinition]:
    """The tools that a script of this session can call, by name."""
    return {each.name: each for each in engine.available(session) if each.group not in LEFT_OUT}


def describe(tools: dict[str, ToolDefinition], names: list[str] | None) -> str:
    """The tools of these names declared, or all of them on a line each."""
    if not names:
        return HOW + "\n".join(f"tools.{summarise(each)}" for each in tools.values())
    known = [tools[name] for name in dict.fromkeys(names) if name in tools]
    unknown = [_unknown(name, tools) for name in dict.fromkeys(names) if name not in tools]
    if not known:
        raise invalid(" ".join(unknown))
    return "\n".join([HOW + declare(known), *(f"// {each}" for each in unknown)])


def _unknown(name: str, tools: dict[str, ToolDefinition]) -> str:
    near = nearest(name, tools)
    hint = f"the nearest are: {', '.join(near)}." if near else "describe_tools lists all there are."
    return f"There is no tool {name[:100]!r} for a script; {hint}"


class RunningScript:
    """One script while it runs: what it may call, what it has called, and how that ended."""

    def __init__(self, code: str, context: Context, engine: Engine, spend: Callable[[Session], str]) -> None:
        self._code = unfenced(code)
        self._context = context
        self._engine = engine
        self._spend = spend
        self._tools = offered(engine, context.session)
        self._bridges = Bridges(ToolDefinition(name=NAME), context)
        self._turns = asyncio.Semaphore(MOST_AT_ONCE)
        self._under_way: set[asyncio.Task[ToolResult]] = set()
        self._calls = 0
        self._brought: dict[str, None] = {}
        """The tools it has called that bring something from the network."""
        self._effects: Effects = "none"

    async def run(self, runtime: Runtime) -> Output:
        source = JavaScriptSource.of(FILE, f"{_HEAD}{self._code}\n}}")
        try:
            ran = await runtime.call(source, "script", {}, self, self._context, tools=list(self._tools))
        except ToolError as error:
            await self._stop_calls()
            raise self._failed(error) from error
        finally:
            await self._stop_calls()
        return Output(self._marked(show(ran.log, ran.text)), details={"calls": self._calls})

    async def answer(self, op: str, arguments: list[Any]) -> Any:
        """Handles a request of the script."""
        area = op.partition(".")[0]
        if area in ("time", "url"):
            return await self._bridges.answer(op, arguments)
        if op != "tool":
            raise ToolError(f"A script has no {area[:40]} of its own; call a tool: await tools.NAME({{…}}).")
        name, given = self._asked(arguments)
        if self._calls >= MOST_CALLS:
            raise ToolError(f"A script may make {MOST_CALLS} calls and no more; return what there is so far.")
        if why_not := self._spend(self._context.session):
            raise ToolError(why_not)
        self._calls += 1
        result = await self._call(ToolCall(name, given, parent=self._context.call_id))
        if not FOREIGN.isdisjoint(self._tools[name].needs):
            self._brought[name] = None
        if result.kind is not None:
            raise ToolError(result.message, result.kind)
        if isinstance(result.value, str) and (result.details or {}).get(IS_JSON) is True:
            with suppress(ValueError, RecursionError):  # it was cut, or a hook has changed it
                return json.loads(result.value)
        return result.value

    def _asked(self, arguments: list[Any]) -> tuple[str, dict[str, Any]]:
        """The tool and what it is given. The worker may say anything, whatever functions the script has."""
        name = arguments[0] if arguments and isinstance(arguments[0], str) else ""
        if name not in self._tools:
            raise ToolError(_unknown(name, self._tools), Kind.TOOL_NOT_AVAILABLE)
        given = arguments[1] if len(arguments) > 1 else None
        if given is not None and not is_object(given):
            raise invalid(f"{name} takes one object with named arguments: await tools.{name}({{…}}).")
        return name, dict(given or {})

    async def _call(self, call: ToolCall) -> ToolResult:
        # The clock of the script stands still: each call has its own.
        with self._context.paused():
            async with self._turns:
                task = asyncio.ensure_future(self._engine.call(call, self._context.session))
                self._under_way.add(task)
                try:
                    result = await task
                except asyncio.CancelledError:
                    self._note("none" if self._tools[call.name].effect == "read" else "possible")
                    raise
                finally:
                    self._under_way.discard(task)
        self._note(result.effects)
        return result

    def _note(self, effects: Effects) -> None:
        """Keep the worst of what the calls may have changed."""
        self._effects = EFFECTS[max(EFFECTS.index(self._effects), EFFECTS.index(effects))]

    async def _stop_calls(self) -> None:
        """Cancel what the script did not wait for; each call has its result when this returns."""
        while self._under_way:
            for task in self._under_way:
                task.cancel()
            await asyncio.wait(self._under_way)

    def _marked(self, text: str) -> str:
        """The script's output, which may hold foreign text from its calls."""
        return mark(text, f"a script that called {', '.join(self._brought)}") if self._brought else text

    def _failed(self, error: ToolError) -> ToolError:
        """The error as the model reads it: where in its code, what was printed, which name is none."""
        # The first line of the code stands behind the head of its function.
        message = _FIRST_LINE.sub(
            lambda place: f"({FILE}:1:{max(int(place[1]) - len(_HEAD), 1)})", error.message
        )
        unknown = dict.fromkeys(name for found in _USED.findall(self._code) for name in found if name)
        hints = [_unknown(name, self._tools) for name in unknown if name not in self._tools]
        log = str((error.details or {}).get("log", ""))
        printed = f"\nPrinted before:\n{log[-FAILED_LOG_CHARS:]}" if log else ""
        if self._brought:  # it may have thrown what it was given
            said = self._marked(trim(message + printed, FAILED_CHARS, "middle").text)
            text = " ".join([said, *hints[:3]])
        else:
            text = " ".join([message, *hints[:3]]) + printed
        details = {**(error.details or {}), "calls": self._calls}
        return ToolError(text, error.kind, self._effects, details)


def unfenced(code: str) -> str:
    """The code without the fence of Markdown that models put around it."""
    found = _FENCE.fullmatch(code)
    return found[1] if found else code


def show(log: str, text: str) -> str:
    """Printed output, then the returned value."""
    if not log:
        return text or "(The script printed and returned nothing: use `return` or console.log.)"
    return f"Printed:\n{log}\n\nReturned:\n{text or '(nothing)'}"
