#!/bin/sh
# Installs packages into an environment; a failure is one sentence, and all that was written about it is kept.
#   sh tools/install.sh FOLDER ARGUMENTS...      the arguments are those of `uv pip install`
set -u
folder=$1
shift
log=$folder/install.log

"$folder/bin/uv" pip install --quiet --python "$folder/bin/python" "$@" >"$log" 2>&1 && exit 0
cause=$(sed -n 's/^[[:space:]]*\(cause: \)\{0,1\}\(.*[^[:space:]]\)[[:space:]]*$/\2/p' "$log" | tail -n 1)
echo "The packages could not be installed (${cause:-no reason was given}). Check the network and try again; $log has all that was said." >&2
exit 1
