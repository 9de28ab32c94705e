#!/bin/sh
# Installs the AI CLIs that the tests run, at the versions of tools/clis/package-lock.json, once, into a cache outside of
# the checkout; prints the directory with their programs. Silent and quick when they are there, fails when they cannot be.
# With --check nothing is installed: it fails when they are not there.
# To move to other versions: edit tools/clis/package.json, then in that folder
#   npm install --package-lock-only --ignore-scripts --omit-lockfile-registry-resolved
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
pins=$root/tools/clis
lock=$(git hash-object --no-filters "$pins/package-lock.json" | cut -c1-12)
place=${SUPERVISOR_TEST_CLIS:-${XDG_CACHE_HOME:-$HOME/.cache}/supervisor-tests/clis-$lock}
clis='claude codex copilot gemini opencode'

fail() { echo "tools/clis.sh: $*" >&2; exit 1; }
case $place in /*) ;; *) fail "SUPERVISOR_TEST_CLIS must be an absolute path: $place" ;; esac

# The name of the lock is written before the whole is moved into place, so a match means that all of it was tried out.
is_there() {
  [ "$(cat "$place/lock" 2>/dev/null)" = "$lock" ] || return 1
  for cli in $clis; do [ -x "$place/bin/$cli" ] || return 1; done
}
if is_there; then echo "$place/bin"; exit; fi
[ "${1-}" != --check ] || fail "the AI CLIs for the tests are not in $place; run: make test-clis"
# It is replaced as a whole: never something that is not ours.
[ ! -e "$place" ] || [ -f "$place/lock" ] || fail "$place is there but was not made by this; name another directory"

# One at a time; who waited finds it done.
mkdir -p -- "$(dirname -- "$place")"
if command -v flock >/dev/null 2>&1; then
  exec 9>"$place.lock"
  flock 9
  if is_there; then echo "$place/bin"; exit; fi
fi

node=$(sh "$root/tools/node.sh" 9>&-)
PATH=$node:$PATH
echo 'installing the AI CLIs for the tests (npm ci, once, about 1.3 GB) …' >&2
stage=$(mktemp -d "$place.XXXXXX")
trap 'rm -rf "$stage"' EXIT
trap 'exit 130' INT TERM HUP
cp "$pins/package.json" "$pins/package-lock.json" "$stage"

# Their install scripts only put the native programs where a launcher finds them; we start those programs themselves.
(cd "$stage" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >&2 9>&-) ||
  fail 'npm could not install them. Is the registry of npm reachable? Run this again when it is.'

version_of() { node -p 'require(process.argv[1]).dependencies[process.argv[2]]' "$pins/package.json" "$1"; }

# What a fresh user without any settings would see; the home is a throw-away, some unpack themselves into it.
starts() {
  mkdir -p "$stage/home"
  said=$(env -i HOME="$stage/home" TMPDIR="$stage/home" PATH="$node:/usr/bin:/bin" "$1" --version 2>&1 9>&- </dev/null) || return 1
  case $said in *"$2"*) ;; *) return 1 ;; esac
}

# link NAME PACKAGE PROGRAM...: the first program that starts and is of the pinned version.
link() {
  name=$1 version=$(version_of "$2") said='no program of it is for this machine'
  shift 2
  for program; do
    [ -x "$stage/node_modules/$program" ] && starts "$stage/node_modules/$program" "$version" || continue
    ln -s "../node_modules/$program" "$stage/bin/$name"
    return
  done
  fail "$name $version does not start: $said"
}

machine=$(node -p 'process.platform + "-" + process.arch')
case $machine in
  linux-x64) triple=x86_64-unknown-linux-musl ;;
  linux-arm64) triple=aarch64-unknown-linux-musl ;;
  *) fail "the tests of real CLIs run on Linux (x64, arm64), not on $machine" ;;
esac
mkdir "$stage/bin"
link claude @anthropic-ai/claude-code "@anthropic-ai/claude-code-$machine/claude"
link codex @openai/codex "@openai/codex-$machine/vendor/$triple/bin/codex"
link copilot @github/copilot "@github/copilot-$machine/copilot"
link gemini @google/gemini-cli @google/gemini-cli/bundle/gemini.js
# The second is for processors without AVX2.
link opencode opencode-ai "opencode-$machine/bin/opencode" "opencode-$machine-baseline/bin/opencode"

# Sandboxed users have to pass through; `mktemp` lets in nobody else.
rm -rf "$stage/home"
chmod 755 "$stage"
echo "$lock" >"$stage/lock"
rm -rf "$place"
mv "$stage" "$place"
echo "$place/bin"
