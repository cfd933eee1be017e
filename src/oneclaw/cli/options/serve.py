"""Options of `oneclaw serve`."""

from pathlib import Path

from oneclaw.cli.parser import Parser, count

EPILOG = """\
Examples:
  oneclaw serve                  serve the page, and open it in the browser
  oneclaw serve --no-open        print the link only
  oneclaw serve --port 8080      on another port
  oneclaw serve --set-password   choose a password, as one is needed for another --host
  oneclaw serve --host 0.0.0.0 --name claw.example --tls-cert cert.pem --tls-key key.pem

The page is served on this machine only, unless --host says otherwise. Then it needs a certificate, and a
password or a token (`oneclaw tokens make NAME`).
"""
PORT = 7468


def configure(parser: Parser) -> None:
    parser.add("--port", type=count, default=PORT, metavar="N", help=f"the port of the page ({PORT})")
    parser.add("--host", default="127.0.0.1", metavar="ADDRESS", help="the address of the page (127.0.0.1)")
    parser.add(
        "--name", action="append", default=[], metavar="NAME", help="a name by which browsers reach --host"
    )
    parser.add("--tls-cert", type=Path, metavar="FILE", help="the certificate, as PEM")
    parser.add("--tls-key", type=Path, metavar="FILE", help="the key of the certificate, as PEM")
    parser.add("--set-password", action="store_true", help="choose a password for the page, and end")
    parser.add("--no-open", action="store_true", help="print the link, and open no browser")
