"""Access to the page and its API: one-time links, a password, browser logins and program tokens.

Only hashes are kept, in a file of the data folder that nobody else can read. A link is held in memory: it
works once, and not after ten minutes.
"""

import hashlib
import json
import re
import secrets
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from time import time
from typing import Any, Literal

from oneclaw.core.errors import InvalidConfig, NotFound
from oneclaw.guard.files.own_file import change_file

LINK_SECONDS = 600.0
LOGIN_SECONDS = 30 * 86_400.0
MOST_LOGINS = 50
MOST_TOKENS = 100
PASSWORD_CHARS = (12, 1_000)
LoginKind = Literal["link", "password", "token"]
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


@dataclass(frozen=True, slots=True)
class AccessToken:
    """A token of a program: its name, when it was made, and the hash of its text."""

    name: str
    created: float
    digest: str


class AccessBook:
    """The logins and tokens of one data folder; every process that reads the file knows the same ones."""

    def __init__(self, file: Path, now: Callable[[], float] = time) -> None:
        self._file = file
        self._now = now
        self._links: dict[str, float] = {}

    def make_link(self) -> str:
        """A secret that a browser exchanges for a login, once."""
        link = secrets.token_urlsafe(24)
        self._links[_digest(link)] = self._now() + LINK_SECONDS
        return link

    def log_in(self, kind: LoginKind, secret: str) -> str | None:
        """The cookie of a new login, for a link that was not used yet, the password or a token."""
        if kind == "link":
            is_right = self._links.pop(_digest(secret), 0.0) >= self._now()
        else:
            is_right = self.is_password(secret) if kind == "password" else self.is_token(secret)
        if not is_right:
            return None
        cookie = secrets.token_urlsafe(32)

        def add(kept: dict[str, Any]) -> None:
            logins = {digest: until for digest, until in kept["logins"].items() if until > self._now()}
            logins[_digest(cookie)] = self._now() + LOGIN_SECONDS
            while len(logins) > MOST_LOGINS:
                del logins[next(iter(logins))]
            kept["logins"] = logins

        self._change(add)
        return cookie

    def is_login(self, cookie: str) -> bool:
        return bool(cookie) and self._read()["logins"].get(_digest(cookie), 0.0) > self._now()

    def end_logins(self) -> None:
        """Have every browser log in again."""
        self._change(lambda kept: kept["logins"].clear())

    def has_password(self) -> bool:
        return bool(self._read()["password"])

    def set_password(self, text: str) -> None:
        """Keep a hash of a password, and have every browser log in again; raises `InvalidConfig`."""
        if not PASSWORD_CHARS[0] <= len(text) <= PASSWORD_CHARS[1]:
            raise InvalidConfig(
                f"The password has {len(text)} characters; use {PASSWORD_CHARS[0]} to {PASSWORD_CHARS[1]:,}."
            )
        salt = secrets.token_hex(16)
        password = {"salt": salt, "hash": _slow(text, salt)}
        self._change(lambda kept: kept.update(logins={}, password=password))

    def is_password(self, text: str) -> bool:
        """Whether this is the password; takes a tenth of a second, so that guessing is slow."""
        kept = self._read()["password"]
        if not kept or len(text) > PASSWORD_CHARS[1]:
            return False
        return secrets.compare_digest(_slow(text, kept["salt"]), kept["hash"])

    def tokens(self) -> list[AccessToken]:
        return [AccessToken(**each) for each in self._read()["tokens"]]

    def make_token(self, name: str) -> str:
        """The text of a new token; it is shown once. Raises `InvalidConfig` for a name that cannot be one."""
        if _NAME.fullmatch(name) is None:
            raise InvalidConfig(f"{name[:80]!r} is no name of a token; use letters, digits, dots and dashes.")
        text = f"oneclaw_{secrets.token_urlsafe(32)}"

        def add(kept: dict[str, Any]) -> None:
            if any(each["name"] == name for each in kept["tokens"]):
                raise InvalidConfig(f"There is a token {name} already; revoke it first, or use another name.")
            if len(kept["tokens"]) >= MOST_TOKENS:
                raise InvalidConfig(f"There are {MOST_TOKENS} tokens already; revoke one first.")
            kept["tokens"].append(asdict(AccessToken(name, self._now(), _digest(text))))

        self._change(add)
        return text

    def is_token(self, text: str) -> bool:
        digest = _digest(text)
        return any(secrets.compare_digest(each.digest, digest) for each in self.tokens())

    def revoke_token(self, name: str) -> None:
        """Forget a token; raises `NotFound`."""

        def remove(kept: dict[str, Any]) -> None:
            left = [each for each in kept["tokens"] if each["name"] != name]
            if len(left) == len(kept["tokens"]):
                raise NotFound("token", name, "tokens")
            kept["tokens"] = left

        self._change(remove)

    def _read(self) -> dict[str, Any]:
        try:
            return self._parse(self._file.read_text())
        except FileNotFoundError:
            return self._parse("")
        except (OSError, UnicodeDecodeError) as error:
            raise self._unreadable(error) from None

    def _parse(self, text: str) -> dict[str, Any]:
        if not text:
            return {"logins": {}, "tokens": [], "password": {}}
        try:
            kept = json.loads(text)
            password = dict(kept.get("password", {}))
            return {"logins": dict(kept["logins"]), "tokens": list(kept["tokens"]), "password": password}
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise self._unreadable(error) from None

    def _unreadable(self, error: Exception) -> InvalidConfig:
        return InvalidConfig(f"{self._file} cannot be read ({error}); remove it, and log in again.")

    def _change(self, edit: Callable[[dict[str, Any]], None]) -> None:
        """Change the file under its lock, so that a login never brings a revoked token back."""

        def change(text: str) -> str:
            kept = self._parse(text)
            edit(kept)
            return json.dumps(kept)

        change_file(self._file, change)


def access_file(home: Path) -> Path:
    """The file of logins and tokens in a data folder."""
    return home / "access.json"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _slow(password: str, salt: str) -> str:
    data = password.encode("utf-8", "surrogatepass")
    return hashlib.scrypt(data, salt=bytes.fromhex(salt), n=2**15, r=8, p=1, maxmem=1 << 26).hex()
