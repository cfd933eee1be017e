"""Schemas that providers refused in the wild are found before they are sent."""

from tests.corpus.conftest import Rows

from oneclaw.core.make.portable import lint

HARMLESS = ("property named", "properties named", "literal objects")
"""Schemas every provider takes; it was the cleaning on the way that broke them."""


def test_what_a_provider_refused_is_found_for_that_provider(rows: Rows) -> None:
    for row in rows("provider_schema_rejections"):
        findings = lint(row["schema"], row["tool_name"] or "")
        refusing = {who for finding in findings for who in finding.providers}

        is_harmless = row["rule"].startswith(HARMLESS)
        assert (row["provider"] in refusing) != is_harmless, (row["rule"], findings)
