"""The script of a shell: what must never stand in it."""

import pytest

from oneclaw.run.shell.script import shell_script


def test_only_a_shell_with_a_process_table_of_its_own_knows_how_to_kill_all() -> None:
    assert "KILL" not in shell_script("/x", has_own_pids=False)
    with_table = shell_script("/x", has_own_pids=True)
    assert with_table.count("kill -KILL -1") == with_table.count("[[ $$ == 1 ]] && kill -KILL -1") == 2


@pytest.mark.parametrize("has_own_pids", [True, False])
def test_a_folder_with_any_name_stays_one_word(has_own_pids: bool) -> None:
    script = shell_script("/a b';x", has_own_pids=has_own_pids)
    assert """. '/a b'"'"';x'/"$_oneclaw_from" >/dev/null""" in script
