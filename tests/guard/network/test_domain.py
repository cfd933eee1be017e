"""International host names: what is looked up, and what an address bar shows."""

import pytest

from oneclaw.guard.network.domain import check_punycode, spell_as_browsers, to_ascii


@pytest.mark.parametrize(
    ("name", "spelled"),
    [
        ("bücher.example", "xn--bcher-kva.example"),
        ("Faß.de", "xn--fa-hia.de"),
        ("☃.net", "xn--n3h.net"),
        ("１２７.0.0.1", "127.0.0.1"),
        ("a\u3002b", "a.b"),
        ("a\u00adb", "ab"),
        ("\ufffd.test", None),
        ("\u0301a.test", None),
        ("a\u200db.test", None),
        ("\u05d0a.test", None),
    ],
)
def test_a_name_is_spelled_as_browsers_do_or_refused(name: str, spelled: str | None) -> None:
    assert spell_as_browsers(name) == spelled


def test_what_is_looked_up_must_be_a_name_one_can_register() -> None:
    assert to_ascii("bücher.example") == "xn--bcher-kva.example"
    with pytest.raises(ValueError, match="not a valid international name"):
        to_ascii("☃.net")
    check_punycode(["xn--bcher-kva", "example"])
    with pytest.raises(ValueError, match="not a valid international name"):
        check_punycode(["xn--pokxncvks"])


def test_a_name_that_is_too_long_is_refused_and_not_cut() -> None:
    assert spell_as_browsers("ü" * 1_000_000) is None
    assert spell_as_browsers("half a pair \ud800") is None
