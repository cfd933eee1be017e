"""Models of one's own and the one in the box, on the command line."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.conftest import Cli
from tests.cli.vt import Terminal, environment
from tests.providers.local.conftest import CACHE
from tests.providers.local.gguf_files import small_gguf

from oneclaw_smollm2.fetch import SMOLLM2, find

HERE = pytest.mark.usefixtures("weights")
ONECLAW = (sys.executable, "-m", "oneclaw.cli.main")
pytestmark = pytest.mark.slow


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "Tiny.gguf"
    fields: dict[str, str | int] = {"general.architecture": "llama", "llama.context_length": 4096}
    file.write_bytes(small_gguf(fields))
    return file


def test_a_file_is_added_listed_and_removed(cli: Cli, file: Path) -> None:
    ended = cli("models", "add", str(file))
    assert (ended.code, "Added local/tiny: " in ended.out, "4,096 tokens" in ended.out) == (0, True, True)
    assert "local/tiny" in cli("models", "list").out
    assert "local/tiny" in cli("models", "local").out
    ended = cli("models", "remove", "local/tiny")
    assert ended.code == 0
    assert "is left where it is" in ended.out
    assert file.exists()
    assert "local/tiny" not in cli("models", "local").out


def test_the_tools_of_the_tiny_model_are_told(cli: Cli) -> None:
    told = cli("models", "local").err
    assert "local/smollm2 gets these tools in place of those: find_files, get_current_time, " in told


def test_it_may_be_given_a_name(cli: Cli, file: Path) -> None:
    assert "local/mine" in cli("models", "add", str(file), "--name", "mine").out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("add",), "models add FILE.gguf"),
        (("remove",), "models remove NAME"),
        (("remove", "nope"), "no local model 'nope'"),
        (("add", "/nowhere/x.gguf"), "cannot be read"),
        (("add", __file__), "is no GGUF file"),
        (("ollama", "x.gguf"), "a file goes with add"),
    ],
)
def test_what_is_wrong_is_one_sentence(cli: Cli, words: tuple[str, ...], said: str) -> None:
    ended = cli("models", *words)
    assert ended.code == 2
    assert said in ended.err
    assert ended.err.count("\n") == 1


def without_extra(folder: Path) -> dict[str, str]:
    """What a process is given that is to think that the extra `local` is not installed."""
    (folder / "sitecustomize.py").write_text("import sys\nsys.modules['xllamacpp'] = None\n")
    return environment(folder / "home", PYTHONPATH=str(folder))


def without_library(folder: Path) -> dict[str, str]:
    """What a process is given that is to have an engine of models whose library is not on this machine."""
    said = "libgomp.so.1: cannot open shared object file: No such file or directory"
    return with_engine(folder, f"raise ImportError({said!r})")


def with_engine(folder: Path, code: str) -> dict[str, str]:
    """What a process is given that is to have this for an engine of models."""
    (folder / "xllamacpp").mkdir()
    (folder / "xllamacpp" / "__init__.py").write_text(code)
    return environment(folder / "home", PYTHONPATH=str(folder))


def oneclaw(*words: str, variables: dict[str, str], typed: str = "") -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [*ONECLAW, *words], env=variables, input=typed, capture_output=True, text=True, timeout=60
    )


LIBRARY = (
    "Local models need the library libgomp.so.1, which is not installed; on Debian and Ubuntu:"
    " `sudo apt install libgomp1`."
)


@pytest.mark.parametrize(
    "words", [("chat", "--model", "local/smollm2"), ("run", "--model", "local/smollm2", "What time is it?")]
)
@pytest.mark.parametrize("is_fetched", [True, False])
def test_without_a_library_one_sentence_says_what_to_install_and_nothing_is_fetched(
    tmp_path: Path, words: tuple[str, ...], is_fetched: bool
) -> None:
    variables = without_library(tmp_path)
    if not is_fetched:
        variables["XDG_CACHE_HOME"] = str(tmp_path / "cache")
    elif find(SMOLLM2, CACHE) is None:
        pytest.skip("the embedded model is not on this machine")
    ended = oneclaw(*words, variables=variables, typed="hello\nhello again\n")
    assert ended.returncode in (1, 2)
    assert (ended.stdout + ended.stderr).count(LIBRARY) == 1
    assert not (tmp_path / "cache").exists()


def test_without_a_library_a_model_of_ones_own_is_not_blamed(tmp_path: Path, file: Path) -> None:
    variables = without_library(tmp_path) | {"ONECLAW_CONFIG": str(tmp_path / "small.toml")}
    (tmp_path / "small.toml").write_text('[models."local/tiny"]\nsmall = true\n')
    assert oneclaw("models", "add", str(file), variables=variables).returncode == 0
    for words in (("chat", "--model", "local/tiny"), ("run", "--model", "local/tiny", "hi")):
        ended = oneclaw(*words, variables=variables, typed="hello\nhello again\n")
        assert (ended.stdout + ended.stderr).count(LIBRARY) == 1
        assert "Get the file again" not in ended.stdout + ended.stderr


def test_the_doctor_finds_a_missing_library_before_anything_fails(tmp_path: Path) -> None:
    ended = oneclaw("doctor", variables=without_library(tmp_path))
    assert (ended.returncode, ended.stdout.count(LIBRARY)) == (0, 1)


@pytest.mark.parametrize(
    ("model", "is_there", "state", "said"),
    [
        ("", True, "warn", "only `oneclaw chat` answers, by the tiny model"),
        ("", False, "warn", "nothing answers, and the tiny model cannot run here"),
        ("local/smollm2", True, "ok", "local/smollm2 answers"),
        ("local/smollm2", False, "bad", "local/smollm2 cannot run here: see llama.cpp"),
    ],
)
def test_the_doctor_says_which_model_answers_with_and_without_the_library(
    tmp_path: Path, model: str, is_there: bool, state: str, said: str
) -> None:
    variables = with_engine(tmp_path, "") if is_there else without_library(tmp_path)
    (tmp_path / "oneclaw.toml").write_text(f'models.default = "{model}"' if model else "")
    ended = oneclaw("--config", str(tmp_path / "oneclaw.toml"), "doctor", "--json", variables=variables)
    (told,) = (one for one in json.loads(ended.stdout) if one["topic"] == "models")
    assert (told["state"], said in told["text"]) == (state, True)


def test_without_a_library_a_script_plays_the_demonstration(tmp_path: Path) -> None:
    shown = oneclaw("demo", variables=without_library(tmp_path))
    assert (shown.returncode, shown.stderr) == (0, "")
    assert shown.stdout.count("libgomp") == 2  # once as a library, once as what to install: one sentence
    assert LIBRARY in shown.stdout
    check_demonstration(shown.stdout)


def check_demonstration(text: str) -> None:
    """Whether the five messages were answered by calls that ran."""
    assert "5 of 5 messages answered" in text
    called = [line.split()[1] for line in text.splitlines() if line.startswith(("  ✓  ", "  ✗  "))]
    assert called[:3] == ["get_current_time", "write_file", "read_file"]
    assert called[3].startswith("memory_")
    assert "memory_search" in called[4:]
    assert called[-1] == "read_file"
    assert "buy milk and call Ada" in text.split("Read it back")[1]
    assert "Miso" in text.split("what do you remember")[1]
    assert "  ✓  get_current_time timezone=Tokyo · " in text  # as a chat shows it
    assert "  ✗  read_file path=../../etc/passwd\n     path_not_allowed: " in text


def test_without_the_extra_one_sentence_says_how_to_get_it_and_the_tools_are_shown(tmp_path: Path) -> None:
    variables = without_extra(tmp_path)
    asked = [*ONECLAW, "run", "--model", "local/smollm2", "hi"]
    ended = subprocess.run(asked, env=variables, capture_output=True, text=True, timeout=60)
    assert ended.returncode == 2
    assert "pip install 'oneclaw[local]'" in ended.stderr
    assert ended.stderr.count("\n") == 1
    shown = subprocess.run([*ONECLAW, "demo"], env=variables, capture_output=True, text=True, timeout=60)
    assert shown.returncode == 0
    assert "pip install 'oneclaw[local]'" in shown.stdout
    check_demonstration(shown.stdout)


def test_without_the_file_and_a_network_the_tools_are_shown(tmp_path: Path) -> None:
    variables = with_engine(tmp_path, "")
    variables |= {
        "XDG_CACHE_HOME": str(tmp_path),
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": "",
        "UV_OFFLINE": "1",
    }
    shown = subprocess.run([*ONECLAW, "demo"], env=variables, capture_output=True, text=True, timeout=60)
    assert shown.returncode == 0
    assert "connect to the network and try again" in shown.stdout
    check_demonstration(shown.stdout)


@HERE
def test_the_demonstration_is_a_conversation_with_live_calls(tmp_path: Path) -> None:
    variables = environment(tmp_path / "home")
    ended = subprocess.run([*ONECLAW, "demo"], env=variables, capture_output=True, text=True, timeout=110)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    check_demonstration(ended.stdout)
    assert not os.path.exists(tmp_path / "home")


@HERE
def test_without_a_model_the_chat_is_with_the_tiny_one_and_its_header_says_what_it_is(tmp_path: Path) -> None:
    variables = environment(tmp_path / "home")
    for is_first in (True, False):
        with Terminal("chat", environment=variables, columns=300) as terminal:
            if is_first:
                terminal.wait("Set it up now? [y/N] ")
                terminal.type("\r")
            terminal.wait("> ")
            terminal.type("Hello!\r")
            terminal.wait("tiny model with tools")
            terminal.wait("> ")
            terminal.type("/quit\r")
            assert terminal.end() == 0
            assert "it chooses tools, it does not write prose, and it reads English only" in terminal.raw
            assert "local/smollm2" in terminal.raw


@HERE
def test_no_hint_of_the_demonstration_leads_into_its_temporary_folder(tmp_path: Path) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    variables = environment(tmp_path / "home", TMPDIR=str(temporary))
    with Terminal("demo", environment=variables, columns=200) as terminal:
        terminal.wait("[y/N] ")
        terminal.type("\n")
        for typed, shown in [
            ("/status", "gone at the end"),
            ("/export", "Nothing was said yet"),
            ("/model anthropic/claude-sonnet-5", "reads "),
            ("hello", "ANTHROPIC_API_KEY"),
            ("/model local/nope", "oneclaw models add PATH"),
            ("/skills", "oneclaw skills add"),
            ("/undo", "nothing to undo"),
            ("/resume nope", "no session"),
        ]:
            terminal.wait("> ")
            terminal.type(f"{typed}\n")
            terminal.wait(shown)
        assert terminal.leave() == 0
    assert str(temporary) not in terminal.screen.text
    assert "Next: `oneclaw setup` connects a bigger model" in terminal.screen.text


def test_a_settings_file_that_is_edited_badly_is_named_and_not_its_copy(tmp_path: Path) -> None:
    temporary, bad = tmp_path / "temporary", tmp_path / "editor"
    temporary.mkdir()
    bad.write_text("#!/bin/sh\necho 'bad = = 1' > \"$1\"\n")
    bad.chmod(0o755)
    variables = environment(tmp_path / "home", TMPDIR=str(temporary), EDITOR=str(bad))
    with Terminal("config", "edit", environment=variables, columns=200) as terminal:
        terminal.wait("Edit again?")
        terminal.type("n\n")
        assert terminal.end() == 1
    assert str(temporary) not in terminal.screen.text
    assert "oneclaw.toml" in terminal.screen.text
