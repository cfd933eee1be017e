"""`oneclaw models`: which there are, whether they answer, what they read and cost; and files of one's own."""

import argparse
import sys
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from oneclaw.app import App
    from oneclaw.providers.catalog import Catalog

EPILOG = """\
Examples:
  oneclaw models                     what is known, and which keys are set
  oneclaw models anthropic           of one provider
  oneclaw models ollama --check      ask the server whether it answers, and which models it has
  oneclaw models add FILE.gguf       run a model file of your own; --name calls it what you like
  oneclaw models remove NAME         take it off the list; the file stays

A key is set by its name: export ANTHROPIC_API_KEY=…, or a line in the secrets file.
The model that answers unless another is named: models.default = "provider/model" in the settings.
"""
ANY = "…"
"""Stands for the models of a provider that no table lists."""
SHOWN_MODELS = 50
LEAST_COLUMNS = 76


@dataclass(frozen=True, slots=True)
class Row:
    """A model, or a provider whose models no table lists (`ollama/…`).

    key       the name of the secret that holds the key; empty where none is needed
    is_set    whether the key was found, or none is needed
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


def configure(parser: argparse.ArgumentParser) -> None:
    from oneclaw.cli.completion import provider_names

    provider = parser.add_argument(
        "provider", nargs="?", metavar="PROVIDER", help="of this provider only; or list, add, remove"
    )
    provider.completer = provider_names  # pyright: ignore[reportAttributeAccessIssue]
    parser.add_argument("file", nargs="?", metavar="FILE", help="for add, a GGUF file; for remove, a name")
    parser.add_argument("--name", help="for add: what to call it")
    parser.add_argument(
        "--check", action="store_true", help="ask the providers that are set up, 5 seconds at most"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


async def run(arguments: argparse.Namespace) -> int:
    from oneclaw.cli.local_models import ACTIONS, change_models
    from oneclaw.cli.opened import open_app
    from oneclaw.cli.terminal import print_json

    if arguments.provider in ACTIONS[1:]:
        return await change_models(arguments)
    if arguments.provider == ACTIONS[0]:
        arguments.provider, arguments.file = arguments.file, None
    if arguments.file or arguments.name:
        print("oneclaw: a file goes with add: oneclaw models add FILE.gguf --name NAME", file=sys.stderr)
        return 2
    async with open_app(arguments).looking() as app:
        if arguments.provider is not None:
            app.catalog.provider(arguments.provider)  # raises for one that nobody described
        rows = [row for row in list_rows(app) if arguments.provider in (None, row.provider)]
        catalog = app.catalog
    if arguments.check:
        rows = await check(arguments, rows)
    if arguments.json:
        models = [asdict(row) for row in rows]
        print_json({"date": catalog.date, "small_tools": catalog.small_tools, "models": models})
    else:
        show(rows, catalog, arguments.check)
    return 1 if any(row.answers is False for row in rows if arguments.provider) else 0


def list_rows(app: "App") -> list[Row]:
    """A row for each model that is known, and one for each provider without any."""
    catalog = app.catalog
    is_set = keys_set(app)
    known = catalog.known_models()
    default = catalog.default
    if default is not None and default not in known:
        known = (*known, default)
    listed = {name.partition("/")[0] for name in known}
    rows = [row_of(catalog, name, is_set, default) for name in known]
    rows += [
        row_of(catalog, f"{name}/{ANY}", is_set, default)
        for name in catalog.providers()
        if name not in listed
    ]
    return sorted(rows, key=lambda row: (not row.is_default, not row.is_set, row.model))


def row_of(catalog: "Catalog", name: str, is_set: dict[str, bool], default: str | None) -> Row:
    from oneclaw.core.errors import InvalidConfig

    provider = name.partition("/")[0]
    try:
        key = catalog.provider(provider).key or ""
    except InvalidConfig as error:
        return Row(name, provider, "", False, is_default=name == default, problem=str(error))
    row = Row(name, provider, key, is_set[key] if key else True, is_default=name == default)
    if name.endswith(f"/{ANY}"):
        return row
    model = catalog.model(name)
    if model.price is not None:
        row = replace(row, input_price=model.price.input, output_price=model.price.output)
    return replace(row, window=model.window, is_small=model.is_small)


def keys_set(app: "App") -> dict[str, bool]:
    """The keys by name, and whether each can be found; their values are looked at nowhere."""
    from oneclaw.core.errors import InvalidConfig, ToolError
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


async def check(arguments: argparse.Namespace, rows: list[Row]) -> list[Row]:
    """Ask each provider that is set up, all at once; a server without a table tells its models."""
    import asyncio

    from oneclaw.cli.opened import open_app
    from oneclaw.core.errors import OneClawError

    async with open_app(arguments) as app:
        providers = app.runs.providers
        names = sorted({row.provider for row in rows if row.is_set})

        async def ask(name: str) -> list[str] | str:
            try:
                return await providers.list_models(name)
            except OneClawError as error:
                return str(error)

        answers = dict(zip(names, await asyncio.gather(*map(ask, names)), strict=True))
    checked: list[Row] = []
    for row in rows:
        answer = answers.get(row.provider)
        if isinstance(answer, str):
            checked.append(replace(row, answers=False, problem=answer))
        elif answer is None:
            checked.append(row)
        elif row.model.endswith(f"/{ANY}") and answer:
            for each in answer[:SHOWN_MODELS]:
                model = row_of(app.catalog, f"{row.provider}/{each}", {row.key: True}, None)
                checked.append(replace(model, answers=True))
        else:
            checked.append(replace(row, answers=True))
    return checked


def show(rows: list[Row], catalog: "Catalog", is_checked: bool) -> None:
    from oneclaw.cli.terminal import STATE, console, is_terminal, print_line, print_table

    heads = ("", "MODEL", "WINDOW", "IN", "OUT", "", "KEY")
    table = [
        (
            mark_of(row),
            row.model + (" (default)" if row.is_default else ""),
            tokens_text(row.window),
            price_text(row.input_price),
            price_text(row.output_price),
            "small" if row.is_small else "",
            row.key or "no key needed",
        )
        for row in rows
    ]
    # On a narrow screen the mark must do for the key: a number cut short would be another number.
    shown = len(heads) - (is_terminal(sys.stdout) and console().width < LEAST_COLUMNS)
    styles = (STATE, "bold", "", "", "", "dim", "dim")
    print_table(heads[:shown], [row[:shown] for row in table], styles[:shown], wrapped=0)
    for provider in dict.fromkeys(row.provider for row in rows if row.problem):
        problem = next(row.problem for row in rows if row.provider == provider and row.problem)
        print_line(f"{provider}: {problem}", "red", sys.stderr)
    marks = "✓ answers, ✗ does not" if is_checked else "✓ key found, ✗ no key, … needs none: --check asks it"
    said = (
        f"\n{marks}.",
        f"Prices in US dollars for a million tokens, of {catalog.date}; set your own with input_price and"
        ' output_price below [models."provider/model"].',
        f"A small model gets these tools only (models.small_tools): {', '.join(catalog.small_tools)}.",
        *(
            f"{row.model} gets the tools it was trained on: {', '.join(tools)}."
            for row in rows
            if row.provider == "local" and (tools := catalog.model(row.model).tools)
        ),
    )
    for line in said:
        print_line(line, "dim", sys.stderr)


def mark_of(row: Row) -> str:
    if row.answers is None and not row.key and not row.problem:
        return "…"
    is_good = row.is_set if row.answers is None else row.answers
    return "✓" if is_good else "✗"


def tokens_text(tokens: int | None) -> str:
    if tokens is None:
        return ""
    if tokens >= 1_000_000:
        return f"{tokens / 1_000_000:.3g}M"
    return f"{tokens / 1_000:.3g}K"


def price_text(price: float | None) -> str:
    return "" if price is None else f"{price:.2f}" if price >= 0.1 or not price else f"{price:.3f}"
