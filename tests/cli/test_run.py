"""`oneclaw run`: what goes where, how it ends, and what it takes up again."""

import json
import os
import signal
import socket
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import conversation
from tests.cli.vt import ONECLAW, Terminal, environment, script

from oneclaw.cli.main import main
from oneclaw.core.message import AssistantMessage, ResultsMessage, UserMessage
from oneclaw.store.store import Store

Cli = Any
PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 20
TIME = {"call": "get_current_time"}
pytestmark = pytest.mark.slow


def test_the_answer_goes_to_stdout_and_what_happens_to_stderr(cli: Cli, tmp_path: Path) -> None:
    missing = {"call": "read_file", "arguments": {"path": "nowhere.txt"}}
    model = script(tmp_path, [{"say": "I look.\n"}, TIME, missing], "It is late.")
    ended = cli("run", "what", "time", "is", "it?", "--model", model)
    assert (ended.code, ended.out) == (0, "I look.\nIt is late.\n")
    lines = ended.err.splitlines()
    assert lines[0].startswith("✓ get_current_time · ")
    assert lines[1] == "✗ read_file path=nowhere.txt · file_not_found: File not found: nowhere.txt"
    assert lines[2].startswith("2 rounds · 2 calls · ")
    assert " · session " in lines[2]


def test_what_a_model_was_not_told_to_give_is_not_shown(cli: Cli, tmp_path: Path) -> None:
    call = {"call": "write_file", "arguments": {"path": "a.txt", "content": "one\ntwo", "mode": "append"}}
    ended = cli("run", "go", "--model", script(tmp_path, call, "Done."))
    assert "✓ write_file path=a.txt content=one… mode=append · " in ended.err
    call = {"call": "write_file", "arguments": {"path": "a.txt", "content": "x", "mode": "overwrite"}}
    ended = cli("run", "go", "--model", script(tmp_path, call, "Done."))
    assert "✓ write_file path=a.txt content=x · " in ended.err


@pytest.mark.parametrize(
    ("words", "piped", "said"),
    [
        ([], "from the pipe\n", "from the pipe"),
        (["-"], "from the pipe\n", "from the pipe"),
        (["Review", "this:", "-"], "+ a line\n", "Review this:\n+ a line"),
        (["-", "What is it?"], "a\n", "a\n\nWhat is it?"),
    ],
)
async def test_the_text_may_come_through_a_pipe(
    tmp_path: Path, words: list[str], piped: str, said: str
) -> None:
    ended = subprocess.run(
        [*ONECLAW, "run", *words, "--model", script(tmp_path, "yes")],
        env=environment(tmp_path / "home"),
        input=piped,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (ended.returncode, ended.stdout) == (0, "yes\n"), ended.stderr
    assert (await conversation(tmp_path / "home"))[0].text == said


def test_a_text_that_is_given_does_not_wait_for_the_pipe(tmp_path: Path) -> None:
    reading, writing = os.pipe()  # an end of it stays open: whoever reads it waits for ever
    try:
        ended = subprocess.run(
            [*ONECLAW, "run", "hi", "--model", script(tmp_path, "yes")],
            env=environment(tmp_path / "home"),
            stdin=reading,
            capture_output=True,
            text=True,
            timeout=60,
        )
    finally:
        os.close(reading)
        os.close(writing)
    assert ended.stdout == "yes\n"


async def test_a_session_goes_on_with_all_that_was_said(cli: Cli, home: Path, tmp_path: Path) -> None:
    cli("run", "first", "--model", script(tmp_path, "one"))
    with Store(home / "oneclaw.db", read_only=True) as store:
        first = await store.sessions.find("last")
    assert first is not None
    cli("run", "another", "--model", script(tmp_path, "elsewhere"))
    for name in (first.id, first.id.partition("-")[2][:8]):
        ended = cli("run", "--session", name, "more", "--model", script(tmp_path, "two"))
        assert (ended.code, ended.out) == (0, "two\n")
    said = [each.text for each in (await conversation(home, first.id))]
    assert said == ["first", "one", "more", "two", "more", "two"]
    assert cli("run", "--session", "last", "x", "--model", script(tmp_path, "y")).err.count(first.id) == 1


def test_each_event_is_a_line_of_json(cli: Cli, tmp_path: Path) -> None:
    model = script(tmp_path, [{"think": "hm"}, TIME], [{"fail": "limit"}], "é\u202e")
    ended = cli("run", "hi", "--model", model, "--json")
    assert ended.code == 0
    assert ended.out.isascii()
    events = [json.loads(line) for line in ended.out.splitlines()]
    names = [event["event"] for event in events]
    assert names[0] == "run_started"
    assert {"thought_added", "call_begun", "tool_started", "tool_finished", "round_finished"} <= set(names)
    assert {"usage_counted", "answer_restarted"} <= set(names)
    assert (names[-1], events[-1]["text"], events[-1]["reason"]) == ("run_finished", "é\u202e", "done")
    finished = next(event for event in events if event["event"] == "tool_finished")
    assert (finished["result"]["status"], finished["tool"]) == ("success", "get_current_time")
    assert ended.err == ""


def test_quiet_prints_the_last_answer_alone(cli: Cli, tmp_path: Path) -> None:
    ended = cli(
        "run", "hi", "--quiet", "--model", script(tmp_path, [{"say": "I look."}, TIME], "It is late.")
    )
    assert (ended.code, ended.out, ended.err) == (0, "It is late.\n", "")


def test_without_a_model_two_lines_say_how_to_have_one(cli: Cli) -> None:
    ended = cli("run", "hi")
    assert (ended.code, ended.out) == (2, "")
    assert len(ended.err.splitlines()) == 2
    for way in ("API_KEY", "ollama/", "local/smollm2"):
        assert way in ended.err


def test_a_run_that_fails_ends_with_1_and_one_sentence(cli: Cli, tmp_path: Path) -> None:
    failing = script(tmp_path, {"fail": "quota", "message": "Nothing is left to spend."})
    ended = cli("run", "hi", "--model", failing)
    assert (ended.code, ended.out) == (1, "")
    assert ended.err.splitlines()[0] == "Nothing is left to spend."
    assert cli("run", "hi", "--quiet", "--model", failing).code == 1
    refused = script(tmp_path, [{"say": "I will not."}, {"end": "refusal"}])
    assert cli("run", "hi", "--model", refused).code == 1


def test_a_limit_that_leaves_an_answer_is_no_failure_and_is_said(
    cli: Cli, home: Path, tmp_path: Path
) -> None:
    settings = tmp_path / "oneclaw.toml"
    settings.write_text("[runs]\nrounds = 2\n")
    model = script(tmp_path, TIME, TIME, "So far I know this.")
    ended = cli("run", "go", "--model", model, "--config", str(settings))
    assert (ended.code, ended.out) == (0, "So far I know this.\n")
    assert "2 rounds (limit `rounds`)" in ended.err


def test_a_limit_without_an_answer_ends_with_6(cli: Cli, tmp_path: Path) -> None:
    settings = tmp_path / "oneclaw.toml"
    settings.write_text("[runs]\nseconds = 0.3\n")
    model = script(tmp_path, [{"say": "Wait"}, {"wait": 60}])
    ended = cli("run", "go", "--model", model, "--config", str(settings))
    assert ended.code == 6
    assert "limit `seconds`" in ended.err
    assert cli("run", "go", "--quiet", "--model", model, "--config", str(settings)).out == ""


@pytest.mark.parametrize("words", [(), ("--json",), ("--quiet",)])
async def test_ctrl_c_stops_the_run_and_the_session_goes_on(tmp_path: Path, words: tuple[str, ...]) -> None:
    home = tmp_path / "home"
    write = {"call": "write_file", "arguments": {"path": "a.txt", "content": "once", "mode": "append"}}
    program = subprocess.Popen(
        [*ONECLAW, "run", "go", *words, "--model", script(tmp_path, write, [{"say": "half"}, {"wait": 60}])],
        env=environment(home),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert program.stdout is not None
    while True:  # until the second answer is asked for, which takes a minute
        with (
            Store(home / "oneclaw.db", read_only=True) if (home / "oneclaw.db").exists() else _none() as store
        ):
            found = None if store is None else await store.sessions.find("last")
            if store is not None and found is not None and len(await store.messages.load(found.id)) == 3:
                break
        assert program.poll() is None, program.communicate()
    program.send_signal(signal.SIGINT)
    _, err = program.communicate(timeout=30)
    assert program.returncode == 130
    kinds: list[Any] = [type(each) for each in (await conversation(home))]
    assert kinds[:3] == [UserMessage, AssistantMessage, ResultsMessage]
    assert "Go on with: oneclaw run --resume " in err
    resumed = subprocess.run(
        [*ONECLAW, "run", "--resume", "last", "--model", script(tmp_path, "There it is.")],
        env=environment(home),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (resumed.returncode, resumed.stdout) == (0, "There it is.\n"), resumed.stderr
    assert (home / "workspace" / "a.txt").read_text() == "once"


class _none:
    def __enter__(self) -> None: ...

    def __exit__(self, *_: object) -> None: ...


async def test_a_picture_goes_with_the_text(cli: Cli, home: Path, tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(PNG)
    ended = cli(
        "run", "what is this?", "--image", str(tmp_path / "a.png"), "--model", script(tmp_path, "A dot.")
    )
    assert ended.code == 0
    first = (await conversation(home))[0]
    assert [(image.media_type, image.data) for image in first.images] == [("image/png", PNG)]


def test_what_is_no_picture_is_refused_before_anything_is_asked(cli: Cli, home: Path, tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(b"<svg/>")
    for name, said in (("a.png", "is not a PNG"), ("b.png", "cannot be read")):
        ended = cli("run", "what?", "--image", str(tmp_path / name), "--model", script(tmp_path, "x"))
        assert (ended.code, ended.out) == (2, "")
        assert said in ended.err
    assert not (home / "oneclaw.db").exists()


@pytest.mark.parametrize(
    "words",
    [
        ("run", "--resume", "last", "hello"),
        ("run", "--resume", "last", "--session", "last"),
        ("run", "hi", "--session", "last", "--agent", "writer"),
        ("run", "  "),
        ("run", "hi", "--session", "nosuch", "--model", "scripted/x.json"),
        ("run", "hi", "--agent", "nosuch", "--model", "scripted/x.json"),
        ("run", "hi", "--model", "scripted/nowhere.json"),
        ("run", "hi", "--model", "nosuch/model"),
    ],
)
def test_wrong_use_is_one_sentence_and_2(cli: Cli, words: tuple[str, ...]) -> None:
    ended = cli(*words)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("oneclaw: ")
    assert len(ended.err.splitlines()) == 1


def test_an_answer_that_begins_anew_is_said(cli: Cli, tmp_path: Path) -> None:
    model = script(
        tmp_path, [{"say": "Ha"}, {"fail": "overload", "message": "The provider is busy."}], "Hello."
    )
    ended = cli("run", "hi", "--model", model)
    assert ended.out == "Ha\nHello.\n"
    assert ended.err.splitlines()[0] == "The provider is busy. Asked again at once (attempt 2)."


def test_nothing_a_model_or_a_tool_says_moves_the_terminal(tmp_path: Path) -> None:
    home = tmp_path / "home"
    evil = "\x1b]0;owned\x07 \x1b[2J \x9b31m &#x202e; &#x1b;[8m **bold** [x](http://evil/\x1b[7m)"
    (home / "workspace").mkdir(parents=True)
    (home / "workspace" / "a\x1b[41m.txt").write_text(evil)
    call = {"call": "read_file", "arguments": {"path": "a\x1b[41m.txt"}}
    unknown = {"call": "no\x1b[42mtool", "arguments": {"x": evil}}
    model = script(
        tmp_path, [{"say": evil}, {"think": evil}, call, unknown], {"fail": "quota", "message": evil}
    )
    with Terminal("run", "hi", "--model", model, environment=environment(home)) as terminal:
        assert terminal.end() == 1
        raw = terminal.raw
    assert "owned" in raw
    for sequence in (
        "\x1b]",
        "\x07",
        "\x1b[2J",
        "\x9b",
        "\u202e",
        "\x1b[8m",
        "\x1b[41m",
        "\x1b[42m",
        "\x1b[7m",
    ):
        assert sequence not in raw, sequence


def test_on_a_terminal_markdown_is_shown_and_the_waiting_leaves_no_trace(tmp_path: Path) -> None:
    model = script(tmp_path, [{"say": "# News\n\nIt is **late**.\n\n```\nx = 1\n```\n"}, TIME], "*Done*.")
    started = environment(tmp_path / "home")
    with Terminal("run", "hi", "--model", model, environment=started, columns=250) as terminal:
        assert terminal.end() == 0
        place, *lines = (line for line in terminal.screen.lines if line)
    assert place.endswith("home/workspace (private folder)")
    assert lines[:3] == ["News", "It is late.", " x = 1"]
    assert lines[3].startswith("✓ get_current_time · ")
    assert lines[4] == "Done."
    assert lines[5].startswith("2 rounds · 1 call · ")
    assert "waiting" not in terminal.screen.text
    assert "waiting" in terminal.raw
    assert "⠋" not in terminal.screen.text
    assert terminal.raw.count("\x1b[?25l") == terminal.raw.count("\x1b[?25h")  # the cursor is back


def test_a_terminal_is_given_back_as_it_was(tmp_path: Path) -> None:
    model = script(tmp_path, [{"say": "Now"}, {"wait": 60}])
    with Terminal("run", "hi", "--model", model, environment=environment(tmp_path / "home")) as terminal:
        terminal.wait("Now")
        assert not terminal.has_echo  # a key that shows itself would push what moves out of its place
        terminal.type("\x03")
        assert terminal.end() == 130
        assert terminal.has_echo
        assert terminal.raw.count("\x1b[?25l") == terminal.raw.count("\x1b[?25h")
        assert "Go on with: oneclaw run --resume " in terminal.screen.text


def test_help_shows_the_exit_codes(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["run", "--help"])
    assert "130 stopped" in capsys.readouterr().out


@pytest.mark.parametrize("words", [("run", "hi"), ("chat",)])
def test_a_server_that_is_not_there_is_one_sentence_with_the_next_step(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    settings = tmp_path / "config" / "oneclaw"
    settings.mkdir(parents=True)
    with socket.socket() as taken:  # a port that nobody else gets, and where nobody listens
        taken.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        (settings / "oneclaw.toml").write_text(
            f'[providers.near]\nwire = "openai_chat"\nbase_url = "{address}"\n'
        )
        with Terminal(*words, "--model", "near/x", environment=environment(tmp_path / "home")) as terminal:
            if words == ("chat",):
                terminal.wait("> ")
                terminal.type("hi\n")
            terminal.wait("tokens not counted")
            code = terminal.leave() if words == ("chat",) else terminal.end()
    assert code == (0 if words == ("chat",) else 1)
    said = " ".join(terminal.screen.text.split())
    assert said.count("cannot be reached") == 1
    assert "Connection refused" in said
    assert "start it, check its base URL, or choose another model (`oneclaw models`)." in said
    assert "attempt" not in said
