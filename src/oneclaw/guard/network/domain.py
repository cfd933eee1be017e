"""Converts international host names to ASCII."""

MAX_CHARS = 1_000
"""The most characters of a name that is spelled; no name system knows one so long."""


def to_ascii(name: str) -> str:
    """The name as it is looked up; raises ValueError for one that may not be registered."""
    import idna

    try:
        # Full-width digits and dots become an address here, as they do in browsers.
        mapped = idna.uts46_remap(name, std3_rules=False)
        return mapped if mapped.isascii() else idna.encode(mapped, strict=True).decode("ascii")
    except idna.IDNAError:
        raise ValueError("the host is not a valid international name") from None


def check_punycode(labels: list[str]) -> None:
    """Raise ValueError where one of the labels stands for no international name."""
    import idna

    try:
        for label in labels:
            if label.startswith("xn--"):
                idna.ulabel(label)
    except idna.IDNAError:
        raise ValueError("the host is not a valid international name") from None


def spell_as_browsers(name: str) -> str | None:
    """The name as an address bar would write it, symbols and all; None for one that browsers refuse.

    For showing and comparing only: `to_ascii` is stricter about what is looked up.
    """
    import idna

    if len(name) > MAX_CHARS:
        return None
    try:
        labels = idna.uts46_remap(name, std3_rules=False).split(".")
        return ".".join(label if label.isascii() else _spell_label(label) for label in labels)
    except (idna.IDNAError, UnicodeError):
        return None


def _spell_label(label: str) -> str:
    import idna

    idna.check_initial_combiner(label)
    idna.check_bidi(label)
    for place, char in enumerate(label):
        if char in "\u200c\u200d" and not idna.valid_contextj(label, place):
            raise idna.IDNAError
    return "xn--" + label.encode("punycode").decode("ascii")
