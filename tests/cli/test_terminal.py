"""A person at a real terminal: prompts, colour, progress, completion."""

import re
import socket
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.cli.vt import ONECLAW, Terminal, environment, script

pytestmark = pytest.mark.slow
WRITE = ("--mode", "ask", "call", "write_file", "path=a.txt", "content=hi")
Cli = Any


def at(home: Path, *words: str, **more: Any) -> Terminal:
    variables = environment(home, **more.pop("variables", {}))
    return Terminal(*words, environment=variables, columns=100, **more)


@pytest.mark.covers("FEAT004-AC-07", "FEAT004-AC-08", "FEAT004-FT-09", "RFC004-GO-04", "RFC004-IT-01")
def test_a_person_is_asked_and_yes_lets_the_call_run(home: Path) -> None:
    with at(home, *WRITE) as terminal:
        seen = terminal.wait_for_question()
        assert "Write a file" in seen
        assert "a.txt" in seen
        assert not (home / "workspace" / "a.txt").exists()
        terminal.type("y\n")
        terminal.wait("Successfully wrote")
        assert terminal.end() == 0
    assert (home / "workspace" / "a.txt").read_text() == "hi"


@pytest.mark.covers("FEAT004-AC-09", "FEAT004-FT-10", "RFC004-IT-02")
@pytest.mark.parametrize("no", ["n\n", "\x04"], ids=["no", "ctrl-d"])
def test_no_is_a_denied_call_and_is_told_on_a_line_of_its_own(home: Path, no: str) -> None:
    with at(home, *WRITE) as terminal:
        terminal.wait_for_question()
        terminal.type(no)
        terminal.wait("permission_denied")
        assert "> permission_denied" not in terminal.screen.text
        assert terminal.end() == 5
    assert not (home / "workspace" / "a.txt").exists()


def test_a_terminal_that_goes_away_is_a_no_and_the_program_ends(home: Path) -> None:
    with at(home, *WRITE) as terminal:
        terminal.wait_for_question()
        terminal.hang_up()
        terminal.process.wait(30)
    assert not (home / "workspace" / "a.txt").exists()


@pytest.mark.covers("FEAT004-PR-06")
def test_always_is_remembered_listed_and_revoked(home: Path, cli: Cli) -> None:
    with at(home, *WRITE) as terminal:
        terminal.wait_for_question()
        terminal.type("w\n")
        terminal.wait("Successfully wrote")
        assert terminal.end() == 0
    with at(home, *WRITE) as again:
        again.wait("Successfully wrote")
        assert again.end() == 0
    (grant,) = cli("grants", "--json").json
    assert "when revoked" in cli("grants").out
    assert cli("grants", "revoke", "zz", "--json").json == {"revoked": []}
    assert cli("grants", "revoke", grant["id"]).out == f"Revoked {grant['id']}.\n"
    with at(home, *WRITE) as asked_again:
        asked_again.wait_for_question()
        asked_again.type("n\n")
        assert asked_again.end() == 5


def test_a_prompt_shows_what_would_hide(home: Path) -> None:
    with at(home, *WRITE[:-1], "content=a\u202eb\u200bc\x1b[2J") as terminal:
        seen = terminal.wait_for_question()
        assert not [hidden for hidden in ("\u202e", "\u200b", "\x1b[2J") if hidden in seen]
        assert "u202e" in seen.lower()


def test_where_the_answer_goes_into_a_pipe_a_question_begins_on_a_line_of_its_own(
    home: Path, tmp_path: Path
) -> None:
    call = {"call": "write_file", "arguments": {"path": "a.txt", "content": "x"}}
    model = script(tmp_path, [{"say": "I write."}, call], "Done.")
    words = ("--mode", "ask", "run", "--model", model, "write")
    with (tmp_path / "out").open("w") as out, at(home, *words, stdout=out) as terminal:
        terminal.wait_for_question()
        assert (tmp_path / "out").read_text() == "I write.\n"
        terminal.type("y\n")
        assert terminal.end() == 0
    assert (tmp_path / "out").read_text() == "I write.\nDone.\n"


def test_a_run_asks_at_once_on_a_terminal(home: Path, tmp_path: Path) -> None:
    """It once began before anybody could be asked, and every question was a no."""
    call = {"call": "write_file", "arguments": {"path": "a.txt", "content": "x"}}
    with at(home, "--mode", "ask", "run", "--model", script(tmp_path, call, "Done."), "go") as terminal:
        terminal.wait_for_question()
        terminal.type("y\n")
        terminal.wait("Done.")
        assert terminal.end() == 0
    assert (home / "workspace" / "a.txt").read_text() == "x"


def test_of_a_question_the_danger_stands_out(home: Path, cli: Cli) -> None:
    cli("features", "on", "shell")
    with at(home, "call", "execute_shell_command", "command=rm -rf x") as terminal:
        seen = terminal.wait_for_question()
        assert re.search(r"\x1b\[1;31mDanger: [^\n]*\x1b\[0m", seen)
        assert re.search(r"(?m)^  \$ rm -rf x", seen)  # and the command is plain to read


def test_colour_on_a_terminal_and_none_in_a_pipe(home: Path, cli: Cli) -> None:
    for variables, has_colour in (({}, True), ({"NO_COLOR": "1"}, False)):
        with at(home, "tools", variables=variables) as terminal:
            assert terminal.end() == 0
            assert ("\x1b[" in terminal.raw) == has_colour
            assert "search_text" in terminal.raw
    assert "\x1b" not in cli("tools").out


@pytest.mark.parametrize("is_asked", [False, True])
def test_a_call_of_more_than_a_second_shows_that_it_runs(home: Path, tmp_path: Path, is_asked: bool) -> None:
    settings = tmp_path / "oneclaw.toml"
    settings.write_text("" if is_asked else '[network]\nprivate_hosts = ["127.0.0.1"]\n')
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"url=http://127.0.0.1:{server.getsockname()[1]}/"
        with at(home, "--config", str(settings), "call", "http_request", url) as terminal:
            if is_asked:
                terminal.wait_for_question()
                terminal.type("y\n")
            server.settimeout(20)
            connection, _ = server.accept()
            with connection:
                # The server answers only when the spinner has been seen.
                terminal.wait(
                    lambda seen: re.search(r"[\u2800-\u28ff]\S* http_request", seen.raw) is not None
                )
                connection.recv(65536)
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi")
                terminal.wait("hi\r\n")
            assert terminal.end() == 0


@pytest.mark.parametrize("term", ["xterm", "dumb"])
def test_a_result_cannot_drive_the_terminal(home: Path, term: str) -> None:
    (home / "workspace").mkdir(parents=True)
    (home / "workspace" / "a.txt").write_text("before\x1b]0;title\x07after\n")
    with at(home, "call", "read_file", "path=a.txt", term=term) as terminal:
        terminal.wait("after")
        assert terminal.end() == 0
        assert "\x1b]0;" not in terminal.raw


def test_a_value_of_several_fields_is_read_line_by_line_and_by_programs_as_json(home: Path, cli: Cli) -> None:
    cli("call", "memory_store", "key=town", "value=Porto")
    words = ("call", "memory_search", "query=town")
    assert cli(*words).out.startswith('{"')
    with at(home, *words, variables={"NO_COLOR": "1"}) as terminal:
        assert terminal.end() == 0
        assert re.search(r'(?m)^ +"value": "Porto"', terminal.screen.text)


def test_a_value_whose_fields_are_empty_is_shown_all_the_same(home: Path, cli: Cli) -> None:
    cli("features", "on", "shell")
    with at(home, "call", "manage_process", "action=list", variables={"NO_COLOR": "1"}) as terminal:
        assert terminal.end() == 0
        assert '{"processes":[]}' in terminal.raw


def test_a_pipe_that_closes_early_is_no_error(home: Path) -> None:
    process = subprocess.Popen(
        [*ONECLAW, "tools", "show", "read_file"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(home),
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    said = process.stderr.read().decode()
    process.stderr.close()
    process.wait(20)
    assert "Traceback" not in said


def test_tab_completes_commands_and_tools(home: Path, tmp_path: Path) -> None:
    def complete(line: str) -> list[str]:
        out = tmp_path / "completions"
        asked = {"COMP_LINE": line, "COMP_POINT": str(len(line)), "_ARGCOMPLETE_STDOUT_FILENAME": str(out)}
        variables = environment(home, _ARGCOMPLETE="1", _ARGCOMPLETE_IFS="\n", **asked)
        subprocess.run(ONECLAW, env=variables, timeout=60, capture_output=True, check=False)
        return [word.strip() for word in out.read_text().split("\n")]

    assert complete("oneclaw gr") == ["grants"]
    assert complete("oneclaw call read_") == ["read_file"]
    assert complete("oneclaw call read_file pa") == ["path="]
    assert complete("oneclaw log --status perm") == ["permission_denied"]
