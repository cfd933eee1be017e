"""Functions in expressions: roots, rounding, minimum, maximum, sum and mean."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import ceil, floor

from oneclaw.calc.number import InvalidExpression, Number, root
from oneclaw.calc.quantity import Quantity, add, amount_in, multiply, negate, plain, raise_to, with_units
from oneclaw.calc.unit import kind_of

Function = Callable[[Sequence[Quantity]], Quantity]


def _root(degree: int) -> Function:
    def work(given: Sequence[Quantity]) -> Quantity:
        (one,) = _count(given, 1)
        return _root_of(one, degree)

    return work


def _any_root(given: Sequence[Quantity]) -> Quantity:
    one, degree = _count(given, 2)
    if not degree.is_plain or degree.value.denominator != 1:
        raise InvalidExpression("the degree of a root must be a whole number, as in root(27, 3)")
    return _root_of(one, int(degree.value))


def _root_of(one: Quantity, degree: int) -> Quantity:
    if not one.is_plain:
        return raise_to(one, plain(Fraction(1, max(degree, 1))))
    return Quantity(root(one.number, degree))


def _rounding(work: Callable[[Fraction], int]) -> Function:
    def rounded(given: Sequence[Quantity]) -> Quantity:
        places = 0
        if len(given) == 2:
            if not given[1].is_plain or given[1].value.denominator != 1 or not 0 <= given[1].value <= 30:
                raise InvalidExpression("the number of decimals must be a whole number from 0 to 30")
            places, given = int(given[1].value), given[:1]
        (one,) = _count(given, 1)
        amount = amount_in(one, one.units)
        found = Number(Fraction(work(amount.value * 10**places), 10**places))
        return with_units(Quantity(found), one.units) if one.units else Quantity(found)

    return rounded


def _half_up(value: Fraction) -> int:
    """To the nearest whole number, and a half away from 0, as people round."""
    return floor(value + Fraction(1, 2)) if value >= 0 else ceil(value - Fraction(1, 2))


def _absolute(given: Sequence[Quantity]) -> Quantity:
    (one,) = _count(given, 1)
    return one if amount_in(one, one.units).value >= 0 else negate(one)


def _chosen(sign: int) -> Function:
    """The largest, or with the sign -1, the least."""

    def work(given: Sequence[Quantity]) -> Quantity:
        for each in given[1:]:
            if each.dimension != given[0].dimension:
                first, other = kind_of(given[0].dimension), kind_of(each.dimension)
                raise InvalidExpression(f"{other} cannot be compared with {first}")
        return max(given, key=lambda each: sign * each.value)

    return work


def _sum(given: Sequence[Quantity]) -> Quantity:
    total = given[0]
    for each in given[1:]:
        total = add(total, each)
    return total


def _mean(given: Sequence[Quantity]) -> Quantity:
    return multiply(_sum(given), plain(len(given)), -1)


def _count(given: Sequence[Quantity], count: int) -> Sequence[Quantity]:
    if len(given) != count:
        raise InvalidExpression(f"the function takes {count} value{'s' * (count > 1)}, not {len(given)}")
    return given


FUNCTIONS: dict[str, Function] = {
    "sqrt": _root(2),
    "cbrt": _root(3),
    "root": _any_root,
    "abs": _absolute,
    "round": _rounding(_half_up),
    "floor": _rounding(floor),
    "ceil": _rounding(ceil),
    "min": _chosen(-1),
    "max": _chosen(1),
    "sum": _sum,
    **dict.fromkeys(("mean", "average", "avg"), _mean),
}
