"""Rejects a second answer inside one stream."""

from oneclaw.providers.base import ProviderError


class OneAnswer:
    """The id that the chunks of a stream share. Where each chunk has its own, it tells nothing."""

    __slots__ = ("_id", "_is_shared")

    def __init__(self) -> None:
        self._id = ""
        self._is_shared = False

    def check(self, given: object, begins: bool = True) -> None:
        """Take in the id of a chunk; raises `ProviderError` when the chunk begins another answer."""
        if not isinstance(given, str) or not given:
            return
        if given == self._id:
            self._is_shared = True
        elif not self._is_shared:
            self._id = given
        elif begins:
            raise second_answer()


def second_answer() -> ProviderError:
    return ProviderError("The provider began a second answer inside the first. Try again.", "stream")
