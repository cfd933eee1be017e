"""Bytes of others, right and wrong UTF-8, as the output of a command: decoded as everybody decodes them."""

import re
from pathlib import Path
from typing import Any

from tests.corpus.conftest import Judged, Rows
from tests.sandboxes import skip_without

from oneclaw.core.session import Session, Workspace
from oneclaw.core.tool import Context
from oneclaw.run.shell.output import CHARS, StreamOutput
from oneclaw.run.shell.session import ShellCommand
from oneclaw.run.shell.shells import Shells, ShellSetup

HOLDS = re.compile("[\0\ufffd]")
"""A row with one of these is binary, or has already what a broken character becomes."""


def wanted(row: dict[str, Any]) -> str:
    return bytes.fromhex(row.get("replaced") or row["hex"]).decode()


async def test_what_a_command_writes_is_decoded_as_everybody_decodes_it(
    rows: Rows, tmp_path: Path, judged: Judged
) -> None:
    skip_without("bubblewrap")
    shells = Shells(ShellSetup(tmp_path / "home"))
    context = Context(session=Session("one", workspace=Workspace(tmp_path)))
    every = rows("utf8_bytes")
    try:
        for row in every:
            with judged(row["id"]):
                (tmp_path / "data").write_bytes(bytes.fromhex(row["hex"]))
                outcome = await shells.run(context, ShellCommand("cat data; cat data data >&2", 60.0))
                assert outcome.out.text == wanted(row)
                assert outcome.err.text == (bytes.fromhex(row["hex"]) * 2).decode("utf-8", "replace")
    finally:
        await shells.close()


def test_a_cut_in_the_middle_of_any_character_leaves_no_broken_one(rows: Rows, judged: Judged) -> None:
    valid = [row for row in rows("utf8_bytes") if row["kind"] == "valid" and not HOLDS.search(wanted(row))]
    for row in valid:
        with judged(row["id"]):
            character = bytes.fromhex(row["hex"])
            for shift in range(len(character)):
                output = StreamOutput()
                data = b"x" * shift + character * (800_000 // len(character))
                for start in range(0, len(data), 65_537):
                    output.add(data[start : start + 65_537])
                made = output.text()
                assert made.is_cut
                assert len(made.text) <= CHARS
                assert "\ufffd" not in made.text
