"""`oneclaw allow` and `oneclaw deny`: rules are checked and written to the settings file."""

from pathlib import Path

from tests.cli.conftest import Cli


def test_rules_are_added_once_and_removed(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "config" / "oneclaw" / "oneclaw.toml"
    file.parent.mkdir(parents=True)
    file.write_text("# mine\n[shell]\nmemory_mb = 512  # enough\n")
    added = cli("allow", "git  log **")
    assert (added.code, added.out) == (0, f"Added to shell.allow: git log ** ({file})\n")
    assert cli("allow", "git log **").out == f"Already in shell.allow: git log ** ({file})\n"
    assert "you are asked about it once" in cli("allow", "git commit *").out
    assert cli("deny", "git push *", "--json").json["rules"] == ["git push *"]
    text = file.read_text()
    assert "# mine" in text
    assert "memory_mb = 512  # enough" in text
    assert cli("config", "get", "shell.allow", "--json").json == ["git log **", "git commit *"]
    assert cli("allow", "--remove", "git log **").out.startswith("Removed from shell.allow: git log **")
    assert cli("allow", "--remove", "git log **").out.startswith("There is no rule git log **")
    assert cli("deny", "--remove", "git push *").code == 0
    assert cli("config", "get", "shell.deny", "--json").json == []


def test_a_rule_that_can_be_none_is_refused_and_nothing_is_written(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "config" / "oneclaw" / "oneclaw.toml"
    for words in (
        ("allow", "bash **"),
        ("allow", "ls > x"),
        ("deny", "a; b"),
        ("deny", "* x"),
        ("allow", ""),
    ):
        ended = cli(*words)
        assert ended.code == 2, words
        assert ended.err.startswith("oneclaw: ")
    assert not file.exists()
