"""Converts international host names to ASCII."""


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
