"""Units of length, area, volume, mass, time, speed, temperature and data, by their common names."""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

Dimension = tuple[int, int, int, int, int]
"""Powers of length, mass, time, temperature and data."""

NONE: Dimension = (0, 0, 0, 0, 0)
LENGTH: Dimension = (1, 0, 0, 0, 0)
AREA: Dimension = (2, 0, 0, 0, 0)
VOLUME: Dimension = (3, 0, 0, 0, 0)
MASS: Dimension = (0, 1, 0, 0, 0)
TIME: Dimension = (0, 0, 1, 0, 0)
SPEED: Dimension = (1, 0, -1, 0, 0)
TEMPERATURE: Dimension = (0, 0, 0, 1, 0)
DATA: Dimension = (0, 0, 0, 0, 1)

_KINDS: dict[Dimension, str] = {
    NONE: "a plain number",
    LENGTH: "a length",
    AREA: "an area",
    VOLUME: "a volume",
    MASS: "a mass",
    TIME: "a time",
    SPEED: "a speed",
    TEMPERATURE: "a temperature",
    DATA: "an amount of data",
}


def kind_of(dimension: Dimension) -> str:
    """A dimension in words."""
    return _KINDS.get(dimension, "another kind of quantity")


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit: `factor` of the base unit (m, kg, s, K, byte), `offset` where its zero is another.

    `months` is set for units of the calendar, which have no fixed length: a month and a year.
    """

    symbol: str
    factor: Fraction
    dimension: Dimension
    offset: Fraction = Fraction(0)
    months: int = 0


Units = tuple[tuple[Unit, int], ...]
"""Units and their powers, as a quantity is written in."""

YEAR_SECONDS = Fraction(31_556_952)
"""A year of the calendar on average: 365.2425 days."""

_TABLE: tuple[tuple[Dimension, str, str], ...] = (
    (LENGTH, "m", "1 m meter meters metre metres"),
    (LENGTH, "km", "1000 km kilometer kilometers kilometre kilometres"),
    (LENGTH, "dm", "1/10 dm decimeter decimeters decimetre decimetres"),
    (LENGTH, "cm", "1/100 cm centimeter centimeters centimetre centimetres"),
    (LENGTH, "mm", "1/1000 mm millimeter millimeters millimetre millimetres"),
    (LENGTH, "µm", "1/1000000 µm μm um micrometer micrometers micrometre micrometres micron microns"),
    (LENGTH, "nm", "1/1000000000 nm nanometer nanometers nanometre nanometres"),
    (LENGTH, "in", "0.0254 in inch inches ″"),
    (LENGTH, "ft", "0.3048 ft foot feet ′"),
    (LENGTH, "yd", "0.9144 yd yard yards"),
    (LENGTH, "mi", "1609.344 mi mile miles"),
    (LENGTH, "nmi", "1852 nmi nauticalmile nauticalmiles"),
    (AREA, "ha", "10000 ha hectare hectares"),
    (AREA, "acre", "4046.8564224 acre acres ac"),
    (VOLUME, "L", "1/1000 l liter liters litre litres"),
    (VOLUME, "dL", "1/10000 dl deciliter deciliters decilitre decilitres"),
    (VOLUME, "cL", "1/100000 cl centiliter centiliters centilitre centilitres"),
    (VOLUME, "mL", "1/1000000 ml milliliter milliliters millilitre millilitres cc"),
    (VOLUME, "gal", "0.003785411784 gal gallon gallons"),
    (VOLUME, "qt", "0.000946352946 qt quart quarts"),
    (VOLUME, "pt", "0.000473176473 pt pint pints"),
    (VOLUME, "cup", "0.0002365882365 cup cups"),
    (VOLUME, "fl oz", "0.0000295735295625 floz fluidounce fluidounces"),
    (VOLUME, "tbsp", "0.00001478676478125 tbsp tablespoon tablespoons"),
    (VOLUME, "tsp", "0.00000492892159375 tsp teaspoon teaspoons"),
    (MASS, "kg", "1 kg kilo kilos kilogram kilograms kilogramme kilogrammes"),
    (MASS, "g", "1/1000 g gram grams gramme grammes"),
    (MASS, "mg", "1/1000000 mg milligram milligrams"),
    (MASS, "µg", "1/1000000000 µg μg ug mcg microgram micrograms"),
    (MASS, "t", "1000 t tonne tonnes metricton metrictons"),
    (MASS, "lb", "0.45359237 lb lbs pound pounds"),
    (MASS, "oz", "0.028349523125 oz ounce ounces"),
    (MASS, "st", "6.35029318 st stone stones"),
    (TIME, "s", "1 s sec secs second seconds"),
    (TIME, "ms", "1/1000 ms millisecond milliseconds"),
    (TIME, "µs", "1/1000000 µs μs us microsecond microseconds"),
    (TIME, "ns", "1/1000000000 ns nanosecond nanoseconds"),
    (TIME, "min", "60 min mins minute minutes"),
    (TIME, "h", "3600 h hr hrs hour hours"),
    (TIME, "days", "86400 d day days"),
    (TIME, "weeks", "604800 wk wks week weeks"),
    (DATA, "bytes", "1 b byte bytes"),
    (DATA, "bits", "1/8 bit bits"),
    (DATA, "kB", "1000 kb kilobyte kilobytes"),
    (DATA, "MB", "1000000 mb megabyte megabytes"),
    (DATA, "GB", "1000000000 gb gigabyte gigabytes"),
    (DATA, "TB", "1000000000000 tb terabyte terabytes"),
    (DATA, "PB", "1000000000000000 pb petabyte petabytes"),
    (DATA, "KiB", "1024 kib kibibyte kibibytes"),
    (DATA, "MiB", "1048576 mib mebibyte mebibytes"),
    (DATA, "GiB", "1073741824 gib gibibyte gibibytes"),
    (DATA, "TiB", "1099511627776 tib tebibyte tebibytes"),
    (DATA, "kbit", "125 kbit kilobit kilobits"),
    (DATA, "Mbit", "125000 mbit megabit megabits"),
    (DATA, "Gbit", "125000000 gbit gigabit gigabits"),
    (TEMPERATURE, "K", "1 kelvin kelvins"),
)
_MORE = {
    "month months": Unit("months", YEAR_SECONDS / 12, TIME, months=1),
    "yr yrs year years": Unit("years", YEAR_SECONDS, TIME, months=12),
    "°c degc celsius centigrade": Unit("°C", Fraction(1), TEMPERATURE, Fraction("273.15")),
    "°f degf fahrenheit": Unit("°F", Fraction(5, 9), TEMPERATURE, Fraction("459.67") * 5 / 9),
}
_CASED = {"C": "°c", "F": "°f", "K": "kelvin"}
"""Names that are units in this letter case only."""
_RATIOS = {
    "mph": ("mi", "h"),
    "kmh kph": ("km", "h"),
    "kn knot knots": ("nmi", "h"),
    "kbps": ("kbit", "s"),
    "mbps": ("mbit", "s"),
    "gbps": ("gbit", "s"),
}
"""Names of one unit divided by another."""
_PAIRS = {
    *(("nautical", name) for name in ("mile", "miles")),
    *(("fluid", name) for name in ("ounce", "ounces")),
    *(("metric", name) for name in ("ton", "tons")),
    ("fl", "oz"),
}


def find_units(word: str) -> Units:
    """The unit of a name, in any letter case; nothing for a word that is none."""
    return _units().get(_CASED.get(word, word.lower()), ())


def find_pair(first: str, second: str) -> Units:
    """The unit of two words, as `nautical miles`; also degrees, as `degrees Celsius`."""
    if first.lower() in ("degree", "degrees", "deg", "°"):
        units = find_units(second)
        return units if units and units[0][0].dimension == TEMPERATURE else ()
    is_pair = (first.lower(), second.lower()) in _PAIRS
    return find_units(first + second) if is_pair else ()


@lru_cache(1)
def _units() -> dict[str, Units]:
    found: dict[str, Units] = {}
    for dimension, symbol, said in _TABLE:
        factor, *names = said.split()
        found |= dict.fromkeys(names, ((Unit(symbol, Fraction(factor), dimension), 1),))
    for names, unit in _MORE.items():
        found |= dict.fromkeys(names.split(), ((unit, 1),))
    for names, (above, below) in _RATIOS.items():
        ratio = (found[above][0], (found[below][0][0], -1))
        found |= dict.fromkeys(names.split(), ratio)
    return found


def symbol_for(units: Units) -> str:
    """The symbol of a ratio that has one of its own, as `mph`; else nothing."""
    return {find_units(name): name for name in ("mph", "kn")}.get(units, "")
