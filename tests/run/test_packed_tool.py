"""What is sent of a tool: a name where there is one, its code where there is none."""

import importlib
import sys
import threading
import types
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from oneclaw.core.errors import ToolError
from oneclaw.core.tool import Context, Tool, ToolDefinition
from oneclaw.run.packed_tool import pack, unpack

MODULE = """
import threading
from oneclaw.core.tool import Tool, ToolDefinition

lock = threading.Lock()

def _tool(function):
    return Tool(ToolDefinition(name="named"), lambda arguments, context: function(), function=function)

@_tool
def named():
    with lock:
        return "by name"
"""


def tool(execute: Any) -> Tool:
    return Tool(ToolDefinition(name="sent"), execute)


def test_a_tool_of_a_module_is_sent_by_name_so_that_its_locks_need_not_travel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tools_by_name.py").write_text(MODULE)
    monkeypatch.syspath_prepend(str(tmp_path))  # pyright: ignore[reportUnknownMemberType]
    module = importlib.import_module("tools_by_name")
    parcel = pack(module.named)
    assert (parcel.module, parcel.name, parcel.code) == ("tools_by_name", "named", b"")
    assert unpack(parcel)({}, Context()) == "by name"
    with pytest.raises(ToolError, match="lock"):
        pack(module.named, {"tools_by_name"})


def test_a_tool_replaced_in_its_module_is_not_mistaken_for_the_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tools_replaced.py").write_text(MODULE)
    monkeypatch.syspath_prepend(str(tmp_path))  # pyright: ignore[reportUnknownMemberType]
    module = importlib.import_module("tools_replaced")

    def execute(arguments: dict[str, Any], context: Context) -> str:
        return "other"

    other = replace(module.named, execute=execute)
    assert unpack(pack(other))({}, Context()) == "other"


def test_a_closure_is_sent_as_code() -> None:
    number = 41

    def add(arguments: dict[str, Any], context: Context) -> int:
        return number + arguments["n"]

    assert unpack(pack(tool(add)))({"n": 1}, Context()) == 42


def test_code_of_a_module_that_cannot_be_imported_over_there_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    ghost = types.ModuleType("ghost_module")
    exec(
        "def helper():\n    return 'ghost'\ndef work(arguments, context):\n    return helper()",
        ghost.__dict__,
    )
    monkeypatch.setitem(sys.modules, "ghost_module", ghost)
    by_reference, by_value = pack(tool(ghost.work)), pack(tool(ghost.work), {"ghost_module"})
    monkeypatch.delitem(sys.modules, "ghost_module")
    assert unpack(by_value)({}, Context()) == "ghost"
    with pytest.raises(ModuleNotFoundError, match="ghost_module"):
        unpack(by_reference)


def test_what_cannot_be_sent_is_named_with_a_way_out() -> None:
    lock = threading.Lock()

    def hold(arguments: dict[str, Any], context: Context) -> None:
        with lock:
            pass

    with pytest.raises(ToolError, match=r"'sent' cannot be sent to a process: .*lock.*isolation=\"thread\""):
        pack(tool(hold))
