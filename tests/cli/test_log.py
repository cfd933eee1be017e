"""`oneclaw log`: what may be asked for."""

from typing import Any

import pytest

Cli = Any


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--limit", "0"), "not a number above 0"),
        (("--limit", "-1"), "not a number above 0"),
        (("--limit", "ten"), "not a number above 0"),
        (("--status", "timed_out"), "timeout"),
    ],
)
def test_log_refuses_a_filter_that_means_nothing(cli: Cli, words: tuple[str, str], said: str) -> None:
    cli("call", "get_current_time")
    ended = cli("log", *words)
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err
    assert cli("log", "--limit", "9" * 30, "--status", "success").code == 0
