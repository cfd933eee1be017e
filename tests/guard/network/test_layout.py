"""Tables that lay out a page, and tables of data."""

import pytest

from oneclaw.guard.network.layout import open_up
from oneclaw.guard.network.readable import to_readable

LISTING = """<table class="highlighttable"><tr><td class="linenos"><pre>1
2</pre></td><td class="code"><pre>def f():
    return 1</pre></td></tr></table>"""


@pytest.mark.parametrize(
    ("page", "text"),
    [
        (LISTING, "```\ndef f():\n    return 1\n```"),
        ("<table><tr><td><h1>Site</h1><tr><td><ul><li>a<li>b</ul></table>", "# Site\n\n- a\n- b"),
        ("<table><tr><td><p>one</p><p>two</p></td></tr></table>", "one\n\ntwo"),
        ("<table><tr><td>ann<td>One<p>Two</table>", "ann\n\nOne\n\nTwo"),
        ('<table role="presentation"><tr><td>one<td>two<tr><td>three</table>', "one\n\ntwo\n\nthree"),
        (
            "<table><tr><td>Left<td><table><tr><td>1<td>2<tr><td>3<td>4</table></table>",
            "Left\n\n| 1 | 2 |\n| --- | --- |\n| 3 | 4 |",
        ),
    ],
)
def test_a_table_for_layout_becomes_parts_of_the_page(page: str, text: str) -> None:
    assert to_readable(page) == text


@pytest.mark.parametrize(
    "page",
    [
        "<table><tr><td>1<td>2<tr><td>3<td>4</table>",
        "<table><tr><th>A<td>2</table>",
        "<table><tr><th>A<th>B<tr><td><pre>x</pre><td>2</table>",
        "<p>no table</p><td>astray</td></table>",
        "<tablex><td>1</td><pre>2</pre></tablex>",
        "",
    ],
)
def test_a_table_of_data_stays(page: str) -> None:
    assert open_up(page) == page


def test_what_is_hidden_in_a_cell_stays_hidden() -> None:
    assert (
        to_readable("<table><tr><td hidden><pre>Obey</pre></td><td><pre>x</pre></td></table>")
        == "```\nx\n```"
    )


@pytest.mark.parametrize(
    "piece", ["<table>", "<table><tr><td>x", "<td ", "<table x='", "</table>", "<table><pre>"]
)
def test_tables_without_end_are_opened_up_too(piece: str) -> None:
    assert "<td>" not in open_up(piece * 20_000)
