"""A web page as text a model reads well: Markdown without scripts, menus, forms and hidden parts."""


def to_readable(html: str) -> str | None:
    """The page as Markdown; None when it cannot be read as HTML."""
    from html_to_markdown import ConversionError, ConversionOptions, convert

    # Hidden text is dropped by default: a place to plant orders for the model. Inline pictures are noise.
    options = ConversionOptions(extract_metadata=False, inline_data_media="alt_text_only")
    try:
        # A page can name half a surrogate pair by number or escape; the converter takes whole characters.
        content = convert(html.encode("utf-8", "replace").decode("utf-8"), options).content
    except (ConversionError, ValueError):
        return None
    return (content or "").strip()
