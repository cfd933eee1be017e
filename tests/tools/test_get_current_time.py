"""get_current_time: zones, formats, and the zone of the machine."""

import asyncio
import threading
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from oneclaw.clock import zone
from oneclaw.clock.moment import find_zone, machine_zone, render
from oneclaw.core.errors import Kind, ToolError
from oneclaw.core.tool import Context
from oneclaw.tools.get_current_time import get_current_time

MOMENT = datetime(2026, 11, 15, 22, 31, 0, 987654, tzinfo=UTC)
BERLIN = ZoneInfo("Europe/Berlin")


def test_the_definition_is_what_the_model_is_promised() -> None:
    definition = get_current_time.definition
    assert (definition.name, definition.seconds, definition.effect) == ("get_current_time", 5, "read")
    assert (definition.needs, definition.isolation) == ((), "inline")
    assert list(definition.parameters["properties"]) == ["timezone", "format"]
    assert definition.parameters["properties"]["format"]["enum"] == ["iso8601", "human_readable"]


@pytest.mark.covers("RFC004-UT-04b", "RFC004-UT-04d")
@pytest.mark.parametrize(
    ("zone", "iso", "human"),
    [
        ("Europe/Berlin", "2026-11-15T23:31:00+01:00", "Sunday, November 15, 2026 at 11:31:00 PM CET"),
        ("America/New_York", "2026-11-15T17:31:00-05:00", "Sunday, November 15, 2026 at 5:31:00 PM EST"),
        ("Asia/Shanghai", "2026-11-16T06:31:00+08:00", "Monday, November 16, 2026 at 6:31:00 AM CST"),
        ("Asia/Kathmandu", "2026-11-16T04:16:00+05:45", "Monday, November 16, 2026 at 4:16:00 AM UTC+05:45"),
        (
            "America/Sao_Paulo",
            "2026-11-15T19:31:00-03:00",
            "Sunday, November 15, 2026 at 7:31:00 PM UTC-03:00",
        ),
        ("UTC", "2026-11-15T22:31:00+00:00", "Sunday, November 15, 2026 at 10:31:00 PM UTC"),
    ],
)
def test_a_moment_is_shown_in_its_zone(zone: str, iso: str, human: str) -> None:
    assert render(MOMENT, ZoneInfo(zone), "iso8601") == iso
    assert render(MOMENT, ZoneInfo(zone), "human_readable") == human


def test_summer_time_noon_and_midnight() -> None:
    assert render(datetime(2026, 7, 1, 10, 0, 5, tzinfo=UTC), BERLIN, "human_readable") == (
        "Wednesday, July 1, 2026 at 12:00:05 PM CEST"
    )
    assert render(datetime(2026, 12, 31, 23, 0, tzinfo=UTC), BERLIN, "human_readable") == (
        "Friday, January 1, 2027 at 12:00:00 AM CET"
    )


@pytest.mark.covers("FEAT004-AC-12", "FEAT004-FT-01")
async def test_the_tool_tells_the_time_that_is() -> None:
    before = datetime.now(UTC).replace(microsecond=0)
    told = await get_current_time.execute({"timezone": "Asia/Tokyo"}, Context())
    assert before <= datetime.fromisoformat(told) <= datetime.now(UTC)
    assert told.endswith("+09:00")
    assert datetime.fromisoformat(await get_current_time.execute({}, Context())) >= before
    assert " at " in await get_current_time.execute({"format": "human_readable"}, Context())


@pytest.mark.covers("FEAT004-FT-01", "RFC004-UT-04a")
async def test_without_a_zone_the_machine_s_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    for arguments in ({}, {"timezone": None}, {"timezone": ""}):
        assert (await get_current_time.execute(arguments, Context())).endswith("+09:00")


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("Europe/Berln", "Europe/Berlin"),
        ("Amerika/New York", "America/New_York"),
        ("New Yrok", "America/New_York"),
        ("Tokio", "Asia/Tokyo"),
        ("Shanghia", "Asia/Shanghai"),
        ("San Fransisco", "America/Los_Angeles"),
    ],
)
def test_a_name_that_is_almost_right_gets_the_right_one(name: str, near: str) -> None:
    with pytest.raises(ToolError) as caught:
        find_zone(name)
    assert caught.value.kind is Kind.VALIDATION_ERROR
    assert caught.value.message.startswith(
        f"Invalid timezone: '{name}'. Use IANA timezone format (e.g., 'America/New_York'). Nearest: "
    )
    assert near in caught.value.message


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Tokyo", "Asia/Tokyo"),
        ("new york", "America/New_York"),
        ("Sao Paulo", "America/Sao_Paulo"),
        ("São Paulo", "America/Sao_Paulo"),
        ("berlin", "Europe/Berlin"),
        ("San Francisco", "America/Los_Angeles"),
        ("Beijing", "Asia/Shanghai"),
        ("Mumbai", "Asia/Kolkata"),
        ("Washington, D.C.", "America/New_York"),
        ("america/new_york", "America/New_York"),
        ("utc", "UTC"),
    ],
)
async def test_a_city_or_another_spelling_is_told_with_its_zone(name: str, expected: str) -> None:
    told, _, used = (await get_current_time.execute({"timezone": name}, Context())).partition(" ")
    assert used == f"({expected})"
    there = datetime.fromisoformat(told)
    assert there.utcoffset() == there.astimezone(ZoneInfo(expected)).utcoffset()
    human = await get_current_time.execute({"timezone": name, "format": "human_readable"}, Context())
    assert human.endswith(f" ({expected})")


async def test_the_loop_runs_on_while_an_unknown_name_is_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    compared = threading.Event()
    on_loop: list[bool] = []

    def nearest(name: str) -> list[str]:
        on_loop.append(threading.current_thread() is threading.main_thread())
        return [] if compared.wait(10) else ["(the loop stood still)"]

    monkeypatch.setattr(zone, "nearest", nearest)
    asyncio.get_running_loop().call_later(0, compared.set)
    with pytest.raises(
        ToolError, match=r"Invalid timezone: 'Nowhere'\. [^(]*\(e\.g\., 'America/New_York'\)\.$"
    ):
        await get_current_time.execute({"timezone": "Nowhere"}, Context())
    assert on_loop == [False]


@pytest.mark.covers("RFC004-UT-04c")
@pytest.mark.parametrize(
    "name",
    [
        *(
            "Invalid/Zone",
            "../../etc/passwd",
            "/etc/passwd",
            "/usr/share/zoneinfo/UTC",
            "a\0b",
            "America",
            ".",
        ),
        *(
            "..",
            "Europe/../UTC",
            "tzdata.zi",
            "zone.tab",
            "x" * 100_000,
            "\ud800",
            "+02:00",
            "é",
            "UTC\n",
            "~",
        ),
    ],
)
def test_no_other_name_is_more_than_a_clean_error(name: str) -> None:
    with pytest.raises(ToolError, match="Invalid timezone: '") as caught:
        find_zone(name)
    assert caught.value.kind is Kind.VALIDATION_ERROR
    assert caught.value.message.isprintable()
    assert len(caught.value.message) < 400


def test_tz_names_the_machine_s_zone(tmp_path: Path) -> None:
    for value in ("Europe/Berlin", ":Europe/Berlin", "/usr/share/zoneinfo/Europe/Berlin"):
        assert machine_zone({"TZ": value}, tmp_path) == BERLIN
    assert machine_zone({"TZ": ""}, tmp_path) is UTC
    assert machine_zone({"TZ": "CET-1CEST,M3.5.0,M10.5.0/3"}, tmp_path) is None


def test_the_link_names_the_machine_s_zone(tmp_path: Path) -> None:
    (tmp_path / "localtime").symlink_to("/usr/share/zoneinfo/Europe/Berlin")
    assert machine_zone({}, tmp_path) == BERLIN


def test_the_file_timezone_names_the_machine_s_zone(tmp_path: Path) -> None:
    (tmp_path / "timezone").write_text("Europe/Berlin\n", encoding="utf-8")
    assert machine_zone({}, tmp_path) == BERLIN


def test_the_rules_themselves_are_the_machine_s_zone(tmp_path: Path) -> None:
    from importlib.resources import files

    (tmp_path / "localtime").write_bytes(files("tzdata").joinpath("zoneinfo/Europe/Berlin").read_bytes())
    (tmp_path / "timezone").write_text("nonsense", encoding="utf-8")
    zone = machine_zone({}, tmp_path)
    assert render(MOMENT, zone, "human_readable").endswith("11:31:00 PM CET")


def test_a_machine_that_tells_nothing_still_has_a_clock(tmp_path: Path) -> None:
    assert machine_zone({}, tmp_path) is None
    (tmp_path / "localtime").write_bytes(b"nonsense")
    (tmp_path / "timezone").write_bytes(b"\xff")
    assert machine_zone({}, tmp_path) is None
    assert datetime.fromisoformat(render(MOMENT, None, "iso8601")) == MOMENT.replace(microsecond=0)
    odd = timezone(timedelta(hours=-3, minutes=-30))
    assert render(MOMENT, odd, "human_readable").endswith(" UTC-03:30")
