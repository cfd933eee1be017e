"""Entry point of the command `oneclaw`: a Ctrl-C while the program still loads ends in one line, too."""


def start() -> int:
    try:
        from oneclaw.cli.main import main

        return main()
    except KeyboardInterrupt:
        import sys

        print("Stopped.", file=sys.stderr)
        return 130
