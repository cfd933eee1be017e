"""Definitions of the tools that only rules call, for tests of plans: nothing of them is run."""

from oneclaw import ToolDefinition


def _define(name: str, *required: str, **optional: str) -> ToolDefinition:
    properties = {each: {"type": "string", "description": f"The {each}."} for each in required}
    properties |= {each: {"type": kind, "description": f"Whether {each}."} for each, kind in optional.items()}
    schema = {"type": "object", "properties": properties, "required": list(required)}
    return ToolDefinition(name=name, description=f"Stands in for {name}.", parameters=schema)


STAND_INS = (
    _define("calculate", "expression"),
    _define("copy_file", "source", "destination", overwrite="boolean"),
    _define("delete_file", "path"),
    _define("edit_file", "path", "old", "new", all="boolean"),
    _define("make_folder", "path"),
    _define("move_file", "source", "destination", overwrite="boolean"),
    _define("restore_file", "path"),
    _define("search_history", "query"),
)
