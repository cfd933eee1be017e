"""Extracts the readable part of a page as Markdown."""

import re
from html import unescape

from oneclaw.guard.network.layout import open_up

MAX_DEPTH = 200
"""Elements inside elements that are read. Without it 30 KB of nested quotes take a gigabyte."""

# Names that pages and the usual consent managers give to the notice about cookies. Whole names only: a page
# that is shown one may have `has-cookie-banner` on all of it.
_COOKIES = (
    *("cookie-banner", "cookie-bar", "cookie-consent", "cookie-law", "cookie-message", "cookie-notice"),
    *("cookie-popup", "cookie_banner", "cookie_consent", "cookie_notice", "cookieBanner", "cookieConsent"),
    *("cookieNotice", "cookiebanner", "cookieconsent", "cookie-law-info-bar", "cookies-banner"),
    *("CybotCookiebotDialog", "onetrust-consent-sdk", "onetrust-banner-sdk", "didomi-host", "cc-window"),
    *("qc-cmp2-container", "fc-consent-root", "usercentrics-root", "osano-cm-window", "iubenda-cs-banner"),
)
# What stands on a page for hands and not for reading. Forms stay: some pages are one form from top to bottom.
LEFT_OUT = (
    *("nav", '[role="navigation"]', "footer", '[role="contentinfo"]'),
    *(f"{sign}{name}" for name in _COOKIES for sign in ".#"),
    *("dialog", '[role="dialog"]', '[role="alertdialog"]'),
    *("button", "select", "textarea", 'img[alt=""]'),
    # Of Sphinx, MediaWiki, KaTeX, Pygments: signs beside headings, formulas drawn twice, numbers of lines.
    *(".headerlink", ".mw-editsection", ".katex-html", ".linenos", ".linenodiv"),
)
# A template that browsers show at once, as part of the element it stands in.
_SHADOW = re.compile(r"<template(?=\s[^<>]{0,200}\bshadowrootmode\b)", re.IGNORECASE)
TITLE_CHARS = 300
# Links without words: what they show is drawn by the style sheet, or is a picture without a name.
_EMPTY_LINK = re.compile(r"(?<![!\\`])\[\]\(https?://[^()\s`]{1,2000}\)[ \t]*")
_BARE_LINK = re.compile(r"(?<![!\\`])\[(https?://[^\[\]()<>\s`]{1,2000})\]\(\1\)")
_TITLE = re.compile(r"<title(?:\s[^<>]{0,200})?>([^<]{1,2000})</title", re.IGNORECASE)
_BODY = re.compile(r"<(?:body|svg)\b", re.IGNORECASE)
_HEAD_CHARS = 64 * 1024
_PAGE = re.compile(
    # Atomic: each comment ends where it ends, or three of them would be parted in every way there is.
    r"\ufeff?\s*(?>(?:<!--.{0,2000}?-->\s*){0,3})<(?:!doctype\s+html|html)\b",
    re.IGNORECASE | re.DOTALL,
)


def to_readable(html: str, base_url: str | None = None) -> str | None:
    """The page as Markdown, its links made whole with `base_url`; None when it cannot be read as HTML.

    It holds the interpreter while it works: give it a short page, or use `conversion.convert`.
    """
    from html_to_markdown import ConversionError, ConversionOptions, PreprocessingOptions, convert

    # Hidden text is dropped by default: a place to plant orders for the model. Inline pictures are noise.
    options = ConversionOptions(
        extract_metadata=False,
        inline_data_media="alt_text_only",
        max_depth=MAX_DEPTH,
        base_url=base_url,
        # Its own cleaning drops forms whole, and the heading of a page that stands in a <header>.
        preprocessing=PreprocessingOptions(remove_navigation=False, remove_forms=False),
        exclude_selectors=list(LEFT_OUT),
        compact_tables=True,
        sup_symbol="^",
        sub_symbol="~",
    )
    try:
        # A page can name half a surrogate pair by number or escape; the converter takes whole characters.
        content = convert(
            open_up(_SHADOW.sub("<div", html)).encode("utf-8", "replace").decode("utf-8"), options
        ).content
    except (ConversionError, ValueError):
        return None
    return _BARE_LINK.sub(r"<\1>", _EMPTY_LINK.sub("", content or "")).strip()


def title_of(html: str) -> str:
    """The page's title in one line; empty without one."""
    found = _TITLE.search(_BODY.split(html[:_HEAD_CHARS], maxsplit=1)[0])
    return " ".join(unescape(found[1]).split())[:TITLE_CHARS] if found else ""


def is_page(text: str) -> bool:
    """Whether text of unknown type begins as a web page does."""
    return _PAGE.match(text[:_HEAD_CHARS]) is not None
