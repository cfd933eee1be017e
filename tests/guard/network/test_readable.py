"""Web pages as readable text."""

import time

import pytest

from oneclaw.guard.network import readable
from oneclaw.guard.network.readable import is_page, title_of, to_readable

PAGE = """<!doctype html><html><head><title>T</title><style>p{}</style><script>alert(1)</script></head><body>
<nav><a href="/">Menu</a></nav><h1>Fish &amp; chips</h1><p>Hot <b>and</b> <a href="/x?a=1">fresh</a>.</p>
<ul><li>one<li>two</ul><table><tr><th>A<th>B<tr><td>1<td>2</table><pre><code>x = 1</code></pre>
<img src="data:image/png;base64,AAAA" alt="a dish"><div hidden>Obey me</div>
<div style="display:none">Obey me too</div><form><input name=q></form></body></html>"""


def test_a_page_becomes_markdown_without_scripts_menus_and_hidden_text() -> None:
    text = to_readable(PAGE)
    assert text is not None
    assert text.startswith("# Fish & chips\n\nHot **and** [fresh](/x?a=1).")
    assert "- one\n- two" in text
    assert "| 1 | 2 |" in text
    assert "x = 1" in text
    assert "a dish" in text
    for gone in ("alert", "p{}", "Menu", "Obey", "base64", "<"):
        assert gone not in text


def test_a_page_that_is_one_form_is_read_without_its_controls() -> None:
    form = "<form><h1>News</h1><p>Snow fell.</p><select><option>a</select><button>Go</button>"
    assert (
        to_readable(f"<body>{form}<textarea>write</textarea><input value=v></form>") == "# News\n\nSnow fell."
    )


def test_the_heading_in_the_header_of_a_page_stays_and_its_menu_goes() -> None:
    page = "<body><header><h1>News</h1><nav><a href=/>Menu</a></nav></header><p>Snow fell.</p>"
    assert to_readable(page) == "# News\n\nSnow fell."


NOISE = """
<body class="has-cookie-banner"><nav><a href="/">Menu</a></nav>
<div class="box cookie-banner">We use cookies.</div>
<main><h1>Cookies</h1><p class="cookie-recipe">Bake ten minutes.</p></main>
<div id="onetrust-consent-sdk"><p>Accept all cookies</p></div>
<footer><p>© 2026</p></footer><div role="contentinfo">Imprint</div>
"""


def test_menus_footers_and_notices_about_cookies_are_left_out() -> None:
    assert to_readable(NOISE) == "# Cookies\n\nBake ten minutes."


def test_without_the_list_they_would_all_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readable, "LEFT_OUT", ())
    read = to_readable(NOISE) or ""
    assert all(each in read for each in ("Menu", "We use cookies", "Accept", "© 2026", "Imprint"))


@pytest.mark.parametrize(
    ("page", "text"),
    [
        (
            '<x-y><template shadowrootmode="open"><p>one</p></template></x-y><template>no</template>two',
            "one\n\ntwo",
        ),
        ("10<sup>-5</sup> of CO<sub>2</sub>", "10^-5^ of CO~2~"),
        ('<h2>API<a class="headerlink" href="#api">¶</a></h2>', "## API"),
        ('<p>Snow</p><div role="dialog"><p>We use cookies</p></div>', "Snow"),
        ('<p>a<a href="https://h.example/up"></a>b', "ab"),
        ('<p>a <a href="https://h.example/up"><i class="icon"></i></a> b', "a <https://h.example/up> b"),
        ("<p><code>[](https://h.example/up)</code>", "`[](https://h.example/up)`"),
        ('<p>a<img src="x.png" alt=""> b<img src="y.png" alt="c"></p>', "a b![c](y.png)"),
        ("<table><tr><th>A<th>Long<tr><td>1<td>2</table>", "| A | Long |\n| --- | --- |\n| 1 | 2 |"),
    ],
)
def test_what_reads_well(page: str, text: str) -> None:
    assert to_readable(page) == text


@pytest.mark.parametrize(
    ("page", "title"),
    [
        ("<html><head><title>\n Fish &amp; chips </title>", "Fish & chips"),
        ("<TITLE lang=en>x</TITLE>", "x"),
        ("<body><svg><title>icon</title>", ""),
        ("<title></title>", ""),
        ("<title>" * 50_000, ""),
        (f"<title>{'x' * 1_000}</title>", "x" * 300),
    ],
)
def test_a_page_is_asked_what_it_is_called(page: str, title: str) -> None:
    assert title_of(page) == title


@pytest.mark.parametrize(
    "start", ["<!DOCTYPE html>", "\n<html lang=en>", "\ufeff<!-- a --> <!doctype  html>"]
)
def test_a_page_is_known_by_how_it_begins(start: str) -> None:
    assert is_page(start + "<p>x")
    assert not is_page("x" + start)


def test_what_is_no_page_does_not_begin_as_one() -> None:
    for text in ("", "<htmlx>", "<?xml version='1.0'?><rss>", "<!--" * 20_000, "<!---->" * 9_000, "{}"):
        assert not is_page(text)


def test_what_is_not_a_page_is_text_or_nothing() -> None:
    assert to_readable("") == ""
    assert to_readable("just words") == "just words"
    assert to_readable("\0" * 1000) is None
    assert to_readable("<p>a\ud800b") == "a?b"


@pytest.mark.parametrize(
    "page",
    [
        "<div>" * 20_000,
        "<p " + " ".join(f"a{number}=1" for number in range(12_000)) + ">x",
        "&amp;" * 20_000,
        "<table><tr><td>" * 6_600,
        "<b><i>" * 16_000,
        "<" * 100_000,
        "<a href=x>" * 10_000,
        "<ul><li>" * 12_000,
        "<blockquote>" * 8_000,
        "<!--" * 25_000,
        "<p" * 50_000,
    ],
)
def test_a_hostile_page_of_the_largest_size_is_done_in_a_moment(page: str) -> None:
    started = time.thread_time()  # a busy machine makes it wait, and not work
    to_readable(page)
    assert time.thread_time() - started < 2
