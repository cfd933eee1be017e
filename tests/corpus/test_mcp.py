"""Real MCP tools, served by a stub and imported; real messages, held against the schemas of the protocol."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
from tests.corpus.conftest import Judged, Rows, corpus_folder
from tests.mcp.servers import RAW, config_of, local, opened
from tests.providers.rulebook import broken

from oneclaw.core.tool import NAME
from oneclaw.mcp.client.server_source import McpServerSource
from oneclaw.providers.dialect.convert import DIALECTS, to_dialect


def unique(rows: list[dict[str, Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The rows with a name that no other has: they come from many servers."""
    seen: dict[str, int] = {}
    for row in rows:
        seen[row["name"]] = count = seen.get(row["name"], 0) + 1
        yield (row["name"] if count == 1 else f"{row['name']}.{count}"), row


async def test_every_real_mcp_tool_is_imported_with_its_schema_untouched_and_fits_every_provider(
    rows: Rows, judged: Judged, tmp_path: Path
) -> None:
    found = dict(unique(rows("mcp_tools")))
    listing = tmp_path / "tools.json"
    listing.write_text(
        json.dumps(
            [
                {"name": name, "description": row["description"], "inputSchema": row["inputSchema"]}
                for name, row in found.items()
            ]
        )
    )
    async with opened(config_of(tmp_path, {"stub": local(*RAW, "file", str(listing))})) as app:
        [source] = [one for one in app.sources if isinstance(one, McpServerSource)]
        by_raw = {tool.raw: tool for tool in source.listed}
        assert len({tool.name for tool in by_raw.values()}) == len(found)
        for name, row in found.items():
            with judged(row["id"]):
                tool = by_raw[name]
                assert (tool.state, tool.reason) == ("on", "")
                definition = app.registry.get(tool.name).definition
                assert NAME.match(definition.name)
                assert definition.parameters == row["inputSchema"]
                for dialect in DIALECTS:
                    dialected = to_dialect(definition.parameters, dialect)
                    spoken = "openai" if dialect == "openai_strict" and not dialected.is_strict else dialect
                    assert broken(dialected.schema, spoken) == []


def test_every_real_message_fits_the_schema_of_its_protocol(rows: Rows, judged: Judged) -> None:
    documents: dict[str, Any] = {}
    for row in rows("mcp_messages"):
        with judged(row["id"]):
            spec = row["spec"]
            if spec not in documents:
                text = (corpus_folder() / "oracles" / f"mcp_schema_{spec}.json").read_text()
                documents[spec] = json.loads(text)
            document = {**documents[spec], "$ref": f"#/$defs/{row['type']}"}
            jsonschema_rs.validator_for(document).validate(row["message"])
