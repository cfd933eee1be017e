"""Options of `oneclaw setup`."""

from oneclaw.cli.parser import Parser

EPILOG = """\
It asks for the model that answers (keys in the environment and servers on this machine are found), for the
folder that agents work in, and for what they may do. Enter skips a question.

Without a terminal:
  oneclaw keys set PROVIDER                        keep a key
  oneclaw models default NAME                      choose the model
  oneclaw config set workspace.folder FOLDER       choose the folder
  oneclaw features on shell                        let agents run commands
"""


def configure(parser: Parser) -> None:
    """It takes no words of its own."""
