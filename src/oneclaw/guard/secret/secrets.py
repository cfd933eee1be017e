"""Finds secrets in the environment, an owner-only file or the system keyring.

A tool is given the secrets it declared and no others. Whatever is read here is told to the redactor first.
"""

import os
import re
import stat
import tomllib
from collections.abc import Iterable, Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from oneclaw.core.errors import InvalidConfig, ToolError
from oneclaw.guard.secret.redactor import SecretRedactor

KEYRING_SERVICE = "oneclaw"
_MOST_BYTES = 1 << 20

# The last words of a variable's name that say "secret". Not PWD, which is a folder.
_SECRET_NAME = re.compile(
    r"(?:^|_)(?:KEYS?|APIKEYS?|TOKENS?|SECRETS?|AUTH|PASSWORD|PASSWD|PASSPHRASE|PASS|CREDENTIALS?|PAT|COOKIE|DSN)"
    r"(?:_(?:ID|VALUE|BASE64|B64|OLD|NEW|\d+))?$|PASSWORD",
    re.IGNORECASE,
)
_PASSWORD_IN_URL = re.compile(r"://[^/:@\s]*:([^/@\s]+)@")
_LEAST_CHARS = 8
_LONG_CHARS = 16


class Secrets:
    """Looks up secrets by name: first the environment, then the file, then the keyring.

    A file that others can read is refused at once. One that is missing may come later: it is looked for again
    whenever a name is not found.
    """

    def __init__(
        self,
        file: Path | None = None,
        environment: Mapping[str, str] | None = None,
        redactor: SecretRedactor | None = None,
        use_keyring: bool = True,
    ) -> None:
        self.redactor = redactor or SecretRedactor()
        self._file = file
        self._environment = os.environ if environment is None else environment
        self._use_keyring = use_keyring
        self._filed = self._read_file()

    def lookup(self, name: str) -> str:
        """The value of a secret; raises `ToolError` that says where to put one that is missing."""
        value = self._environment.get(name) or self._filed.get(name)
        if not value:
            self._filed = self._read_file()
            value = self._filed.get(name) or (_from_keyring(name) if self._use_keyring else None)
        if not value:
            raise ToolError(self._unset(name))
        self.redactor.learn(name, value)
        return value

    def why_missing(self, names: Iterable[str]) -> str:
        """Which of the secrets is not set, and where to put it; empty when they are or a keyring may tell.

        The keyring itself is not asked: it may ask a person, and this is for looking.
        """
        for name in names:
            if not (self._environment.get(name) or self._filed.get(name)):
                self._filed = self._read_file()
                if not self._filed.get(name):
                    return "" if self._use_keyring and find_spec("keyring") is not None else self._unset(name)
        return ""

    def given(self, names: Iterable[str]) -> dict[str, str]:
        """The secrets a tool declared, by name."""
        return {name: self.lookup(name) for name in names}

    def _read_file(self) -> dict[str, str]:
        filed = {} if self._file is None else read_secrets(self._file)
        for name, value in filed.items():
            self.redactor.learn(name, value)
        return filed

    def _unset(self, name: str) -> str:
        said = f"The secret {name} is not set: set the environment variable {name}"
        if self._file is not None:
            said += f", or keep it with `oneclaw keys set {name}`"
        return f"{said}."


def read_secrets(file: Path) -> dict[str, str]:
    """The secrets of a TOML file of `name = "value"` lines; none when there is no file."""
    try:
        text = _read_private(file)
        values = tomllib.loads(text)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise InvalidConfig(
            f"The secrets file {file} cannot be read ({error.strerror}); make it yours."
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        # The text of the error names line and column, never what stands there.
        found = re.search(r"at line \d+, column \d+", str(error))
        why = "it is not UTF-8" if isinstance(error, UnicodeDecodeError) else "at its end"
        why = found[0] if found else why
        raise InvalidConfig(
            f'The secrets file {file} is not TOML ({why}); write lines as NAME = "value".'
        ) from None
    for name, value in values.items():
        if not isinstance(value, str) or not value:
            raise InvalidConfig(
                f'The secret {name!r} in {file} is not a text; write {name} = "value" in quotes.'
            )
    return values


def _read_private(file: Path) -> str:
    # Asked of the open file, so that it cannot be exchanged between the question and the reading.
    descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    with os.fdopen(descriptor, "rb") as opened:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise InvalidConfig(f"The secrets file {file} is not a plain file; name another one.")
        if status.st_uid not in (os.geteuid(), 0):
            raise InvalidConfig(f"The secrets file {file} belongs to another user; make it yours with chown.")
        if stat.S_IMODE(status.st_mode) & 0o077:
            raise InvalidConfig(f"The secrets file {file} can be read by others; run: chmod 600 {file}")
        if status.st_size > _MOST_BYTES:
            raise InvalidConfig(
                f"The secrets file {file} is larger than 1 MB; it should hold names and values."
            )
        return opened.read(_MOST_BYTES).decode()


def _from_keyring(name: str) -> str | None:
    try:
        return import_module("keyring").get_password(KEYRING_SERVICE, name)
    except Exception:  # not installed, no desktop to unlock it, no answer: all the same as not found
        return None


def secret_variables(environment: Mapping[str, str], named: Iterable[str] = ()) -> dict[str, str]:
    """The values of the environment to keep out of sight: those named, and those that look like secrets.

    A variable nobody named counts when its name ends as that of a secret and its value is no common word: at
    least 8 characters, and 16 when they are all small letters. A password in an address counts too.
    """
    chosen = {name: environment[name] for name in named if environment.get(name)}
    for name, value in environment.items():
        if name in chosen:
            continue
        password = _PASSWORD_IN_URL.search(value)
        if password is not None and _is_strong(password[1]):
            chosen[name] = password[1]
        elif _SECRET_NAME.search(name) and _is_strong(value.strip()):
            chosen[name] = value
    return chosen


def _is_strong(value: str) -> bool:
    is_word = value.isalpha() and value.islower()
    is_path = value.startswith("/") and os.path.exists(value)
    return len(value) >= (_LONG_CHARS if is_word else _LEAST_CHARS) and not is_path
