"""Checks every request before anything else sees it: host, origin, size, login, and the form of a change.

A page of another site can make a browser send requests here. It cannot read the cookie, and it cannot set our
header unless we allow it to, which we never do; and its `Origin` is not ours.
"""

import json
from collections import Counter
from collections.abc import Collection, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from time import monotonic
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from oneclaw.operations.access import AccessBook
from oneclaw.operations.attachments import MOST_BYTES

COOKIE = "oneclaw"
UPLOADS = "/api/files"
HEADER = "x-oneclaw"
BODY_BYTES = 1 << 20
MCP = "/mcp"
MCP_BYTES = 8 << 20
"""More than the MCP SDK takes, which answers a client in its own words."""
UPLOAD_BYTES = MOST_BYTES
MOST_UPLOADS = 8
"""Uploads at the same time; each is written to a file while it comes."""
MOST_SOCKETS = 256
MOST_STREAMS = 64
"""Programs that read events at the same time."""
MOST_FAILURES = 10
"""Failed logins of one address in a minute; more are refused without being looked at."""
MOST_FAILURES_OF_ALL = 200
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self';"
    " frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none';"
    " require-trusted-types-for 'script'; trusted-types 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
_READS = ("GET", "HEAD")


class Refused(Exception):
    """A request that is not answered: its status, and one sentence."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True, slots=True)
class LoginAttempt:
    """A login that failed, or is being looked at: from where, and when."""

    address: str
    time: float


class RequestGate:
    """The outermost part of the server. `hosts` are the names and ports that it answers to."""

    def __init__(
        self, app: ASGIApp, access: AccessBook, hosts: Collection[str], scheme: str = "http"
    ) -> None:
        self._app = app
        self._access = access
        self._hosts = frozenset(hosts)
        self._origins = frozenset(f"{scheme}://{host}" for host in hosts)
        self._attempts: list[LoginAttempt] = []
        self._lasting: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        try:
            self._check(scope)
        except Refused as wrong:
            await _refuse(scope, receive, send, wrong)
            return
        if scope["type"] == "websocket":
            with self._counted("pages are open", MOST_SOCKETS) as refused:
                await (refused or self._app)(scope, receive, send)
        elif scope["path"] == UPLOADS and scope["method"] == "POST":
            with self._counted("files are being sent", MOST_UPLOADS) as refused:
                await (refused or self._app)(scope, _bounded(receive, UPLOAD_BYTES), _with_headers(send))
        elif scope["path"].endswith("/events"):
            with self._counted("programs read events", MOST_STREAMS) as refused:
                await (refused or self._app)(scope, _bounded(receive, BODY_BYTES), _with_headers(send))
        else:
            most = MCP_BYTES if scope["path"].startswith(MCP) else BODY_BYTES
            await self._app(scope, _bounded(receive, most), _with_headers(send))

    def _check(self, scope: Scope) -> None:
        headers = Headers(scope=scope)
        host, origin = headers.get("host", ""), headers.get("origin")
        if host not in self._hosts:
            raise Refused(421, f"This server does not answer to the name {host[:100]!r}.")
        if origin is not None and origin not in self._origins:
            raise Refused(403, "A page of another site asked for this, which is not allowed.")
        is_socket = scope["type"] == "websocket"
        path, is_read = scope["path"], is_socket or scope["method"] in _READS
        kind, _, token = headers.get("authorization", "").partition(" ")
        if path == MCP or path.startswith(f"{MCP}/"):  # for programs: a cookie of a browser opens nothing
            if kind.lower() != "bearer":
                raise Refused(401, "MCP needs a token: `oneclaw tokens make NAME` makes one.")
            return self._check_token(scope, token.strip())
        if not is_read and headers.get(HEADER) != "1":
            raise Refused(403, "A change needs the header X-OneClaw: 1.")
        if not path.startswith("/api/") or path == "/api/login":
            return None
        if kind.lower() == "bearer":
            self._check_token(scope, token.strip())
        elif not self._access.is_login(_cookie(headers.get("cookie", ""))):
            raise Refused(401, "Log in first: open the link that `oneclaw serve` printed.")
        elif is_socket and origin is None:
            raise Refused(403, "A browser says where its page is from; this one did not.")
        return None

    def _check_token(self, scope: Scope, token: str) -> None:
        if self._access.is_token(token):
            return
        self.note_attempt(scope)
        raise Refused(401, "This token is not known; `oneclaw tokens` lists those that are.")

    def note_attempt(self, scope: Scope) -> "LoginAttempt":
        """Count a login before it is looked at; raises `Refused` where too many have failed."""
        now, address = monotonic(), (scope.get("client") or ("",))[0]
        self._attempts = [each for each in self._attempts if each.time > now - 60]
        same = sum(each.address == address for each in self._attempts)
        if same >= MOST_FAILURES or len(self._attempts) >= MOST_FAILURES_OF_ALL:
            raise Refused(429, "Too many logins have failed; try again in a minute.")
        attempt = LoginAttempt(address, now)
        self._attempts.append(attempt)
        return attempt

    def forgive(self, attempt: "LoginAttempt") -> None:
        """Count a login no longer: it was a right one."""
        self._attempts = [each for each in self._attempts if each is not attempt]

    @contextmanager
    def _counted(self, what: str, most: int) -> Generator[ASGIApp | None]:
        """Count requests of a kind that last; gives what refuses one where there are enough."""
        if self._lasting[what] >= most:
            yield partial(_refuse, refused=Refused(503, f"{most} {what} already; close one, or try again."))
            return
        self._lasting[what] += 1
        try:
            yield None
        finally:
            self._lasting[what] -= 1


def _bounded(receive: Receive, most: int) -> Receive:
    """Receives a body, and stops where it is too long."""
    left = most

    async def receive_bounded() -> Message:
        nonlocal left
        message = await receive()
        left -= len(message.get("body", b""))
        if left < 0:
            raise Refused(413, f"The request has more than {most:,} bytes.")
        return message

    return receive_bounded


def _cookie(header: str) -> str:
    pairs = (pair.strip().partition("=") for pair in header.split(";"))
    return next((value for name, _, value in pairs if name == COOKIE), "")


def _with_headers(send: Send) -> Send:
    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return send_with_headers


async def _refuse(scope: Scope, receive: Receive, send: Send, refused: Refused) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 4000 + refused.status, "reason": str(refused)})
        return
    body = json.dumps({"error": str(refused)}).encode()
    headers: list[Any] = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    headers += [(name.encode(), value.encode()) for name, value in HEADERS.items()]
    await send({"type": "http.response.start", "status": refused.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
