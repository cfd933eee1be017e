"""What the embedded model says without a tool."""

from oneclaw.core.tool import ToolDefinition
from oneclaw.providers.local.reply import help_text


def test_what_follows_the_list_is_no_part_of_its_last_item() -> None:
    names = ("read_file", "list_files", "frobnicate")
    tools = [
        ToolDefinition(name=name, description="What it does.", parameters={"type": "object"})
        for name in names
    ]
    lines = help_text(tools).split("\n")
    last = max(number for number, line in enumerate(lines) if line.startswith("- "))
    assert lines[last + 1 :][::2] == ["", ""]
    assert lines[last + 2] == "I also have: frobnicate."
