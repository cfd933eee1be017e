"""How browsers read addresses: the URL of JavaScript tools reads every row as they do."""

from pathlib import Path

from tests.corpus.conftest import Judged, Rows
from tests.js.conftest import Evaluate
from tests.js.conftest import evaluate as evaluate  # the fixture

PARTS = (
    *("href", "origin", "protocol", "username", "password", "host", "hostname", "port", "pathname"),
    "search",
)


async def test_every_row_is_read_as_browsers_read_it(
    rows: Rows, evaluate: Evaluate, tmp_path: Path, judged: Judged
) -> None:
    body = """
        const names = [...p.parts, 'hash'];
        return p.rows.map(([input, base]) => {
            let url;
            try { url = new URL(input, base ?? undefined) } catch (error) { return error.name }
            const parts = Object.fromEntries(names.map((name) => [name, url[name]]));
            return { ...parts, searchParams: String(url.searchParams), again: new URL(url.href).href };
        });
    """
    known = rows("url_parsing_wpt")
    asked = {"parts": PARTS, "rows": [[row["input"], row["base"]] for row in known]}
    read = await evaluate(body, asked)
    for row, parts in zip(known, read, strict=True):
        with judged(row["id"]):
            if row.get("failure"):
                assert parts == "TypeError"
                continue
            assert parts["again"] == parts["href"]
            for name in (*PARTS, "hash", "searchParams"):
                assert name not in row or parts[name] == row[name], (name, parts)
