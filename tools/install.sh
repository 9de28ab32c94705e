#!/bin/sh
# Puts `supervisor` on PATH: the bundle goes to PREFIX/lib/supervisor, a link to it to PREFIX/bin. The checkout is not needed
# afterwards. PREFIX is /usr/local for root and ~/.local for everybody else, unless it is set. `uninstall` removes both.
set -eu
cd -- "$(dirname -- "$0")/.."
if [ -z "${PREFIX:-}" ]; then
  if [ "$(id -u)" -eq 0 ]; then PREFIX=/usr/local; else PREFIX=$HOME/.local; fi
fi
case $PREFIX in /*) ;; *) echo "make install: PREFIX must be an absolute path: $PREFIX" >&2; exit 2 ;; esac
lib=$PREFIX/lib/supervisor
program=$PREFIX/bin/supervisor

# Never something that is not ours, such as what npm installed under the same name.
is_ours() { [ "$(readlink -- "$program" 2>/dev/null)" = ../lib/supervisor/supervisor ]; }
if [ -e "$program" ] || [ -h "$program" ]; then
  is_ours || { echo "make install: $program is there and was not made by this: remove it, or choose another PREFIX" >&2; exit 1; }
fi
if [ -e "$lib" ] && [ ! -f "$lib/dist/supervisor.js" ]; then
  echo "make install: $lib is there and was not made by this: remove it, or choose another PREFIX" >&2
  exit 1
fi

if [ "${1:-}" = uninstall ]; then
  rm -f -- "$program"
  rm -rf -- "$lib"
  echo "removed $program and $lib"
  exit
fi

mkdir -p -- "$PREFIX/lib" "$PREFIX/bin"
stage=$(mktemp -d "$PREFIX/lib/supervisor.XXXXXX")
trap 'rm -rf -- "$stage"' EXIT
trap 'exit 130' INT TERM HUP
node tools/build.ts --out "$stage/dist"
cp -R templates schemas package.json LICENSE "$stage/"
# Where the Node of this machine is too old, the one that was brought for the checkout goes along.
[ ! -x .tools/node/bin/node ] || cp .tools/node/bin/node "$stage/node"
cat >"$stage/supervisor" <<'LAUNCHER'
#!/bin/sh
# Runs Supervisor as `make install` has put it here.
here=$(dirname -- "$(readlink -f -- "$0")")
[ ! -x "$here/node" ] || export SUPERVISOR_NODE="${SUPERVISOR_NODE:-$here/node}"
exec "$here/dist/supervisor.js" "$@"
LAUNCHER
# Others may run it, too: `mktemp` lets in nobody else.
chmod 755 "$stage" "$stage/supervisor"
rm -rf -- "$lib"
mv -- "$stage" "$lib"
ln -sfn ../lib/supervisor/supervisor "$program"

echo "installed $program ($("$program" --version))"
case :$PATH: in
  *:"$PREFIX/bin":*) ;;
  *) echo "$PREFIX/bin is not on your PATH: add to your shell's profile  export PATH=\"$PREFIX/bin:\$PATH\"" ;;
esac
