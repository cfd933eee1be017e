"""A short way to call JavaScript in tests, and a host that gives back what it is asked."""

from collections.abc import Awaitable, Callable
from typing import Any

from oneclaw.core.errors import ToolError
from oneclaw.core.tool import Context
from oneclaw.js.runtime import JavaScriptSource, Ran, Runtime

CallJs = Callable[..., Awaitable[Ran]]


class Echo:
    """Answers with the question; the tool `refuse` is refused."""

    async def answer(self, op: str, arguments: list[Any]) -> Any:
        if op == "tool" and arguments[0] == "refuse":
            raise ToolError("The host said no.")
        return [op, *arguments]


def caller(runtime: Runtime) -> CallJs:
    """Calls the function `f` of a text: `await call_js("function f() {}", {"a": 1})`."""

    async def call(text: str, arguments: dict[str, Any] | None = None, **options: Any) -> Ran:
        source, function = JavaScriptSource.of("tool.js", text), options.pop("function", "f")
        answers, context = options.pop("answers", Echo()), options.pop("context", Context())
        return await runtime.call(source, function, arguments or {}, answers, context, **options)

    return call
