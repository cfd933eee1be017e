"""The tree is the one place of settings: no default stands elsewhere; each field is documented and used."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import get_args

import pytest

from oneclaw.agent.features import FEATURES
from oneclaw.cli.main import COMMON
from oneclaw.core.settings.schema import ENVIRONMENT, SETTINGS
from oneclaw.core.settings.setting import Setting
from oneclaw.core.settings.tree import DEFAULTS, Mode

SOURCE = Path(__file__).parents[3] / "src" / "oneclaw"
FILES = [file for file in sorted(SOURCE.rglob("*.py")) if "core/settings" not in file.as_posix()]


def own_defaults(tree: ast.AST) -> Iterator[int]:
    """The lines where a setting is read by key with a default beside it."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="config"), attr="get"), args=[_, _]):
                yield node.lineno
            case ast.Call(
                func=ast.Attribute(value=ast.Attribute(attr="config" | "_config"), attr="get"), args=[_, _]
            ):
                yield node.lineno
            case _:
                pass


def names_read(tree: ast.AST) -> Iterator[str]:
    """The attributes that are read, and the last words of texts, which are keys of settings too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value.rpartition(".")[2]


@cache
def parsed(file: Path) -> ast.AST:
    return ast.parse(file.read_text())


def test_no_default_of_a_setting_stands_beside_its_use() -> None:
    found = {file.name: list(own_defaults(parsed(file))) for file in FILES}
    assert {name: lines for name, lines in found.items() if lines} == {}


def test_a_default_beside_its_use_would_be_seen() -> None:
    text = 'config.get("a.b", 3)\nself._config.get("a.b", ())\napp.config.get("a.b", 1)\nconfig.get("a.b")'
    assert list(own_defaults(ast.parse(text))) == [1, 2, 3]


def unused(names: set[str]) -> list[str]:
    steps = {one.key: [step for step in one.path if step != "*"] for one in SETTINGS}
    return [key for key, path in steps.items() if path[-1] not in names]


def test_every_setting_is_used() -> None:
    names = {name for file in FILES for name in names_read(parsed(file))}
    names |= {feature.name for feature in FEATURES}  # which the policy reads one by one
    assert unused(names) == []
    assert unused(names - {"prompt_seconds"}) == ["permissions.prompt_seconds"]


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda one: one.key)
def test_every_setting_has_a_meaning_and_a_default_in_words(setting: Setting) -> None:
    assert setting.meaning.endswith(".")
    assert setting.default
    assert setting.type


def test_the_modes_of_the_command_line_are_those_of_the_tree() -> None:
    assert [choices for name, _, choices, _ in COMMON if name == "--mode"] == [get_args(Mode)]
    assert {"ONECLAW_CONFIG", "ONECLAW_HOME", "ONECLAW_WORKSPACE", "ONECLAW_MODE"} == set(ENVIRONMENT)


def test_each_default_fits_its_own_bounds() -> None:
    for one in SETTINGS:
        if one.value is not None:
            assert one.read(one.check(one.value, one.key)) == one.value
    assert DEFAULTS.permissions.mode == "auto"
