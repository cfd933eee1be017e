"""Option syntax of wrapper programs such as `timeout` and `sudo`."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class WrapperSyntax:
    """How a wrapper is written. `values` and `flags` are letters of short options; long ones stand whole."""

    flags: str = ""
    values: str = ""
    long_flags: tuple[str, ...] = ()
    long_values: tuple[str, ...] = ()
    before: int = 0
    assigns: bool = False
    asks_only: str = ""  # short options with which nothing is run


FORMS = {
    "nice": WrapperSyntax("0123456789", "n", (), ("adjustment",)),
    "nohup": WrapperSyntax(),
    "setsid": WrapperSyntax("cfw", "", ("ctty", "fork", "wait")),
    "stdbuf": WrapperSyntax("", "ioe", (), ("input", "output", "error")),
    "timeout": WrapperSyntax(
        "vfp", "ks", ("preserve-status", "foreground", "verbose"), ("kill-after", "signal"), 1,
    ),
    "time": WrapperSyntax("pvaq", "fo", ("portability", "verbose", "append", "quiet"), ("format", "output")),
    "ionice": WrapperSyntax("t", "cn", ("ignore",), ("class", "classdata")),
    "chrt": WrapperSyntax(
        "abdfiorvR", "TPD", ("batch", "deadline", "fifo", "idle", "other", "rr", "reset-on-fork", "verbose"),
        ("sched-runtime", "sched-period", "sched-deadline"), 1,
    ),
    "taskset": WrapperSyntax("ac", "", ("all-tasks", "cpu-list"), (), 1),
    "chroot": WrapperSyntax("", "", ("skip-chdir",), ("userspec", "groups"), 1),
    "sudo": WrapperSyntax(
        "AbEeHKkNnPS", "CDghpRrTtUu", ("preserve-env", "background", "non-interactive", "stdin", "set-home"),
        ("user", "group", "host", "prompt", "chdir", "chroot", "role", "type", "preserve-env"),
        0, True, "lvV",
    ),
    "doas": WrapperSyntax("nL", "uaC"),
    "pkexec": WrapperSyntax("", "", ("disable-internal-agent", "keep-cwd"), ("user",)),
    "command": WrapperSyntax("p", "", asks_only="vV"),
    "builtin": WrapperSyntax(),
    "noglob": WrapperSyntax(),
    "nocorrect": WrapperSyntax(),
    "exec": WrapperSyntax("cl", "a"),
    "coproc": WrapperSyntax(),
    "xargs": WrapperSyntax(
        "0rtxpoiel", "IdEaLnPs", ("null", "no-run-if-empty", "verbose", "exit", "interactive", "open-tty"),
        ("replace", "delimiter", "eof", "arg-file", "max-lines", "max-args", "max-procs", "max-chars"),
    ),
    "busybox": WrapperSyntax(),
    "toybox": WrapperSyntax(),
    "watch": WrapperSyntax("bcdegtwx", "nq", ("beep", "color", "errexit", "exec", "no-title"), ("interval",)),
    "strace": WrapperSyntax("cCdfFhiknqrtTvVwxyzZ", "abeEoOpPsSuUX"),
    "ltrace": WrapperSyntax("cCfhirStTVL", "aADeFlnopsuwx"),
    "fakeroot": WrapperSyntax("u", "lsib", ("unknown-is-real",), ("lib", "faked")),
    "unshare": WrapperSyntax("muinpUCTfrc", "SGRw", ("fork", "net", "pid", "mount", "user", "map-root-user")),
    "setarch": WrapperSyntax("vR3BFILSTXZ", "", (), (), 1),
    "linux32": WrapperSyntax("vR3"),
    "linux64": WrapperSyntax("vR3"),
    "unbuffer": WrapperSyntax("p"),
    "eatmydata": WrapperSyntax(),
    "caffeinate": WrapperSyntax("disu", "tw"),
    "rlwrap": WrapperSyntax("acimnNoprRuvW"),
}  # fmt: skip
ENV = WrapperSyntax(
    "i0v", "uCa", ("ignore-environment", "null", "debug", "block-signal", "default-signal", "ignore-signal",
                   "list-signal-handling"),
    ("unset", "chdir", "argv0", "block-signal", "default-signal", "ignore-signal"),
)  # fmt: skip


def take_long(word: str, form: WrapperSyntax) -> int | None:
    """How many words after this option belong to it; None when it is not known."""
    name, equals, _ = word[2:].partition("=")
    if name in form.long_values:
        return 0 if equals or name in form.long_flags else 1
    return 0 if name in form.long_flags and not equals else None


def take_short(word: str, form: WrapperSyntax) -> int | None:
    for at, letter in enumerate(word[1:], 1):
        if letter in form.values:
            return 0 if word[at + 1 :] else 1
        if letter not in form.flags:
            return None
    return 0
