#!/bin/sh
# What the tests need beyond what setup.sh brings: programs of the system that they look at it with, and Python with venv
# and pip as a tool chain to prepare environments for; Podman with runc, for the sandbox of containers (crun, its other
# runtime, refuses where both versions of control groups are mounted). Silent and quick when nothing is missing.
set -eu
cd -- "$(dirname -- "$0")/.."
[ "$(uname)" = Linux ] || exit 0

sh tools/packages.sh ps=procps script=bsdutils setpriv=util-linux unshare=util-linux \
  python3 python:ensurepip=python3-venv python:pip=python3-pip
# Only root needs them: for anybody else the suite says at its end that containers were not tested, and why.
sh tools/packages.sh podman runc || [ "$(id -u)" -ne 0 ]
