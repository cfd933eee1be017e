"""Sums, units and dates in a message, as expressions for the tool `calculate`.

Each row of the tables has to fit the message as a whole, after its first polite words: `how many days until
Friday's party` fits none.
"""

import re

from oneclaw_smollm2.message import NUMBER_WORDS

_LEAD = re.compile(
    r"(?:(?:please|can you|could you|would you|tell me|do you know|hey|so|and|ok|i need to know)[,:]?\s+)*"
    r"(?:(?:what(?:'s|s| is| are| does| do)|how much (?:is|are|does)|calculate|compute|work out|solve|find)"
    r"\s+)?(?:the (?:result|value|answer|sum) of\s+)?"
)
_TAIL = re.compile(r"(?:\s*(?:=|\?|\.|!)|,?\s+(?:please|make|makes|equal|equals|for me|is what))*\s*\Z")
_NUMBER = rf"(?:\d[\d,]*(?:\.\d+)?|\.\d+|\b(?:an?|half an?|{'|'.join(NUMBER_WORDS)})\b)"
_SUMS: tuple[tuple[str, str], ...] = (
    (rf"(?:add|sum(?: up)?|sum of|total of) ({_NUMBER}) (?:and|to|plus) ({_NUMBER})", r"\1 + \2"),
    (rf"(?:subtract|take(?: away)?) ({_NUMBER}) from ({_NUMBER})", r"\2 - \1"),
    (rf"multiply ({_NUMBER}) (?:by|with|and|times) ({_NUMBER})", r"\1 * \2"),
    (rf"divide ({_NUMBER}) (?:by|through) ({_NUMBER})", r"\1 / \2"),
    (rf"(?:the )?product of ({_NUMBER}) and ({_NUMBER})", r"\1 * \2"),
    (rf"(?:the )?difference (?:of|between) ({_NUMBER}) and ({_NUMBER})", r"\1 - \2"),
    (rf"half (?:of )?({_NUMBER})", r"\1 / 2"),
    (rf"(?:double|twice) ({_NUMBER})", r"2 * \1"),
    (rf"(?:a |the )?(?:square root|sqrt) (?:of )?\(?({_NUMBER})\)?", r"sqrt(\1)"),
    (rf"({_NUMBER})\s*(?:%|percent|per cent) (?:tip )?(?:of|on|from) ({_NUMBER})", r"\1% of \2"),
    (rf"({_NUMBER})\s*(?:%|percent) off ({_NUMBER})", r"\2 - \1%"),
    (rf"what (?:percent|percentage) of ({_NUMBER}) is ({_NUMBER})", r"\2 as % of \1"),
)
_METRE, _LITRE = r"met(?:er|re)s?", r"lit(?:er|re)s?"
_UNIT = "|".join(
    (
        rf"mm|cm|dm|m|km|milli{_METRE}|centi{_METRE}|{_METRE}|kilo{_METRE}|in|inch(?:es)?|ft|foot|feet|yd|yards?",
        rf"mi|miles?|nautical miles?|acres?|hectares?|ha|square (?:{_METRE}|feet|miles?|kilo{_METRE})",
        rf"l|{_LITRE}|ml|milli{_LITRE}|cups?|pints?|quarts?|gal|gallons?|tbsp|tablespoons?|tsp|teaspoons?",
        r"fl oz|fluid ounces?|mg|g|kg|grams?|kilos?|kilograms?|milligrams?|t|tonnes?|lbs?|pounds?|oz|ounces?",
        r"stones?|s|seconds?|secs?|minutes?|mins?|h|hrs?|hours?|days?|weeks?|months?|years?|bytes?|bits?",
        r"[kmgt]i?b|kilobytes?|megabytes?|gigabytes?|terabytes?|mph|km/h|kmh|kph|knots?|m/s|mbps|mb/s",
        r"°?\s?[cfk]|(?:degrees? )?(?:celsius|fahrenheit|kelvin|centigrade)",
    )
)
_MEASURE = rf"(?P<value>{_NUMBER}) ?(?P<unit>{_UNIT})"
_MADE = r"\g<value> \g<unit> in \g<wanted>"
_CONVERSIONS: tuple[tuple[str, str], ...] = (
    (rf"(?:convert )?{_MEASURE} (?:in|to|into|as|is how many|are how many) (?P<wanted>{_UNIT})", _MADE),
    (
        rf"how (?:many|much) (?P<wanted>{_UNIT}) (?:are |is |do |does |fit )?(?:there )?"
        rf"(?:in|into|make|makes) {_MEASURE}",
        _MADE,
    ),
)
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_DATE = (
    rf"(?:\d{{4}}-\d\d?-\d\d?|\d\d?(?: of)? {_MONTH}(?:,? \d{{4}})?|{_MONTH} \d\d?(?:,? \d{{4}})?"
    r"|today|tomorrow|yesterday)"
)
_FEASTS = {
    r"christmas eve": "24 december",
    r"christmas(?: day)?|xmas": "25 december",
    r"new year'?s eve": "31 december",
    r"(?:the )?new year(?:'?s(?: day)?)?": "1 january",
    r"halloween": "31 october",
    r"valentine'?s(?: day)?": "14 february",
}
_SPAN, _WHICH = r"(\d+ (?:days?|weeks?|months?|years?))", r"(days|weeks|months)"
_DATES: tuple[tuple[str, str], ...] = (
    (
        rf"how (?:many|long)(?: {_WHICH})?(?: (?:is it|are there|are left|left|do we have|remain))*"
        rf" (?:until|till|til|to|before) ({_DATE})",
        r"\1 until \2",
    ),
    (rf"{_WHICH}(?: left)? (?:until|till|to) ({_DATE})", r"\1 until \2"),
    (
        rf"how (?:many|long)(?: {_WHICH})?(?: (?:is it|has it been|have passed))* since ({_DATE})",
        r"\1 since \2",
    ),
    (
        rf"how many {_WHICH}(?: are there| are| lie)? (?:between|from) ({_DATE}) (?:and|to|until) ({_DATE})",
        r"\1 between \2 and \3",
    ),
    (rf"(?:day|date)(?: is it| is| will it be)? (?:in )?{_SPAN}(?: from (?:now|today))?", r"today + \1"),
    (rf"(?:in )?{_SPAN} from (?:now|today)", r"today + \1"),
    (rf"(?:day|date)(?: was it| was)? {_SPAN} ago", r"today - \1"),
    (rf"(?:day of the week|weekday|day)(?: is| was| will be| of)? (?!today\b)({_DATE})", r"weekday of \1"),
)
_SIGNS = (
    (r"\bmultiplied (?:by|with)\b|\btimes\b|[×·]|(?<=\d)\s*x\s*(?=\d)", "*"),
    (r"\bdivided (?:by|through)\b|\bover\b|÷", "/"),
    (r"\bplus\b", "+"),
    (r"\bminus\b|[−–]", "-"),
    (r"\bto the power of\b|\*\*", "^"),
    (r"\bper ?cent\b", "%"),
)
_ARITHMETIC = re.compile(
    r"(?=.*\d)(?=.*(?:[-+*/^%(]|\bmod\b|ed\b))(?:[\d.,]|[-+*/^%()\s]|sqrt|of|mod|squared|cubed)+"
)
_NO_SUM = re.compile(r"\d+(?:[-/.]\d+){2,}|[+-][\d\s]+|\d{3}-\d{4}|[\d\s]+")
"""Dates, telephone numbers and numbers by themselves."""


def read_sum(text: str) -> str:
    """The expression that a message asks to calculate; empty where it asks for none."""
    said = " ".join(text.lower().replace("’", "'").split())
    for feast, date in _FEASTS.items():
        said = re.sub(rf"\b(?:{feast})(?!\w)", date, said)
    said = re.sub(r"[$€£]|(?<=\d)(?:st|nd|rd|th)\b", "", _TAIL.sub("", said))
    bare = re.sub(r"\A(?:what|which) (?=day|date|weekday)", "", _LEAD.sub("", said, count=1))
    return _read_row(said) or _read_row(bare) or _read_arithmetic(bare)


def _read_row(said: str) -> str:
    for pattern, made in (*_SUMS, *_CONVERSIONS, *_DATES):
        found = re.fullmatch(pattern, said)
        if found is not None:
            expression = _in_digits(found.expand(made)).strip()
            return f"days {expression}" if expression.startswith(("until", "since")) else expression
    return ""


def _read_arithmetic(said: str) -> str:
    for pattern, sign in _SIGNS:
        said = re.sub(pattern, sign, said)
    said = " ".join(_in_digits(said).split())
    return said if _ARITHMETIC.fullmatch(said) and not _NO_SUM.fullmatch(said) else ""


def _in_digits(said: str) -> str:
    """The text with digits for written numbers and signs for degrees: `a day` is `1 day`, `20 c` `20 °C`."""
    said = re.sub(r"\bhalf an?\b", "0.5", said)
    said = re.sub(r"\ban?(?= )", "1", said)
    said = re.sub(r"°?\s?\b([cf])\b", lambda found: f" °{found[1].upper()}", said)
    said = re.sub(r"\b[a-z]+\b", lambda found: str(NUMBER_WORDS.get(found[0], found[0])), said)
    return " ".join(said.split())
