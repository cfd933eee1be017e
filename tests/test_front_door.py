"""The front door: exactly the names we promise, each there, each documented."""

import ast
from pathlib import Path

import pytest

import oneclaw

PROMISED = [
    *("Agent", "App", "Config", "Context", "Engine", "Image", "InvalidConfig", "Kind", "Limits"),
    *("MissingKey", "NotFound", "OneClawError", "Output", "Registry", "RunFailed", "RunHandle", "Scripted"),
    *("Session", "Tool", "ToolCall", "ToolDefinition", "ToolError", "ToolResult", "__version__", "ask"),
    *("load_config", "tool"),
]
ROOT = Path(__file__).parents[1]


def test_the_front_door_has_exactly_the_promised_names() -> None:
    assert sorted(oneclaw.__all__) == sorted(PROMISED)
    assert dir(oneclaw) == sorted(oneclaw.__all__)


@pytest.mark.parametrize("name", PROMISED)
def test_every_promised_name_can_be_had(name: str) -> None:
    assert getattr(oneclaw, name) is not None


def test_a_name_nobody_promised_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="'oneclaw' has no attribute 'Engin'"):
        oneclaw.Engin  # pyright: ignore[reportAttributeAccessIssue]  # noqa: B018


@pytest.mark.parametrize("name", [name for name in PROMISED if name != "__version__"])
def test_every_promised_name_is_documented(name: str) -> None:
    rows = (ROOT / "docs" / "reference" / "python.md").read_text(encoding="utf-8").splitlines()
    row = next(row for row in rows if row.startswith(f"| `{name}` |"))
    assert len(row.split("|")[2].strip()) > 10


def test_type_checkers_see_the_same_names_as_python() -> None:
    tree = ast.parse(Path(oneclaw.__file__).read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    seen = [alias.asname for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names]
    assert sorted(map(str, seen)) == sorted(oneclaw.__all__)
