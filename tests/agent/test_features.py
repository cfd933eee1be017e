"""Which features are on."""

from pathlib import Path

import pytest

from oneclaw.agent.features import FEATURES, features_now
from oneclaw.agent.roster import Roster
from oneclaw.agent.rules import Switches, policy_of
from oneclaw.config import Config

HOME = Path("home")
SHELL = "execute_shell_command"


@pytest.mark.covers("KAI-TE-01")
def test_only_memory_is_on_where_nobody_has_said() -> None:
    assert features_now({}) == {"memory": True}
    assert [one.name for one in FEATURES] == ["memory", "shell", "sandbox"]


@pytest.mark.parametrize(
    ("said", "switches", "shell", "sandbox"),
    [
        ({"shell": True}, {}, True, True),
        ({"shell": False}, {}, False, False),
        ({}, {SHELL: True}, True, True),
        ({}, {SHELL: False}, False, False),
        ({"shell": False}, {SHELL: True}, False, False),
        ({"shell": True}, {SHELL: False}, False, False),
        ({"shell": True, "sandbox": False}, {}, True, False),
        ({"sandbox": True}, {}, False, True),
        ({}, {"read_file": True}, False, False),
    ],
)
def test_the_shell_is_on_by_its_feature_or_by_its_tool(
    said: dict[str, bool], switches: dict[str, bool], shell: bool, sandbox: bool
) -> None:
    written = {f"features.{name}": value for name, value in said.items()}
    written |= {f"switches.{name}": value for name, value in switches.items()}
    for config, stored in (
        (Config(HOME, values=written), Switches()),
        (Config(HOME), Switches(switches, said)),
    ):
        now = policy_of(config, stored, Roster()).features
        assert (now.get("shell", False), now.get("sandbox", False)) == (shell, sandbox)


def test_a_feature_of_somebody_else_is_as_they_said() -> None:
    assert features_now({"drawing": True, "memory": False}) == {"drawing": True, "memory": False}
