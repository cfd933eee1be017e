"""`oneclaw chat` on a real terminal and through a pipe: stopped, asked, pasted into, remembered."""

import os
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import conversation
from tests.cli.vt import ONECLAW, Terminal, environment, script
from tests.loopback import Asked, answering

from oneclaw.core.errors import Kind
from oneclaw.core.message import AssistantMessage, ResultsMessage, UserMessage
from oneclaw.store.store import Store

TIME = {"call": "get_current_time"}
MAIN = "import sys; from oneclaw.cli.main import main; sys.exit(main())"
pytestmark = pytest.mark.slow


async def said(home: Path) -> list[str]:
    return [each.text for each in (await conversation(home)) if isinstance(each, UserMessage)]


def chat(
    home: Path, model: str, *words: str, program: tuple[str, ...] = ONECLAW, columns: int = 100, **more: str
) -> Terminal:
    at = environment(home, **more)
    return Terminal("chat", "--model", model, *words, environment=at, columns=columns, program=program)


def pipe(home: Path, model: str, text: str, *words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [*ONECLAW, "chat", "--model", model, *words],
        env=environment(home),
        input=text,
        capture_output=True,
        text=True,
        timeout=60,
    )


@dataclass
class Slow:
    """A server whose answers wait until the test lets them go."""

    port: int = 0
    asked: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    go: threading.Event = field(default_factory=threading.Event)

    def call(self, path: str) -> dict[str, Any]:
        return {"call": "http_request", "arguments": {"url": f"http://127.0.0.1:{self.port}/{path}"}}

    def wait(self) -> None:
        assert self.asked.acquire(timeout=30)


@pytest.fixture
def slow(tmp_path: Path) -> Iterator[Slow]:
    held = Slow()

    def answer(asked: Asked) -> bytes:
        held.asked.release()
        held.go.wait(30)
        return b"page"

    with answering(answer) as held.port:
        folder = tmp_path / "config" / "oneclaw"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "oneclaw.toml").write_text('[network]\nprivate_hosts = ["127.0.0.1"]\n')
        yield held
        held.go.set()


# ---------------------------------------------------------------------- Ctrl-C


@pytest.mark.parametrize("times", [1, 3])
async def test_ctrl_c_stops_the_answer_and_not_the_program(home: Path, tmp_path: Path, times: int) -> None:
    model = script(tmp_path, [{"say": "One, two, "}, {"wait": 60}, {"say": "never"}], "Here I am.")
    with chat(home, model) as terminal:
        terminal.say("count")
        terminal.wait("One, two,")
        terminal.type("\x03" * times)
        terminal.wait("Stopped.")
        terminal.say("and now?")
        terminal.wait("Here I am.")
        terminal.say("/quit")
        assert terminal.end() == 0
        assert "never" not in terminal.raw
        assert terminal.has_echo
    first, half, second, whole = await conversation(home)
    assert isinstance(half, AssistantMessage)
    assert isinstance(whole, AssistantMessage)
    assert (half.text, half.finish) == ("One, two, ", "stopped")
    assert [each.text for each in (first, second) if isinstance(each, UserMessage)] == ["count", "and now?"]
    assert whole.text == "Here I am."


async def test_ctrl_c_stops_running_tools_and_every_call_has_its_result(
    home: Path, tmp_path: Path, slow: Slow
) -> None:
    model = script(tmp_path, [TIME, slow.call("a"), slow.call("b")], "I was stopped.")
    with chat(home, model) as terminal:
        terminal.say("fetch")
        slow.wait()
        slow.wait()
        terminal.type("\x03")
        terminal.wait("Stopped.")
        terminal.say("what happened?")
        terminal.wait("I was stopped.")
        assert terminal.leave() == 0
    _, asked, results, _, answer = await conversation(home)
    assert isinstance(asked, AssistantMessage)
    assert isinstance(results, ResultsMessage)
    assert isinstance(answer, AssistantMessage)
    assert [result.call_id for result in results.results] == [call.id for call in asked.calls]
    assert [result.kind for result in results.results] == [None, Kind.CANCELLED, Kind.CANCELLED]


def give_up(terminal: Terminal, text: str, wanted: str) -> None:
    """Type half a line and press Ctrl-C, once the line editor shows that it is listening."""
    terminal.type(text)
    terminal.wait(text)
    terminal.interrupt(wanted)


async def test_ctrl_c_at_the_prompt_gives_the_line_up_and_a_second_one_leaves(
    home: Path, tmp_path: Path
) -> None:
    with chat(home, script(tmp_path, "yes")) as terminal:
        terminal.wait("> ")
        give_up(terminal, "not this", "Ctrl-C again")
        terminal.say("this")  # what comes between starts the count anew
        terminal.wait("yes")
        terminal.wait("> ")
        give_up(terminal, "nor this", "Ctrl-C again")
        terminal.wait("> ")
        give_up(terminal, "nor that", "oneclaw chat --session")
        assert terminal.end() == 0
        assert "oneclaw chat --session" in terminal.screen.lines[-2]
    assert (await said(home)) == ["this"]


def test_ctrl_c_answers_a_question_with_no(home: Path, tmp_path: Path) -> None:
    call = {"call": "write_file", "arguments": {"path": "a.txt", "content": "x"}}
    with chat(home, script(tmp_path, call, "Well."), ONECLAW_MODE="ask") as terminal:
        terminal.say("write")
        terminal.wait("[?] more")
        terminal.wait("> ")
        terminal.type("\x03")
        terminal.wait("Stopped.")
        terminal.say("go on")
        terminal.wait("Well.")
        assert terminal.leave() == 0
    assert not (home / "workspace" / "a.txt").exists()


# ---------------------------------------------------------------------- questions


@pytest.mark.parametrize(("letter", "is_written"), [("y", True), ("n", False)])
def test_a_question_is_asked_in_place_and_answered_by_a_letter(
    home: Path, tmp_path: Path, letter: str, is_written: bool
) -> None:
    call = {"call": "write_file", "arguments": {"path": "a.txt", "content": "x"}}
    with chat(home, script(tmp_path, [{"say": "I write."}, call], "Done."), ONECLAW_MODE="ask") as terminal:
        terminal.say("write")
        terminal.wait("[?] more")
        terminal.say("yesterday")
        terminal.wait("Type one of the letters.")
        terminal.type(f"{letter}\n")
        terminal.wait("Done.")
        assert terminal.leave() == 0
        shown = terminal.screen.text
    assert (home / "workspace" / "a.txt").exists() is is_written
    assert shown.index("I write.") < shown.index("asks:")
    assert ("✓" if is_written else "✗") + " write_file path=a.txt content=x" in shown


def test_a_question_is_four_short_lines_and_a_question_mark_tells_the_rest(tmp_path: Path) -> None:
    call = {"call": "write_file", "arguments": {"path": "a.txt", "content": "hello\nyou\n"}}
    with chat(tmp_path / "home", script(tmp_path, call, "Done."), ONECLAW_MODE="ask") as terminal:
        terminal.say("write")
        terminal.wait("[?] more")
        shown = terminal.screen.text
        assert (
            "default asks: Write a file\n"
            "It changes something, and the mode ask confirms every change.\n"
            '  path = "a.txt"\n'
            "  --- /dev/null\n"
            "  +++ a.txt\n"
            "  @@ -0,0 +1,2 @@\n"
            "  +hello\n"
            "  +you\n"
            "[y] yes  [s] this session  [w] always  [n] no  [?] more"
        ) in shown
        assert "Session:" not in shown
        terminal.say("?")
        terminal.wait('Session: "')
        terminal.wait("by default: mode")
        terminal.wait('"always" allow every call of write_file.')
        terminal.wait("[a] yes, for this agent")
        terminal.wait("[v] no, never")
        terminal.say("y")
        terminal.wait("Done.")
        assert terminal.leave() == 0
    assert (tmp_path / "home" / "workspace" / "a.txt").exists()


def test_a_yes_is_narrowed_at_the_terminal_and_a_choice_is_made_there(home: Path, tmp_path: Path) -> None:
    calls = [
        {"call": "write_file", "arguments": {"path": name, "content": "x"}} for name in ("a.txt", "b.txt")
    ]
    ask = {"call": "ask_user", "arguments": {"question": "Which?", "options": ["red", "blue"]}}
    with chat(home, script(tmp_path, *calls, ask, "Done."), ONECLAW_MODE="ask") as terminal:
        terminal.say("write")
        terminal.wait("[?] more")
        terminal.say("w path=*.txt for 8h")
        terminal.wait("Allowed from now on: write_file with path *.txt, everywhere, for 8 hours.")
        terminal.wait("Answer with a number or the text.")  # the second file was not asked about
        terminal.say("3")
        terminal.wait("none of the choices")
        terminal.type("2\n")
        terminal.wait("Done.")
        assert terminal.leave() == 0
    assert (home / "workspace" / "b.txt").exists()


def test_what_came_before_a_question_stands_above_it(tmp_path: Path) -> None:
    calls = [
        {"call": "write_file", "arguments": {"path": name, "content": "x"}} for name in ("a.txt", "b.txt")
    ]
    with chat(tmp_path / "home", script(tmp_path, *calls, "Done."), ONECLAW_MODE="ask") as terminal:
        terminal.say("write")
        for name in ("a.txt", "b.txt"):
            terminal.wait(f'path = "{name}"')
            terminal.say("y")
        terminal.wait("Done.")
        assert terminal.leave() == 0
        shown = terminal.screen.text
    assert shown.index("✓ write_file path=a.txt") < shown.index('path = "b.txt"')


OPEN_DOOR = f"import termios; termios.tcflush = lambda *_: None; {MAIN}"


@pytest.mark.parametrize(("program", "is_written"), [(MAIN, False), (OPEN_DOOR, True)])
def test_what_was_typed_before_the_question_is_no_answer_to_it(
    home: Path, tmp_path: Path, program: str, is_written: bool
) -> None:
    """The second program does not throw away what was typed before: there it is one."""
    call = {"call": "write_file", "arguments": {"path": "a.txt", "content": "x"}}
    model = script(tmp_path, [{"say": "Soon.\n\n"}, {"wait": 1}, call], "Done.")
    with chat(home, model, program=(sys.executable, "-c", program), ONECLAW_MODE="ask") as terminal:
        terminal.say("write")
        terminal.wait("Soon.")
        terminal.type("y\n")
        terminal.wait("[?] more")
        if is_written:
            terminal.wait("Done.")
        else:
            terminal.say("n")
            terminal.wait("Done.")
        assert terminal.leave() == 0
    assert (home / "workspace" / "a.txt").exists() is is_written


# ---------------------------------------------------------------------- what is seen


def test_what_a_command_wrote_and_how_it_ended_is_seen(tmp_path: Path) -> None:
    folder = tmp_path / "config" / "oneclaw"
    folder.mkdir(parents=True)
    settings = '[features]\nshell = true\n[shell]\nsandbox = "none"\n[permissions.needs]\nshell = "granted"\n'
    (folder / "oneclaw.toml").write_text(settings)
    call = {"call": "execute_shell_command", "arguments": {"command": "seq 7; echo oops >&2; (exit 3)"}}
    with chat(tmp_path / "home", script(tmp_path, call, "Done.")) as terminal:
        terminal.say("count")
        terminal.wait("Done.")
        assert terminal.leave() == 0
        lines = terminal.screen.lines
    first = next(number for number, line in enumerate(lines) if line.startswith("✗ execute_shell_command"))
    assert "exit code 3" in lines[first]
    assert lines[first + 1 : first + 8] == ["  … 3 more lines", "  4", "  5", "  6", "  7", "  oops", ""]


@pytest.mark.covers("KAI-UI-01")
def test_calls_that_run_side_by_side_each_have_a_line(tmp_path: Path, slow: Slow) -> None:
    model = script(tmp_path, [slow.call("first"), slow.call("second"), TIME], "Both are here.")
    with chat(tmp_path / "home", model) as terminal:
        terminal.say("fetch")
        slow.wait()
        slow.wait()

        def running(seen: Terminal) -> bool:
            lines = [line for line in seen.screen.lines if "http_request" in line]
            return len(lines) == 2 and all(line[0] in "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏" and " s" in line for line in lines)

        terminal.wait(running)
        assert any(line.startswith("✓ get_current_time · ") for line in terminal.screen.lines)
        slow.go.set()
        terminal.wait("Both are here.")
        assert terminal.leave() == 0
        lines = terminal.screen.lines
    finished = [line for line in lines if line.startswith("✓ http_request url=http://127.0.0.1:")]
    assert len(finished) == 2
    assert {line.split("/")[-1].split()[0] for line in finished} == {"first", "second"}
    assert not any(char in terminal.screen.text for char in "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏")


def test_a_wait_for_a_busy_provider_is_said_in_one_line(tmp_path: Path) -> None:
    busy = [{"say": "Half an ans"}, {"fail": "overload", "message": "The provider is busy.", "seconds": 1}]
    with chat(tmp_path / "home", script(tmp_path, busy, "A whole answer.")) as terminal:
        terminal.say("hi")
        terminal.wait("A whole answer.")
        assert terminal.leave() == 0
    assert "The provider is busy. Asked again in 1 s (attempt 2)." in terminal.screen.lines
    assert "Half" not in terminal.screen.text  # what came of it is void


def test_thoughts_are_shown_when_asked_for(tmp_path: Path) -> None:
    reply = [{"think": "Let me see.\nIt is simple."}, {"say": "Yes."}]
    with chat(tmp_path / "home", script(tmp_path, reply, reply)) as terminal:
        terminal.say("hi")
        terminal.wait("Yes.")
        terminal.wait("> ")
        assert "Let me see." not in terminal.screen.text
        terminal.type("/thoughts\n")
        terminal.wait("Thoughts are shown.")
        terminal.say("hi")
        terminal.wait("Yes.")
        assert terminal.leave() == 0
    assert [line for line in terminal.screen.lines if "see" in line or "simple" in line] == [
        "Let me see.",
        "It is simple.",
    ]


def test_a_failure_is_one_sentence_and_the_chat_goes_on(tmp_path: Path) -> None:
    model = script(tmp_path, {"fail": "quota", "message": "Nothing is left to spend."}, "Back again.")
    with chat(tmp_path / "home", model) as terminal:
        terminal.say("hi")
        terminal.wait("Nothing is left to spend.")
        terminal.say("again")
        terminal.wait("Back again.")
        assert terminal.leave() == 0
        assert "Traceback" not in terminal.raw


# ---------------------------------------------------------------------- the line


async def test_what_was_typed_is_there_again_in_the_next_chat_and_for_its_owner_only(
    home: Path, tmp_path: Path
) -> None:
    with chat(home, script(tmp_path, "yes")) as terminal:
        terminal.say("remember me")
        terminal.wait("yes")
        assert terminal.leave() == 0
    assert stat.S_IMODE((home / "chat_history").stat().st_mode) == 0o600
    with chat(home, script(tmp_path, "no")) as terminal:
        terminal.wait("> ")
        terminal.type("\x1b[A")
        terminal.wait("remember me")
        terminal.type(" too\n")
        terminal.wait("no")
        assert terminal.leave() == 0
    assert (await said(home)) == ["remember me too"]


def test_a_secret_is_not_kept_in_the_history(home: Path, tmp_path: Path) -> None:
    key = "abcdef-0123456789-uvwxyz"
    with chat(home, script(tmp_path, "yes"), WEATHER_KEY=key) as terminal:
        terminal.say(f"use {key}")
        terminal.wait("yes")
        assert terminal.leave() == 0
    kept = (home / "chat_history").read_text()
    assert key not in kept
    assert "WEATHER_KEY" in kept


@pytest.mark.parametrize(
    ("typed", "text"),
    [
        ("one\\\ntwo\\\nthree\n", "one\ntwo\nthree"),
        ("\x1b[200~one\ntwo\x1b[201~\n", "one\ntwo"),
        ("one\ntwo\nthree\n", "one\ntwo\nthree"),
    ],
    ids=["backslash", "bracketed paste", "bare paste"],
)
async def test_several_lines_are_one_message(home: Path, tmp_path: Path, typed: str, text: str) -> None:
    with chat(home, script(tmp_path, "All at once.")) as terminal:
        terminal.wait("> ")
        terminal.type(typed)
        terminal.wait("All at once.")
        assert terminal.leave() == 0
    assert (await said(home)) == [text]


async def test_a_pasted_last_line_waits_for_its_end(home: Path, tmp_path: Path) -> None:
    with chat(home, script(tmp_path, "All.")) as terminal:
        terminal.wait("> ")
        terminal.type("one\ntwo")
        terminal.wait("… ")
        terminal.type(" and more\n")
        terminal.wait("All.")
        assert terminal.leave() == 0
    assert (await said(home)) == ["one\ntwo and more"]


async def test_without_a_line_editor_it_works_too(home: Path, tmp_path: Path) -> None:
    program = f"import sys; sys.modules['readline'] = None; {MAIN}"
    with chat(home, script(tmp_path, "yes"), program=(sys.executable, "-c", program)) as terminal:
        terminal.say("hi")
        terminal.wait("yes")
        assert terminal.leave() == 0
    assert (await said(home)) == ["hi"]


def test_tab_completes_commands_and_names(tmp_path: Path) -> None:
    with chat(tmp_path / "home", script(tmp_path, "yes")) as terminal:
        terminal.say("/thou\t")
        terminal.wait("Thoughts are shown.")
        terminal.say("/why get_c\t")
        terminal.wait("get_current_time is available")
        assert terminal.leave() == 0


# ---------------------------------------------------------------------- through a pipe


def test_on_a_terminal_that_moves_nothing_a_person_is_asked_all_the_same(home: Path, tmp_path: Path) -> None:
    call = {"call": "write_file", "arguments": {"path": "a.txt", "content": "x"}}
    model = script(tmp_path, [{"say": "I write."}, call], "Done.")
    dumb = f"import os; os.environ['TERM'] = 'dumb'; {MAIN}"
    with chat(home, model, program=(sys.executable, "-c", dumb), ONECLAW_MODE="ask") as terminal:
        terminal.say("write")
        terminal.wait("[?] more")
        terminal.say("y")
        terminal.wait("Done.")
        terminal.wait("> ")
        terminal.type("\x04")
        assert terminal.end() == 0
        assert "\x1b" not in terminal.raw
        assert terminal.raw.endswith("\n")
        assert terminal.screen.text.index("I write.\n") < terminal.screen.text.index("asks:")
    assert (home / "workspace" / "a.txt").read_text() == "x"


async def test_through_a_pipe_each_line_is_a_message(home: Path, tmp_path: Path) -> None:
    ended = pipe(home, script(tmp_path, "Hello.", [TIME], "It is late."), "hi\n\nwhat \\\ntime?\n")
    assert (ended.returncode, ended.stdout) == (0, "Hello.\nIt is late.\n")
    assert "✓ get_current_time · " in ended.stderr
    assert "\x1b" not in ended.stdout + ended.stderr
    assert (await said(home)) == ["hi", "what \ntime?"]


def test_a_failure_in_a_pipe_is_in_the_exit_code(tmp_path: Path) -> None:
    ended = pipe(tmp_path / "home", script(tmp_path, {"fail": "key", "message": "No key."}, "Yes."), "a\nb\n")
    assert (ended.returncode, ended.stdout) == (1, "Yes.\n")
    assert ended.stderr.startswith("No key.\n")


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("/help", "/why TOOL       why the agent may"),
        ("/tools", "read_file\tRead the contents"),
        ("/agent", "✓\tdefault"),
        ("/model", "reads 128,000 tokens"),
        ("/why read_file", "read_file is available to agent default"),
        ("/log", "\tget_current_time\t"),
        ("/usage", "2 answers · tokens not counted"),
        ("/sessions", "\tfirst\n"),
        ("/HELP", "/quit"),
    ],
)
def test_commands_look_at_the_chat(tmp_path: Path, command: str, shown: str) -> None:
    ended = pipe(tmp_path / "home", script(tmp_path, TIME, "late"), f"first\n{command}\n")
    assert ended.returncode == 0
    assert shown in ended.stdout


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("/toolz", "did you mean /tools?"),
        ("/xyzzy", "/help lists them"),
        ("/why", "Name a tool"),
        ("/why raed_file", "Did you mean read_file"),
        ("/resume nosuch", "There is no session"),
        ("/agent nosuch", "There is no agent"),
        ("/model nosuch/x", "There is no provider"),
        ("/model scripted/nowhere.json", "cannot be read"),
    ],
)
def test_a_wrong_command_is_one_sentence_and_the_chat_goes_on(
    tmp_path: Path, command: str, said: str
) -> None:
    ended = pipe(tmp_path / "home", script(tmp_path, "yes"), f"{command}\nhi\n")
    assert ended.stdout == "yes\n"
    assert said in ended.stderr.splitlines()[0]


async def test_a_path_and_a_space_make_no_command(home: Path, tmp_path: Path) -> None:
    ended = pipe(home, script(tmp_path, "a", "b"), "/etc/hosts is a file\n /quit is a word\n/quit\nnever\n")
    assert ended.stdout == "a\nb\n"
    assert (await said(home)) == ["/etc/hosts is a file", " /quit is a word"]


async def test_sessions_agents_and_models_are_changed_on_the_way(home: Path, tmp_path: Path) -> None:
    folder = tmp_path / "config" / "oneclaw" / "agents"
    folder.mkdir(parents=True)
    (folder / "reader.toml").write_text('[tools]\nallow = ["read_file"]\n')
    other = script(tmp_path, "from the other")
    lines = ["one", "/new", "two", "/agent reader", "/tools", "three", f"/model {other}", "four"]
    ended = pipe(home, script(tmp_path, "1", "2", "3"), "\n".join(lines) + "\n")
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.splitlines()[-1] == "from the other"
    assert "read_file\t" in ended.stdout
    assert "write_file\t" not in ended.stdout
    with Store(home / "oneclaw.db", read_only=True) as store:
        sessions = [(each.session.agent, each.session.title) for each in await store.sessions.totals()]
        first = (await store.sessions.totals())[-1].session.id
    assert sessions == [("reader", "three"), ("default", "two"), ("default", "one")]
    ended = pipe(home, script(tmp_path, "on it goes"), f"/resume {first.partition('-')[2][:10]}\nmore\n")
    assert ended.returncode == 0, ended.stderr
    assert [each.text for each in (await conversation(home, first)) if isinstance(each, UserMessage)] == [
        "one",
        "more",
    ]


async def test_a_chat_goes_on_with_a_session_and_as_its_agent(home: Path, tmp_path: Path) -> None:
    pipe(home, script(tmp_path, "one"), "first\n")
    ended = pipe(home, script(tmp_path, "two"), "second\n", "--session", "last")
    assert ended.returncode == 0
    assert (await said(home)) == ["first", "second"]
    refused = pipe(home, script(tmp_path, "two"), "x\n", "--session", "last", "--agent", "other")
    assert (refused.returncode, refused.stdout) == (2, "")


def test_without_a_model_it_says_so_before_anything_is_typed(tmp_path: Path) -> None:
    # As where the extra `local` is not installed: else the embedded model would answer.
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.modules['xllamacpp'] = None\n")
    variables = environment(tmp_path / "home", PYTHONPATH=str(tmp_path))
    with Terminal("chat", environment=variables, columns=300) as terminal:
        terminal.wait("Set it up now? [y/N] ")
        terminal.type("\n")
        assert terminal.end() == 2
        _, _, *lines = (line for line in terminal.screen.lines if line)
        assert len(lines) == 2
        assert "> " not in terminal.raw
    assert not os.path.exists(tmp_path / "home" / "chat_history")


def test_a_pipe_without_a_model_fetches_none(tmp_path: Path) -> None:
    variables = environment(tmp_path / "home", XDG_CACHE_HOME=str(tmp_path / "cache"))
    ended = subprocess.run(
        [sys.executable, "-m", "oneclaw.cli.main", "chat"],
        env={**variables},
        input="hi\n",
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode == 2
    assert "No model is set" in ended.stderr
    assert not (tmp_path / "cache").exists()
