"""Which tools exist for an agent, and why."""

from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oneclaw.core.permit.policy import Policy, Rules, Unused, match, unused
from oneclaw.core.tool import Tool, ToolDefinition

TOOL = ToolDefinition(name="write_file", group="files")

# As the table in the module says: everyone, agent, plugin → exists.
TABLE = {
    ("-", "-", "-"): True,
    ("+", "-", "-"): True,
    ("0", "-", "-"): False,
    ("any", "+", "-"): True,
    ("any", "0", "-"): False,
    ("any", "-", "+"): True,
    ("any", "-", "0"): False,
    ("any", "+", "+"): True,
    ("any", "+", "0"): False,
    ("any", "0", "+"): False,
    ("any", "0", "0"): False,
}
LISTS: dict[str, tuple[str, ...] | None] = {"-": None, "+": ("write_*",), "0": ("read_file",)}


def policy_of(everyone: str, agent: str, plugin: str, deny: str = "") -> Policy:
    def rules(allow: str, scope: str) -> Rules:
        return Rules(LISTS[allow], ("write_file",) if deny == scope else ())

    return Policy(
        everyone=rules(everyone, "everyone"),
        agents={"writer": rules(agent, "agent")},
        plugins={"kit": rules(plugin, "plugin")},
    )


def expected(everyone: str, agent: str, plugin: str) -> bool:
    key = (everyone, agent, plugin)
    return TABLE[key] if key in TABLE else TABLE[("any", agent, plugin)]


@pytest.mark.parametrize(("everyone", "agent", "plugin"), list(product("-+0", repeat=3)))
def test_allow_lists_follow_the_table(everyone: str, agent: str, plugin: str) -> None:
    policy = policy_of(everyone, agent, plugin)
    decision = policy.decide(TOOL, agent="writer", origin="kit")
    assert decision.allowed is expected(everyone, agent, plugin)
    assert bool(decision.reason) is not decision.allowed


@pytest.mark.parametrize(
    ("everyone", "agent", "plugin", "scope"),
    list(product("-+0", "-+0", "-+0", ("everyone", "agent", "plugin"))),
)
def test_a_deny_wins_over_every_allow_at_every_scope(
    everyone: str, agent: str, plugin: str, scope: str
) -> None:
    denying = policy_of(everyone, agent, plugin, deny=scope)
    assert not denying.decide(TOOL, agent="writer", origin="kit").allowed
    # The twin: without the deny the table decides, and it lets some of these through.
    assert policy_of(everyone, agent, plugin).decide(TOOL, agent="writer", origin="kit").allowed is expected(
        everyone, agent, plugin
    )


def test_the_rules_of_another_agent_or_plugin_do_not_count() -> None:
    policy = policy_of("+", "0", "0")
    assert policy.decide(TOOL, agent="reader", origin="other").allowed
    assert not policy.decide(TOOL, agent="writer", origin="other").allowed
    assert not policy.decide(TOOL, agent="reader", origin="kit").allowed


@pytest.mark.covers("FEAT004-AC-17")
def test_the_agents_list_replaces_everyones() -> None:
    policy = Policy(Rules(allow=("read_*",)), agents={"writer": Rules(allow=("write_file",))})
    reader = ToolDefinition(name="read_file")
    assert policy.decide(reader, agent="default").allowed
    assert not policy.decide(TOOL, agent="default").allowed
    assert policy.decide(TOOL, agent="writer").allowed
    assert not policy.decide(reader, agent="writer").allowed


def test_an_empty_allow_list_allows_nothing_and_no_list_allows_all() -> None:
    assert not Policy(Rules(allow=())).decide(TOOL, agent="a").allowed
    assert Policy().decide(TOOL, agent="a").allowed


@pytest.mark.covers("RFC004-UT-01c")
@pytest.mark.parametrize(
    ("entry", "matches"),
    [
        ("write_file", True), ("write_*", True), ("*", True), ("*_file", True), ("write_fil?", True),
        ("group:files", True), ("group:f*", True), ("group:*", True),
        ("write", False), ("file", False), ("WRITE_FILE", False), ("group:web", False), ("files", False),
        ("write_file ", False), ("", False), ("group:", False), ("write_file\n", False),
    ],
)  # fmt: skip
def test_an_entry_is_a_name_a_glob_or_a_group(entry: str, matches: bool) -> None:
    assert (match((entry,), TOOL) == entry) is matches


def test_a_tool_that_cannot_be_switched_goes_with_its_feature_alone() -> None:
    bound = ToolDefinition(name="recall", feature="memory", switchable=False)
    free = ToolDefinition(name="recall", feature="memory")
    off = {"recall": False}
    assert Policy(features={"memory": True}, switches=off).decide(bound, agent="a").allowed
    assert not Policy(features={"memory": True}, switches=off).decide(free, agent="a").allowed
    assert not Policy(features={"memory": False}, switches={"recall": True}).decide(bound, agent="a").allowed
    assert Policy(features={"memory": True}, switches=off).unused([bound]) == [Unused("switches", "recall")]
    assert Policy(features={"memory": True}, switches=off).unused([free]) == []


def test_a_tool_without_a_group_is_in_no_group() -> None:
    assert match(("group:*", "group:"), ToolDefinition(name="lone")) is None


def test_a_feature_with_the_name_of_a_tool_is_on_when_that_tool_is_switched_on() -> None:
    bound = ToolDefinition(name="describe", feature="work", switchable=False)
    assert not Policy().decide(bound, agent="a").allowed
    assert Policy(switches={"work": True}).decide(bound, agent="a").allowed
    assert not Policy(switches={"work": False}).decide(bound, agent="a").allowed
    assert not Policy(features={"work": False}, switches={"work": True}).decide(bound, agent="a").allowed


def test_a_feature_must_be_on_and_is_off_unless_said() -> None:
    tool = ToolDefinition(name="browse", feature="browser")
    assert not Policy().decide(tool, agent="a").allowed
    assert not Policy(features={"browser": False}).decide(tool, agent="a").allowed
    assert Policy(features={"browser": True}).decide(tool, agent="a").allowed
    assert not Policy(Rules(allow=("browse",)), switches={"browse": True}).decide(tool, agent="a").allowed


@pytest.mark.parametrize(
    ("default_on", "switch", "exists"),
    [(True, None, True), (True, False, False), (True, True, True),
     (False, None, False), (False, True, True), (False, False, False)],
)  # fmt: skip
def test_a_switch_wins_over_the_tools_default(default_on: bool, switch: bool | None, exists: bool) -> None:
    tool = ToolDefinition(name="shell", default_on=default_on)
    policy = Policy(switches={} if switch is None else {"shell": switch})
    assert policy.decide(tool, agent="a").allowed is exists


def test_an_allow_list_does_not_switch_a_tool_on() -> None:
    tool = ToolDefinition(name="shell", default_on=False)
    assert not Policy(Rules(allow=("shell",))).decide(tool, agent="a").allowed


@pytest.mark.parametrize(
    ("policy", "setting", "entry"),
    [
        (Policy(Rules(deny=("a*", "write_*"))), "tools.deny", "write_*"),
        (Policy(Rules(allow=("read_*",))), "tools.allow", ""),
        (Policy(agents={"writer": Rules(deny=("group:files",))}), "agents.writer.tools.deny", "group:files"),
        (Policy(agents={"writer": Rules(allow=())}), "agents.writer.tools.allow", ""),
        (Policy(plugins={"kit": Rules(deny=("*",))}), "plugins.kit.tools.deny", "*"),
        (Policy(switches={"write_file": False}), "switches.write_file", "write_file"),
    ],
)
def test_why_names_the_rule_that_decided(policy: Policy, setting: str, entry: str) -> None:
    why = policy.why(TOOL, agent="writer", origin="kit")
    assert not why.allowed
    assert (why.decided.setting, why.decided.entry, why.decided.verdict) == (setting, entry, "refuses")
    assert why.text.startswith("write_file is not available to agent writer: ")
    assert why.text.endswith(policy.decide(TOOL, agent="writer", origin="kit").reason)
    assert setting in why.text


def test_why_gives_the_whole_chain_in_order() -> None:
    policy = Policy(
        Rules(allow=("read_*",), deny=("shell",)),
        agents={"writer": Rules(allow=("write_file",))},
        features={"beta": True},
    )
    tool = ToolDefinition(name="write_file", feature="beta")
    why = policy.why(tool, agent="writer")
    assert [(step.setting, step.verdict) for step in why.steps] == [
        ("features.beta", "passes"),
        ("switches.write_file", "passes"),
        ("tools.allow", "replaced"),
        ("agents.writer.tools.allow", "passes"),
    ]
    assert why.allowed
    assert why.decided.setting == "agents.writer.tools.allow"
    assert why.text == 'write_file is available to agent writer: agents.writer.tools.allow has "write_file".'


def test_why_shows_every_refusal_and_the_first_one_decides() -> None:
    policy = Policy(Rules(allow=(), deny=("*",)), switches={"write_file": False})
    why = policy.why(TOOL, agent="a")
    refusals = [step.setting for step in why.steps if step.verdict == "refuses"]
    assert refusals == ["switches.write_file", "tools.deny", "tools.allow"]
    assert why.decided.setting == "switches.write_file"


def test_what_is_remembered_is_forgotten_when_the_definition_is_another_one() -> None:
    policy = Policy(Rules(deny=("group:web",)))
    assert policy.decide(TOOL, agent="a").allowed
    assert policy.decide(TOOL, agent="a") is policy.decide(TOOL, agent="a")
    assert not policy.decide(ToolDefinition(name="write_file", group="web"), agent="a").allowed
    assert policy.decide(TOOL, agent="a").allowed


def test_agents_and_plugins_are_remembered_apart() -> None:
    policy = Policy(agents={"b": Rules(deny=("*",))}, plugins={"p": Rules(deny=("*",))})
    for _ in range(2):
        assert policy.decide(TOOL, agent="a").allowed
        assert not policy.decide(TOOL, agent="b").allowed
        assert not policy.decide(TOOL, agent="a", origin="p").allowed


@pytest.mark.covers("RFC004-UT-01c")
def test_an_entry_that_matches_nothing_is_told() -> None:
    tools = [TOOL, ToolDefinition(name="read_file", group="files", feature="beta")]
    assert unused(("read_*", "wirte_file", "group:file", "group:files"), tools) == [
        "wirte_file",
        "group:file",
    ]
    policy = Policy(
        Rules(allow=("read_file", "red_file"), deny=("shel*",)),
        agents={"writer": Rules(allow=("write_file", "wriet"))},
        plugins={"kit": Rules(deny=("gone",))},
        switches={"read_file": True, "raed_file": True},
        features={"beta": True, "bta": True},
    )
    assert policy.unused(tools) == [
        Unused("tools.allow", "red_file"),
        Unused("tools.deny", "shel*"),
        Unused("agents.writer.tools.allow", "wriet"),
        Unused("plugins.kit.tools.deny", "gone"),
        Unused("switches", "raed_file"),
        Unused("features", "bta"),
    ]


NAMES = st.sampled_from(["read_file", "write_file", "shell", "http_request"])
ENTRIES = st.lists(NAMES | st.sampled_from(["*", "*_file", "group:files", "nothing"]), max_size=3).map(tuple)
RULES = st.builds(Rules, st.none() | ENTRIES, ENTRIES)


@given(RULES, RULES, RULES, NAMES, st.sampled_from(["", "files"]))
def test_decide_agrees_with_the_rule_in_one_line(
    everyone: Rules, agent: Rules, plugin: Rules, name: str, group: str
) -> None:
    tool = ToolDefinition(name=name, group=group)
    policy = Policy(everyone, agents={"a": agent}, plugins={"p": plugin})
    is_denied = any(match(rules.deny, tool) for rules in (everyone, agent, plugin))
    narrow = [rules.allow for rules in (agent, plugin) if rules.allow is not None]
    lists = narrow or ([] if everyone.allow is None else [everyone.allow])
    assert policy.decide(tool, agent="a", origin="p").allowed is (
        not is_denied and all(match(entries, tool) for entries in lists)
    )


def test_a_tool_is_judged_by_its_name() -> None:
    policy = Policy(Rules(deny=("write_file", "group:files")), agents={"a": Rules(allow=("add",))})
    assert policy.why("write_file").text.startswith(
        "write_file is not available to agent default: tools.deny"
    )
    assert policy.why("add", agent="a").allowed
    assert policy.why("read_file").allowed  # nothing tells that it is in a group

    def find(name: str) -> Tool:
        return Tool(ToolDefinition(name=name, group="files"), lambda arguments, context: None)

    assert replace(policy, find=find).why("read_file").decided.entry == "group:files"
