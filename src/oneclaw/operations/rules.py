"""Adds and removes the owner's rules for commands in the settings file."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from oneclaw.config import read_settings
from oneclaw.guard.command.denied import parse_denied
from oneclaw.guard.command.rule import parse_rule
from oneclaw.operations.settings_file import set_setting, unset_setting

RuleList = Literal["allow", "deny"]


@dataclass(frozen=True, slots=True)
class RuleChange:
    """A rule that was written or removed; `rules` are those that the file has now.

    `is_asked_once`: it has stars and is not known to be harmless, so a person is asked about it once.
    """

    rule: str
    setting: str
    file: Path
    rules: tuple[str, ...]
    has_changed: bool
    is_asked_once: bool = False


def change_rule(file: Path, to: RuleList, rule: str, *, remove: bool = False) -> RuleChange:
    """Write a rule to `shell.allow` or `shell.deny`, or remove it; raises `InvalidConfig`."""
    rule, key = " ".join(rule.split()), f"shell.{to}"
    is_asked_once = False
    if to == "allow":
        is_asked_once = not parse_rule(rule).is_accepted
    else:
        parse_denied((rule,))
    known = tuple(read_settings(file).get(key, ())) if file.exists() else ()
    rules = tuple(each for each in known if each != rule) if remove else tuple(dict.fromkeys((*known, rule)))
    if rules != known:
        if rules:
            set_setting(file, key, rules)
        else:
            unset_setting(file, key)
    return RuleChange(rule, key, file, rules, rules != known, is_asked_once)
