"""OutgoingRequest: one hop of a request, and the next hop of a redirect."""

from dataclasses import dataclass, replace

from oneclaw.core.errors import Kind, ToolError
from oneclaw.guard.network.headers import Headers, drop_content, keep_harmless
from oneclaw.guard.network.url import InvalidUrl, Target, parse

REDIRECTS = frozenset((301, 302, 303, 307, 308))


@dataclass(frozen=True, slots=True)
class OutgoingRequest:
    """One hop. `is_led` when a server chose the target by a redirect."""

    method: str
    target: Target
    headers: Headers = ()
    body: bytes | None = None
    is_led: bool = False

    @property
    def shown(self) -> str:
        """The address as an error names it; of one that a server chose the host alone.

        The rest would be the server's words, thousands of them if it likes, and stand in no mark.
        """
        return f"{self.target.scheme}://{self.target.authority}" if self.is_led else str(self.target)


def follow(errand: OutgoingRequest, status: int, location: str | None) -> OutgoingRequest | None:
    """The request after a redirect; None if the answer is no redirect. Raises `ToolError` for a bad address.

    The method changes as browsers change it. Another scheme, host or port gets harmless headers only, and
    they do not come back on a later hop.
    """
    if status not in REDIRECTS or location is None:
        return None
    try:
        target = parse(location, errand.target)
    except InvalidUrl as error:
        # Without its words: they are the server's, and stand in no mark here.
        message = f"The redirect of {errand.shown} cannot be followed: {error.why}."
        raise ToolError(message, Kind.NETWORK_ERROR) from None
    method, headers, body = errand.method, errand.headers, errand.body
    if (status in (301, 302) and method == "POST") or (status == 303 and method not in ("GET", "HEAD")):
        method, headers, body = "GET", drop_content(headers), None
    following = OutgoingRequest(method, target, headers, body, is_led=True)
    if target.origin == errand.target.origin:
        return following
    if body is not None and errand.target.scheme == "https" and target.scheme == "http":
        raise ToolError(
            f"The redirect to {following.shown} was not followed: it would send the body unencrypted.",
            Kind.NETWORK_ERROR,
        )
    return replace(following, headers=keep_harmless(headers))
