"""lib.template: values in their places, escaped as asked, and never more than the data itself."""

import json
from typing import Any

from tests.js.conftest import Evaluate, outcomes

FILLED: list[tuple[str, dict[str, Any], dict[str, str], str]] = [
    ("Dear {{name}}, {{ name }}!", {"name": "Ada"}, {}, "Dear Ada, Ada!"),
    ("{{a.b.c}} {{n}} {{t}}", {"a": {"b": {"c": 1}}, "n": 0, "t": False}, {}, "1 0 false"),
    ("{{list}}", {"list": [1]}, {}, "[1]"),
    (
        "{{x}} {{{x}}} {{&x}}",
        {"x": "<&\"'>"},
        {"escape": "html"},
        "&lt;&amp;&quot;&#39;&gt;" + " <&\"'>" * 2,
    ),
    ("{{x}}", {"x": "a b/ü(1)"}, {"escape": "url"}, "a%20b%2F%C3%BC%281%29"),
    ('"{{x}}"', {"x": 'say "hi"\n'}, {"escape": "json"}, '"say \\"hi\\"\\n"'),
    ("{{x}},{{y}}", {"x": 'a,"b"', "y": "c"}, {"escape": "csv"}, '"a,""b""",c'),
    ("echo {{x}}", {"x": "it's; rm"}, {"escape": "shell"}, "echo 'it'\\''s; rm'"),
    ("{{x}}", {"x": "a.b*[c]"}, {"escape": "regex"}, "a\\.b\\*\\[c\\]"),
    ("{{x}}", {"x": "*a*_b_"}, {"escape": "markdown"}, "\\*a\\*\\_b\\_"),
    ("{{#items}}<{{.}}>{{/items}}", {"items": [1, 2]}, {}, "<1><2>"),
    ("{{#p}}{{name}} of {{place}}{{/p}}", {"p": [{"name": "A"}], "place": "B"}, {}, "A of B"),
    ("{{#yes}}y{{/yes}}{{^no}}n{{/no}}{{^e}}e{{/e}}", {"yes": True, "no": 0, "e": []}, {}, "yne"),
    ("{{#o}}{{a}}{{/o}}", {"o": {"a": 1}}, {}, "1"),
    ("{{! a remark }}x", {}, {}, "x"),
    ("{{a}}|{{b}}", {"a": None}, {"missing": "empty"}, "|"),
    ("{{a}}|{{b.c}}", {"a": 1}, {"missing": "keep"}, "1|{{b.c}}"),
    ("{ {a} } $& $1 {{x}}", {"x": "$& $1 {{y}}"}, {}, "{ {a} } $& $1 $& $1 {{y}}"),
]


async def test_values_take_their_places(evaluate: Evaluate) -> None:
    calls = [f"lib.template.render({', '.join(map(json.dumps, row[:3]))})" for row in FILLED]
    for row, outcome in zip(FILLED, await outcomes(evaluate, calls), strict=True):
        assert outcome == row[3], row


WRONG: list[tuple[str, str]] = [
    (
        "render('{{a}} {{b.c}} {{a}}', { b: {} })",
        "ReferenceError: The template has no value for: a, b.c.",
    ),
    ("render('{{constructor}}', {})", "no value for: constructor"),
    ("render('{{a.constructor.name}}', { a: {} })", "no value for: a.constructor.name"),
    ("render('{{__proto__}}', {})", "no value for: __proto__"),
    ("render('{{#a}}x', { a: 1 })", "SyntaxError: The template never closes {{#a}}."),
    ("render('{{/a}}')", "SyntaxError: The template closes {{/a}} where it is not open."),
    ("render('{{#a}}{{/b}}', { a: 1 })", "SyntaxError: The template closes {{/b}} where it is not open."),
    (
        "render('x', {}, { escape: 'sql' })",
        "RangeError: A template cannot be escaped as sql; use one of:",
    ),
    ("render('x', {}, { escape: 'constructor' })", "cannot be escaped as constructor"),
    ("escape('x', 'sql')", "RangeError: lib.template.escape knows: none, html"),
]


async def test_what_cannot_be_filled_in_is_named(evaluate: Evaluate) -> None:
    told = await outcomes(evaluate, [f"lib.template.{call}" for call, _ in WRONG])
    for (call, expected), outcome in zip(WRONG, told, strict=True):
        assert expected in str(outcome), (call, outcome)


async def test_the_names_of_a_template_and_an_escape_of_one_s_own(evaluate: Evaluate) -> None:
    told = await evaluate("""
        return [lib.template.names('{{a}} {{#b}}{{c.d}}{{/b}} {{a}} {{! no }}'),
                lib.template.escape('<', 'html'),
                lib.template.render('{{a}}{{{a}}}', { a: 'x' }, { escape: (text) => text.toUpperCase() })];
    """)
    assert told == [["a", "b", "c.d"], "&lt;", "Xx"]
