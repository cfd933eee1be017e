#!/usr/bin/env bash
# Runs a command of this checkout on a machine that has nothing but Debian 12's Python, pip, make and git.
#   tools/fresh-machine.sh COMMAND             as root
#   tools/fresh-machine.sh --user COMMAND      as an ordinary user, without sudo
# The machine is a folder that mmdebstrap fills and that is removed afterwards. The last commit is what runs.
# The exit code is the command's own, or 75 where such a machine cannot be made; a sentence says why.
set -euo pipefail
cd "$(dirname "$0")/.."

cannot() {
    echo "A fresh machine cannot be made here: $1." >&2
    exit 75
}

user=root
home=/root
if [ "${1:-}" = --user ]; then
    user=guest
    home=/home/guest
    shift
fi
[ $# -eq 1 ] || { sed -n '3,4s/^# *//p' "$0" >&2; exit 2; }
[ "$(id -u)" -eq 0 ] || cannot "that takes root"
unshare --mount --pid --fork true 2>/dev/null || cannot "this system allows no new namespaces"
sh tools/system-package.sh mmdebstrap debian-archive-keyring || cannot "mmdebstrap is missing"

echo "Making a fresh machine ..."
folder=$(mktemp -d)
trap 'rm -rf --one-file-system "$folder"' EXIT
machine=$folder/machine
packages=python3,python3-pip,python3-venv,make,ca-certificates,git
mmdebstrap --quiet --variant=minbase --include=$packages bookworm "$machine" || cannot "mmdebstrap failed"
[ "$user" = root ] || chroot "$machine" useradd --create-home "$user"

# How this machine reaches package indexes goes along, and nothing else.
for file in /etc/resolv.conf /etc/hosts /etc/ssl/certs/ca-certificates.crt /etc/pip.conf /etc/uv/uv.toml; do
    [ ! -f "$file" ] || install -D --mode=644 "$file" "$machine$file"
done
for file in .config/pip/pip.conf .config/uv/uv.toml; do
    [ ! -f "$HOME/$file" ] || install -D --mode=644 "$HOME/$file" "$machine$home/$file"
done
apt-config dump Acquire | grep -iE '::proxy|Check-Valid-Until' >"$machine/etc/apt/apt.conf.d/90sources" || true
variables=(HOME="$home" PATH=/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin LANG=C.UTF-8 CI=true)
while IFS= read -r -d '' variable; do
    case $variable in PIP_FIND_LINKS=*) ;; PIP_* | UV_* | SSL_CERT_* | *_proxy=* | *_PROXY=*) variables+=("$variable") ;; esac
done < <(env --null)

git clone --quiet . "$machine$home/project"
chroot "$machine" chown --recursive "$user:$user" "$home"

export machine home
unshare --mount --pid --fork --kill-child bash -euc '
    mount -t proc proc "$machine/proc"
    mount --rbind /sys "$machine/sys"
    mount --rbind /dev "$machine/dev"
    exec chroot "$machine" "$@"
' enter env --ignore-environment "${variables[@]}" setpriv --reuid "$user" --regid "$user" --init-groups \
    sh -c 'cd "$HOME/project" && eval "$1"' run "$1"
