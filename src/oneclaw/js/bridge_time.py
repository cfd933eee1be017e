"""Dates and time zones for JavaScript tools."""

import asyncio
import os
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any
from zoneinfo import ZoneInfo

from oneclaw.clock import zone as zones
from oneclaw.clock.moment import find_zone, machine_zone, render, render_pattern, zone_name
from oneclaw.core.errors import invalid

PATTERN_CHARS = 200


async def format_moment(milliseconds: float, zone: str | None, format: str) -> str:
    """A moment in a zone (None: the machine's), as `iso8601`, `human_readable` or by a pattern."""
    moment, place = _moment(milliseconds), await _zone(zone)
    if format == "iso8601" or format == "human_readable":
        return render(moment, place, format)
    if "%" not in format or len(format) > PATTERN_CHARS:
        shown = format if len(format) <= 40 else format[:40] + "…"
        message = f"Unknown time format: {shown!r}; use iso8601, human_readable or a pattern as '%Y-%m-%d'."
        raise invalid(message)
    return render_pattern(moment, place, format)


async def describe_zone(milliseconds: float, zone: str | None) -> dict[str, Any]:
    """The IANA name of a zone or city, and how far it is from UTC at a moment."""
    place = await _zone(zone)
    local = _moment(milliseconds).astimezone(place)
    offset = local.utcoffset() or timedelta()
    return {
        "name": place.key if isinstance(place, ZoneInfo) and place.key else zone_name(local),
        "offsetMinutes": round(offset.total_seconds() / 60),
        "abbreviation": zone_name(local),
    }


def _moment(milliseconds: float) -> datetime:
    try:
        moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=milliseconds)
    except (OverflowError, ValueError):
        moment = None
    # A day of room on both sides, for the zones.
    if moment is None or not 1 < moment.year < 9999:
        raise invalid(f"{milliseconds:.15g} ms is no moment of the years 2 to 9998.")
    return moment


async def _zone(name: str | None) -> tzinfo | None:
    if not name:
        return machine_zone(os.environ)
    # A name that is no zone's is looked for in a table, and compared with all of it: not on the loop.
    return zones.load(name) or await asyncio.to_thread(find_zone, name)
