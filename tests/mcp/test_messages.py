"""What the client sends is valid by the schema of the protocol, as far as the schema is at hand."""

import json
import sys
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from tests.corpus.conftest import corpus_folder
from tests.mcp.servers import HERE, call, config_of, local, opened

pytestmark = pytest.mark.slow


async def test_the_messages_of_the_client_fit_the_older_protocol(tmp_path: Path) -> None:
    schema = corpus_folder() / "oracles" / "mcp_schema_2025-11-25.json"
    if not schema.is_file():
        pytest.skip("the schemas of the protocol are not here; name their folder in ONECLAW_CORPUS")
    log = tmp_path / "log"
    script = f"tee -a {log} | {sys.executable} {HERE / 'raw_server.py'}"
    server = local("/bin/sh", "-c", script, idle_seconds=0.5)
    async with opened(config_of(tmp_path, {"raw": server})) as app:
        assert (await call(app, "raw_echo", text="hi")).ok
        assert not (await call(app, "raw_hang")).ok
        assert (await call(app, "raw_ask")).ok
    document = json.loads(schema.read_text())
    sent: list[dict[str, Any]] = [json.loads(line) for line in log.read_text().splitlines()]
    methods = {message.get("method") for message in sent}
    assert {"initialize", "notifications/initialized", "tools/list", "tools/call"} <= methods
    assert "notifications/cancelled" in methods
    validators = {
        kind: jsonschema_rs.validator_for({**document, "$ref": f"#/$defs/{kind}"})
        for kind in ("ClientRequest", "ClientNotification", "JSONRPCMessage", "ElicitResult")
    }
    for message in sent:
        if message.get("method") == "server/discover":
            continue  # the question whether the server speaks the newer protocol
        validators["JSONRPCMessage"].validate(message)
        if "method" not in message:
            validators["ElicitResult"].validate(message["result"])
        elif "id" in message:
            validators["ClientRequest"].validate(message)
        else:
            validators["ClientNotification"].validate(message)
