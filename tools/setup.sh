#!/bin/sh
# Makes a checkout ready: system packages, Node, dependencies. Silent and quick when there is nothing to do.
set -eu
cd -- "$(dirname -- "$0")/.."

# Commands that must be there, COMMAND[=PACKAGE] where the package is named differently.
needs='git'
[ "$(uname)" != Linux ] || needs="$needs bwrap=bubblewrap"

stamp=node_modules/.stamp
# The stamp is written last and goes away with node_modules, so a match means that `npm ci` has ended well.
up_to_date() { [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$(git hash-object --no-filters package-lock.json)" ]; }

# shellcheck disable=SC2086 # a list of words
sh tools/packages.sh $needs

# One at a time: two makes in one checkout must not install into the same directory.
mkdir -p .tools
if command -v flock >/dev/null 2>&1; then
  exec 9>.tools/setup.lock
  flock 9
fi

bin=$(sh tools/node.sh 9>&-)
if ! up_to_date; then
  echo 'installing dependencies (npm ci) …' >&2
  # Our Node comes first, so that npm itself and all it starts run on it.
  PATH=$bin:$PATH npm ci --loglevel=error >&2 9>&-
  git hash-object --no-filters package-lock.json >"$stamp"
fi
