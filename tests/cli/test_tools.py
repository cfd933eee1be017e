"""`oneclaw tools`: switching, for programs that read JSON."""

from typing import Any

Cli = Any


def test_switching_a_tool_prints_json_where_json_was_asked_for(cli: Cli) -> None:
    assert cli("tools", "off", "http_request", "--json").json["on"] is False
    assert cli("tools", "on", "http_request", "--json").json["on"] is True
