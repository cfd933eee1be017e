"""International host names, as they are looked up."""

import pytest

from oneclaw.guard.network.domain import check_punycode, to_ascii


def test_what_is_looked_up_must_be_a_name_one_can_register() -> None:
    assert to_ascii("bücher.example") == "xn--bcher-kva.example"
    with pytest.raises(ValueError, match="not a valid international name"):
        to_ascii("☃.net")
    check_punycode(["xn--bcher-kva", "example"])
    with pytest.raises(ValueError, match="not a valid international name"):
        check_punycode(["xn--pokxncvks"])
