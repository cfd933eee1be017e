"""A program that embeds OneClaw through its public modules alone, in under 120 lines."""

from pathlib import Path

from tests.test_public import Ended, imported, is_public, run

SCRIPT = Path(__file__).with_name("embedding.py")


def test_a_program_embeds_everything_through_the_public_modules(tmp_path: Path) -> None:
    code = SCRIPT.read_text(encoding="utf-8")
    assert len(code.splitlines()) < 120
    assert all(map(is_public, imported(code)))
    assert run(code, tmp_path) == Ended(0, "The key was refused.\n")
