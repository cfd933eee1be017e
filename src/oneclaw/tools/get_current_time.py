"""get_current_time: returns date and time in any zone."""

import asyncio
import os
from datetime import UTC, datetime

from oneclaw.clock import zone as zones
from oneclaw.clock.moment import Format, find_zone, machine_zone, render
from oneclaw.core.define.function import tool


@tool(effect="read", seconds=5, group="time", aliases=("get_local_time",), label="Tell the time")
async def get_current_time(timezone: str | None = None, format: Format = "iso8601") -> str:
    """Get the current date and time.

    timezone: IANA timezone (e.g., 'America/New_York') or a city (e.g., 'Tokyo'). Defaults to the machine's.
    format: 'iso8601' or 'human_readable'. Defaults to 'iso8601'.
    """
    now = datetime.now(UTC)
    if not timezone:
        return render(now, machine_zone(os.environ), format)
    # A name that is no zone's is looked for in a table, and compared with all of it: not on the loop.
    zone = zones.load(timezone) or await asyncio.to_thread(find_zone, timezone)
    told = render(now, zone, format)
    return told if zone.key == timezone else f"{told} ({zone.key})"
