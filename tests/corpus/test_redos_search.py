"""Patterns that stall a backtracking engine, as the pattern of a search: it ends, and others go on."""

import threading
import time
from pathlib import Path

from tests.corpus.conftest import Judged, Rows, attack_texts

from oneclaw.core.errors import Kind, ToolError
from oneclaw.core.session import Session, Workspace
from oneclaw.core.tool import Context
from oneclaw.tools.search_text import search_text


def test_no_pattern_stalls_the_search_or_others(rows: Rows, tmp_path: Path, judged: Judged) -> None:
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
    try:
        for row in rows("redos"):
            with judged(row["id"]):
                for text in attack_texts(row):
                    (tmp_path / "text").write_text(f"{text}\n{text * 20}\x00\n", encoding="utf-8")
                    for pattern in (
                        row["pattern"],
                        f"^(?:{row['pattern']})+$",
                        f"(?i){row['pattern']}{row['pattern']}",
                    ):
                        began = time.monotonic()
                        check(context, pattern)
                        assert time.monotonic() - began < 10
    finally:
        done.set()
        ticking.join()
    assert longest < 2


def check(context: Context, pattern: str) -> None:
    try:
        said = search_text.execute({"pattern": pattern}, context)
    except ToolError as error:
        assert error.kind is Kind.VALIDATION_ERROR  # noqa: PT017
    else:
        assert "match" in said
