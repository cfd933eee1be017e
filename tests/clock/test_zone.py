"""Time zones by the names people use."""

from collections import defaultdict
from collections.abc import Callable
from datetime import datetime
from importlib.resources import files
from zoneinfo import ZoneInfo

import pytest

from oneclaw.clock import zone

NAMES = files("tzdata").joinpath("zones").read_text(encoding="utf-8").split()


def spaced(name: str) -> str:
    return name.replace("_", " ")


@pytest.mark.parametrize("spell", [str, str.lower, str.upper, spaced])
def test_every_iana_name_means_itself_however_it_is_spelled(spell: Callable[[str], str]) -> None:
    for name in NAMES:
        found = zone.find(spell(name))
        assert found is not None, name
        # On a file system that knows no case a name may be found as it was written.
        assert found.key.replace("_", " ").lower() == name.replace("_", " ").lower()


def test_a_city_that_several_zones_are_named_for_has_one_time() -> None:
    by_city: defaultdict[str, list[ZoneInfo]] = defaultdict(list)
    for name in NAMES:
        continent, _, place = name.rpartition("/")
        if (
            continent
            and zone.find(place.replace("_", " ")) is not None
            and continent.split("/")[0] not in (*("Etc", "US", "Canada", "Brazil", "Chile", "Mexico"),)
        ):
            by_city[place].append(ZoneInfo(name))
    assert len(by_city) > 400
    for place, zones in by_city.items():
        found = zone.find(place.replace("_", " "))
        assert found is not None
        for month in (1, 7):
            moment = datetime(2026, month, 1)
            assert {one.utcoffset(moment) for one in zones} == {found.utcoffset(moment)}, place


@pytest.mark.parametrize(
    ("city", "name"),
    [
        ("Port-au-Prince", "America/Port-au-Prince"),
        ("port au prince", "America/Port-au-Prince"),
        ("St. John's", "America/St_Johns"),
        ("ZÜRICH", "Europe/Zurich"),
        ("Zu\u0308rich", "Europe/Zurich"),
        ("Köln", "Europe/Berlin"),
        ("  Ulaanbaatar ", "Asia/Ulaanbaatar"),
        ("Kiev", "Europe/Kyiv"),
        ("Ottawa", "America/Toronto"),
        ("Canberra", "Australia/Sydney"),
        ("Brasília", "America/Sao_Paulo"),
        ("NYC", "America/New_York"),
    ],
)
def test_cities_are_found_in_the_spellings_people_use(city: str, name: str) -> None:
    found = zone.find(city)
    assert found is not None
    assert found.key == name


@pytest.mark.parametrize(
    "name", ["San Jose", "Portland", "San Juan", "Georgetown", "North", "GMT 5", "Europe"]
)
def test_a_name_that_may_mean_several_places_is_not_guessed(name: str) -> None:
    assert zone.find(name) is None


def test_zones_that_differ_by_a_sign_alone_are_not_confused() -> None:
    east, west = zone.find("etc/gmt-5"), zone.find("etc/gmt+5")
    assert east is not None
    assert west is not None
    assert (east.key, west.key) == ("Etc/GMT-5", "Etc/GMT+5")
