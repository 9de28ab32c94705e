#!/bin/sh
# Runs a command in a copy of this checkout as an ordinary user, who is made for this and removed afterwards:
#   as-user.sh make test ARGS=test/cli
# The results of vitest, as JSON, are then in .tools/test-results-user.json. If this machine has no way to do it, it says
# why, and there are none.
set -eu
cd -- "$(dirname -- "$0")/.."
results=.tools/test-results-user.json
rm -f "$results"
cannot() { echo "no tests as an ordinary user: $*" >&2; exit 0; }
[ "$(id -u)" -eq 0 ] || cannot 'only root can make one'
for need in useradd userdel setpriv; do command -v "$need" >/dev/null || cannot "$need is not installed"; done

node=$(sh tools/node.sh)
clis=$(dirname -- "$(sh tools/clis.sh)")
user=supervisor-test-$$
home=$(mktemp -d /tmp/supervisor-user.XXXXXX)
tidy() {
  uid=$(id -u "$user" 2>/dev/null) || uid=
  if [ -n "$uid" ]; then
    # Only processes of the user that was made here.
    for status in /proc/[0-9]*/status; do
      grep -qs "^Uid:[[:space:]]$uid[[:space:]]" "$status" && kill -KILL "$(basename "$(dirname "$status")")" || true
    done
    userdel "$user" >/dev/null 2>&1 || true
    find /tmp /var/tmp -xdev -mindepth 1 -maxdepth 1 -user "$uid" -exec rm -rf {} +
  fi
  rm -rf "$home"
}
trap tidy EXIT
trap 'exit 130' INT TERM HUP
# Its home is closed to others, as that of a person may be.
useradd --no-create-home --home-dir "$home" --shell /bin/sh "$user" || cannot 'useradd failed'
mkdir "$home/node"
git clone -q --no-checkout --no-hardlinks . "$home/checkout"
git ls-files -z --cached --others --exclude-standard | tar --null --ignore-failed-read -cf - -T - 2>/dev/null | tar -xf - -C "$home/checkout"
git -C "$home/checkout" reset -q
cp -a node_modules "$home/checkout/"
cp -L "$node/node" "$home/node/node"
chown -R "$user:" "$home"
chmod 700 "$home"
# 1.3 GB: the same files under another name if they are on the same disk. They stay root's, as those of `sudo npm install -g` do.
cp -al "$clis" "$home/clis" 2>/dev/null || { rm -rf "$home/clis" && cp -a "$clis" "$home/clis"; }

# How this machine reaches the network is the same for everybody.
network=
for name in NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy; do
  value=$(printenv "$name") && network="$network $name=$value"
done

echo "as an ordinary user: $*"
status=0
# shellcheck disable=SC2086 # a list of words
(cd "$home/checkout" && exec env -i $network HOME="$home" USER="$user" NO_COLOR=1 SUPERVISOR_TEST_CLIS="$home/clis" \
  PATH="$home/node:$home/checkout/node_modules/.bin:/usr/local/bin:/usr/bin:/bin" \
  setpriv --reuid "$user" --regid "$(id -g "$user")" --init-groups -- "$@") || status=$?
[ ! -f "$home/checkout/.tools/test-results.json" ] || cp "$home/checkout/.tools/test-results.json" "$results"

left=$(find /tmp /var/tmp -xdev -mindepth 1 -maxdepth 1 -user "$user" ! -path "$home")
[ -z "$left" ] || { echo "left behind by the ordinary user: $left" >&2; [ "$status" -ne 0 ] || status=1; }
exit "$status"
