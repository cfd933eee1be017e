"""A moment in a zone, written for machines and for people; the zone of a name, and of this machine."""

import os
from collections.abc import Mapping
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import Literal
from zoneinfo import ZoneInfo

from oneclaw.clock import zone as zones
from oneclaw.core.errors import Kind, ToolError

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
    return f"{day} at {hour}:{local.minute:02}:{local.second:02} {half} {_zone_name(local)}"


def find_zone(name: str) -> ZoneInfo:
    """The zone of an IANA name or a city; raises `ToolError` with the nearest names."""
    zone = zones.find(name)
    if zone is None:
        raise ToolError(_unknown(name), Kind.VALIDATION_ERROR)
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


def _unknown(name: str) -> str:
    shown = name if len(name) <= zones.NAME_CHARS else name[: zones.NAME_CHARS] + "…"
    told = f"Invalid timezone: {shown!r}. Use IANA timezone format (e.g., 'America/New_York')."
    near = zones.nearest(name)
    return f"{told} Nearest: {', '.join(near)}." if near else told


def _zone_name(local: datetime) -> str:
    """CET, or UTC+03:00 for zones that have no letters."""
    name = local.tzname() or ""
    return name if name.isalpha() else f"UTC{local.isoformat()[-6:]}"
