"""Quantities: a number with a unit, added, multiplied, raised and converted."""

from dataclasses import dataclass, replace
from fractions import Fraction

from oneclaw.calc.number import InvalidExpression, Number, bounded, is_short, power, write
from oneclaw.calc.unit import NONE, TIME, Dimension, Unit, Units, kind_of, symbol_for


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number in base units, and the units it is written in.

    months      of a time: how many months of the calendar are in it; `number` has their average length
    is_percent  whether it was written as a percentage
    is_mixed    whether it was written in several units, as 3 h 20 min
    is_asked    whether somebody asked for these units
    """

    number: Number
    units: Units = ()
    months: int = 0
    is_percent: bool = False
    is_mixed: bool = False
    is_asked: bool = False

    @property
    def value(self) -> Fraction:
        return self.number.value

    @property
    def dimension(self) -> Dimension:
        return dimension_of(self.units)

    @property
    def is_plain(self) -> bool:
        return not self.units


def dimension_of(units: Units) -> Dimension:
    total = [0, 0, 0, 0, 0]
    for unit, raised in units:
        total = [sum_ + each * raised for sum_, each in zip(total, unit.dimension, strict=True)]
    return (total[0], total[1], total[2], total[3], total[4])


def plain(value: Fraction | int, is_exact: bool = True) -> Quantity:
    return Quantity(Number(bounded(Fraction(value)), is_exact))


def with_units(amount: Quantity, units: Units) -> Quantity:
    """So many of a unit."""
    if not amount.is_plain:
        raise InvalidExpression("a number with a unit is followed by another unit")
    value, months = amount.value, Fraction(0)
    for unit, raised in units:
        value *= unit.factor**raised
    if len(units) == 1 and units[0][1] == 1:
        value, months = value + units[0][0].offset, amount.value * units[0][0].months
    number = Number(bounded(value), amount.number.is_exact)
    return Quantity(number, units, int(months) if months.denominator == 1 else 0)


def add(left: Quantity, right: Quantity, sign: int = 1) -> Quantity:
    """`left + right` or, with the sign -1, their difference. A percentage is one of what stands before it."""
    if right.is_percent and not left.is_percent:
        return multiply(left, plain(1 + sign * right.value, right.number.is_exact))
    if left.dimension != right.dimension:
        word = "added to" if sign > 0 else "subtracted from"
        raise InvalidExpression(f"{kind_of(right.dimension)} cannot be {word} {kind_of(left.dimension)}")
    offset = right.units[0][0].offset if right.units else Fraction(0)
    value = bounded(left.value + sign * (right.value - offset))
    is_exact = left.number.is_exact and right.number.is_exact
    return replace(
        left,
        number=Number(value, is_exact),
        months=left.months + sign * right.months,
        is_mixed=left.is_mixed or right.is_mixed,
    )


def join(left: Quantity, right: Quantity) -> Quantity:
    """Two quantities that stand side by side, as 5 ft 11 in; the result is written in the smaller unit."""
    return replace(add(left, right), units=right.units, is_mixed=True)


def multiply(left: Quantity, right: Quantity, sign: int = 1) -> Quantity:
    """`left * right` or, with the sign -1, `left / right`."""
    for one, other in ((left, right), (right, left)):
        is_kept = other.is_plain and sign > 0
        if any(unit.offset for unit, _ in one.units) and not (is_kept and other.value == 1):
            raise InvalidExpression("a temperature cannot be multiplied or divided; convert it first")
    if sign < 0 and not right.value:
        raise InvalidExpression("nothing can be divided by 0")
    value = left.value * right.value if sign > 0 else left.value / right.value
    is_exact = left.number.is_exact and right.number.is_exact
    units = _merged(left.units, tuple((unit, sign * raised) for unit, raised in right.units))
    months = 0
    if right.is_plain and left.months:
        scaled = left.months * right.value**sign
        months = int(scaled) if scaled.denominator == 1 else 0
    is_percent = left.is_percent and right.is_percent
    return Quantity(Number(bounded(value), is_exact), units, months, is_percent, left.is_mixed)


def negate(quantity: Quantity) -> Quantity:
    """The same amount below 0; of a temperature, below the 0 of its scale."""
    if any(unit.offset for unit, _ in quantity.units):
        amount = amount_in(quantity, quantity.units)
        return with_units(Quantity(Number(-amount.value, amount.is_exact)), quantity.units)
    return multiply(quantity, plain(-1))


def remainder(left: Quantity, right: Quantity) -> Quantity:
    """The rest of a division, as `17 mod 5`."""
    if left.dimension != right.dimension or not right.value:
        raise InvalidExpression("a rest needs two quantities of one kind, and no division by 0")
    return replace(left, number=Number(left.value % right.value, left.number.is_exact), months=0)


def raise_to(base: Quantity, exponent: Quantity) -> Quantity:
    if not exponent.is_plain:
        raise InvalidExpression("an exponent has no unit")
    if base.is_plain:
        return Quantity(power(base.number, exponent.number))
    raised = exponent.value
    powers = [Fraction(each) * raised for _, each in base.units]
    if any(unit.offset for unit, _ in base.units) or any(each.denominator != 1 for each in powers):
        raise InvalidExpression(f"{kind_of(base.dimension)} has no such power")
    units = tuple((unit, int(each)) for (unit, _), each in zip(base.units, powers, strict=True) if each)
    return Quantity(power(base.number, exponent.number), units)


def convert(quantity: Quantity, units: Units) -> Quantity:
    """The same quantity, written in other units."""
    wanted = dimension_of(units)
    if quantity.dimension != wanted:
        raise InvalidExpression(f"{kind_of(quantity.dimension)} cannot be converted to {kind_of(wanted)}")
    return replace(quantity, units=units, is_mixed=False, is_asked=True)


def amount_in(quantity: Quantity, units: Units) -> Number:
    """How many of the units it is."""
    factor = Fraction(1)
    for unit, raised in units:
        factor *= unit.factor**raised
    offset = units[0][0].offset if len(units) == 1 else Fraction(0)
    return Number((quantity.value - offset) / factor, quantity.number.is_exact)


def describe(quantity: Quantity) -> str:
    """The quantity as people write it."""
    if quantity.is_percent:
        percent = Number(quantity.value * 100, quantity.number.is_exact)
        return f"{write(percent)}%"
    amount = amount_in(quantity, quantity.units)
    is_long = quantity.dimension == TIME and (quantity.is_mixed or not is_short(amount))
    mixed = _mixed_time(quantity) if is_long else ""
    if mixed and not quantity.is_asked:
        return mixed
    text = write(amount, has_ratio=quantity.is_plain)
    symbol = symbol_of(quantity.units)
    if abs(amount.value) == 1 and symbol in ("days", "weeks", "months", "years", "bytes", "bits"):
        symbol = symbol[:-1]
    if not symbol:
        return text
    written = f"{text}{symbol}" if symbol.startswith("°") else f"{text} {symbol}"
    return f"{written} ({mixed})" if mixed else written


def symbol_of(units: Units) -> str:
    """`km/h`, `m^2`, `kg`."""
    if symbol := symbol_for(units):
        return symbol

    def one(unit: Unit, raised: int) -> str:
        return unit.symbol if raised == 1 else f"{unit.symbol}^{raised}"

    above = "·".join(one(unit, raised) for unit, raised in units if raised > 0)
    below = "/".join(one(unit, -raised) for unit, raised in units if raised < 0)
    return f"{above or '1'}/{below}" if below else above


def _mixed_time(quantity: Quantity) -> str:
    """A time in days, hours, minutes and seconds; nothing where it is not whole seconds."""
    rest = abs(quantity.value)
    if rest.denominator != 1 or not quantity.number.is_exact:
        return ""
    parts: list[str] = []
    for name, seconds in (("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1)):
        count, rest = divmod(int(rest), seconds)
        if count:
            word = ("day" if count == 1 else "days") if name == "d" else name
            parts.append(f"{count} {word}")
    sign = "-" if quantity.value < 0 else ""
    return sign + (" ".join(parts) or "0 s")


def _merged(left: Units, right: Units) -> Units:
    """The units of a product; what measures the same is written in the unit of the first."""
    powers: dict[Dimension, tuple[Unit, int]] = {}
    for unit, raised in (*left, *right):
        known = powers.get(unit.dimension)
        powers[unit.dimension] = (unit, raised) if known is None else (known[0], known[1] + raised)
    units = tuple((unit, raised) for unit, raised in powers.values() if raised)
    return () if dimension_of(units) == NONE else units
