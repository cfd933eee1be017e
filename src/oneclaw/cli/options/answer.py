"""Options of `oneclaw answer`."""

from oneclaw.cli.parser import Parser
from oneclaw.cli.stored_names import answer_words, question_ids

EPILOG = """\
Examples:
  oneclaw answer 3fa2 yes                              allow one call; `no` refuses it
  oneclaw answer 3fa2 always path='notes/*' for 8h     allow such calls from now on, for eight hours
  oneclaw answer 3fa2 2                                choose the second option, or write its text
  oneclaw answer 3fa2 The blue one, please.            answer with a text
  oneclaw answer 3fa2 port=8080 host=localhost         fill in a form; JSON does, too
  oneclaw answer 3fa2 --decline                        give no answer

Exit codes: 0 answered, 1 no such question or no longer open, 2 wrong use, 4 the answer does not fit and the
question stays open.
"""


def configure(parser: Parser) -> None:
    parser.add("name", metavar="ID", help="the question's id, or its beginning", complete=question_ids)
    parser.add(
        "words",
        nargs="*",
        default=[],
        metavar="ANSWER",
        help="yes, no, always, a text, a number or JSON",
        complete=answer_words,
    )
    parser.add("--decline", action="store_true", help="give no answer: the call goes on without")
    parser.add("--json", action="store_true", help="print JSON")
