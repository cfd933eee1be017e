"""A tool by the name a person gives; where there is none, what else may be meant."""

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from oneclaw.app import App
    from oneclaw.core.tool import Tool


def named_tool(app: "App", name: str) -> "Tool | None":
    """The tool of this name; says what is wrong when there is none."""
    from oneclaw.cli.features import features_of
    from oneclaw.core.registry import nearest
    from oneclaw.core.text.display import visible

    entry = app.registry.find(name)
    if entry is not None:
        return entry.tool
    near = nearest(name, [tool.name for tool in app.registry])
    hint = f" Did you mean {' or '.join(near)}?" if near else " `oneclaw tools` lists them."
    if name in features_of(app):
        hint = " It is a feature: `oneclaw features` shows it."
    print(f"oneclaw: there is no tool {visible(name[:100])!r}.{hint}", file=sys.stderr)
    return None
