"""Recognises destructive commands, for the warning in a question.

It warns; it guards nothing. A command that is not named here is not thereby a safe one.
"""

from oneclaw.guard.command.program import base_name

_LONG = {"force": "f", "recursive": "r"}


def danger_of(argv: tuple[str, ...]) -> str:
    """Describes what the command would destroy; empty when nothing is known."""
    name = base_name(argv[0]) if argv else ""
    if name == "rm" and "f" in _options(argv[1:]):
        return "It deletes without asking (rm with force)."
    if name.startswith("mkfs") or name in ("wipefs", "mkswap", "blkdiscard"):
        return f"It wipes a whole disk or partition ({name})."
    if name == "shred":
        return "It destroys the content of files (shred)."
    if name == "dd" and any(word.startswith("of=/dev/") for word in argv) and "of=/dev/null" not in argv:
        return "It writes over a device (dd)."
    if name == "find" and "-delete" in argv:
        return "It deletes every file it finds (find -delete)."
    if name == "git":
        return _danger_of_git(argv[1:])
    return _danger_of_windows(name, [word.lower() for word in argv[1:]])


def _danger_of_windows(name: str, words: list[str]) -> str:
    """Names in PowerShell and cmd; PowerShell accepts shortened options."""
    is_forced = any(len(word) > 2 and "-force".startswith(word) for word in words)
    if name in ("remove-item", "ri", "del", "erase", "rd", "rmdir") and is_forced:
        return f"It deletes without asking ({name} with force)."
    if (name in ("del", "erase") and "/f" in words) or (name in ("rd", "rmdir") and "/s" in words):
        return f"It deletes without asking ({name})."
    return ""


def _danger_of_git(words: tuple[str, ...]) -> str:
    if "reset" in words and "--hard" in words:
        return "It throws away changes that are not committed (git reset --hard)."
    if "clean" in words and "f" in _options(words[words.index("clean") + 1 :]):
        return "It deletes files that git does not know (git clean with force)."
    if "push" in words and (_forces(words) or any(word[:1] in ("+", ":") for word in words)):
        return "It overwrites or deletes what others have (git push with force)."
    if any(word in words for word in ("checkout", "switch")) and _forces(words):
        return "It throws away changes that are not committed (git with force)."
    if "branch" in words and ("-D" in words or _forces(words, "--force")):
        return "It deletes a branch, merged or not (git branch -D)."
    if "stash" in words and any(word in words for word in ("drop", "clear")):
        return "It throws away changes that were put aside (git stash)."
    return ""


def _forces(words: tuple[str, ...], *long: str) -> bool:
    long = long or ("--force", "--mirror", "--delete")
    short = (word for word in words if word.startswith("-") and not word.startswith("--"))
    return any(word.startswith(long) for word in words) or any("f" in word for word in short)


def _options(words: tuple[str, ...]) -> str:
    """The letters of the short options, and of long ones that are known, however short they are cut."""
    letters: list[str] = []
    for word in words:
        if word == "--":
            break
        if word.startswith("--"):
            letters += [
                letter for name, letter in _LONG.items() if len(word) > 2 and name.startswith(word[2:])
            ]
        elif word.startswith("-"):
            letters += word[1:].lower() if not word[1:].isdigit() else ""
    return "".join(letters)
