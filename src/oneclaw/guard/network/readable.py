"""A web page as text a model reads well: Markdown without scripts, menus, forms and hidden parts."""

MAX_DEPTH = 200
"""Elements inside elements that are read. Without it 30 KB of nested quotes take a gigabyte."""


def to_readable(html: str, base_url: str | None = None) -> str | None:
    """The page as Markdown, its links made whole with `base_url`; None when it cannot be read as HTML.

    It holds the interpreter while it works: give it a short page, or use `conversion.convert`.
    """
    from html_to_markdown import ConversionError, ConversionOptions, convert

    # Hidden text is dropped by default: a place to plant orders for the model. Inline pictures are noise.
    options = ConversionOptions(
        extract_metadata=False, inline_data_media="alt_text_only", max_depth=MAX_DEPTH, base_url=base_url
    )
    try:
        # A page can name half a surrogate pair by number or escape; the converter takes whole characters.
        content = convert(html.encode("utf-8", "replace").decode("utf-8"), options).content
    except (ConversionError, ValueError):
        return None
    return (content or "").strip()
