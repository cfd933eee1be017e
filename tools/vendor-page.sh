#!/usr/bin/env sh
# Fetches the libraries of the page from the npm registry into src/oneclaw/web/page/vendor, by pinned hashes.
set -eu
cd "$(dirname "$0")/.."
vendor=$PWD/src/oneclaw/web/page/vendor
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# take NAME VERSION SHA256 FILE TARGET
take() {
    npm pack --silent "$1@$2" >/dev/null
    echo "$3  $1-$2.tgz" | sha256sum --check --quiet
    tar -xzf "$1-$2.tgz"
    cp "package/$4" "$vendor/$5"
    cat package/LICENSE* >"$vendor/$1.LICENSE"
    rm -rf package
}

take htm 3.1.1 2425b9bee11409177bcabc7f32e319926fc6690c1701c0b257c88bdff2d5ba90 preact/standalone.module.js preact-htm.js
take marked 18.2.0 f8f191f70f642128653254bf4b511e7fd7d77962b4c2a186d5f192e47f93d800 lib/marked.esm.js marked.js
