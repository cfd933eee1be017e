"""Exact numbers: bounded fractions, powers and roots, and their text."""

from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from math import isqrt

MOST_BITS = 20_000
"""The largest numerator and denominator, about 6,000 digits."""
MOST_EXPONENT = 10_000
MOST_DIGITS = 1_000
"""Of a result that is written out whole."""
PLACES = 30
"""The most decimals that are written out; a number with more is rounded."""
SHOWN_DIGITS = 15
"""Of a number that is rounded."""
_ROOT_DIGITS = 40
_DECIMAL = Context(prec=60, Emin=-(10**6), Emax=10**6)


class InvalidExpression(ValueError):
    """An expression that cannot be calculated; `at` is the character at which it goes wrong, from 1."""

    def __init__(self, message: str, at: int = 0) -> None:
        super().__init__(message)
        self.at = at


@dataclass(frozen=True, slots=True)
class Number:
    """A fraction; `is_exact` is false where it was rounded on the way, as the root of 2 is."""

    value: Fraction
    is_exact: bool = True


def bounded(value: Fraction) -> Fraction:
    """The value; raises for one that is too large."""
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > MOST_BITS:
        raise InvalidExpression("a number becomes too large")
    return value


def power(base: Number, exponent: Number) -> Number:
    """`base ** exponent`, exact where it can be."""
    value, raised = base.value, exponent.value
    is_exact = base.is_exact and exponent.is_exact
    if abs(raised) > MOST_EXPONENT:
        raise InvalidExpression(f"the exponent is larger than {MOST_EXPONENT:,}")
    if not value and raised < 0:
        raise InvalidExpression("0 has no negative power")
    if raised.denominator == 1:
        bits = max(value.numerator.bit_length(), value.denominator.bit_length())
        if (bits - 1) * abs(raised.numerator) > MOST_BITS:
            raise InvalidExpression("the power is too large")
        return Number(bounded(value ** int(raised)), is_exact)
    if value < 0:
        raise InvalidExpression("a negative number has no such power")
    if raised.denominator < 1_000:  # the root of a fraction may be one itself
        above, below = (_whole_root(part, raised.denominator) for part in value.as_integer_ratio())
        if above is not None and below is not None:
            rooted = Number(Fraction(above, below), is_exact)
            return power(rooted, Number(Fraction(raised.numerator)))
    return Number(_rounded_power(value, raised), False)


def root(base: Number, degree: int) -> Number:
    """The root of a degree; an odd one of a negative number is negative."""
    if not 1 <= degree <= 1_000:
        raise InvalidExpression("the degree of a root must be from 1 to 1,000")
    if base.value < 0:
        if degree % 2 == 0:
            raise InvalidExpression("a negative number has no such root")
        found = root(Number(-base.value, base.is_exact), degree)
        return Number(-found.value, found.is_exact)
    return power(base, Number(Fraction(1, degree)))


def _whole_root(value: int, degree: int) -> int | None:
    if degree == 2:
        found = isqrt(value)
        return found if found * found == value else None
    low, high = 0, 1 << (value.bit_length() // degree + 1)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if middle**degree <= value else (low, middle - 1)
    return low if low**degree == value else None


def _rounded_power(value: Fraction, exponent: Fraction) -> Fraction:
    base = _DECIMAL.divide(Decimal(value.numerator), Decimal(value.denominator))
    raised = _DECIMAL.divide(Decimal(exponent.numerator), Decimal(exponent.denominator))
    try:
        found = _DECIMAL.power(base, raised)
    except ArithmeticError:
        raise InvalidExpression("the power is too large") from None
    digits = Context(prec=_ROOT_DIGITS).plus(found)
    if digits and abs(digits.adjusted()) > MOST_DIGITS:
        raise InvalidExpression("the power is too large")
    return Fraction(digits)


def decimals_of(value: Fraction) -> int | None:
    """How many decimals the value has; None where they do not end."""
    rest, twos, fives = value.denominator, 0, 0
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    return max(twos, fives) if rest == 1 else None


def is_short(number: Number) -> bool:
    """Whether the number can be written out whole."""
    places = decimals_of(number.value)
    return number.is_exact and places is not None and places <= PLACES


def write(number: Number, *, has_ratio: bool = True) -> str:
    """The number in decimal. A rounded one begins with `≈`; a short fraction stands behind it."""
    value = number.value
    if is_short(number):
        return _written(value, decimals_of(value) or 0)
    rounded = Context(prec=SHOWN_DIGITS).divide(Decimal(value.numerator), Decimal(value.denominator))
    if -7 <= rounded.adjusted() <= 20:
        text = f"{rounded:f}"
        text = text.rstrip("0").rstrip(".") if "." in text else text
    else:
        text = f"{rounded.normalize():e}".replace("e+", "e")
    is_simple = number.is_exact and value.denominator < 1_000 and abs(value.numerator) < 10**6
    return f"≈ {text} ({value.numerator}/{value.denominator})" if has_ratio and is_simple else f"≈ {text}"


def _written(value: Fraction, places: int) -> str:
    whole = abs(value.numerator) * 10**places // value.denominator
    if whole >= 10**MOST_DIGITS:
        raise InvalidExpression(f"the result has more than {MOST_DIGITS:,} digits")
    digits = str(whole).rjust(places + 1, "0")
    sign = "-" if value < 0 else ""
    return f"{sign}{digits[:-places]}.{digits[-places:]}" if places else f"{sign}{digits}"
