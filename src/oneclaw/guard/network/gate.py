"""Checks every address of a host before connecting; a private one needs permission."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from oneclaw.core.errors import Kind, ToolError, invalid
from oneclaw.core.session import Network
from oneclaw.core.tool import Context
from oneclaw.guard.network.address import is_address, why_local_name, why_private
from oneclaw.guard.network.url import parse, parse_host

NEED = "network.private"

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
"""All addresses of a name; raises `ToolError` when there is none."""

AllowPrivate = Callable[[str, str], Awaitable[None]]
"""Asked with `host:port` and why it is private; returns to allow it, raises `ToolError` to refuse."""


def ask_for_private(context: Context) -> AllowPrivate:
    """Has a call ask for permission before it reaches a private host."""

    async def allow(host: str, why: str) -> None:
        await context.require(NEED, f"{host} is not public: it is {why}.")

    return allow


@dataclass(frozen=True, slots=True)
class Admitted:
    """The checked addresses of one host; `is_private` if one of them needed permission."""

    addresses: tuple[str, ...]
    is_private: bool


def open_to(network: Network, url: str | None) -> Network:
    """The network with the host of an address open, if there is one: the owner named it in the settings."""
    if not url:
        return network
    target = parse(url)
    return replace(network, private_hosts=(*network.private_hosts, f"{target.bare_host}:{target.port}"))


class Gate:
    """Checks the hosts of one request. Permission for one host, port and address allows no other."""

    def __init__(self, network: Network, allow_private: AllowPrivate | None, resolve: Resolve) -> None:
        self._network = network
        self._allow_private = allow_private
        self._resolve = resolve
        self._allowed: set[tuple[str, int, str]] = set()

    async def admit(self, host: str, port: int, is_odd: bool = False) -> Admitted:
        """The addresses to dial for `host`, or `ToolError` when one of them may not be reached."""
        try:
            name, written_oddly = parse_host(host)
        except ValueError as error:
            raise invalid(f"Invalid URL: {host[:200]} ({error}).") from None
        if is_address(name):
            return await self._admit_address(name, port, is_odd or written_oddly)
        why = why_local_name(name)
        if why is not None:
            await self._allow(name, port, "", why)
        addresses = tuple(await self._resolve(name, port))
        if not addresses:
            raise ToolError(f"Cannot resolve host: {name}", Kind.NETWORK_ERROR)
        private = {address: reason for address in addresses if (reason := why_private(address))}
        if why is None:
            for address, reason in private.items():
                await self._allow(name, port, address, f"{address}, {reason}")
        return Admitted(addresses, bool(private) or why is not None)

    async def _admit_address(self, address: str, port: int, is_odd: bool) -> Admitted:
        why = why_private(address) or (f"{address} in an unusual notation" if is_odd else None)
        if why is not None:
            await self._allow(address, port, address, why)
        return Admitted((address,), why is not None)

    async def _allow(self, host: str, port: int, address: str, why: str) -> None:
        key = (host, port, address)
        if key in self._allowed or _is_listed(host, port, self._network.private_hosts):
            return
        if self._allow_private is None:
            raise refusal(_shown(host, port), why)
        await self._allow_private(_shown(host, port), why)
        self._allowed.add(key)


def refusal(host: str, why: str) -> ToolError:
    return ToolError(
        f"Cannot reach {host}: it is {why}; the owner can allow it by listing it in network.private_hosts.",
        Kind.PERMISSION_DENIED,
    )


def _is_listed(host: str, port: int, entries: Sequence[str]) -> bool:
    """Whether the owner named this host, with or without its port. IPv6 may stand in brackets."""
    bare = host.removesuffix(".")
    names = {bare, _shown(bare, port)} | ({f"[{bare}]"} if ":" in bare else set[str]())
    return any(entry.strip().lower() in names for entry in entries)


def _shown(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
