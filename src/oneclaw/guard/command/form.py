"""How programs that start another one are written: their options, and the words before the command."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Form:
    """How a wrapper is written. `values` and `flags` are letters of short options; long ones stand whole."""

    flags: str = ""
    values: str = ""
    long_flags: tuple[str, ...] = ()
    long_values: tuple[str, ...] = ()
    before: int = 0
    assigns: bool = False
    asks_only: str = ""  # short options with which nothing is run


FORMS = {
    "nice": Form("0123456789", "n", (), ("adjustment",)),
    "nohup": Form(),
    "setsid": Form("cfw", "", ("ctty", "fork", "wait")),
    "stdbuf": Form("", "ioe", (), ("input", "output", "error")),
    "timeout": Form("vfp", "ks", ("preserve-status", "foreground", "verbose"), ("kill-after", "signal"), 1),
    "time": Form("pvaq", "fo", ("portability", "verbose", "append", "quiet"), ("format", "output")),
    "ionice": Form("t", "cn", ("ignore",), ("class", "classdata")),
    "chrt": Form(
        "abdfiorvR", "TPD", ("batch", "deadline", "fifo", "idle", "other", "rr", "reset-on-fork", "verbose"),
        ("sched-runtime", "sched-period", "sched-deadline"), 1,
    ),
    "taskset": Form("ac", "", ("all-tasks", "cpu-list"), (), 1),
    "chroot": Form("", "", ("skip-chdir",), ("userspec", "groups"), 1),
    "sudo": Form(
        "AbEeHKkNnPS", "CDghpRrTtUu", ("preserve-env", "background", "non-interactive", "stdin", "set-home"),
        ("user", "group", "host", "prompt", "chdir", "chroot", "role", "type", "preserve-env"),
        0, True, "lvV",
    ),
    "doas": Form("nL", "uaC"),
    "pkexec": Form("", "", ("disable-internal-agent", "keep-cwd"), ("user",)),
    "command": Form("p", "", asks_only="vV"),
    "builtin": Form(),
    "noglob": Form(),
    "nocorrect": Form(),
    "exec": Form("cl", "a"),
    "coproc": Form(),
    "xargs": Form(
        "0rtxpoiel", "IdEaLnPs", ("null", "no-run-if-empty", "verbose", "exit", "interactive", "open-tty"),
        ("replace", "delimiter", "eof", "arg-file", "max-lines", "max-args", "max-procs", "max-chars"),
    ),
    "busybox": Form(),
    "toybox": Form(),
    "watch": Form("bcdegtwx", "nq", ("beep", "color", "errexit", "exec", "no-title"), ("interval",)),
    "strace": Form("cCdfFhiknqrtTvVwxyzZ", "abeEoOpPsSuUX"),
    "ltrace": Form("cCfhirStTVL", "aADeFlnopsuwx"),
    "fakeroot": Form("u", "lsib", ("unknown-is-real",), ("lib", "faked")),
    "unshare": Form("muinpUCTfrc", "SGRw", ("fork", "net", "pid", "mount", "user", "map-root-user")),
    "setarch": Form("vR3BFILSTXZ", "", (), (), 1),
    "linux32": Form("vR3"),
    "linux64": Form("vR3"),
    "unbuffer": Form("p"),
    "eatmydata": Form(),
    "caffeinate": Form("disu", "tw"),
    "rlwrap": Form("acimnNoprRuvW"),
}  # fmt: skip
ENV = Form(
    "i0v", "uCa", ("ignore-environment", "null", "debug", "block-signal", "default-signal", "ignore-signal",
                   "list-signal-handling"),
    ("unset", "chdir", "argv0", "block-signal", "default-signal", "ignore-signal"),
)  # fmt: skip


def take_long(word: str, form: Form) -> int | None:
    """How many words after this option belong to it; None when it is not known."""
    name, equals, _ = word[2:].partition("=")
    if name in form.long_values:
        return 0 if equals or name in form.long_flags else 1
    return 0 if name in form.long_flags and not equals else None


def take_short(word: str, form: Form) -> int | None:
    for at, letter in enumerate(word[1:], 1):
        if letter in form.values:
            return 0 if word[at + 1 :] else 1
        if letter not in form.flags:
            return None
    return 0
