"""get_location_from_ip: returns this machine's approximate location."""

import json
import math
from collections.abc import Mapping
from typing import Any

from oneclaw.core.call import Output
from oneclaw.core.define.function import tool
from oneclaw.core.errors import Kind, ToolError
from oneclaw.core.settings.tree import DEFAULTS
from oneclaw.core.subschema import is_object, object_of, text_of
from oneclaw.core.tool import Context, Tool
from oneclaw.guard.network.gate import open_to
from oneclaw.guard.network.net import Response, fetch
from oneclaw.guard.network.url import InvalidUrl, parse
from oneclaw.guard.outside_mark import mark

SERVICE = DEFAULTS.web.location_url
MAX_BYTES = 64 * 1024
_CHARS = 100
# What the well-known services call the same thing; the first that is there counts.
_FIELDS = {
    "city": ("city", "cityName", "city_name"),
    "region": ("regionName", "region_name", "region", "state", "state_prov"),
    "country": ("country_name", "countryName", "country", "country_code", "countryCode"),
    "latitude": ("latitude", "lat"),
    "longitude": ("longitude", "lon", "lng"),
    "time zone": ("timezone", "time_zone"),
}


def location_tool(url: str = SERVICE) -> Tool:
    """The tool; `url` is the service it asks."""

    @tool(
        needs=["network", "location"],
        effect="read",
        seconds=20,
        group="web",
        missing=lambda: why_unusable(url),
        label="Find this location",
    )
    async def get_location_from_ip(context: Context) -> Output:
        """Get the estimated location of this machine from its IP address: city, country, time zone."""
        unusable = why_unusable(url)
        if unusable:
            raise ToolError(unusable)
        service = _shown(url)
        place = read_place(_document(await _ask(context, url), service))
        if "city" not in place and "country" not in place and "latitude" not in place:
            raise _failure(service, "its answer names no place")
        lines = [f"{name}: {value}" for name, value in place.items()]
        told = mark("\n".join(lines), service)
        return Output(f"Estimated from the IP address; it may be far off.\n{told}", details={"place": place})

    return get_location_from_ip


def why_unusable(url: str) -> str:
    """Says what is missing for the service; empty when nothing is."""
    try:
        parse(url)
    except InvalidUrl as error:
        return f"web.location_url cannot be used ({error.why}): set it to an address, as {SERVICE}."
    return ""


async def _ask(context: Context, url: str) -> Response:
    try:
        return await fetch(
            "GET",
            url,
            headers=[("Accept", "application/json")],
            network=open_to(context.session.network, None if url == SERVICE else url),
            max_bytes=MAX_BYTES,
            seconds=context.seconds,
        )
    except ToolError as error:
        if error.kind not in (Kind.NETWORK_ERROR, Kind.TIMEOUT):
            raise
        reason = error.message.replace(url, _shown(url)).replace(str(parse(url)), _shown(url))
        raise _failure(_shown(url), f"it cannot be reached ({reason.rstrip('.')})", error.kind) from None


def _shown(url: str) -> str:
    """The address as it is told: without its query, in which such services take their keys."""
    return str(parse(url)).partition("?")[0]


def read_place(document: Mapping[str, Any]) -> dict[str, str]:
    """The place in an answer, by our names, without the address."""
    flat = dict(document)
    if zone := object_of(document.get("timezone")):
        flat["timezone"] = zone.get("id") or zone.get("name")
    loc = text_of(document.get("loc"))
    if loc.count(",") == 1:
        flat["latitude"], flat["longitude"] = loc.split(",")
    place: dict[str, str] = {}
    for name, spellings in _FIELDS.items():
        for spelling in spellings:
            value = _plain(flat.get(spelling), is_number=name in ("latitude", "longitude"))
            if value:
                place[name] = value
                break
    return place


def _plain(value: Any, is_number: bool) -> str:
    if is_number:
        try:
            number = float(value)
        except (TypeError, ValueError, OverflowError):
            return ""
        return f"{number:g}" if math.isfinite(number) and abs(number) <= 180 else ""
    if not isinstance(value, str):
        return ""
    return " ".join("".join(char if char.isprintable() else " " for char in value).split())[:_CHARS]


def _document(response: Response, service: str) -> Mapping[str, Any]:
    if response.status == 429:
        raise _failure(service, "it was asked too often (HTTP 429)")
    if response.status != 200:
        raise _failure(service, f"it answered HTTP {response.status}")
    try:
        document = json.loads(response.body)
    except (ValueError, RecursionError):
        raise _failure(service, "its answer is not JSON") from None
    if not is_object(document):
        raise _failure(service, "its answer is not a JSON object")
    if document.get("error") or document.get("success") is False or document.get("status") == "fail":
        raise _failure(service, "it says that it has no answer")
    return document


def _failure(service: str, why: str, kind: Kind = Kind.NETWORK_ERROR) -> ToolError:
    return ToolError(
        f"The location service {service[:200]} failed: {why}. Try later, or set web.location_url to another.",
        kind,
    )
