"""Patterns that stall a backtracking engine, as the pattern of a search: it ends, and others go on."""

import threading
import time
from pathlib import Path

from tests.corpus.conftest import Rows

from oneclaw.core.errors import Kind, ToolError
from oneclaw.core.session import Session, Workspace
from oneclaw.core.tool import Context
from oneclaw.tools.search_text import search_text


def test_no_pattern_stalls_the_search_or_others(rows: Rows, tmp_path: Path) -> None:
    context = Context(session=Session(workspace=Workspace(tmp_path)))
    done = threading.Event()
    longest = 0.0

    def tick() -> None:
        nonlocal longest
        last = time.monotonic()
        while not done.wait(0.002):
            now = time.monotonic()
            longest, last = max(longest, now - last), now

    ticking = threading.Thread(target=tick)
    ticking.start()
    began = time.monotonic()
    searched = 0
    try:
        for row in rows("redos"):
            given = row.get("attack")
            texts: list[str] = [given] if isinstance(given, str) else list(given or ["a" * 5_000 + "!"])
            for text in texts:
                (tmp_path / "text").write_text(f"{text}\n{text * 20}\x00\n", encoding="utf-8")
                for pattern in (
                    row["pattern"],
                    f"^(?:{row['pattern']})+$",
                    f"(?i){row['pattern']}{row['pattern']}",
                ):
                    searched += answers(context, pattern)
    finally:
        done.set()
        ticking.join()
    assert searched > 30
    assert time.monotonic() - began < 60
    assert longest < 2


def answers(context: Context, pattern: str) -> bool:
    kind = Kind.VALIDATION_ERROR
    try:
        return "match" in search_text.execute({"pattern": pattern}, context)
    except ToolError as error:
        kind = error.kind
    assert kind is Kind.VALIDATION_ERROR
    return False
