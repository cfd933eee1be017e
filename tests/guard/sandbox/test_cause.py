"""Why a command failed: the sandbox, where what it wrote says so, and nothing where it does not."""

import pytest

from oneclaw.guard.sandbox.cause import CLOSED, NO_IDENTITY, NO_NETWORK, likely_cause


@pytest.mark.parametrize(
    "written",
    [
        "curl: (6) Could not resolve host: example.com",
        "ping: example.com: Temporary failure in name resolution",
        "socket.gaierror: [Errno -2] Name or service not known",
        "connect: Network is unreachable",
        "npm ERR! code EAI_AGAIN",
        "Error: getaddrinfo ENOTFOUND registry",
    ],
)
def test_a_name_that_cannot_be_found_is_a_missing_network(written: str) -> None:
    assert likely_cause(written, "/w", has_network=False) == NO_NETWORK
    assert likely_cause(written, "/w", has_network=True) == ""


@pytest.mark.parametrize(
    "written",
    [
        "touch: cannot touch '/usr/x': Read-only file system",
        "bash: /etc/x: Permission denied",
        "PermissionError: [Errno 13] Permission denied: '/opt/x'",
        "Error: EROFS: read-only file system, open '/x'",
    ],
)
def test_a_place_that_cannot_be_written_is_a_closed_folder(written: str) -> None:
    assert likely_cause(written, "/w", has_network=True) == CLOSED


@pytest.mark.parametrize(
    "written",
    [
        "",
        "SyntaxError: invalid syntax",
        "bash: ./run.sh: Permission denied",
        "bash: /w/run.sh: Permission denied",
        "connection refused",
        "Could not resolve host: x" + "." * 9_000,
    ],
)
def test_any_other_failure_says_nothing(written: str) -> None:
    assert likely_cause(written, "/w", has_network=False) == ""


def test_the_settings_that_open_the_sandbox_are_named() -> None:
    assert "shell.network" in NO_NETWORK
    assert "workspace.write" in CLOSED


def test_a_commit_without_a_name_is_told_with_the_commands_that_set_it() -> None:
    written = "Author identity unknown\n\n*** Please tell me who you are.\nfatal: unable to auto-detect"
    assert likely_cause(written, "/w", has_network=True) == NO_IDENTITY
    assert likely_cause("author of the book unknown", "/w", has_network=True) == ""
