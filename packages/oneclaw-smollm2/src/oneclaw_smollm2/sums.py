"""Sums, units and dates in a message, as expressions for the tool `calculate`.

A message is put into signs and digits row by row. It asks for a sum if the calculator understands all that is
left of it: `how many days until Friday's party` is none.
"""

import re
from datetime import date

from oneclaw.calc.number import InvalidExpression
from oneclaw.calc.parser import calculate
from oneclaw_smollm2.message import NUMBER_WORDS

_LEAD = re.compile(
    r"(?:(?:please|can you|could you|would you|tell me|give me|do you know|hey|so|and|ok"
    r"|i need to know|quick question|help me)[,:]?\s+)*"
    r"(?:(?:what(?:'s|s| is| are| does| do| would)?(?: be)?|how much (?:is|are|does|would)(?: be)?"
    r"|calculate|compute|work out|figure out|solve|find|convert|evaluate)"
    r"\s+)?(?:the (?:result|value|answer|sum|total) of\s+)?"
)
_TAIL = re.compile(
    r"(?:\s*(?:=|\?|\.|!)|,?\s+(?:please|make|makes|equal|equals|for me|is what|is how much|in total"
    r"|altogether|exactly|go|bucks?|dollars?|euros?))*\s*\Z"
)
_NUMBER = rf"(?:\d[\d,]*(?:\.\d+)?|\.\d+|\b(?:an?|half an?|{'|'.join(NUMBER_WORDS)})\b)"
_LIST = rf"({_NUMBER}(?:(?:,? and |, ?| plus | ){_NUMBER})+)"
_PEOPLE = r"(?: (?:people|persons|friends|ways|parts|of us|guests|kids))?"
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
_SPAN, _WHICH = rf"({_NUMBER} (?:days?|weeks?|months?|years?))", r"(days|weeks|months|years|hours)"
_UNIT = r"(?:[a-z°/²³]+|square [a-z]+|cubic [a-z]+|fl oz|fluid ounces?|nautical miles?|degrees? [a-z]+)"
_ROWS: tuple[tuple[str, str], ...] = (
    (rf"(?:subtract|take(?: away)?|deduct) ({_NUMBER}) from ({_NUMBER})", r"\2 - \1"),
    (rf"multiply ({_NUMBER}) (?:by|with|and|times) ({_NUMBER})", r"\1 * \2"),
    (
        rf"(?:divide|split|share) ({_NUMBER})(?: [a-z]+)? (?:by|through|between|among|into"
        rf"|over) ({_NUMBER}){_PEOPLE}",
        r"\1 / \2",
    ),
    (rf"({_NUMBER}) (?:split|shared|divided) (?:between|among|by|into) ({_NUMBER}){_PEOPLE}", r"\1 / \2"),
    (rf"(?:the )?product of ({_NUMBER}) and ({_NUMBER})", r"\1 * \2"),
    (rf"(?:the )?difference (?:of|between) ({_NUMBER}) and ({_NUMBER})", r"\1 - \2"),
    (
        rf"(?:the )?(?:sum|total) (?:of )?{_LIST}|(?:add|sum)(?: up| together)? {_LIST}(?: together| up)?",
        r"sum(\1\2)",
    ),
    (rf"add ({_NUMBER}) to ({_NUMBER})", r"\1 + \2"),
    (rf"(?:increase|raise) ({_NUMBER}) by ({_NUMBER})\s*(?:%|percent|per cent)", r"\1 + \2%"),
    (rf"(?:decrease|reduce|lower) ({_NUMBER}) by ({_NUMBER})\s*(?:%|percent|per cent)", r"\1 - \2%"),
    (r"(?:(?:day|date)(?: is| is it| will it be)? )?tomorrow(?:'s date)?", "today + 1 day"),
    (r"(?:(?:day|date)(?: was| was it)? )?yesterday(?:'s date)?", "today - 1 day"),
    (rf"(?:the )?(?:average|mean) (?:of )?{_LIST}", r"mean(\1)"),
    (rf"(?:a )?half (?:of )?({_NUMBER})", r"\1 / 2"),
    (rf"(?:a |one )?(third|quarter|fifth|tenth) of ({_NUMBER})", r"\2 / \1"),
    (rf"(?:double|twice) ({_NUMBER})", r"2 * \1"),
    (rf"(?:a |the )?(?:square root|sqrt|root) (?:of )?\(?({_NUMBER})\)?", r"sqrt(\1)"),
    (rf"(?:the )?(?:cube root|third root) (?:of )?\(?({_NUMBER})\)?", r"cbrt(\1)"),
    (rf"({_NUMBER}) (?:squared|to the second)", r"\1 ^ 2"),
    (rf"({_NUMBER}) cubed", r"\1 ^ 3"),
    (rf"({_NUMBER}) (?:raised )?to the (?:power(?: of)? )?({_NUMBER})(?: power)?", r"\1 ^ \2"),
    (
        rf"(?:a )?({_NUMBER})\s*(?:%|percent|per cent) (?:tip |tax |vat |discount |interest )?(?:of|on"
        rf"|from|for) (?:a |an )?({_NUMBER})(?: (?:bill|dinner|meal))?",
        r"\1% of \2",
    ),
    (rf"({_NUMBER})\s*(?:%|percent|per cent) off (?:of )?({_NUMBER})", r"\2 - \1%"),
    (
        rf"({_NUMBER}) (?:with|minus|less|at) (?:a )?({_NUMBER})\s*(?:%|percent|per cent)(?: off| discount)",
        r"\1 - \2%",
    ),
    (
        rf"({_NUMBER}) (?:with|plus) (?:a )?({_NUMBER})\s*(?:%|percent|per cent)(?: (?:tip|tax|vat))?",
        r"\1 + \2%",
    ),
    (rf"(?:what )?(?:percent|percentage) of ({_NUMBER}) is ({_NUMBER})", r"\2 as % of \1"),
    (rf"({_NUMBER}) is what (?:percent|percentage|%) of ({_NUMBER})", r"\1 as % of \2"),
    (
        rf"how (?:many|much) ({_UNIT}) (?:are |is |do |does |fit |equals? )?(?:there )?(?:in|into|make"
        rf"|makes|per)? ?({_NUMBER} ?{_UNIT})",
        r"\2 in \1",
    ),
    (rf"({_NUMBER} ?{_UNIT}) (?:is|are|equals?|makes?|=) how (?:many|much) ({_UNIT})", r"\1 in \2"),
    (rf"({_NUMBER} ?{_UNIT}) (?:into|as|is|to|=) ({_UNIT})", r"\1 in \2"),
    (
        rf"how (?:many|long)(?: {_WHICH})?(?: (?:is it|are there|are left|is left|left|do we have"
        rf"|do i have|remain|more|still))*"
        rf" (?:until|till|til|to|before) ({_DATE})",
        r"\1 until \2",
    ),
    (rf"{_WHICH}(?: left)? (?:until|till|to) ({_DATE})", r"\1 until \2"),
    (
        rf"how (?:many|long)(?: {_WHICH})?(?: (?:is it|has it been|have passed|ago|passed))* since ({_DATE})",
        r"\1 since \2",
    ),
    (rf"how many {_WHICH} ago was ({_DATE})", r"\1 since \2"),
    (
        rf"(?:how many {_WHICH}(?: are there| are| is it| lie)? (?:between|from)"
        rf"|(?:number of )?{_WHICH} (?:between|from)) ({_DATE})"
        rf" (?:and|to|until) ({_DATE})",
        r"\1\2 between \3 and \4",
    ),
    (
        rf"(?:(?:day|date) )?(?:is |is it |will it be )?(?:in )?{_SPAN}(?: from| after) (?:now|today)",
        r"today + \1",
    ),
    (rf"(?:day|date)(?: is it| is| will it be| will be)? in {_SPAN}", r"today + \1"),
    (rf"(?:(?:day|date) )?(?:is |is it |was |will it be )?{_SPAN} (?:after|from) ({_DATE})", r"\2 + \1"),
    (rf"(?:(?:day|date) )?(?:is |is it |was )?{_SPAN} before ({_DATE})", r"\2 - \1"),
    (rf"(?:day|date)(?: was it| was)? {_SPAN} ago", r"today - \1"),
    (
        rf"(?:day of the week|weekday|day)(?: is| was| will be| of| does"
        rf"| did)? (?!today\b)({_DATE})(?: fall(?: on)?| be)?",
        r"weekday of \1",
    ),
)
_PARTS = {"third": "3", "quarter": "4", "fifth": "5", "tenth": "10"}
_SIGNS = (
    (r"\bmultiplied (?:by|with)\b|\btimes\b|[×·]|(?<=\d)\s*x\s*(?=\d)", "*"),
    (r"\bdivided (?:by|through)\b|\bover\b|÷", "/"),
    (r"\bplus\b|\bincreased by\b", "+"),
    (r"\bminus\b|\bless\b|\bdecreased by\b|[−–]", "-"),
    (r"\bto the power of\b|\*\*", "^"),
    (r"\bper ?cent\b", "%"),
    (r"(?<=\d) squared\b", " ^ 2"),
    (r"(?<=\d) cubed\b", " ^ 3"),
)
_SUM = re.compile(r"[-+*/^%]|\b(?:in|to|mod|until|since|between|weekday|sum|mean|round|sqrt|cbrt)\b")
"""A sum has a sign, a function, or a unit to convert to."""
_NO_SUM = re.compile(r"\d+(?:[-/.]\d+){2,}|[-+]?[\d\s.,]+|\d{3}-\d{4}|[-+][\d\s-]+|24/7|.*!.*|.*\bnow\b.*")
"""Dates, telephone numbers and numbers by themselves; and what the calculator takes for something else."""
_AGAIN = re.compile(r"(?:and|now|then|ok|okay|so|what about|how about|what is|what's|also|please)[,\s]+")
_NEXT: tuple[tuple[str, str], ...] = (
    (r"(?:(?:that|it|this) )?(?P<sign>[-+*/^]) ?(?P<more>.+)", r"({before}) \g<sign> \g<more>"),
    (r"add (?P<more>.+?)(?: to (?:that|it|this))?", r"({before}) + \g<more>"),
    (r"(?:subtract|take(?: away)?) (?P<more>.+?)(?: from (?:that|it|this))?", r"({before}) - \g<more>"),
    (r"(?:multiply|times) (?:(?:that|it|this) )?(?:by )?(?P<more>.+)", r"({before}) * \g<more>"),
    (r"divide (?:(?:that|it|this) )?by (?P<more>.+)", r"({before}) / \g<more>"),
    (r"round(?: (?:that|it|this))?(?: up| down| off)?", r"round({before})"),
    (r"(?:double|twice)(?: (?:that|it|this))?", r"({before}) * 2"),
    (r"(?:halve|half(?: of)?)(?: (?:that|it|this))?", r"({before}) / 2"),
    (r"(?P<more>[\d.]+ ?%) of (?:that|it|this)", r"\g<more> of ({before})"),
)


def read_sum(text: str) -> str:
    """The expression that a message asks to calculate; empty where it asks for none."""
    said = _normal(text)
    bare = _LEAD.sub("", said, count=1)
    dated = re.sub(r"\A(?:(?:what|which) |the )+(?=day|date|weekday)", "", bare)
    for each in (said, bare, dated, re.sub(r"\Athe ", "", bare)):
        expression = _read_row(each)
        if _is_sum(expression):
            return expression
    expression = _in_signs(bare)
    return expression if _is_sum(expression) else ""


def follow_sum(text: str, before: str) -> str:
    """The expression of a message that goes on from the one before: `times 3`, `and of 340?`."""
    said = _in_signs(_AGAIN.sub("", _normal(text), count=2))
    for pattern, made in _NEXT:
        found = re.fullmatch(pattern, said)
        if found is not None:
            expression = found.expand(made.replace("{before}", before.replace("\\", "")))
            return expression if _is_sum(expression) else ""
    first, word, last = before.rpartition(" of " if " of " in before else " in ")
    if word == " of " and re.fullmatch(r"(?:of )?[\d.,]+", said):
        return f"{first} of {said.removeprefix('of ')}"
    if word == " in ":
        unit = re.sub(r"\A(?:in|to) ", "", said)
        expressions = (f"{first} in {unit}", f"{said} in {last}")
        return next((each for each in expressions if _is_sum(each)), "")
    return ""


def _normal(text: str) -> str:
    said = " ".join(text.lower().replace("’", "'").split())
    for feast, day in _FEASTS.items():
        said = re.sub(rf"\b(?:{feast})(?!\w)", day, said)
    return re.sub(
        r"[$€£]|(?<=\d)(?:st|nd|rd|th)\b|(?<=\d) (?:dollars?|euros?|bucks?)(?= )", "", _TAIL.sub("", said)
    )


def _read_row(said: str) -> str:
    for pattern, made in _ROWS:
        found = re.fullmatch(pattern, said)
        if found is not None:
            expression = _in_digits(found.expand(made)).strip()
            if expression.startswith(("sum(", "mean(")):
                expression = _spelled_out(expression)
            expression = f"days {expression}" if expression.startswith(("until", "since")) else expression
            return _with_year(expression)
    return ""


def _with_year(expression: str) -> str:
    """`days until 1 january` means the next one, `days since` the last; the calculator takes this year's."""
    found = re.fullmatch(rf"(.* (until|since) )({_DATE})", expression)
    if found is None or re.search(r"\d{4}|today|tomorrow|yesterday", found[3]):
        return expression
    days = calculate(f"days until {found[3]}", date.today())
    is_past = days.startswith(("-", "−"))
    if is_past == (found[2] == "until") and not days.startswith("0 "):
        return f"{found[1]}{found[3]} {date.today().year + (1 if found[2] == 'until' else -1)}"
    return expression


def _spelled_out(expression: str) -> str:
    """`sum(1,200, 3 and 4)` is `1200 + 3 + 4`, and a mean `mean(1200, 3, 4)`."""
    name, _, items = expression.partition("(")
    numbers = re.findall(r"[\d.]+", re.sub(r"(?<=\d),(?=\d{3}\b)", "", items))
    return " + ".join(numbers) if name == "sum" else f"{name}({', '.join(numbers)})"


def _in_signs(said: str) -> str:
    said = _in_digits(said)
    for pattern, sign in _SIGNS:
        said = re.sub(pattern, sign, said)
    return " ".join(said.split())


def _in_digits(said: str) -> str:
    """The text with digits for written numbers and signs for degrees: `a day` is `1 day`, `20 c` `20 °C`."""
    said = re.sub(r"\bhalf an?\b", "0.5", said)
    said = re.sub(r"\ban?(?= )", "1", said)
    tens = "|".join(word for word, value in NUMBER_WORDS.items() if value in range(20, 100, 10))
    ones = "|".join(word for word, value in NUMBER_WORDS.items() if value < 10)
    said = re.sub(
        rf"\b({tens})[- ]({ones})\b", lambda found: str(NUMBER_WORDS[found[1]] + NUMBER_WORDS[found[2]]), said
    )
    said = re.sub(r"(?:(?<=\d)|\b|°)\s?([cf])\b", lambda found: f" °{found[1].upper()}", said)
    said = re.sub(
        r"\b[a-z]+\b", lambda found: str(NUMBER_WORDS.get(found[0], _PARTS.get(found[0], found[0]))), said
    )
    return " ".join(said.split())


def _is_sum(expression: str) -> bool:
    """Whether the calculator understands it as something to work out."""
    if not re.search(r"\d|today", expression) or not _SUM.search(expression) or _NO_SUM.fullmatch(expression):
        return False
    try:
        calculate(expression, date.today())
    except InvalidExpression as error:
        return "zero" in str(error)  # a sum all the same: the tool says what is wrong with it
    return True
