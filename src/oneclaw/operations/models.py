"""Lists and tests models, and resolves an agent's model."""

import asyncio
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from oneclaw.core.errors import InvalidConfig, OneClawError, ToolError

if TYPE_CHECKING:
    from oneclaw.agent.agent import Agent
    from oneclaw.app import App
    from oneclaw.providers.catalog import Catalog

ANY = "…"
"""Stands for the models of a provider that no table lists."""
MOST_MODELS = 50
"""The most models of one server that are listed."""


@dataclass(frozen=True, slots=True)
class ModelState:
    """A model, or a provider whose models no table lists (`ollama/…`).

    key       the name of the secret that holds the key; empty where none is needed
    is_set    whether the key was found, or none is needed
    tools     the tools that a small model gets in place of those for small models
    answers   None: not asked; else whether the provider answered, and `problem` says what was wrong
    """

    model: str
    provider: str
    key: str
    is_set: bool
    window: int | None = None
    input_price: float | None = None
    output_price: float | None = None
    is_small: bool = False
    is_default: bool = False
    answers: bool | None = None
    problem: str = ""
    tools: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelList:
    """Models, those that are set up first.

    date         of the prices, which are in US dollars for a million tokens
    small_tools  the tools that a small model gets
    """

    date: str
    small_tools: tuple[str, ...]
    models: tuple[ModelState, ...]


def model_of(app: "App", agent: "Agent", said: str = "") -> str:
    """The full name of the model that answers first; raises `InvalidConfig` when none is set."""
    from oneclaw.agent.runs import NO_MODEL

    name = said or agent.model or app.catalog.default
    if not name:
        raise InvalidConfig(NO_MODEL)
    return app.catalog.full_name(name)


@dataclass(frozen=True, slots=True)
class DefaultModel:
    """The model that answers where none is named; `key` names the secret it lacks, `near` a known model."""

    model: str
    file: Path
    key: str = ""
    near: str = ""


def set_default(app: "App", file: Path, name: str) -> DefaultModel:
    """Have this model answer where none is named; raises `InvalidConfig` for an unknown provider.

    A model that no table lists is taken: providers bring new ones every week.
    """
    from oneclaw.core.registry import nearest
    from oneclaw.operations.settings_file import set_setting

    model = app.catalog.full_name(name)
    state = _state(app.catalog, model, keys_set(app), None)
    if state.problem:
        raise InvalidConfig(state.problem)
    set_setting(file, "models.default", [model])
    known = [one for one in app.catalog.known_models() if one.startswith(f"{state.provider}/")]
    near = () if model in known else nearest(model, known, most=1)
    return DefaultModel(model, file, "" if state.is_set else state.key, next(iter(near), ""))


def choose_default(app: "App", name: str) -> DefaultModel:
    """`set_default` in the settings file of this app, and for this program at once."""
    from oneclaw.config import settings_file

    made = set_default(app, settings_file(app.config.file), name)
    answer_with(app, made.model)
    return made


def answer_with(app: "App", model: str) -> None:
    """Have a model answer where none is named, in this program only."""
    app.take_up(replace(app.config, values={**app.config.values, "models.default": model}))


def list_models(app: "App", provider: str | None = None) -> ModelList:
    """Each model that is known, and each provider without any; raises `InvalidConfig` for an unknown one."""
    catalog = app.catalog
    if provider is not None:
        catalog.provider(provider)
    is_set, default, known = keys_set(app), catalog.default, catalog.known_models()
    if default is not None and default not in known:
        known = (*known, default)
    listed = {name.partition("/")[0] for name in known}
    bare = [f"{name}/{ANY}" for name in catalog.providers() if name not in listed]
    found = [_state(catalog, name, is_set, default) for name in (*known, *bare)]
    wanted = [model for model in found if provider in (None, model.provider)]
    # First those that can be used by their name now, then servers whose models nobody has asked for.
    wanted.sort(key=lambda one: (not one.is_default, not one.is_set, one.model.endswith(ANY), one.model))
    return ModelList(catalog.date, catalog.small_tools, tuple(wanted))


def keys_set(app: "App") -> dict[str, bool]:
    """The keys by name, and whether each can be found; their values are looked at nowhere."""
    from oneclaw.guard.secret.secrets import Secrets

    secrets = Secrets(app.config.secrets_file, redactor=app.redactor)
    found: dict[str, bool] = {}
    for name in app.catalog.providers():
        try:
            key = app.catalog.provider(name).key
        except InvalidConfig:
            continue
        if key and key not in found:
            try:
                secrets.lookup(key)
                found[key] = True
            except ToolError:
                found[key] = False
    return found


async def check_models(app: "App", listed: ModelList) -> ModelList:
    """Ask each provider that is set up, all at once; a server without a table tells its models."""
    providers, models = app.runs.providers, listed.models
    names = sorted({model.provider for model in models if model.is_set})

    async def ask(name: str) -> list[str] | str:
        try:
            return await providers.list_models(name)
        except OneClawError as error:
            return str(error)

    answers = dict(zip(names, await asyncio.gather(*map(ask, names)), strict=True))
    checked: list[ModelState] = []
    for model in models:
        answer = answers.get(model.provider)
        if isinstance(answer, str):
            checked.append(replace(model, answers=False, problem=answer))
        elif answer is None:
            checked.append(model)
        elif model.model.endswith(f"/{ANY}") and answer:
            told = (f"{model.provider}/{each}" for each in answer[:MOST_MODELS])
            named = (_state(app.catalog, name, {model.key: True}, None) for name in told)
            checked += [replace(each, answers=True) for each in named]
        else:
            checked.append(replace(model, answers=True))
    return replace(listed, models=tuple(checked))


def _state(catalog: "Catalog", name: str, is_set: dict[str, bool], default: str | None) -> ModelState:
    provider = name.partition("/")[0]
    try:
        key = catalog.provider(provider).key or ""
        model = None if name.endswith(f"/{ANY}") else catalog.model(name)
    except InvalidConfig as error:
        return ModelState(name, provider, "", False, is_default=name == default, problem=str(error))
    state = ModelState(name, provider, key, is_set[key] if key else True, is_default=name == default)
    if model is None:
        return state
    if model.price is not None:
        state = replace(state, input_price=model.price.input, output_price=model.price.output)
    return replace(state, window=model.window, is_small=model.is_small, tools=model.tools)
