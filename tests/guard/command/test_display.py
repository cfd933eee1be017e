"""Commands as they are shown."""

import shlex
import shutil
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oneclaw.core.errors import ToolError
from oneclaw.guard.command.display import show_argv, show_command

WORDS = st.lists(
    st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])), min_size=1, max_size=6
)


@given(WORDS)
def test_what_is_shown_reads_back_as_the_same_words(words: list[str]) -> None:
    assert shlex.split(show_argv(words)) == words


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
@given(st.lists(st.text(st.sampled_from(list("a '\"\\$`(){}[]<>|&;!#*?~=-\n\t\r0é"))), max_size=5))
@settings(max_examples=60)
def test_bash_reads_what_is_shown_as_the_same_words(words: list[str]) -> None:
    shown = show_argv(["printf", "%s\\0", "x", *words])
    done = subprocess.run(["bash", "-c", shown], capture_output=True, timeout=30, check=True)
    assert done.stdout.decode().split("\0") == ["x", *words, ""]


@pytest.mark.parametrize(
    ("argv", "raw", "shown"),
    [
        (["echo", "  hi  "], None, 'echo "  hi  "'),
        (["echo", ""], None, 'echo ""'),
        (["echo", "a$b"], None, "echo 'a$b'"),
        (["echo", "hi"], "echo hi", "echo hi"),
        (["sh", "-c", "ls | wc"], None, "ls | wc"),
        (["sh", "-c", "ls | wc"], 'sh -c "ls | wc"', 'sh -c "ls | wc"'),
        (["/usr/bin/env", "bash", "-lc", "echo hi"], "echo hi", "echo hi"),
        (["/tmp/sh", "-c", "ls"], None, "/tmp/sh -c ls"),
        (["sh", "-c", "$0 x", "id"], None, "sh -c '$0 x' id"),
        (["sh", "-xc", "ls"], None, "sh -xc ls"),
        (["env", "A=1", "sh", "-c", "ls"], None, "env A=1 sh -c ls"),
        (["echo", "a$b"], 'echo "a$b"', "echo 'a$b'"),
        (["echo", "a b"], "echo 'a b'", 'echo "a b"'),
    ],
)
def test_a_command_is_shown_as_it_runs(argv: list[str], raw: str | None, shown: str) -> None:
    assert show_command(argv, raw) == shown


@pytest.mark.parametrize(
    ("argv", "raw"),
    [
        (["uname", "-a"], "echo hi"),
        (["uname", "-a"], "uname"),
        (["uname", "-a"], ""),
        (["env", "A=1", "sh", "-c", "ls"], "ls"),
        (["env", "-i", "sh", "-c", "ls"], "ls"),
        (["sh", "-c", "$0 x", "id"], "$0 x"),
        (["/tmp/sh", "-c", "ls"], "ls"),
        (["/tmp/env", "sh", "-c", "ls"], "ls"),
        (["sh", "-c", "ls", "ls"], "ls"),
        (["bash", "--rcfile", "x", "-c", "ls"], "ls"),
        (["sh", "-c", "echo hi"], "echo  hi"),
    ],
)
def test_a_text_that_says_something_else_is_refused(argv: list[str], raw: str) -> None:
    with pytest.raises(ToolError, match="does not say what would run"):
        show_command(argv, raw)
