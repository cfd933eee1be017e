"""Who really runs."""

import pytest

from oneclaw.guard.command.wrapper import Code, Hidden, Inner, is_wrapper, resolve, unwrap


@pytest.mark.parametrize(
    ("command", "program"),
    [
        ("ls -la", "ls"),
        ("env", "env"),
        ("env A=1", "env"),
        ("env -", "env"),
        ("env A=1 ls", "ls"),
        ("env -i A=1 /bin/ls", "/bin/ls"),
        ("env -u HOME ls", "ls"),
        ("env -uHOME ls", "ls"),
        ("env --unset=HOME --chdir=/ ls", "ls"),
        ("env --unset HOME ls", "ls"),
        ("env -iv -- ls", "ls"),
        ("env env env ls", "ls"),
        ("env -S ls", "ls"),
        ("env -iS ls x", "ls"),
        ("env --split-string=ls x", "ls"),
        ("env --block-signal=INT ls", "ls"),
        ("env --what ls", "env"),
        ("nice ls", "ls"),
        ("nice -n 5 ls", "ls"),
        ("nice -5 ls", "ls"),
        ("nice --adjustment=5 ls", "ls"),
        ("nohup ls", "ls"),
        ("timeout 5 ls", "ls"),
        ("timeout -k 1 -s KILL 5s ls", "ls"),
        ("timeout --preserve-status --signal=9 5 ls", "ls"),
        ("timeout 5", "timeout"),
        ("stdbuf -oL -e 0 ls", "ls"),
        ("setsid -w ls", "ls"),
        ("time -p ls", "ls"),
        ("command ls", "ls"),
        ("command -p ls", "ls"),
        ("command -v ls", "command"),
        ("builtin cd x", "cd"),
        ("exec -a x ls", "ls"),
        ("xargs -0 -n 1 ls", "ls"),
        ("xargs -I {} ls {}", "ls"),
        ("xargs --max-args=2 ls", "ls"),
        ("busybox ls", "ls"),
        ("/bin/busybox wget x", "wget"),
        ("toybox sh -c x", "sh"),
        ("sudo -u root -E A=1 ls", "ls"),
        ("sudo -l ls", "sudo"),
        ("doas -u root ls", "ls"),
        ("find . -name x -exec ls {} ;", "ls"),
        ("find . -name x", "find"),
        ("bash -c ls", "bash"),
        ("sudo nice -n 1 timeout 5 env A=1 busybox ls", "ls"),
        ("parallel ls", "parallel"),
        ("linux64 ls", "ls"),
        ("busybox.static ls", "ls"),
        ("xargs -i ls {}", "ls"),
        ("watch -x ls", "ls"),
        ("gtimeout -p 5 ls", "ls"),
        ("timeout -fp 5 ls", "ls"),
        ("chrt --fifo 10 ls", "ls"),
        ("noglob ls", "ls"),
        ("setarch x86_64 -R ls", "setarch"),
    ],
)
def test_the_program_inside_is_found(command: str, program: str) -> None:
    assert resolve(tuple(command.split())) == program


def test_the_text_of_split_string_is_split() -> None:
    assert unwrap(("env", "-S", "A=1 printf 'a b'", "c")) == Inner(("printf", "a b", "c"), is_changed=True)
    assert unwrap(("env", "-vS-i A=1 ls")) == Inner(("ls",), is_changed=True)
    assert isinstance(unwrap(("env", "-S", "${x} y")), Hidden)
    assert isinstance(unwrap(("env", "-S", "a\\_b")), Hidden)


@pytest.mark.parametrize(
    ("argv", "text"),
    [
        (("sh", "-c", "ls"), "ls"),
        (("bash", "-lc", "ls"), "ls"),
        (("bash", "--norc", "-c", "ls", "x"), "ls"),
        (("bash", "-euo", "pipefail", "-c", "ls"), "ls"),
        (("bash", "-euxc", "ls"), "ls"),
        (("bash", "-o", "pipefail", "-c", "ls"), "ls"),
        (("bash", "-c", "-x", "ls"), "ls"),
        (("eval", "ls", "x"), "ls x"),
        (("trap", "ls", "EXIT"), "ls"),
        (("watch", "-n", "1", "ls", "x"), "ls x"),
        (("alias", "a=ls", "b=cat x"), "ls\ncat x"),
    ],
)
def test_the_text_for_a_shell_is_found(argv: tuple[str, ...], text: str) -> None:
    step = unwrap(argv)
    assert isinstance(step, Code)
    assert step.text == text


@pytest.mark.parametrize(
    "argv",
    [
        ("sh",),
        ("sh", "x.sh"),
        ("bash", "-s"),
        ("bash", "--rcfile", "x"),
        ("source", "x"),
        (".", "x"),
        ("flock", "a", "ls"),
    ],
)
def test_what_the_words_do_not_show_is_hidden(argv: tuple[str, ...]) -> None:
    assert isinstance(unwrap(argv), Hidden)


def test_the_name_counts_whatever_the_folder_and_the_version() -> None:
    assert is_wrapper("/tmp/x/env")
    assert is_wrapper("bash5.2")
    assert is_wrapper("/lib64/ld-linux-x86-64.so.2")
    assert not is_wrapper("ls")
