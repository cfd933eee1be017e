"""Validates a provider's base URL, and tells local from remote servers."""

from ipaddress import ip_address

from oneclaw.core.errors import InvalidConfig, ToolError
from oneclaw.guard.network.address import why_local_name, why_private
from oneclaw.guard.network.url import Target, parse


def parse_base(base_url: str, name: str) -> Target:
    """The target of a base URL; raises `InvalidConfig` naming the setting of the provider `name`."""
    try:
        target = parse(base_url)
    except ToolError as error:
        raise InvalidConfig(f"providers.{name}.base_url: {error.message}") from None
    if "?" in base_url or "#" in base_url:
        raise InvalidConfig(f"providers.{name}.base_url is {base_url!r}: write it without ? and #.")
    return target


def is_private(host: str) -> bool:
    """Whether a host is on this machine or network, as far as can be told without a lookup."""
    try:
        ip_address(host)
    except ValueError:
        return why_local_name(host) is not None
    return why_private(host) is not None
