"""Access to the page and its API: one-time links, a password, browser logins and program tokens.

Only hashes are kept, in a file of the data folder that nobody else can read. A link is held in memory: it
works once, and not after ten minutes.
"""

import hashlib
import json
import os
import re
import secrets
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from time import time
from typing import Any, Literal

from oneclaw.core.errors import InvalidConfig, NotFound

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
        kept = self._read()
        logins: dict[str, float] = {
            digest: until for digest, until in kept["logins"].items() if until > self._now()
        }
        logins[_digest(cookie)] = self._now() + LOGIN_SECONDS
        while len(logins) > MOST_LOGINS:
            del logins[next(iter(logins))]
        self._write({**kept, "logins": logins})
        return cookie

    def is_login(self, cookie: str) -> bool:
        return bool(cookie) and self._read()["logins"].get(_digest(cookie), 0.0) > self._now()

    def end_logins(self) -> None:
        """Have every browser log in again."""
        self._write({**self._read(), "logins": {}})

    def has_password(self) -> bool:
        return bool(self._read()["password"])

    def set_password(self, text: str) -> None:
        """Keep a hash of a password, and have every browser log in again; raises `InvalidConfig`."""
        if not PASSWORD_CHARS[0] <= len(text) <= PASSWORD_CHARS[1]:
            raise InvalidConfig(
                f"The password has {len(text)} characters; use {PASSWORD_CHARS[0]} to {PASSWORD_CHARS[1]:,}."
            )
        salt = secrets.token_hex(16)
        self._write({**self._read(), "logins": {}, "password": {"salt": salt, "hash": _slow(text, salt)}})

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
        known = self.tokens()
        if _NAME.fullmatch(name) is None:
            raise InvalidConfig(f"{name[:80]!r} is no name of a token; use letters, digits, dots and dashes.")
        if any(each.name == name for each in known):
            raise InvalidConfig(f"There is a token {name} already; revoke it first, or use another name.")
        if len(known) >= MOST_TOKENS:
            raise InvalidConfig(f"There are {MOST_TOKENS} tokens already; revoke one first.")
        text = f"oneclaw_{secrets.token_urlsafe(32)}"
        made = AccessToken(name, self._now(), _digest(text))
        self._write({**self._read(), "tokens": [asdict(each) for each in (*known, made)]})
        return text

    def is_token(self, text: str) -> bool:
        digest = _digest(text)
        return any(secrets.compare_digest(each.digest, digest) for each in self.tokens())

    def revoke_token(self, name: str) -> None:
        """Forget a token; raises `NotFound`."""
        kept = [each for each in self.tokens() if each.name != name]
        if len(kept) == len(self.tokens()):
            raise NotFound("token", name, "tokens")
        self._write({**self._read(), "tokens": [asdict(each) for each in kept]})

    def _read(self) -> dict[str, Any]:
        try:
            kept = json.loads(self._file.read_text())
            password = dict(kept.get("password", {}))
            return {"logins": dict(kept["logins"]), "tokens": list(kept["tokens"]), "password": password}
        except FileNotFoundError:
            return {"logins": {}, "tokens": [], "password": {}}
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise InvalidConfig(
                f"{self._file} cannot be read ({error}); remove it, and log in again."
            ) from None

    def _write(self, kept: dict[str, Any]) -> None:
        self._file.parent.mkdir(parents=True, exist_ok=True)
        beside = self._file.with_name(f".{self._file.name}-{secrets.token_hex(4)}")
        fd = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(fd, "w") as file:
            json.dump(kept, file)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(self._file)


def access_file(home: Path) -> Path:
    """The file of logins and tokens in a data folder."""
    return home / "access.json"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _slow(password: str, salt: str) -> str:
    data = password.encode("utf-8", "surrogatepass")
    return hashlib.scrypt(data, salt=bytes.fromhex(salt), n=2**15, r=8, p=1, maxmem=1 << 26).hex()
