"""The check of settings: whatever is set takes effect or is refused, from Python as from a file."""

import json
import math
from dataclasses import is_dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from oneclaw.app import App
from oneclaw.config import Config, load_config
from oneclaw.core.call import ToolCall
from oneclaw.core.errors import InvalidConfig, Kind
from oneclaw.core.settings.schema import SETTINGS, explain, find, read
from oneclaw.core.settings.setting import Setting

KEYS = [one.key.replace("*", "some_name") for one in SETTINGS]
ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.binary(max_size=4)
    | st.sampled_from(["auto", "deny", "granted", "own", "sandbox", "never", Path("x")]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner)
        | st.sets(st.text(max_size=3), max_size=2)
        | st.dictionaries(st.text(max_size=5), inner, max_size=2)
    ),
    max_leaves=4,
)
HOME = Path("somewhere")


def nested(key: str, value: Any) -> dict[str, Any]:
    """The key as tables in tables, as a settings file has it."""
    for step in reversed(key.split(".")):
        value = {step: value}
    return value


def reached(config: Config, key: str) -> Any:
    """What the tree holds for a key."""
    found = find(key)
    assert found is not None
    value: Any = config.settings
    for step in found[0].path:
        value = value[found[1]] if step == "*" else getattr(value, step)
    return value


def refused(values: Any) -> str:
    with pytest.raises(InvalidConfig) as caught:
        Config(HOME, values=values)
    return str(caught.value)


def outcome(values: dict[str, Any]) -> Any:
    try:
        return dict(Config(HOME, values=values).values)
    except InvalidConfig as error:
        return str(error)


def is_empty(table: Any) -> bool:
    """Whether a table says nothing, in whatever tables it has."""
    return isinstance(table, dict) and all(map(is_empty, table.values()))  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]


@settings(max_examples=1500, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(KEYS), ANYTHING)
@example("workspace.read", ["~"])
def test_whatever_is_set_is_refused_or_takes_effect(key: str, value: Any) -> None:
    said = outcome({key: value})
    if isinstance(said, str):
        assert key in said or "is no setting" in said or "a name must be a text" in said
        return
    config = Config(HOME, values={key: value})
    if key not in config.values:  # a table within an open one, as permissions.needs.some_name = {"x": "ask"}
        assert isinstance(value, dict)
        assert is_empty(value) or any(each.startswith(f"{key}.") for each in config.values)
        return
    found = reached(config, key)
    if value is False and explain(key).is_limit:
        assert found is None
    elif isinstance(value, list | tuple):
        given = [str(each) for each in value]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        assert [str(each) for each in found] in (given, [str(Path(each).expanduser()) for each in given])
    else:
        assert found == value or str(found) == str(Path(str(value)).expanduser())


@settings(max_examples=500)
@given(st.sampled_from(KEYS), ANYTHING)
def test_dotted_keys_and_tables_are_alike(key: str, value: Any) -> None:
    assert outcome({key: value}) == outcome(nested(key, value))


@pytest.mark.parametrize("key", KEYS)
def test_a_file_and_python_refuse_the_same(tmp_path: Path, key: str) -> None:
    file = tmp_path / "oneclaw.toml"
    wrong: list[Any] = ["", "x", 0, -1, 3, 10**12, 0.5, True, False, [], ["x"], [""], [1], {}]
    for value in wrong:
        file.write_text(f"{key} = {json.dumps(value)}\n")
        try:
            said: Any = dict(load_config(file, {"ONECLAW_HOME": str(tmp_path)}).values)
        except InvalidConfig as error:
            said = str(error).removeprefix(f"{file}, line 1: ")
        assert outcome({key: value}) == said


@pytest.mark.parametrize("key", KEYS)
def test_a_mistyped_name_is_refused_and_the_nearest_is_named(key: str) -> None:
    steps = key.split(".")
    for at, step in enumerate(steps):
        if step != "some_name":
            slip = ".".join([*steps[:at], step[:-2] + step[-1], *steps[at + 1 :]])
            assert "Did you mean" in refused({slip: True})


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"tools.dney": ["x"]}, "'tools.dney' is no setting. Did you mean tools.deny?"),
        ({"tools.deny": "write_file"}, "tools.deny is 'write_file'; it must be a list of texts"),
        ({"permissions.mode": "yolo"}, "permissions.mode is 'yolo'; it must be auto, ask or deny."),
        ({"switches.write_file": {"enabled": False}}, "'switches.write_file.enabled' is no setting"),
        ({"tools.deny": {}}, "tools.deny is {}"),
        ({"tols": {}}, "'tols' is no setting"),
        ({"features.memroy": False}, "Did you mean features.memory?"),
        ({"workspace.read": ["~no-such-user/x"]}, "it must be a list of paths."),
        ({"tools.deny": ["a"], "tools": {"deny": ["b"]}}, "tools.deny is set twice"),
        ({"runs.cost": math.inf}, "runs.cost is inf; it must be a number above 0, at most 1,000,000,000"),
        ({"limits.memory_mb": 10**30}, "it must be a whole number above 0, at most 1,000,000,000."),
        ({"limits.tools.read_file.chars": 4}, "it must be a whole number from 500 to 1,000,000,000."),
        ({"shell.allow": ["python3 *"]}, "'python3 *'"),
        ({1: 2}, "a name must be a text"),
        ([("tools.deny", ["x"])], "must be a mapping"),
    ],
)
def test_a_wrong_setting_is_named_with_its_value_and_the_remedy(values: Any, said: str) -> None:
    assert said in refused(values)


@pytest.mark.parametrize("values", [{"tools.deny": ["write_file"]}, {"tools": {"deny": ["write_file"]}}])
async def test_a_deny_from_python_holds(tmp_path: Path, values: dict[str, Any]) -> None:
    assert await write(Config(tmp_path / "denied", values=values)) is Kind.TOOL_NOT_AVAILABLE
    assert await write(Config(tmp_path / "plain")) is None


async def test_the_mode_from_python_holds_and_an_argument_wins_over_it(tmp_path: Path) -> None:
    config = Config(tmp_path, values={"permissions.mode": "deny"})
    assert await write(config) is Kind.PERMISSION_DENIED
    assert replace(config, values={"permissions": {"mode": "ask"}}).mode == "ask"
    assert Config(tmp_path, mode="auto", values=config.values).mode == "auto"
    assert load_config(environment={"ONECLAW_HOME": str(tmp_path), "ONECLAW_MODE": "deny"}).mode == "deny"
    with pytest.raises(InvalidConfig, match="ONECLAW_MODE is 'yolo'; it must be auto, ask or deny"):
        load_config(environment={"ONECLAW_HOME": str(tmp_path), "ONECLAW_MODE": "yolo"})


async def test_without_the_check_a_mistyped_deny_lets_the_call_through(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Setting, "check", lambda self, value, named: value)  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    assert await write(Config(tmp_path, values={"tools.deny": "write_file"})) is None


async def write(config: Config) -> Kind | None:
    """Write a file in an app of these settings; how it failed."""
    async with App(config) as app:
        result = await app.engine.call(ToolCall("write_file", {"path": "a.txt", "content": "x"}))
        return result.kind


def test_what_nobody_set_is_the_default_of_the_tree() -> None:
    config = Config(HOME)
    assert config.get("limits.threads") == 32
    assert config.get("agents.writer.memory") == "shared"
    assert config.get("tools.deny") == ()
    with pytest.raises(InvalidConfig, match=r"Did you mean limits\.threads\?"):
        config.get("limits.thread")


def test_names_of_the_owner_may_have_dots_where_models_and_needs_do() -> None:
    said = {"openai/gpt-4.1": {"window": 5}}
    config = Config(HOME, values={"models": said, "permissions.needs.network.private": "granted"})
    assert config.settings.models.named["openai/gpt-4.1"].window == 5
    assert config.settings.permissions.needs == {"network.private": "granted"}


def test_the_tree_is_frozen_and_its_tables_are_dataclasses() -> None:
    config = Config(HOME, values={"agents.writer.memory": "own"})
    assert is_dataclass(config.settings.agents["writer"])
    with pytest.raises(AttributeError):
        config.settings.permissions.mode = "auto"  # pyright: ignore[reportAttributeAccessIssue]


def test_a_value_of_the_owner_is_not_shared() -> None:
    hosts = ["a.test"]
    kept, tree = read({"network.private_hosts": hosts})
    hosts.append("b.test")
    assert kept == {"network.private_hosts": ["a.test"]}
    assert tree.network.private_hosts == ("a.test",)
