"""`oneclaw models`: lists models, tests them and shows prices."""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict

from oneclaw.cli.local_models import ACTIONS, change_models
from oneclaw.cli.opened import open_app
from oneclaw.cli.parser import WrongUse, nearest_word, shown
from oneclaw.cli.terminal import STATE, console, is_terminal, print_json, print_line, print_table
from oneclaw.operations.models import ModelList, ModelState, check_models, list_models

LEAST_COLUMNS = 76
SMALL = "A small model gets a few tools only; --all lists them."
FOLDED = "A provider without a key is one line: `oneclaw keys set PROVIDER` keeps a key; --all lists all."


async def run(arguments: argparse.Namespace) -> int:
    if arguments.provider in ACTIONS[1:]:
        return await change_models(arguments)
    if arguments.provider == ACTIONS[0]:
        arguments.provider, arguments.file = arguments.file, None
    if arguments.file or arguments.name:
        meant = nearest_word(arguments.provider or "", ACTIONS)
        hint = f"`oneclaw models` has no action {shown(arguments.provider or '')}.{meant}" if meant else ""
        raise WrongUse(hint or "a file goes with add: oneclaw models add FILE.gguf --name NAME")
    async with open_app(arguments).looking() as app:
        listed = list_models(app, arguments.provider)
    if arguments.check:
        async with open_app(arguments) as app:
            listed = await check_models(app, listed)
    if arguments.json:
        models = [asdict(model) for model in listed.models]
        print_json({"date": listed.date, "small_tools": listed.small_tools, "models": models})
    else:
        show(listed, arguments.check, is_whole=arguments.all or bool(arguments.provider))
    return 1 if any(model.answers is False for model in listed.models if arguments.provider) else 0


def show(listed: ModelList, is_checked: bool, *, is_whole: bool) -> None:
    """Print the models; unless `is_whole`, a provider without a key is one line."""
    rows = listed.models if is_whole else [row for row in listed.models if not is_folded(row)]
    folded = [] if is_whole else [row for row in listed.models if is_folded(row)]
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
    for provider, count in Counter(row.provider for row in folded).items():
        key = next(row.key for row in folded if row.provider == provider)
        table.append(
            ("✗", f"{provider}/… ({count} models)" if count > 1 else f"{provider}/…", "", "", "", "", key)
        )
    # On a narrow screen the mark must do for the key: a number cut short would be another number.
    shown = len(heads) - (is_terminal(sys.stdout) and console().width < LEAST_COLUMNS)
    styles = (STATE, "bold", "", "", "", "dim", "dim")
    print_table(heads[:shown], [row[:shown] for row in table], styles[:shown], wrapped=0)
    for provider in dict.fromkeys(row.provider for row in rows if row.problem):
        problem = next(row.problem for row in rows if row.provider == provider and row.problem)
        is_named = problem.startswith(f"{provider} ")
        print_line(problem if is_named else f"{provider}: {problem}", "red", sys.stderr)
    marks = "✓ answers, ✗ does not" if is_checked else "✓ key found, ✗ no key, … needs none: --check asks it"
    said = (
        f"\n{marks}.",
        *([FOLDED] if folded else []),
        f"Prices in US dollars for a million tokens, of {listed.date}; set your own with input_price and"
        ' output_price below [models."provider/model"].',
        *(tool_lines(listed, rows) if is_whole else [SMALL] if any(row.is_small for row in rows) else []),
    )
    for line in said:
        print_line(line, "dim", sys.stderr)


def tool_lines(listed: ModelList, rows: Sequence[ModelState]) -> Iterator[str]:
    """The tools that small models get."""
    yield f"A small model gets these tools only (models.small_tools): {', '.join(listed.small_tools)}."
    for row in rows:
        if row.tools:
            yield f"{row.model} gets these tools in place of those: {', '.join(row.tools)}."


def is_folded(row: ModelState) -> bool:
    return bool(row.key) and not row.is_set and not row.is_default


def mark_of(row: ModelState) -> str:
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
