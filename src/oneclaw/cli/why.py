"""`oneclaw why`: whether an agent may call a tool, and the chain of rules that says so."""

import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    from oneclaw.cli.completion import tool_names

    name = parser.add_argument("name", metavar="TOOL", help="the tool")
    name.completer = tool_names  # pyright: ignore[reportAttributeAccessIssue]
    parser.add_argument("--agent", default="default", metavar="NAME", help="for this agent")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace) -> int:
    from dataclasses import asdict

    from oneclaw.cli.opened import open_app
    from oneclaw.cli.terminal import print_json, print_line
    from oneclaw.cli.tools import named_tool, needs_shown
    from oneclaw.core.text.display import visible

    with open_app(arguments) as app:
        tool = named_tool(app, arguments.name)
        if tool is None:
            return 3
        why = app.policy.why(tool.definition, agent=arguments.agent, origin=tool.origin)
        needs = {need: app.permissions.state_of(need) for need in needs_shown(app, tool.definition)}
        if arguments.json:
            print_json(asdict(why) | {"needs": needs, "mode": app.permissions.mode})
            return 0
        print_line(visible(why.text), "green" if why.allowed else "red")
        for step in why.steps:
            mark = {"passes": "✓", "refuses": "✗", "replaced": "·"}[step.verdict]
            style = "red" if step.verdict == "refuses" else ""
            print_line(f"  {mark} {visible(step.text)}", style)
        for need, state in needs.items():
            meaning = {"granted": "granted", "ask": "a person is asked"}.get(state, "denied")
            print(f"  needs {need}: {meaning}")
        return 0
