"""The bash script that keeps a shell's state between commands.

Theory of operation. Two kinds of bash run in a sandbox. The first, process 1 where the sandbox has a process
table of its own, never runs a word a model wrote: it forks the second, waits for it, kills everything that is
left, and reports the exit code on a socket that nobody else has. The second loads the state of the shell from
a file, waits for its one command, runs it, and writes the state to another file. So a command cannot
pretend to have ended otherwise than it did; one that hangs, forks without end or exits takes only its own
bash with it; and whatever happens, there is a state to go on from: the one before the command.

The program says on the socket from which state the next bash starts, into which file it writes its own, and
the number of its command. When there is a command, it says the number again on a second socket, for which the
second bash waits, and which state is to be loaded only now. A state is the work of a command: one that can do
more than set variables is not loaded before, or it would run while nobody looks after it, and a command has
neither of the sockets. A pipe in place of the second could be opened through /proc, and the next command be
begun, and so its result made, by the one before it.

The answers on the first socket are `s CODE LEFT` when the command has ended, with a LEFT of 0 if there was
something to kill, and `k` when the program had everything killed, with SIGUSR1.
"""

import shlex
from collections.abc import Iterable, Mapping

LINE, OUT, ERR, GO = 60, 61, 62, 63
"""The descriptors of the first bash: high, so that a command may use the low ones."""
RUN = 'IFS= read -r -d "" _oneclaw <"$8"; eval "$_oneclaw"'
"""Command line of the first bash; the eighth word is its script file."""
WHOLE = b"#whole\n"
"""How the file of a whole state ends."""
NO_FOLDER = b"#nofolder\n"
"""Used when the working directory is missing."""

_BEFORE = r"""
exec 60<&"$1" 61>&"$2" 62>&"$3" 63<&"$4"; eval "exec $1>&- $2>&- $3>&- $4>&-";
ulimit -c 0; ulimit -d "$5"; ulimit -f "$6"; ulimit -u "$7";
exec 2>/dev/null; set --; shopt -s expand_aliases; trap -p >/dev/null;
@TRAP@
while IFS=" " read -r -u 60 _oneclaw_from _oneclaw_to _oneclaw; do (
  trap - INT QUIT USR1; _oneclaw_shopt=$BASHOPTS; _oneclaw_set=$SHELLOPTS;
  exec >&61 2>&62 61>&- 62>&-;
  [[ $_oneclaw_from == 0 ]] || . @FOLDER@/"$_oneclaw_from" >/dev/null 2>&1;
  while IFS=" " read -r -u 63 _oneclaw_go _oneclaw_from || exit; do
  [[ $_oneclaw_go != "$_oneclaw" ]] || break; done; exec 63<&-;
  [[ $_oneclaw_from == 0 ]] || . @FOLDER@/"$_oneclaw_from" >/dev/null 2>&1;
  IFS= builtin read -r -d '' _oneclaw_command <@FOLDER@/command;
"""
"""All of it goes on one line: a command counts its own lines from there. Traps are listed once here, for then
bash knows how each signal stands, and those it forks need not ask the kernel for every one."""

_AFTER = r"""builtin eval "$_oneclaw_command"
    {
      _oneclaw_code=$?; builtin trap - DEBUG ERR RETURN; _oneclaw_options=
      [[ $SHELLOPTS == "$_oneclaw_set" ]] ||
        _oneclaw_options="builtin set +o ${_oneclaw_set//:/ +o } -o ${SHELLOPTS//:/ -o }; "
      builtin set +euvxC
      [[ -z ${_oneclaw_back-} || $PWD != "$_oneclaw_there" ]] || builtin cd -- "$_oneclaw_back"
      {
        builtin printf 'builtin unset -v %s\n_oneclaw_options=%q\n' @GIVEN@ "$_oneclaw_options"
        [[ $BASHOPTS == "$_oneclaw_shopt" ]] || builtin shopt -p
        builtin declare -p; builtin declare -pf; builtin trap -p; builtin umask -p
        builtin alias -p
        builtin printf '\\builtin cd -- %q || _oneclaw_lost=%q; OLDPWD=%q\n' "$PWD" "$PWD" "${OLDPWD-}"
        builtin printf '#whole\n'
      } >@FOLDER@/"$_oneclaw_to"
      builtin trap - EXIT
      builtin exit "$_oneclaw_code"
    } >/dev/null 2>&1
  ) <@INPUT@ >/dev/null 60>&- &
  _oneclaw=$!
  wait "$_oneclaw"; _oneclaw_code=$?
  while ((_oneclaw_code > 128)) && kill -0 "$_oneclaw"; do wait "$_oneclaw"; _oneclaw_code=$?; done
  @KILL@
  printf 's %s %s\n' "$_oneclaw_code" "$?" >&60 || exit
done
"""


_KILL = "[[ $$ == 1 ]] && kill -KILL -1"
"""Kills every process there is: as process 1 that is all of the sandbox, as any other it is the machine."""


def shell_script(
    folder: str, *, has_own_pids: bool, has_input: bool = False, given: Iterable[str] = ()
) -> str:
    """The script of the first bash; `folder` is where states and commands are, as seen from inside.

    `given` names the variables it is started with: one that a command unset would be there again otherwise.
    Only where it has a process table of its own does the script so much as hold the words that kill all.
    """
    trap = f"""trap '{_KILL}; printf "k\\n" >&60' USR1;""" if has_own_pids else "trap '' USR1;"
    script = " ".join(_BEFORE.replace("@TRAP@", trap).split("\n")) + _AFTER
    script = script.replace("@KILL@", _KILL if has_own_pids else "false")
    script = script.replace("@INPUT@", "&0" if has_input else "/dev/null")
    script = script.replace("@GIVEN@", shlex.quote(" ".join(given)))
    return script.replace("@FOLDER@", shlex.quote(folder))


_LOST = r"""\builtin test -z "${_oneclaw_lost-}" ||
\builtin printf 'The folder %s of this shell is gone, so nothing was run; it is in %s now.\n'
"$_oneclaw_lost" "$PWD" >&2; \builtin test -z "${_oneclaw_lost-}" && """.replace("\n", " ")


def command_text(
    command: str,
    folder: str,
    state: int,
    directory: str | None,
    environment: Mapping[str, str],
    file_bytes: int | None = None,
) -> str:
    """One command as bash reads it: folder, variables and the size of files hold for this command only.

    The options of the shell, as `set -e` leaves them, hold for the command and not for our words around it.
    Where the folder of the shell is gone, nothing is run: in another one it could do harm.
    No word of ours is one that an alias can stand for: what begins with a backslash is none.
    """
    text = "\\builtin unset _oneclaw_command; "
    if file_bytes is not None:
        text += rf"\builtin ulimit -f {file_bytes >> 10}; "
    if directory is not None:
        mark, file = shlex.quote(NO_FOLDER.decode().strip()), f"{shlex.quote(folder)}/{state}"
        missing = shlex.quote(rf"\builtin printf '%s\n' {mark} >{file}; \builtin exit 1")
        text += rf"_oneclaw_back=$PWD; \builtin cd -- {shlex.quote(directory)} 2>/dev/null"
        text += rf" || \builtin eval {missing}; _oneclaw_there=$PWD _oneclaw_lost=; "
    variables = " ".join(f"{name}={shlex.quote(value)}" for name, value in environment.items())
    run = rf"{variables} \eval" if variables else r"\builtin eval"  # variables before `builtin` are lost
    return f'{text}{_LOST}{run} "${{_oneclaw_options-}}"{shlex.quote(command)}'
