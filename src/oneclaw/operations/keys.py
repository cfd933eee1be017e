"""Keeps, lists and removes the keys of providers and other secrets; no value is ever given back."""

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from oneclaw.core.errors import InvalidConfig, ToolError
from oneclaw.core.text.toml_edit import remove_value, set_value
from oneclaw.guard.files.own_file import change_file
from oneclaw.guard.secret.secrets import Secrets, read_secrets

if TYPE_CHECKING:
    from oneclaw.app import App
    from oneclaw.operations.model_trial import RequestCheck

MOST_CHARS = 4096
SECRET_NAME = re.compile(r"[A-Z][A-Z0-9_]{2,99}\Z")
"""How the name of a secret is told from that of a provider."""


@dataclass(frozen=True, slots=True)
class KeyState:
    """A key, and where it was found: in the environment, the secrets file or the keyring; or nowhere."""

    provider: str
    name: str
    place: str
    file: Path

    @property
    def is_set(self) -> bool:
        return bool(self.place)


def find_key(app: "App", named: str) -> KeyState:
    """The key of a provider, or the secret of this name; raises `InvalidConfig`."""
    if SECRET_NAME.match(named):
        return _state(app, app.catalog.holder(named) or "", named)
    name = app.catalog.provider(named).key
    if not name:
        raise InvalidConfig(
            f"{named} needs no key. If yours does, name its secret first: oneclaw config set"
            f" providers.{named}.key {re.sub('[^A-Z0-9]', '_', named.upper())}_API_KEY"
        )
    return _state(app, named, name)


def list_keys(app: "App") -> tuple[KeyState, ...]:
    """The keys of all providers that need one and the other secrets of the file; those that are set first."""
    listed: list[KeyState] = []
    for provider in app.catalog.providers():
        try:
            name = app.catalog.provider(provider).key
        except InvalidConfig:
            continue
        if name:
            listed.append(_state(app, provider, name))
    known = {state.name for state in listed}
    others = (name for name in read_secrets(app.config.secrets_file) if name not in known)
    listed += [_state(app, "", name) for name in others]
    return tuple(sorted(listed, key=lambda state: (not state.is_set, state.provider == "", state.provider)))


def keep_key(app: "App", named: str, value: str) -> KeyState:
    """Keep a key in the secrets file, which only the owner may read; the value is checked, and never told."""
    state, value = find_key(app, named), value.strip()
    if not value:
        raise InvalidConfig("The key is empty; nothing was kept.")
    if len(value) > MOST_CHARS or not (value.isascii() and value.isprintable()):
        raise InvalidConfig(
            f"This is no key: a key is one line of at most {MOST_CHARS:,} plain characters. Nothing was kept."
        )
    app.redactor.learn(state.name, value)
    read_secrets(state.file)  # raises for a file that others can read, before a key is put into it
    change_file(state.file, lambda text: set_value(text, (state.name,), value))
    return find_key(app, named)


async def test_key(app: "App", provider: str) -> list["RequestCheck"]:
    """Make the six requests of `oneclaw keys test` to a provider; raises `InvalidConfig` without a key."""
    from oneclaw.operations.model_trial import choose_model, try_model

    if app.catalog.provider(provider).key and not find_key(app, provider).is_set:
        raise InvalidConfig(f"{provider} has no key; give it one first.")
    return [check async for check in try_model(app, await choose_model(app, provider))]


def remove_key(app: "App", named: str) -> tuple[KeyState, bool]:
    """Take a key out of the secrets file; gives where it is found after that, and whether it was there."""
    state = find_key(app, named)
    read_secrets(state.file)
    is_gone = state.file.exists() and change_file(state.file, lambda text: remove_value(text, (state.name,)))
    return find_key(app, named), is_gone


def _state(app: "App", provider: str, name: str) -> KeyState:
    file = app.config.secrets_file
    if os.environ.get(name):
        return KeyState(provider, name, "environment", file)
    if name in read_secrets(file):
        return KeyState(provider, name, "secrets file", file)
    try:
        Secrets(file, redactor=app.redactor).lookup(name)
    except ToolError:
        return KeyState(provider, name, "", file)
    return KeyState(provider, name, "keyring", file)
