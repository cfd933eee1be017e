"""What is known of programs: those that run what they are told, and those whose options do no harm.

code      runs what its arguments say, as `awk` and `python3` do: only a rule without stars allows it
families  do a different thing by their first word, as `git`: a star does not stand for that word
harmless  only reads, whatever its options are: `**` covers options, too
"""

import re


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_CODE = _words("""
        sh bash dash ash zsh ksh mksh yash fish csh tcsh pwsh powershell cmd elvish nu osh rbash python
        pypy ipython perl ruby irb node nodejs deno bun php lua luajit tclsh wish expect r rscript julia
        java jshell scala groovy kotlin erl escript elixir iex ghc ghci runghc racket guile sbcl clisp
        ocaml swift go awk gawk mawk nawk sed gsed ed ex vi vim nvim view rvim vimdiff emacs nano pico
        less more most man info jq yq gdb lldb sqlite3 psql mysql mariadb redis-cli mongosh dc bc m4 make
        gmake ninja cmake ctest meson bazel just npm npx pnpm yarn bunx pip pipx uv uvx poetry conda gem
        bundle rake cargo ant mvn gradle sbt composer tox nox docker podman nerdctl kubectl helm ansible
        ansible-playbook terraform vagrant systemctl systemd-run launchctl ssh scp sftp rsync ftp telnet
        nc ncat netcat socat openssl tar cpio zip rpm dpkg apt apt-get dnf yum apk pacman brew snap
        flatpak crontab at batch tmux screen script zless zmore printenv set env eval source . trap alias
        unalias export declare typeset local readonly unset shopt enable hash bind complete compgen
        compopt fc history read mapfile readarray let getopts exec command builtin test [ exit logout
        return pushd popd umask ulimit mkfs dd shred mount umount su runuser
        """)
_FAMILIES = _words("""
        git gh hg svn jj ip nmcli hostnamectl timedatectl loginctl journalctl aws gcloud az
        """)
_CODE_IN_FAMILY = {
    "git": _words("""
        bisect submodule filter-branch rebase difftool mergetool config daemon alias maintenance hook
        credential instaweb send-email upload-pack receive-pack shell svn p4 cvsserver web--browse
        remote-ext fast-import
        """),
    "gh": frozenset(("alias", "extension", "codespace", "api", "auth", "config")),
}
_HARMLESS = _words("""
        ls dir vdir cat head tail wc echo pwd true false stat du df cut tr basename dirname realpath
        readlink id whoami groups uname arch nproc cmp comm md5sum sha1sum sha224sum sha256sum sha384sum
        sha512sum b2sum cksum sum seq nl fold fmt expand unexpand paste tac rev od base64 base32 grep
        egrep fgrep sleep uptime free which factor tty
        """)
SETTERS = _words("""
        . source eval export declare typeset readonly unset alias unalias set shopt trap umask hash enable
        read mapfile readarray getopts let pushd popd bind complete compopt builtin command
        """)
"""Words of the shell that change the shell: a rule for one is there for what it leaves."""
FIND_RUNS = ("-exec", "-execdir", "-ok", "-okdir")
_FIND_WRITES = ("-delete", "-fprint", "-fls")
_VERSION = re.compile(r"[-.0-9]+\Z|\.exe\Z", re.IGNORECASE)


def base_name(program: str) -> str:
    """The name of a program without its folder and its version: `/usr/bin/python3.11` is `python`."""
    name = program.rpartition("/")[2].casefold()
    return name if name in _CODE or name in _HARMLESS else _VERSION.sub("", name) or name


def runs_code(argv: tuple[str, ...]) -> bool:
    """Whether the arguments of the command are themselves something to run, or could undo other rules."""
    name = base_name(argv[0])
    if name == "find":
        return any(word in FIND_RUNS or word.startswith(_FIND_WRITES) for word in argv)
    return name in _CODE or any(word in _CODE_IN_FAMILY.get(name, ()) for word in argv[1:2])


def is_family(program: str) -> bool:
    return base_name(program) in _FAMILIES


def is_harmless(program: str) -> bool:
    """By its plain name alone: `./ls` is anybody's."""
    return program in _HARMLESS
