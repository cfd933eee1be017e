"""Servers that mean harm: what each of them sends, piece by piece, whatever it is asked."""

import gzip
import socket
import threading
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import chain, repeat
from random import Random
from types import TracebackType

Pieces = Iterator[bytes]
MOST_BYTES = 24 * 1024 * 1024
"""No server sends more than this: the client must have left long before."""

HEAD = b"HTTP/1.1 200 OK\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
GZIP = HEAD + b"Content-Encoding: gzip\r\n\r\n"
PLAIN = HEAD + b"Content-Type: text/plain\r\n\r\n"
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
KB = 1024


class HostileServer:
    """Sends the pieces to everyone who connects, in a thread of its own: its work is not the client's."""

    def __init__(self, pieces: Callable[[int], Pieces], drip_seconds: float = 0.0) -> None:
        self.sent_bytes = 0
        self._pieces = pieces
        self._drip_seconds = drip_seconds
        self._is_over = threading.Event()
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> "HostileServer":
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._is_over.set()
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._thread.join(10)

    def _serve(self) -> None:
        while not self._is_over.is_set():
            try:
                client, _ = self._socket.accept()
            except OSError:
                return
            with client:
                client.settimeout(5)
                with suppress(OSError):  # the client left, as it should
                    self._answer(client)

    def _answer(self, client: socket.socket) -> None:
        client.recv(64 * KB)
        sent = 0
        for piece in self._pieces(self.port):
            client.sendall(piece)
            sent += len(piece)
            self.sent_bytes += len(piece)
            if sent > MOST_BYTES or self._is_over.wait(self._drip_seconds):
                return


def once(*pieces: bytes) -> Callable[[int], Pieces]:
    return lambda _port: iter(pieces)


def endless(start: bytes, piece: bytes) -> Callable[[int], Pieces]:
    """`start`, and then `piece` without end, many of them in each write."""
    many = piece * max(1, 32 * KB // len(piece))
    return lambda _port: chain((start,), repeat(many))


def dripped(start: bytes, piece: bytes) -> Callable[[int], Pieces]:
    return lambda _port: chain((start,), repeat(piece))


def packed(data: bytes, times: int = 1) -> bytes:
    for _ in range(times):
        data = gzip.compress(data, 9)
    return data


def body(data: bytes, encoding: str = "", length: int | None = None) -> bytes:
    lines = f"Content-Encoding: {encoding}\r\n".encode() if encoding else b""
    return HEAD + lines + b"Content-Length: %d\r\n\r\n" % (len(data) if length is None else length) + data


def redirect(place: str, status: int = 302) -> bytes:
    return f"HTTP/1.1 {status} x\r\nLocation: {place}\r\nContent-Length: 0\r\n\r\n".encode()


ZEROS = bytes(32 * 1024 * 1024)
NOISE = Random(1).randbytes(64 * KB)
MEMBERS = packed(b"") * 40_000
DEFLATED = zlib.compress(ZEROS)

# name → what it sends
QUICK: dict[str, Callable[[int], Pieces]] = {
    # interim responses
    "endless 100": endless(b"", CONTINUE),
    "endless 100 without a reason": endless(b"", b"HTTP/1.1 100\r\n\r\n"),
    "endless 100 with bare line ends": endless(b"", b"HTTP/1.1 100 \n\n"),
    "endless 102": endless(b"", b"HTTP/1.1 102 Processing\r\n\r\n"),
    "endless 103 with links": endless(b"", b"HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n"),
    "endless 199": endless(b"", b"HTTP/1.1 199 x\r\n\r\n"),
    "100 with huge headers": endless(b"", b"HTTP/1.1 100 x\r\n" + b"a: b\r\n" * 5_000 + b"\r\n"),
    "100 with one huge header": endless(b"", b"HTTP/1.1 100 x\r\na: " + b"b" * 30 * KB + b"\r\n\r\n"),
    "100 with a length": endless(b"", b"HTTP/1.1 100 x\r\nContent-Length: 9\r\n\r\n"),
    "five hundred 100s and an answer": once(CONTINUE * 500 + body(b"late")),
    "100 and then nothing": once(CONTINUE),
    "101 that nobody asked for": endless(b"HTTP/1.1 101 x\r\nUpgrade: h2c\r\n\r\n", b"x"),
    "endless 100 of HTTP/1.0": endless(b"", b"HTTP/1.0 100 x\r\n\r\n"),
    # heads
    "endless status line": endless(b"HTTP/1.1 200 ", b"x"),
    "endless header": endless(HEAD + b"a: ", b"x"),
    "endless name of a header": endless(HEAD, b"x"),
    "endless headers": endless(HEAD, b"a: b\r\n"),
    "endless empty headers": endless(HEAD, b"a:\r\n"),
    "endless folded header": endless(HEAD + b"a: b\r\n", b" \r\n"),
    "many short headers": once(HEAD + b"a:\r\n" * 7_900 + b"Content-Length: 1\r\n\r\nx"),
    "many lengths": once(HEAD + b"Content-Length: 1\r\n" * 1_500 + b"\r\nx"),
    "lengths in one line": once(HEAD + b"Content-Length: " + b"1, " * 9_000 + b"1\r\n\r\nx"),
    "lengths that differ": once(HEAD + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\nxx"),
    "a length and chunks": once(CHUNKED.replace(b"Tr", b"Content-Length: 3\r\nTr") + b"0\r\n\r\n"),
    "many connection options": once(HEAD + b"Connection: " + b"a," * 14_000 + b"a\r\n\r\nx"),
    "blank lines before the head": endless(b"", b"\r\n"),
    "bare line ends": endless(b"", b"\n"),
    "null bytes": endless(b"", b"\0"),
    "null bytes in a header": once(HEAD + b"a: \0\0\0\r\n\r\n"),
    "control characters in a header": once(HEAD + b"a: \x01\x1b[2J\x7f\r\nContent-Length: 1\r\n\r\nx"),
    "letters of another set in a header": once(HEAD + b"a: \xff\xfe\xe9\r\nContent-Length: 1\r\n\r\nx"),
    "a blank before a colon": once(HEAD + b"a : b\r\n\r\n"),
    "no colon": once(HEAD + b"nothing\r\n\r\n"),
    "noise": once(NOISE),
    "HTTP/2 at once": endless(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"\0\0\0\x04\0\0\0\0\0"),
    "HTTP/0.9": once(b"<p>hello</p>"),
    "HTTP/9.9": once(b"HTTP/9.9 200 OK\r\n\r\n"),
    "status 000": once(b"HTTP/1.1 000 x\r\n\r\n"),
    "status 99999": once(b"HTTP/1.1 99999 x\r\n\r\n"),
    "an answer of SSH": once(b"SSH-2.0-OpenSSH_9.6\r\n"),
    "an answer of TLS": once(b"\x15\x03\x01\x00\x02\x02\x28"),
    "nothing at all": once(),
    "half a status line": once(b"HTTP/1."),
    "half a head": once(HEAD + b"Content-Le"),
    "two answers at once": once(body(b"one") + body(b"two") * 20_000),
    # bodies
    "endless body": endless(PLAIN, b"x"),
    "endless body of lines": endless(PLAIN, b"\r\n"),
    "a body that ends early": once(body(b"short", length=10_000_000)),
    "a body longer than said": once(body(b"x" * 500_000, length=3)),
    "a length of 20 digits": endless(HEAD + b"Content-Length: 99999999999999999999\r\n\r\n", b"x"),
    "a length of 5,000 digits": once(HEAD + b"Content-Length: " + b"9" * 5_000 + b"\r\n\r\nx"),
    "a length below zero": once(HEAD + b"Content-Length: -1\r\n\r\nx"),
    "a body for 204": once(b"HTTP/1.1 204 x\r\nContent-Length: 5\r\n\r\nhello"),
    "a body for 304": endless(b"HTTP/1.1 304 x\r\n\r\n", b"x"),
    # chunks
    "endless chunks of one byte": endless(CHUNKED, b"1\r\nx\r\n"),
    "endless chunks with extensions": endless(CHUNKED, b"1;" + b"e" * 200 + b"\r\nx\r\n"),
    "an endless extension": endless(CHUNKED + b"1;", b"e"),
    "an endless size": endless(CHUNKED, b"0"),
    "a size of 2^60": endless(CHUNKED + b"fffffffffffffff\r\n", b"x"),
    "a size that is none": once(CHUNKED + b"zz\r\nx\r\n"),
    "a size below zero": once(CHUNKED + b"-1\r\nx\r\n"),
    "a chunk longer than said": once(CHUNKED + b"1\r\nxxxxx\r\n0\r\n\r\n"),
    "chunks without an end": once(CHUNKED + b"1\r\nx\r\n" * 1_000),
    "endless trailers": endless(CHUNKED + b"0\r\n", b"a:\r\n"),
    "many trailers": once(CHUNKED + b"1\r\nx\r\n0\r\n" + b"a:\r\n" * 7_900 + b"\r\n"),
    "one endless trailer": endless(CHUNKED + b"0\r\na: ", b"x"),
    "chunked twice": once(HEAD + b"Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n"),
    "an unknown transfer encoding": once(HEAD + b"Transfer-Encoding: gzip\r\n\r\nx"),
    # packed bodies
    "a bomb": once(body(packed(ZEROS), "gzip")),
    "a bomb in a bomb": once(body(packed(ZEROS, 2), "gzip, gzip")),
    "a bomb in a bomb in a bomb": once(body(packed(ZEROS, 3), "gzip, gzip, gzip")),
    "a bomb in four": once(body(packed(ZEROS, 4), "gzip, gzip, gzip, gzip")),
    "a bomb of deflate": once(body(DEFLATED, "deflate")),
    "a bomb in chunks of one byte": once(CHUNKED.replace(b"Tr", b"Content-Encoding: gzip\r\nTr"),
                                         b"".join(b"1\r\n%c\r\n" % byte for byte in packed(ZEROS))),
    "many empty members": once(body(MEMBERS, "gzip")),
    "many members in members": once(body(packed(MEMBERS), "gzip, gzip")),
    "an endless name of a member": endless(GZIP + b"\x1f\x8b\x08\x08" + bytes(6), b"n"),
    "noise that says gzip": once(body(NOISE, "gzip")),
    "gzip that is cut": once(body(packed(NOISE)[:1_000], "gzip")),
    "gzip with more behind it": endless(GZIP + packed(b"x"), b"\x1f"),
    "a thousand encodings": once(body(b"x", ", ".join(["gzip"] * 1_000))),
    "encodings that are empty": once(body(b"x", "," * 20_000)),
    # redirects
    "redirects to itself": lambda port: iter((redirect(f"http://127.0.0.1:{port}/"),)),
    "redirects with a body": endless(redirect("/").replace(b": 0", b": 999999999"), b"x"),
    "a redirect to a huge address": once(redirect("/" + "a" * 30_000)),
    "a redirect of many dots": once(redirect("/" + "../" * 9_000)),
    "a redirect of many signs": once(redirect("/" + "%25" * 9_000)),
    "a redirect to another scheme": once(redirect("gopher://127.0.0.1/")),
    "a redirect to nothing": once(redirect("")),
    "many places of a redirect": once(redirect("/\r\nLocation: /" * 1_500)),
}  # fmt: skip

# What is slow on purpose: a piece now and then, until the time is over.
SLOW: dict[str, Callable[[int], Pieces]] = {
    "100 now and then": dripped(b"", CONTINUE),
    "a head letter by letter": dripped(HEAD, b"a"),
    "a header now and then": dripped(HEAD, b"a: b\r\n"),
    "a blank line now and then": dripped(b"", b"\r\n"),
    "a body letter by letter": dripped(PLAIN, b"x"),
    "a chunk now and then": dripped(CHUNKED, b"1\r\nx\r\n"),
    "an extension letter by letter": dripped(CHUNKED + b"1;", b"e"),
    "a trailer now and then": dripped(CHUNKED + b"0\r\n", b"a: b\r\n"),
    "an empty member now and then": dripped(GZIP, packed(b"")),
    "a promise of more": dripped(body(b"x", length=1_000_000), b"x"),
}
