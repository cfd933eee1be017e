"""The parser: reads an expression once, from left to right, and calculates as it reads.

question    "how many" units expression | [units] "between" sum "and" sum | [units] "until" sum | …
expression  sum ["in" units | "in" "%" ["of" sum]]
sum         product (("+" | "-") product)*
product     signed (("*" | "/" | "of" | "mod") signed)*
signed      ["-"] power
power       amount ["^" signed]
amount      primary ["%"] [units] (number units)*
primary     number | date | "(" expression ")" | function "(" sum, … ")" | constant | units
"""

from collections.abc import Generator
from contextlib import contextmanager
from datetime import date, datetime, timedelta
from fractions import Fraction

from oneclaw.calc.function import FUNCTIONS, Function
from oneclaw.calc.moment import (
    Moment,
    between,
    describe_moment,
    make_moment,
    month_of,
    read_moment,
    shift,
)
from oneclaw.calc.number import InvalidExpression, Number
from oneclaw.calc.quantity import (
    Quantity,
    add,
    convert,
    describe,
    dimension_of,
    join,
    multiply,
    negate,
    plain,
    raise_to,
    remainder,
    with_units,
)
from oneclaw.calc.token import Token, Tokens
from oneclaw.calc.unit import LENGTH, Units, find_pair, find_units

DEPTH = 50
_INTO = ("in", "to", "as", "into")
_SPANS = ("between", "from", "until", "till", "since")
_SCALES = {"dozen": 12, "hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9}
_SCALES["trillion"] = 10**12
_POWERS = {"square": 2, "sq": 2, "cubic": 3, "cu": 3}
_CONSTANTS = {
    **dict.fromkeys(("pi", "π"), Fraction("3.1415926535897932384626433832795028841971693993751")),
    "e": Fraction("2.7182818284590452353602874713526624977572470936999"),
}
_DAYS = {"today": 0, "tomorrow": 1, "yesterday": -1}

Value = Quantity | Moment


def calculate(text: str, today: date) -> str:
    """The result of an expression, as text; raises `InvalidExpression`.

    `now` in it is the time of `today`, where that is a `datetime`.
    """
    return _Calculation(Tokens(text), today).answer()


class _Calculation:
    """One expression on its way to its result."""

    def __init__(self, tokens: Tokens, today: date) -> None:
        self._tokens = tokens
        self._today = Moment(datetime(today.year, today.month, today.day))
        is_time = isinstance(today, datetime)
        self._now = Moment(today.replace(second=0, microsecond=0), True) if is_time else self._today
        self._depth = 0

    def answer(self) -> str:
        value = self._question()
        token = self._tokens.next
        if token.kind != "end":
            hint = "; write mod for the rest of a division" if token.kind == "number" else ""
            raise InvalidExpression(f"{token.shown} is not expected here{hint}", token.start + 1)
        if isinstance(value, str):
            return value
        with self._near(token):
            return describe_moment(value) if isinstance(value, Moment) else describe(value)

    # ------------------------------------------------------------------ questions

    def _question(self) -> Value | str:
        tokens = self._tokens
        if tokens.takes("weekday") or tokens.takes("day", "of", "the", "week"):
            _ = tokens.takes("of") or tokens.takes("is") or tokens.takes("on")
            return f"{self._moment(self._sum()).time:%A}"
        is_counted = tokens.takes("how", "many")
        if is_counted or tokens.follows(1, *_SPANS) or tokens.follows(0, *_SPANS):
            start = tokens.next
            units = self._units()
            if tokens.follows(0, *_SPANS):
                return self._span(units or find_units("days"), start)
            if not units:
                raise InvalidExpression("a unit is expected after how many", start.start + 1)
            while tokens.takes("are") or tokens.takes("is") or tokens.takes("there") or tokens.takes("in"):
                pass
            return self._converted(self._sum(), units, start)
        return self._expression()

    def _span(self, units: Units, start: Token) -> Quantity:
        tokens = self._tokens
        word = tokens.take().text.lower()
        if word in ("until", "till"):
            return self._converted(between(self._today, self._moment(self._sum())), units, start)
        if word == "since":
            return self._converted(between(self._moment(self._sum()), self._today), units, start)
        first = self._moment(self._sum())
        joint = ("and",) if word == "between" else ("to", "until", "till")
        if not any(tokens.takes(each) for each in joint):
            raise InvalidExpression(f"{joint[0]!r} and a second date are expected", tokens.next.start + 1)
        return self._converted(between(first, self._moment(self._sum())), units, start)

    def _moment(self, value: Value) -> Moment:
        if not isinstance(value, Moment):
            raise InvalidExpression("a date is expected, such as 2026-11-18", self._tokens.next.start)
        return value

    # ------------------------------------------------------------------ expressions

    def _expression(self) -> Value:
        value = self._sum()
        while any(self._tokens.takes(word) for word in _INTO):
            start = self._tokens.next
            if self._tokens.takes("%") or self._tokens.takes("percent"):
                value = self._percentage(value, start)
                continue
            units = self._units()
            if not units:
                raise InvalidExpression(f"{start.shown} is no unit that is known", start.start + 1)
            value = self._converted(value, units, start)
        return value

    def _percentage(self, value: Value, start: Token) -> Quantity:
        whole: Value = self._sum() if self._tokens.takes("of") else plain(1)
        with self._near(start):
            ratio = multiply(_quantity(value), _quantity(whole), -1)
            if not ratio.is_plain:
                raise InvalidExpression("only a plain number or a ratio can be a percentage")
            return Quantity(ratio.number, is_percent=True)

    def _converted(self, value: Value, units: Units, start: Token) -> Quantity:
        with self._near(start):
            return convert(_quantity(value), units)

    def _sum(self) -> Value:
        value = self._product()
        while (token := self._tokens.next).text in ("+", "-") and token.kind == "sign":
            self._tokens.take()
            other = self._product()
            with self._near(token):
                value = _added(value, other, 1 if token.text == "+" else -1)
        return value

    def _product(self) -> Value:
        value = self._signed()
        while True:
            token = self._tokens.next
            if token.text == "(" or (token.kind == "word" and token.text in _CONSTANTS):
                word = "*"
            elif token.text in ("*", "/", "of", "mod"):
                word = self._tokens.take().text
            else:
                return value
            other = self._signed()
            with self._near(token):
                if word == "mod":
                    value = remainder(_quantity(value), _quantity(other))
                else:
                    value = multiply(_quantity(value), _quantity(other), -1 if word == "/" else 1)

    def _signed(self) -> Value:
        token = self._tokens.next
        if token.kind == "sign" and token.text in ("-", "+"):
            self._tokens.take()
            with self._deeper(token):
                value = self._signed()
            with self._near(token):
                return negate(_quantity(value)) if token.text == "-" else _quantity(value)
        return self._power()

    def _power(self) -> Value:
        value = self._amount()
        while (token := self._tokens.next).text in ("^", "^2", "^3", "squared", "cubed"):
            self._tokens.take()
            fixed = {"^2": 2, "squared": 2, "^3": 3, "cubed": 3}.get(token.text)
            with self._deeper(token):
                exponent = self._signed() if fixed is None else plain(fixed)
            with self._near(token):
                value = raise_to(_quantity(value), _quantity(exponent))
        return value

    def _amount(self) -> Value:
        """A primary with its scale, percent sign and unit; `3 h 20 min` is one amount."""
        start = self._tokens.next
        found = self._primary()
        if isinstance(found, Moment):
            return found
        if start.kind != "number" and not (start.text == "(" and found.is_plain):
            return self._percent(found)
        value = self._percent(self._scaled(found))
        units = () if value.is_percent else self._units(is_after_number=True)
        if not units:
            return value
        with self._near(start):
            value = with_units(value, units)
        while self._tokens.next.kind == "number" or self._tokens.follows_number("and"):
            self._tokens.takes("and")
            start = self._tokens.next
            more = self._scaled(self._number())
            units = self._units(is_after_number=True)
            with self._near(start):
                if dimension_of(units) != value.dimension:
                    raise InvalidExpression(f"{start.shown} is not expected here; is an operator missing?")
                value = join(value, with_units(more, units))
        return value

    def _scaled(self, value: Quantity) -> Quantity:
        while scale := _SCALES.get(self._tokens.next.text.lower().removesuffix("s"), 0):
            self._tokens.take()
            value = multiply(value, plain(scale))
        return value

    def _percent(self, value: Quantity) -> Quantity:
        if self._tokens.takes("%") or self._tokens.takes("percent"):
            return Quantity(multiply(value, plain(100), -1).number, is_percent=True)
        return value

    # ------------------------------------------------------------------ what an expression is made of

    def _primary(self) -> Value:
        token = self._tokens.next
        if token.kind == "moment":
            self._tokens.take()
            with self._near(token):
                return read_moment(token.text)
        if token.kind == "number":
            return self._day_first() or self._number()
        if token.text == "(":
            self._tokens.take()
            with self._deeper(token):
                value = self._expression()
            self._close(token)
            return value
        tokens = self._tokens
        if tokens.takes("√") or tokens.takes("square", "root", "of") or tokens.takes("cube", "root", "of"):
            with self._deeper(token), self._near(token):
                return FUNCTIONS["cbrt" if token.text.lower() == "cube" else "sqrt"](
                    [_quantity(self._power())]
                )
        return self._word()

    def _word(self) -> Value:
        token = self._tokens.next
        word = token.text.lower()
        if token.kind == "word" and word in FUNCTIONS:
            return self._function(FUNCTIONS[word])
        if token.kind == "word" and word in _CONSTANTS:
            self._tokens.take()
            return Quantity(Number(_CONSTANTS[word], is_exact=False))
        if token.kind == "word" and word in _DAYS:
            self._tokens.take()
            return Moment(self._today.time + timedelta(days=_DAYS[word]))
        if token.kind == "word" and word == "now":
            self._tokens.take()
            return self._now
        if token.kind == "word" and month_of(word):
            return self._month_first()
        if units := self._units():
            return with_units(plain(1), units)
        if token.kind == "end":
            raise InvalidExpression("the expression ends where a number is expected", token.start + 1)
        raise InvalidExpression(f"{token.shown} is not understood here", token.start + 1)

    def _number(self) -> Quantity:
        token = self._tokens.take()
        with self._near(token):
            return plain(Fraction(token.text))

    def _function(self, function: Function) -> Quantity:
        name = self._tokens.take()
        opening = self._tokens.next
        if not self._tokens.takes("("):
            raise InvalidExpression(f"( is expected after {name.text}", opening.start + 1)
        with self._deeper(opening), self._tokens.listed():
            given = [_quantity(self._sum())]
            while self._tokens.takes(","):
                given.append(_quantity(self._sum()))
        self._close(opening)
        with self._near(name):
            return function(given)

    def _close(self, opening: Token) -> None:
        if not self._tokens.takes(")"):
            raise InvalidExpression("the bracket that opens here is not closed", opening.start + 1)

    def _day_first(self) -> Moment | None:
        """`18 November 2026`, `18 Nov`."""
        token = self._tokens.next
        month = month_of(self._tokens.after(1).text)
        if not month or not token.text.isdecimal():
            return None
        self._tokens.take()
        self._tokens.take()
        return self._dated(token, month, int(token.text))

    def _month_first(self) -> Moment:
        """`November 18, 2026`."""
        token = self._tokens.take()
        day = self._tokens.next
        if day.kind != "number" or not day.text.isdecimal():
            raise InvalidExpression(f"a day is expected after {token.text}", day.start + 1)
        self._tokens.take()
        return self._dated(token, month_of(token.text), int(day.text))

    def _dated(self, start: Token, month: int, day: int) -> Moment:
        self._tokens.takes(",")
        year, found = self._today.time.year, self._tokens.next
        if found.kind == "number" and found.text.isdecimal() and len(found.text) == 4:
            year = int(self._tokens.take().text)
        with self._near(start):
            return make_moment(year, month, day)

    # ------------------------------------------------------------------ units

    def _units(self, *, is_after_number: bool = False) -> Units:
        """The units that stand here, as `km/h` or `square meters`; nothing where there are none."""
        found = self._unit(is_after_number)
        while found and self._tokens.joins_unit():
            self._tokens.take()
            below = self._unit(is_after_number=True)
            found = (*found, *((unit, -raised) for unit, raised in below))
        return found

    def _unit(self, is_after_number: bool) -> Units:
        token = self._tokens.next
        if token.kind != "word" or (token.text.lower() == "in" and not self._is_inch(is_after_number)):
            return ()
        raised, after = _POWERS.get(token.text.lower(), 1), self._tokens.after(1)
        name = after if raised > 1 else token
        pair = find_pair(name.text, self._tokens.after(2 if raised > 1 else 1).text)
        units = pair or find_units(name.text)
        if not units or (raised > 1 and dimension_of(units) != LENGTH):
            return ()
        for _ in range((raised > 1) + (2 if pair else 1)):
            self._tokens.take()
        power = self._tokens.takes_unit_power() or 1
        return tuple((unit, each * raised * power) for unit, each in units)

    def _is_inch(self, is_after_number: bool) -> bool:
        """Whether the word `in` means inches: behind a number, and nothing to convert to behind it."""
        after = self._tokens.after(1)
        is_unit = after.kind == "word" and after.text.lower() not in (*_INTO, "and", "of")
        return is_after_number and not is_unit and after.text != "%"

    @contextmanager
    def _deeper(self, token: Token) -> Generator[None]:
        self._depth += 1
        if self._depth > DEPTH:
            raise InvalidExpression(f"brackets are nested deeper than {DEPTH}", token.start + 1)
        yield
        self._depth -= 1

    @contextmanager
    def _near(self, token: Token) -> Generator[None]:
        """Adds the place of this token to an error that has none."""
        try:
            yield
        except InvalidExpression as error:
            if not error.at:
                error.at = token.start + 1
            raise


def _quantity(value: Value) -> Quantity:
    if isinstance(value, Moment):
        raise InvalidExpression("a date cannot be used here: only a time can be added, or a date subtracted")
    return value


def _added(left: Value, right: Value, sign: int) -> Value:
    if isinstance(left, Quantity):
        if isinstance(right, Moment):
            if sign < 0:
                raise InvalidExpression("a date cannot be subtracted from a time")
            return shift(right, left, 1)
        return add(left, right, sign)
    if isinstance(right, Moment):
        if sign > 0:
            raise InvalidExpression("two dates cannot be added; subtract them, or say: days between … and …")
        return between(right, left)
    return shift(left, right, sign)
