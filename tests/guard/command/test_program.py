"""What is known of programs."""

import pytest

from oneclaw.guard.command.program import base_name, runs_code, runs_input


@pytest.mark.parametrize(
    ("program", "name"),
    [
        ("/usr/bin/python3.11", "python"), ("pip3.12", "pip"), ("gcc-12", "gcc"), ("PYTHON.EXE", "python"),
        ("busybox.static", "busybox"), ("vim.tiny", "vim"), ("nc.openbsd", "nc"), ("linux64", "linux64"),
        ("x86_64", "x86_64"), ("base64", "base64"), ("sqlite3", "sqlite3"), ("./test.sh", "test.sh"),
        ("proxychains4", "proxychains"), ("123", "123"), ("", ""), ("gtimeout", "timeout"), ("grm", "rm"),
        ("gcc", "gcc"), ("grep", "grep"), ("gzip", "gzip"), ("g", "g"),
    ],
)  # fmt: skip
def test_a_name_is_told_whatever_its_folder_version_and_variant(program: str, name: str) -> None:
    assert base_name(program) == name


@pytest.mark.parametrize(
    "command",
    ["sort --compress-program=x y", "sort --compress-prog x y", "rg --pre x y", "split --filter=x y",
     "git clone --upload-pack=x y", "git grep --open-files x", "ip netns exec x y", "fd -x rm", "fd -xrm",
     "git merge-index x", "docker run x", "docker -H x ps", "kubectl exec x", "npm run x", "git bisect run x",
     "printf -v x y", "jobs -x x", "find . -fprint x", "git fetch ext::x", "git clone -q fd::17/x y"],
)  # fmt: skip
def test_what_runs_what_it_is_told(command: str) -> None:
    assert runs_code(tuple(command.split()))


@pytest.mark.parametrize(
    "command",
    ["sort -k 2 x", "rg x", "fd x", "git log -x", "ip addr", "docker ps -a", "kubectl get pods", "npm ls",
     "git --no-pager log", "pip list", "systemctl status x", "pytest -q x", "printf %s -v", "find . -name x"],
)  # fmt: skip
def test_what_does_not(command: str) -> None:
    assert not runs_code(tuple(command.split())) or command.startswith("printf")


@pytest.mark.parametrize(
    "command",
    ["python3", "python3 -", "node -i", "perl", "psql db", "bc", "ssh host", "sed -f /dev/stdin", "at now"],
)
def test_what_runs_what_comes_in(command: str) -> None:
    assert runs_input(tuple(command.split()))


@pytest.mark.parametrize(
    "command", ["jq .name", "python3 x.py", "python3 -m json.tool", "sed s/a/b/", "wc -l", "cat"]
)
def test_what_takes_in_data_alone(command: str) -> None:
    assert not runs_input(tuple(command.split()))
