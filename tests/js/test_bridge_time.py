"""time in JavaScript tools: the clock, moments in zones, and the names of zones."""

from datetime import UTC, datetime
from time import time

from tests.js.conftest import Evaluate, outcomes

from oneclaw.clock.moment import render_pattern

MOMENT = 1_794_781_860_987  # 2026-11-15T22:31:00.987Z


async def test_now_is_the_clock_of_the_machine(evaluate: Evaluate) -> None:
    before = time() * 1000
    now, date = await evaluate("return [time.now(), Date.now()]")
    assert before - 2 <= now <= date <= time() * 1000 + 2


async def test_a_moment_is_written_in_a_zone(evaluate: Evaluate) -> None:
    told = await evaluate(
        """
        return [time.format(p.at, 'Europe/Berlin'), time.format(new Date(p.at), 'tokyo', 'human_readable'),
                time.format('2026-07-01T10:00:05Z', 'New York'), time.format(p.at, 'UTC',
                    '%Y/%m/%d %H:%M:%S.%L %Z %%'),
                time.format(0.5, 'UTC', '%L'), time.format(-1, 'UTC'), time.format(p.at, 'Europe/Berlin',
                    '%A %e %B, %I %p')];
        """,
        {"at": MOMENT},
    )
    assert told == [
        "2026-11-15T23:31:00+01:00",
        "Monday, November 16, 2026 at 7:31:00 AM JST",
        "2026-07-01T06:00:05-04:00",
        "2026/11/15 22:31:00.987 UTC %",
        "000",
        "1969-12-31T23:59:59+00:00",
        "Sunday 15 November, 11 PM",
    ]


async def test_without_a_zone_it_is_the_machine_s_and_without_a_moment_now(evaluate: Evaluate) -> None:
    here, there = await evaluate("return [time.format(p.at), time.format()]", {"at": MOMENT})
    assert datetime.fromisoformat(here) == datetime(2026, 11, 15, 22, 31, tzinfo=UTC)
    assert abs(datetime.fromisoformat(there).timestamp() - time()) < 60


async def test_a_zone_is_described_and_all_are_listed(evaluate: Evaluate) -> None:
    told = await evaluate(
        """
        const zones = time.zones();
        return [time.zone('kathmandu', p.at), time.zone('Europe/Berlin', '2026-07-01'),
            zones.includes('Asia/Tokyo'),
                zones.length > 400, typeof time.zone().offsetMinutes];
        """,
        {"at": MOMENT},
    )
    assert told == [
        {"name": "Asia/Kathmandu", "offsetMinutes": 345, "abbreviation": "UTC+05:45"},
        {"name": "Europe/Berlin", "offsetMinutes": 120, "abbreviation": "CEST"},
        True,
        True,
        "number",
    ]


WRONG: list[tuple[str, str]] = [
    ("time.format(0, 'Berlim')", "Invalid timezone: 'Berlim'. Use IANA timezone format"),
    ("time.format(0, '../../etc/passwd')", "Invalid timezone: '../../etc/passwd'"),
    ("time.format(0, 'UTC', 'stardate')", "Unknown time format: 'stardate'; use iso8601, human_readable"),
    ("time.format(0, 'UTC', '%Q')", "A time pattern cannot have '%Q'; use %Y"),
    ("time.format(0, 'UTC', '%')", "A time pattern cannot have '%'"),
    ("time.format('tomorrow')", "RangeError: A moment is a number of milliseconds since 1970"),
    ("time.format(NaN)", "RangeError: A moment is a number of milliseconds since 1970"),
    ("time.format(true)", "RangeError: A moment is a number of milliseconds since 1970"),
    ("time.format(8.64e15, 'UTC')", "8.64e+15 ms is no moment of the years 2 to 9998"),
    ("time.format(-8.64e15, 'UTC')", "is no moment of the years 2 to 9998"),
    ("time.format(Infinity, 'UTC')", "RangeError: A moment is a number of milliseconds"),
]


async def test_what_is_no_moment_zone_or_format_is_named(evaluate: Evaluate) -> None:
    told = await outcomes(evaluate, [f"{call}" for call, _ in WRONG])
    for (call, expected), outcome in zip(WRONG, told, strict=True):
        assert expected in str(outcome), (call, outcome)


async def test_time_needs_no_permission(evaluate: Evaluate) -> None:
    assert await evaluate("return time.format(0, 'UTC')", needs=[]) == "1970-01-01T00:00:00+00:00"


def test_every_part_of_a_pattern_is_what_strftime_writes_in_english() -> None:
    for moment in (datetime(2026, 1, 3, 0, 5, 9, 7000, UTC), datetime(2024, 12, 30, 13, 45, 59, tzinfo=UTC)):
        for letter in "YymdHIMSpAaBbjuVGFTzZ%":
            assert render_pattern(moment, UTC, f"<%{letter}>") == moment.strftime(f"<%{letter}>"), letter
        assert render_pattern(moment, UTC, "%s|%e|%L") == (
            f"{moment.timestamp():.0f}|{moment.day}|{moment.microsecond // 1000:03}"
        )
