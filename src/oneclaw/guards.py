"""Guards for tools of one's own: addresses, command lines and foreign text. Public."""

from oneclaw.core.session import Network
from oneclaw.guard.command.display import show_command
from oneclaw.guard.command.rule import parse_rules
from oneclaw.guard.command.variables import refused_variables
from oneclaw.guard.command.verdict import judge_command
from oneclaw.guard.network.gate import Gate
from oneclaw.guard.network.url import parse as parse_url
from oneclaw.guard.outside_mark import mark as mark_outside

__all__ = [
    "Gate",
    "Network",
    "judge_command",
    "mark_outside",
    "parse_rules",
    "parse_url",
    "refused_variables",
    "show_command",
]
