"""lib.csv: tables read and written as Python's csv reads and writes them."""

import csv
import io
import json
import random
from typing import Any

from tests.js.conftest import Evaluate, outcomes

RFC = 'name,"quote ""here""",note\r\n"a,b","line\r\nbreak",\r\n,"",x\r\n'


async def test_rows_become_objects_by_the_first_row(evaluate: Evaluate) -> None:
    assert await evaluate("return lib.csv.parse(p.text)", {"text": RFC}) == [
        {"name": "a,b", 'quote "here"': "line\r\nbreak", "note": ""},
        {"name": "", 'quote "here"': "", "note": "x"},
    ]


TABLES: list[tuple[str, str, list[Any]]] = [
    ("a,b\n1,2", "{ header: false }", [["a", "b"], ["1", "2"]]),
    ("\ufeffa,b\r1,2\r", "{}", [{"a": "1", "b": "2"}]),
    ("a;b\n1;2,5", "{ delimiter: ';' }", [{"a": "1", "b": "2,5"}]),
    ("a\tb\n1\t2", "{ delimiter: 'auto' }", [{"a": "1", "b": "2"}]),
    ('"a;b",c\n1,2', "{ delimiter: 'auto' }", [{"a;b": "1", "c": "2"}]),
    ("a,a,,b\n1,2,3,4", "{}", [{"a": "1", "a_2": "2", "column3": "3", "b": "4"}]),
    ("a,b,c\n1\n\n2,3,4,\n", "{}", [{"a": "1", "b": "", "c": ""}, {"a": "2", "b": "3", "c": "4"}]),
    (
        "i,f,t,z,e,s\n-7,1.5e3,true,007,,1 2",
        "{ types: true }",
        [{"i": -7, "f": 1500, "t": True, "z": "007", "e": None, "s": "1 2"}],
    ),
    ("id\n12345678901234567890", "{ types: true }", [{"id": "12345678901234567890"}]),
    ('a "b" c,d', "{ header: false }", [['a "b" c', "d"]]),
    ('"a"b,c', "{ header: false }", [["ab", "c"]]),
    ("", "{}", []),
    ("a,b", "{}", []),
    ("a,\n", "{ header: false }", [["a", ""]]),
    ("__proto__,x\n1,2", "{}", [{"__proto__": "1", "x": "2"}]),
]


async def test_a_table_is_read_as_its_options_say(evaluate: Evaluate) -> None:
    calls = [f"lib.csv.parse({json.dumps(text)}, {options})" for text, options, _ in TABLES]
    for (text, options, rows), outcome in zip(TABLES, await outcomes(evaluate, calls), strict=True):
        assert outcome == rows, (text, options)


WRONG: list[tuple[str, str]] = [
    ("parse('a,\"b')", "SyntaxError: Row 1 of the CSV has a quote that is never closed."),
    ("parse('a,b\\n1,2,3')", "SyntaxError: Row 2 of the CSV has 3 fields; its header has 2."),
    ("parse('a', { delimiter: 'ab' })", 'TypeError: The delimiter of a CSV is one character, not " or'),
    ("stringify('a')", "TypeError: lib.csv.stringify needs a list of rows."),
]


async def test_what_is_no_table_is_named(evaluate: Evaluate) -> None:
    told = await outcomes(evaluate, [f"lib.csv.{call}" for call, _ in WRONG])
    for (call, expected), outcome in zip(WRONG, told, strict=True):
        assert expected in str(outcome), (call, outcome)


async def test_rows_are_written_with_quotes_where_they_are_needed(evaluate: Evaluate) -> None:
    told = await evaluate("""
        const rows = [{ a: 'x,y', b: 'say "hi"' }, { a: null, c: [1] }, { b: ' blank ', c: true }];
        return [lib.csv.stringify(rows),
                lib.csv.stringify([['a', 1], ['b;', 2]], { delimiter: ';', newline: '\\n' }),
                lib.csv.stringify(rows, { columns: ['b'], header: false }), lib.csv.stringify([]),
                lib.csv.stringify([{ f: '=1+1', n: -5 }], { safe: true }), lib.csv.stringify([['']])];
    """)
    assert told == [
        'a,b,c\r\n"x,y","say ""hi""",\r\n,,[1]\r\n," blank ",true\r\n',
        'a;1\n"b;";2\n',
        '"say ""hi"""\r\n""\r\n" blank "\r\n',
        "",
        "f,n\r\n'=1+1,-5\r\n",
        '""\r\n',
    ]


async def test_any_table_is_read_as_python_reads_it_and_comes_back(evaluate: Evaluate) -> None:
    chance = random.Random(5)
    tables = [
        [
            ["".join(chance.choices('ab ",;\r\n\té', k=chance.randrange(6))) for _ in range(3)]
            for _ in range(chance.randrange(1, 5))
        ]
        for _ in range(300)
    ]
    body = """
        const read = (text, delimiter) => lib.csv.parse(text, { header: false, delimiter });
        return p.tables.map(({ rows, text, delimiter }) =>
            [read(text, delimiter), read(lib.csv.stringify(rows, { delimiter }), delimiter)]);
    """
    asked: list[dict[str, Any]] = []
    for number, rows in enumerate(tables):
        delimiter = ",;\t"[number % 3]
        written = io.StringIO()
        csv.writer(written, delimiter=delimiter).writerows(rows)
        asked.append({"rows": rows, "text": written.getvalue(), "delimiter": delimiter})
    told = await evaluate(body, {"tables": asked})
    assert told == [[rows, rows] for rows in tables]


async def test_a_large_table_is_read_in_good_time(evaluate: Evaluate) -> None:
    text = "id,name,note\n" + '7,"some name, quoted",plain\n' * 20_000
    body = "const rows = lib.csv.parse(p.text, { types: true }); return [rows.length, rows.at(-1)]"
    told = await evaluate(body, {"text": text})
    assert told == [20_000, {"id": 7, "name": "some name, quoted", "note": "plain"}]
