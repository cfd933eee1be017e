"""Known programs: which run other programs, and which options are harmless.

code      runs what its arguments say, as `awk` and `python3` do: only a rule without stars allows it
shells    run a text or a file, or what comes in
starters  start the program that stands in their words, in a way that is not seen through
families  do a different thing by their first word, as `git`: a star does not stand for that word
harmless  only reads, whatever its options are: `**` covers options, too
"""

import re
from collections.abc import Iterable

from oneclaw.guard.command.form import FORMS


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_CODE = _words("""
        pwsh powershell cmd wscript cscript mshta rundll32 osascript elvish nu nushell ion murex rc es xonsh
        sash slsh micropython bpython ptpython jython graalpy zig electron rails spark-shell pyspark
        python pypy ipython jupyter perl ruby irb pry node nodejs deno bun tsx ts-node php lua luajit tclsh
        wish expect r rscript julia octave octave-cli gnuplot maxima java jshell jrunscript jjs scala groovy
        kotlin clojure clj bb erl escript elixir iex ghc ghci runghc racket guile sbcl clisp ocaml swift go
        crystal nim dart mono dotnet gs tex latex pdflatex lualatex luatex texlua xelatex latexmk gimp
        awk gawk mawk nawk original-awk goawk sed gsed ssed jq yq gojq jaq dc bc m4 ginsh troff nroff groff
        ed ex vi vim nvim view rview rvim vimdiff emacs nano pico joe micro mc ranger nnn lf vifm tig lazygit
        less more most pg bat batcat man info zless zmore bzless bzmore xzless xzmore lesspipe fzf sk skim
        swipl prolog gprolog yap scheme mit-scheme chez csi gsi gp sage sqlplus isql tsql hbase hive beeline
        cqlsh impala-shell pdftex etex xetex ptex uptex context mpost convert magick mogrify display animate
        rustc javac ld patch gitk visidata
        gdb lldb sqlite sqlite3 duckdb psql mysql mariadb redis-cli mongo mongosh tasksh msfconsole
        make gmake bmake ninja cmake ctest meson bazel scons waf just task rake invoke fab ant mvn mvnw
        gradle gradlew sbt lein gulp grunt vite webpack turbo nx lerna nodemon concurrently foreman
        pre-commit tox nox pdb byebug gunicorn uvicorn flask celery airflow django-admin spark-submit npm npx
        pnpm yarn bunx corepack pip pipx uv uvx poetry pdm hatch conda mamba micromamba easy_install cpan gem
        bundle bundler cargo composer nix nix-shell nix-build guix
        docker docker-compose podman nerdctl kubectl k9s helm lxc machinectl ansible ansible-playbook puppet
        chef knife salt salt-call terraform tofu pulumi packer vagrant
        systemctl service launchctl busctl gdbus dbus-send qdbus crontab at batch logrotate
        ssh scp sftp sshfs ssh-add ssh-copy-id sshuttle mosh rsh rlogin autossh psftp rsync rclone ftp lftp
        telnet nc ncat netcat socat smbclient openssl openvpn nmap tcpdump tshark w3m lynx links elinks
        tar bsdtar gtar star cpio pax zip 7z rpm dpkg apt apt-get aptitude dnf yum zypper apk pacman brew
        snap flatpak update-alternatives insmod modprobe sysctl
        csvtool ansible-test codex fail2ban-client xdg-user-dir
        tmux screen byobu zellij dtach abduco tmate xterm x-terminal-emulator gnome-terminal konsole urxvt
        kitty alacritty foot xdg-open open start gio kde-open sensible-browser sensible-editor
        sensible-pager run-mailcap see edit compose mail mailx mutt sendmail exim xdotool
        bpftrace stap dtrace ldd printenv test [ mkfs dd shred mount umount
        . source eval trap alias unalias set export declare typeset local readonly unset shopt enable hash
        bind complete compgen compopt fc history read mapfile readarray let getopts exit logout return pushd
        popd umask ulimit
        """)
SHELLS = _words("""
        sh bash dash ash zsh ksh mksh oksh loksh pdksh lksh rksh rzsh yash posh bosh hush msh toysh rbash fish
        csh tcsh osh ysh
        """)
STARTERS = _words("""
        parallel flock script su runuser sudoedit login agetty sg newgrp systemd-run systemd-nspawn
        systemd-inhibit systemd-cat nsenter capsh firejail bwrap bubblewrap proot minijail0 fakechroot
        lxc-attach setpriv prlimit cpulimit choom uclampset schedtool numactl cgexec chpst runcon runsv
        softlimit envdir envuidgid setuidgid s6-setuidgid gosu su-exec dumb-init tini daemon daemonize
        start-stop-daemon dbus-run-session dbus-launch xvfb-run xinit startx openvt ssh-agent sshpass
        ld.so rtld coreutils entr watchexec run-parts msgfilter msgexec trickle torsocks torify tsocks
        socksify proxychains valgrind perf rr gdbserver lldb-server py-spy catchsegv coverage hyperfine
        multitime pexec grc direnv asdf mise op doppler dotenv wine i386 x86_64 uname26 visudo vipw vigr
        arch xcrun sandbox-exec wsl runas forfiles apptainer singularity buildah runc crun ctr crictl toolbox
        distrobox distrobox-enter flatpak-spawn multipass limactl mpirun mpiexec srun sbatch qsub bsub nq tsp
        pueue sudo-rs run0 please dzdo pfexec ksu gksu gksudo kdesu kdesudo lxqt-sudo calife super
        aoss padsp aa-exec ccache distcc sccache bear scan-build intercept-build waypipe
        faketime datefudge fakeroot-sysv fakeroot-tcp fakeroot-ng schroot systemd-socket-activate tcpserver
        tcpsvd gamemoderun mangohud optirun primusrun prime-run vglrun heaptrack uftrace apulse pasuspender
        setlock lockf lockrun lckdo with-lock-ex semaphore sem pssh parallel-ssh pdsh dsh clush mussh
        xdg-terminal-exec gtk-launch dex exo-open rlfe ledit runsvdir s6-svscan s6-supervise execlineb
        supervise viddy when-changed reflex autoexpect asciinema ttyrec termrec lxc-execute lxc-start xpra
        run-one run-this-one keep-one-running run-one-constantly chronic ifne mispipe pee zrun
        procmail maildrop formail envconsul chamber summon berglas teller keychain gpg-agent nyc c8
        """)
_STARTERS_BY_PREFIX = ("ld-linux", "ld-musl", "qemu-")
_FAMILIES = _words("""
        git gh hg svn jj bzr fossil p4 ip nmcli hostnamectl timedatectl loginctl journalctl aws gcloud az
        """)
_CODE_IN_FAMILY = {
    "git": _words("""
        bisect submodule filter-branch rebase difftool mergetool config daemon alias maintenance hook
        credential instaweb send-email upload-pack receive-pack shell svn p4 cvsserver web--browse
        remote-ext remote-fd fast-import submodule--helper merge-index merge-one-file gui citool
        """),
    "gh": frozenset(("alias", "extension", "codespace", "api", "auth", "config")),
    "ip": frozenset(("netns", "vrf")),
    "jj": frozenset(("util", "config")),
}
_HARMLESS = _words("""
        ls dir vdir cat head tail wc echo pwd true false stat du df cut tr basename dirname realpath
        readlink id whoami groups uname nproc cmp comm md5sum sha1sum sha224sum sha256sum sha384sum
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
_OPTIONS_THAT_RUN = {
    "fd": _words("-x -X --exec --exec-batch"),
    "fdfind": _words("-x -X --exec --exec-batch"),
    "rg": _words("--pre --hostname-bin"),
    "ag": _words("--pager"),
    "ack": _words("--pager"),
    "sort": _words("--compress-program --files0-from"),
    "split": _words("--filter"),
    "install": _words("--strip-program"),
    "pandoc": _words("-F --filter -L --lua-filter"),
    "gcc": _words("-wrapper @"),  # a file of options
    "clang": _words("@"),
    "wc": _words("--files0-from"),  # a list of files to read, which the words do not show
    "du": _words("--files0-from"),
    "curl": _words("-K --config"),
    "wget": _words("-e --execute --use-askpass"),
    "aria2c": _words("--on-download-complete --on-download-start --on-bt-download-complete"),
    "jobs": _words("-x"),
    "printf": _words("-v"),
    "wait": _words("-p"),
    "git": _words("""
        --exec-path --config-env --upload-pack --receive-pack --exec --extcmd --open-files-in-pager --ext-diff
        --config --template --sendmail-cmd
        """),
}
_READING = {
    "docker": _words("ps images logs inspect version info top port diff history"),
    "podman": _words("ps images logs inspect version info top port diff history"),
    "kubectl": _words("get describe logs top version explain api-resources api-versions"),
    "helm": _words("list status history version"),
    "systemctl": _words("status show cat is-active is-enabled is-failed list-units list-timers"),
    "pip": _words("list show freeze check"),
    "npm": _words("ls list view outdated ping root prefix"),
    "apt": _words("list show search policy"),
    "go": _words("version doc"),
    "cargo": _words("tree search"),
}
"""Read-only uses of programs that run code: stars may stand for words, not for options."""
_GLOBALS = {"git": _words("--no-pager -P --no-optional-locks --literal-pathspecs")}
"""Options before the word that says what a family is to do, which change nothing of it."""
_FED_DATA = _words("""
        awk gawk mawk nawk original-awk goawk sed gsed ssed jq yq gojq jaq less more python pypy perl ruby
        node nodejs php lua luajit openssl tar bsdtar gtar
        """)
_VARIANT = re.compile(
    r"(?:[-.0-9]+|\.(?:exe|static|tiny|basic|nox|gtk3?|openbsd|traditional))\Z", re.IGNORECASE
)
_HELPER = re.compile(r"[A-Za-z0-9]\w*::")
"""An address for git that names the program which fetches it: `ext::sh -c x` runs what it says."""
_GNU = FORMS.keys() | _OPTIONS_THAT_RUN.keys() | _words("env find rm dd shred")
_KNOWN = _CODE | SHELLS | STARTERS | _FAMILIES | _HARMLESS | FORMS.keys()


def base_name(program: str) -> str:
    """The name of a program without its folder, version and variant: `/usr/bin/python3.11` is `python`.

    Where a system has tools of its own, those of GNU begin with a g: `gtimeout` is `timeout`.
    """
    name = program.rpartition("/")[2].casefold()
    while name not in _KNOWN and (shorter := _VARIANT.sub("", name)) not in ("", name):
        name = shorter
    if name not in _KNOWN and name[:1] == "g" and name[1:] in _GNU:
        return name[1:]
    return name


def is_starter(program: str) -> bool:
    name = base_name(program)
    return name in STARTERS or name.startswith(_STARTERS_BY_PREFIX)


def runs_input(argv: tuple[str, ...]) -> bool:
    """Whether the program runs what comes in: it runs code, and its words do not say which.

    `jq .name` and `python3 x.py` are given theirs, and take in data; `python3`, `sed -f -` and `psql db` not.
    """
    if not runs_code(argv):
        return False
    words = [word for word in argv[1:] if not word.startswith("-") or word == "-"]
    from_input = any(word == "-" or word.startswith(("/dev/", "/proc/")) for word in words)
    return base_name(argv[0]) not in _FED_DATA or from_input or not words


def runs_code(argv: tuple[str, ...]) -> bool:
    """Whether the arguments of the command are themselves something to run, or could undo other rules."""
    name = base_name(argv[0])
    if name == "find":
        return any(word in FIND_RUNS or word.startswith(_FIND_WRITES) for word in argv)
    if any(_is_option(word, _OPTIONS_THAT_RUN.get(name, ())) for word in argv[1:]):
        return True
    if name == "git" and any(_HELPER.match(word) for word in argv[1:]):
        return True
    word = "".join(argv[chosen(argv) :][:1])
    if name in _CODE:
        return word not in _READING.get(name, ())
    return word in _CODE_IN_FAMILY.get(name, ())


def _is_option(word: str, options: Iterable[str]) -> bool:
    """Whether the word is one of the options, be it with a value or, where it is a long one, cut short."""
    said = word.partition("=")[0]
    if not said.startswith("--"):
        return len(said) > 1 and any(word.startswith(one) for one in options if not one.startswith("--"))
    return len(said) > 3 and any(one.startswith(said) for one in options)


def is_family(program: str) -> bool:
    return base_name(program) in _FAMILIES


def chosen(argv: tuple[str, ...]) -> int:
    """At which word a family is told what to do: the next one, save for options that change nothing of it."""
    harmless = _GLOBALS.get(base_name(argv[0]), ())
    return next((at for at, word in enumerate(argv) if at > 0 and word not in harmless), len(argv))


def is_harmless(program: str) -> bool:
    """By its plain name alone: `./ls` is anybody's."""
    return program in _HARMLESS
