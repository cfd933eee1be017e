#!/bin/sh
# Installs Debian packages, only if they are missing and only if we may; else says in one sentence what to install.
#   sh tools/system-package.sh NAME...      exit 0: they are there; 1: they are not
set -u

missing=""
for name in "$@"; do
    state=$(dpkg-query --show --showformat='${db:Status-Status}' "$name" 2>/dev/null)
    [ "$state" = installed ] || missing="${missing:+$missing }$name"
done
[ -n "$missing" ] || exit 0

give_up() {
    echo "Please have an administrator install: $missing (on Debian and Ubuntu: apt-get install $missing)." >&2
    exit 1
}

command -v apt-get >/dev/null 2>&1 || give_up
if [ "$(id -u)" -eq 0 ]; then
    as_root=""
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
    as_root="sudo -n"
else
    give_up
fi

# The lists may be missing or old, so a first failure fetches them and tries again.
install() {
    # shellcheck disable=SC2086 # both are lists of words
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install --yes --quiet --no-install-recommends \
        $missing >/dev/null 2>&1
}

echo "Installing $missing ..."
install || { $as_root apt-get update --quiet >/dev/null 2>&1; install; } || give_up
