#!/bin/sh
# Makes sure that commands are there: packages.sh COMMAND[=PACKAGE] ...; `python:MODULE=PACKAGE` for what has no command.
# Installs what is missing where that needs no question (apt-get, as root or with a password-free sudo);
# elsewhere it says exactly what to install. Silent when nothing is missing.
set -eu

is_there() {
  case $1 in
    python:*) python3 -c "import ${1#python:}" ;;
    *) command -v "$1" ;;
  esac >/dev/null 2>&1
}

missing_of() {
  names=
  for need; do
    is_there "${need%%=*}" && continue
    # Two commands may come with one package.
    case "$names " in *" ${need#*=} "*) ;; *) names="$names ${need#*=}" ;; esac
  done
  printf %s "$names"
}

missing=$(missing_of "$@")
[ -n "$missing" ] || exit 0

if [ "$(id -u)" -eq 0 ]; then as_root=env; elif sudo -n true 2>/dev/null; then as_root='sudo -n env'; else as_root=; fi

if [ -n "$as_root" ] && command -v apt-get >/dev/null 2>&1; then
  echo "installing system packages:$missing" >&2
  # Waits for another apt-get instead of failing; refreshes the package lists only if they are not good enough.
  install="$as_root DEBIAN_FRONTEND=noninteractive apt-get -qq -y -o DPkg::Lock::Timeout=300 --no-install-recommends install $missing"
  $install >&2 2>/dev/null || { $as_root apt-get -qq update >&2 && $install >&2; } || true
  missing=$(missing_of "$@")
  [ -n "$missing" ] || exit 0
fi

if [ "$(uname)" = Darwin ]; then
  ways="  brew install$missing"
else
  ways="  Debian, Ubuntu:  sudo apt-get install$missing
  Fedora:          sudo dnf install$missing"
fi
cat >&2 <<EOF
These system packages are missing:$missing
Install them (without sudo: ask who runs this machine), then run this again. For example:
$ways
These are Debian's names; another system may have it under another name, or inside of another package.
EOF
exit 1
