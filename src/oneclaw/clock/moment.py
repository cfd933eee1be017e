"""Formats a point in time in a zone, and finds this machine's zone."""

import os
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import Literal
from zoneinfo import ZoneInfo

from oneclaw.clock import zone as zones
from oneclaw.core.errors import invalid

Format = Literal["iso8601", "human_readable"]

# Written out because strftime speaks the language of the machine.
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


def render(now: datetime, zone: tzinfo | None, format: Format) -> str:
    """A moment in a zone; None is the zone the machine's clock is set to, as a fixed offset."""
    local = now.astimezone(zone)
    if format == "iso8601":
        return local.isoformat(timespec="seconds")
    hour = local.hour % 12 or 12
    half = "AM" if local.hour < 12 else "PM"
    day = f"{_DAYS[local.weekday()]}, {_MONTHS[local.month - 1]} {local.day}, {local.year}"
    return f"{day} at {hour}:{local.minute:02}:{local.second:02} {half} {zone_name(local)}"


def render_pattern(now: datetime, zone: tzinfo | None, pattern: str) -> str:
    """A moment by a pattern as of strftime, in English on every machine; raises `ToolError` for a bad one."""
    local = now.astimezone(zone)

    def fill(found: re.Match[str]) -> str:
        if found[1] not in tuple(_LETTERS):
            known = " ".join(f"%{letter}" for letter in _LETTERS)
            message = f"A time pattern cannot have {found[0]!r}; use {known}, or iso8601 or human_readable."
            raise invalid(message)
        part = _PARTS.get(found[1])
        return local.strftime(found[0]) if part is None else part(local)

    return re.sub("%(.|$)", fill, pattern, flags=re.DOTALL)


def find_zone(name: str) -> ZoneInfo:
    """The zone of an IANA name or a city; raises `ToolError` with the nearest names."""
    zone = zones.find(name)
    if zone is None:
        raise invalid(_unknown(name))
    return zone


def machine_zone(environ: Mapping[str, str], etc: Path = Path("/etc")) -> tzinfo | None:
    """The zone of this machine: TZ, the link /etc/localtime, /etc/timezone, the rules in /etc/localtime.

    None when none of them can be read: the C library still knows the offset of the moment.
    """
    named = environ.get("TZ")
    if named is not None:
        # A name, nothing (which means UTC), or a rule such as CET-1CEST, which the C library can read.
        return zones.load(named.removeprefix(":").rpartition("zoneinfo/")[2]) if named else UTC
    localtime = etc / "localtime"
    link = os.path.realpath(localtime)
    if "/zoneinfo/" in link and (zone := zones.load(link.rpartition("/zoneinfo/")[2])):
        return zone
    try:
        if zone := zones.load((etc / "timezone").read_text(encoding="utf-8").strip()):
            return zone
    except (OSError, UnicodeError):
        pass
    try:
        with localtime.open("rb") as rules:
            return ZoneInfo.from_file(rules)
    except (OSError, ValueError):
        return None


_LETTERS = "YymdeHIMSLpAaBbjuVGFTzZs%"
_PARTS: dict[str, Callable[[datetime], str]] = {
    "Y": lambda local: f"{local.year:04}",
    "e": lambda local: str(local.day),
    "L": lambda local: f"{local.microsecond // 1000:03}",
    "p": lambda local: "AM" if local.hour < 12 else "PM",
    "A": lambda local: _DAYS[local.weekday()],
    "a": lambda local: _DAYS[local.weekday()][:3],
    "B": lambda local: _MONTHS[local.month - 1],
    "b": lambda local: _MONTHS[local.month - 1][:3],
    "G": lambda local: f"{local.isocalendar().year:04}",
    "F": lambda local: local.date().isoformat(),
    "z": lambda local: local.isoformat()[-6:].replace(":", ""),
    "Z": lambda local: zone_name(local),
    "s": lambda local: str(int(local.timestamp())),
    "%": lambda local: "%",
}
"""Names and zones, the same on every machine; plain numbers are left to strftime."""


def _unknown(name: str) -> str:
    shown = name if len(name) <= zones.NAME_CHARS else name[: zones.NAME_CHARS] + "…"
    told = f"Invalid timezone: {shown!r}. Use IANA timezone format (e.g., 'America/New_York')."
    near = zones.nearest(name)
    return f"{told} Nearest: {', '.join(near)}." if near else told


def zone_name(local: datetime) -> str:
    """CET, or UTC+03:00 for zones that have no letters."""
    name = local.tzname() or ""
    return name if name.isalpha() else f"UTC{local.isoformat()[-6:]}"
