"""Named secrets: where they come from, and what is said when one is missing."""

import os
import sys
from pathlib import Path

import pytest

from oneclaw.core.errors import InvalidConfig, ToolError
from oneclaw.guard.secret.redactor import SecretRedactor
from oneclaw.guard.secret.secrets import Secrets, read_secrets, secret_variables

VALUE = "Zq8-correct-horse"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "secrets.toml"
    path.write_text(f'WEATHER_KEY = "{VALUE}"\n"mail.password" = "p4ss wörd"\n')
    path.chmod(0o600)
    return path


def secrets(file: Path | None = None, **environment: str) -> Secrets:
    return Secrets(file, environment, use_keyring=False)


# ---------------------------------------------------------------------- lookup


def test_a_secret_comes_from_the_environment_first(file: Path) -> None:
    assert secrets(file, WEATHER_KEY="from-environment").lookup("WEATHER_KEY") == "from-environment"


def test_a_secret_comes_from_the_file(file: Path) -> None:
    assert secrets(file).lookup("WEATHER_KEY") == VALUE
    assert secrets(file).lookup("mail.password") == "p4ss wörd"


def test_a_tool_is_given_what_it_declared_and_nothing_else(file: Path) -> None:
    given = secrets(file, OTHER="not declared").given(["WEATHER_KEY"])
    assert given == {"WEATHER_KEY": VALUE}


def test_a_missing_secret_says_where_to_put_it(file: Path) -> None:
    with pytest.raises(ToolError) as caught:
        secrets(file).lookup("MAPS_KEY")
    assert str(caught.value) == (
        "The secret MAPS_KEY is not set: set the environment variable MAPS_KEY,"
        " or keep it with `oneclaw keys set MAPS_KEY`."
    )
    with pytest.raises(ToolError, match=r"set the environment variable MAPS_KEY\.$"):
        secrets().lookup("MAPS_KEY")


def test_an_empty_value_is_a_missing_one() -> None:
    with pytest.raises(ToolError, match="is not set"):
        secrets(MAPS_KEY="").lookup("MAPS_KEY")


def test_a_secret_written_down_later_is_found(tmp_path: Path) -> None:
    file = tmp_path / "secrets.toml"
    asked = secrets(file)
    with pytest.raises(ToolError):
        asked.lookup("LATE")
    file.touch(mode=0o600)
    file.write_text('LATE = "here it is now"')
    assert asked.lookup("LATE") == "here it is now"
    assert asked.redactor.redact("here it is now") == "[redacted:LATE]"


def test_what_is_looked_up_is_taken_out_from_then_on() -> None:
    asked = secrets(PIN_OF_SAFE="blue-42-moon")
    assert asked.redactor.redact("blue-42-moon") == "blue-42-moon"
    asked.lookup("PIN_OF_SAFE")
    assert asked.redactor.redact("it is blue-42-moon.") == "it is [redacted:PIN_OF_SAFE]."


def test_all_of_the_file_is_taken_out_from_the_start(file: Path) -> None:
    redactor = SecretRedactor()
    Secrets(file, {}, redactor, use_keyring=False)
    assert redactor.redact(f"{VALUE}, p4ss wörd") == "[redacted:WEATHER_KEY], [redacted:mail.password]"


KEYRING = """
import os
def get_password(service, name):
    if os.environ.get("KEYRING_IS_LOCKED"):
        raise RuntimeError("no backend")
    return {("oneclaw", "IN_RING"): "from the ring"}.get((service, name))
"""


def test_a_secret_comes_from_the_keyring_last(
    tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "keyring.py").write_text(KEYRING)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.setitem(sys.modules, "keyring", None)  # so that it is gone in the end
    del sys.modules["keyring"]
    asked = Secrets(file, {})
    assert asked.lookup("IN_RING") == "from the ring"
    assert asked.redactor.redact("from the ring") == "[redacted:IN_RING]"
    assert Secrets(file, {"IN_RING": "nearer"}).lookup("IN_RING") == "nearer"
    with pytest.raises(ToolError, match="is not set"):
        secrets(file).lookup("IN_RING")
    monkeypatch.setenv("KEYRING_IS_LOCKED", "1")
    with pytest.raises(ToolError, match="is not set"):
        asked.lookup("OTHER")


def test_without_a_keyring_a_missing_secret_is_just_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "keyring", None)
    with pytest.raises(ToolError, match="is not set"):
        Secrets(None, {}).lookup("X")


# ---------------------------------------------------------------------- the file


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o644, 0o660, 0o602])
def test_a_file_that_others_can_read_or_write_is_refused(file: Path, mode: int) -> None:
    file.chmod(mode)
    with pytest.raises(InvalidConfig) as caught:
        secrets(file)
    assert str(caught.value) == f"The secrets file {file} can be read by others; run: chmod 600 {file}"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_file_of_another_user_is_refused(file: Path) -> None:
    # Root may read root's own files; another user's file is not trusted even by root.
    os.chown(file, 65534, 65534)
    with pytest.raises(InvalidConfig, match="belongs to another user"):
        secrets(file)


def test_a_missing_file_holds_no_secrets(tmp_path: Path) -> None:
    assert read_secrets(tmp_path / "none.toml") == {}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b'KEY = "hush-hush-42', "is not TOML"),
        (b"KEY = hush-hush-42", "at line 1, column 7"),
        (b"KEY = 4242424242", "'KEY' in .* is not a text"),
        (b'KEY = ["hush-hush-42"]', "'KEY' in .* is not a text"),
        (b'[table]\nKEY = "hush-hush-42"', "'table' in .* is not a text"),
        (b'KEY = ""', "'KEY' in .* is not a text"),
        (b'KEY = "hush-hush-42\xff"', "it is not UTF-8"),
        (b"#" * (1 << 20) + b"##", "larger than 1 MB"),
    ],
)
def test_a_file_that_is_wrong_is_refused_without_showing_what_it_holds(
    file: Path, content: bytes, said: str
) -> None:
    file.write_bytes(content)
    with pytest.raises(InvalidConfig, match=said) as caught:
        secrets(file)
    assert str(file) in str(caught.value)
    assert "hush" not in str(caught.value)
    assert "4242" not in str(caught.value)


def test_a_pipe_in_place_of_the_file_does_not_hang(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe", 0o600)
    with pytest.raises(InvalidConfig, match="not a plain file"):
        read_secrets(tmp_path / "pipe")


def test_a_folder_in_place_of_the_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidConfig):
        read_secrets(tmp_path)


# ---------------------------------------------------------------------- the environment


@pytest.mark.parametrize(
    "name",
    [
        *("OPENAI_API_KEY", "GITHUB_TOKEN", "CLIENT_SECRET", "DB_PASSWORD", "PGPASSWORD"),
        *("AWS_ACCESS_KEY_ID", "SSH_PASSPHRASE", "stripe_key", "TOKEN", "SECRET_2", "NPM_AUTH"),
    ],
)
def test_a_variable_named_as_a_secret_is_one(name: str) -> None:
    assert secret_variables({name: VALUE}) == {name: VALUE}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PWD", "/home/anna/work-folder"),
        ("SSH_AUTH_SOCK", "/tmp/ssh-agent.sock"),
        ("TOKENIZERS_PARALLELISM", "trueish-value"),
        ("KEYBOARD_LAYOUT", "de-latin1-nodeadkeys"),
        ("MONKEY", "a-long-name-of-one"),
        ("MAX_TOKENS", "200000"),
        ("DB_PASSWORD", "postgres"),
        ("DB_PASSWORD", "short7!"),
        ("TLS_KEY", "/etc"),
        ("EDITOR", "a-fine-editor-1"),
        ("HOMEPAGE", "https://example.org/a:b"),
    ],
)
def test_a_variable_that_is_no_secret_is_left_alone(name: str, value: str) -> None:
    assert secret_variables({name: value}) == {}


def test_a_named_variable_is_a_secret_whatever_it_is_called() -> None:
    assert secret_variables({"LUNCH": "pizza", "B": "x"}, named=["LUNCH", "MISSING"]) == {"LUNCH": "pizza"}


def test_the_password_in_an_address_is_a_secret() -> None:
    found = secret_variables({"DATABASE_URL": "postgres://app:h7-Gx92kQ@db.internal/app"})
    assert found == {"DATABASE_URL": "h7-Gx92kQ"}
    text = "connecting to postgres://app:h7-Gx92kQ@db.internal/app"
    assert (
        SecretRedactor(found).redact(text)
        == "connecting to postgres://app:[redacted:DATABASE_URL]@db.internal/app"
    )


def test_what_is_missing_is_told_without_asking_the_keyring(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "keyring.py").write_text("def get_password(service, name): raise SystemExit('asked')\n")
    monkeypatch.setitem(sys.modules, "keyring", None)
    secrets = Secrets(environment={"MAPS_KEY": "m"})
    assert secrets.why_missing(["MAPS_KEY"]) == ""
    assert secrets.why_missing(["MAPS_KEY", "TOWN_KEY"]).startswith("The secret TOWN_KEY is not set")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.delitem(sys.modules, "keyring")
    assert secrets.why_missing(["TOWN_KEY"]) == "", "the keyring may have it"
