"""How much runs in a box: counted in its own process table, and in no other."""

import os

from oneclaw.run.shell.usage import processes_inside


def test_the_processes_of_the_machine_do_not_count_while_a_sandbox_is_being_made() -> None:
    assert processes_inside(os.getpid()) is None, "this process sees the table of the machine, as it would"
