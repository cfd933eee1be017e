"""Runs a JavaScript tool: one function of its file, in a worker."""

from dataclasses import dataclass
from typing import Any

from oneclaw.core.call import Output
from oneclaw.core.tool import Context, ToolDefinition
from oneclaw.js.example import Example
from oneclaw.js.fields import ENVIRONMENT
from oneclaw.js.runtime import JavaScriptSource, Runtime

IS_JSON = "is_json"
"""The detail of a result by which a script knows that its text is the JSON of a value."""


@dataclass(frozen=True, slots=True, eq=False)
class JavaScriptWork:
    """`Tool.execute` of a JavaScript tool. Tools of a group share one `source`.

    place  the manifest it comes from; `index` is its place in a group
    """

    runtime: Runtime
    source: JavaScriptSource
    function: str
    definition: ToolDefinition
    place: str
    index: int | None = None
    examples: tuple[Example, ...] = ()

    async def __call__(self, arguments: dict[str, Any], context: Context) -> Output:
        from oneclaw.js.bridges import Bridges  # loads what requests need, which takes a while

        given = {**arguments, ENVIRONMENT: dict(context.secrets)}
        answers = Bridges(self.definition, context)
        ran = await self.runtime.call(self.source, self.function, given, answers, context)
        details: dict[str, Any] = {IS_JSON: True} if ran.is_json else {}
        return Output(ran.text, details=details | {"log": ran.log} if ran.log else details)
