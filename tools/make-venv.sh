#!/bin/sh
# Makes a virtual environment with uv in it, on any machine with Python 3.11 and pip.
#   sh tools/make-venv.sh PYTHON FOLDER
# Debian ships Python without ensurepip, and `python -m venv` fails there; uv needs neither ensurepip nor pip in
# the environment it makes, and pip can fetch uv into a folder of its own even where the system's Python is closed.
set -eu
python=$1
folder=$2
uv="uv>=0.9"
export PIP_ROOT_USER_ACTION=ignore PIP_DISABLE_PIP_VERSION_CHECK=1

"$python" -c '
import sys
if sys.version_info < (3, 11):
    sys.exit(f"OneClaw needs Python 3.11 or later and this is {sys.version.split()[0]}; name another: make PYTHON=python3.12")
'

has() { "$python" -c "import $1" >/dev/null 2>&1; }

has pip || has ensurepip || sh "$(dirname "$0")/system-package.sh" python3-pip || exit 1

give_up() {
    echo "uv could not be installed by pip. Check the network and try again." >&2
    exit 1
}

echo "Making $folder ..."
if has ensurepip; then
    "$python" -m venv "$folder"
    "$folder/bin/python" -m pip install --quiet "$uv" 2>/dev/null || give_up
    exit 0
fi

fetched=$(mktemp -d)
trap 'rm -rf "$fetched"' EXIT
"$python" -m pip install --quiet --target "$fetched" "$uv" 2>/dev/null || give_up
"$fetched/bin/uv" --quiet venv --clear --python "$python" "$folder"
"$fetched/bin/uv" --quiet pip install --python "$folder/bin/python" "$uv"
