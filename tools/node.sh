#!/bin/sh
# Prints the directory of a Node that can run this project: the one on PATH if it is new enough, else one of our own
# under .tools, brought with the installed npm on first use. Progress goes to stderr.
set -eu
version=24.21.0
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
own=$root/.tools/node

# The same floor as src/faces/cli/entry.ts. SQLite is asked too: a newer Node line may carry an older SQLite.
good() {
  "$1" -e 'const n = (v) => (v || "0").split(".").reduce((sum, part) => sum * 1000 + Number(part), 0);
    process.exit(n(process.versions.node) >= 24015000 && n(process.versions.sqlite) >= 3051003 ? 0 : 1)' 2>/dev/null
}

if found=$(command -v node) && good "$found"; then dirname -- "$found"; exit; fi
if good "$own/bin/node"; then echo "$own/bin"; exit; fi

command -v npm >/dev/null && command -v node >/dev/null || sh "$root/tools/packages.sh" node=nodejs npm
echo "bringing Node $version (once, about 60 MB, into .tools) …" >&2
mkdir -p "$root/.tools"
stage=$(mktemp -d "$root/.tools/node.XXXXXX")
trap 'rm -rf "$stage"' EXIT
cd "$stage"

# The package with the binary itself needs no install script; `node` finds the right one by running such a script.
binary=node-$(node -p 'process.platform + "-" + process.arch')
bring() { npm install --prefix "$stage" --no-save --no-package-lock --no-audit --no-fund --loglevel=error "$@" >&2; }
bring --ignore-scripts "$binary@$version" || { binary=node && bring "node@$version"; } || {
  echo "Node $version could not be brought by npm. Install Node 24.15 or newer from https://nodejs.org and run this again." >&2
  exit 1
}
good "node_modules/$binary/bin/node" || {
  echo "The Node $version that npm brought does not run on this machine. Install Node 24.15 or newer and run this again." >&2
  exit 1
}

# Moved into place in one step, so that nobody ever sees half of it; if another process was faster, its copy stays.
mkdir -p new/bin
mv "node_modules/$binary/bin/node" new/bin/node
good "$own/bin/node" || { rm -rf "$own" && mv new "$own"; }
echo "$own/bin"
