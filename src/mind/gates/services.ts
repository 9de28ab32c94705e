/** Services that a gate's tests need: started inside the gate's own sandboxes, before it, and ended with it. */
import type { ServiceConfig } from '../environment/environment-config.ts';
import { argvOf } from './definition.ts';

/** A service that is not ready by then is not coming up. */
const SERVICE_SECONDS = 30;

/**
 * Runs the gate after its services, with one fixed program; all values are its arguments. It prints `nonce` to stderr
 * when all services are ready and the gate starts. Without it nothing was checked; only services ran.
 */
export function withServices(
  argv: readonly [string, ...string[]],
  services: readonly ServiceConfig[],
  nonce: string,
): [string, ...string[]] {
  if (services.length === 0) return [...argv];
  const words = services.flatMap(({ name, command, ready, env }) => {
    const variables = Object.entries(env).map(([key, value]) => `${key}=${value}`);
    const start = ['env', ...variables, ...argvOf(command)];
    const probe = ready === undefined ? [] : ['timeout', '5', 'env', ...variables, ...argvOf(ready)];
    return ['service', name, `${start.length}`, ...start, `${probe.length}`, ...probe];
  });
  return ['/bin/sh', '-c', SERVICES, 'sh', nonce, `${SERVICE_SECONDS}`, ...words, 'gate', ...argv];
}

/** `pick N words…` becomes the first N of the words. A service that exits with 0 may have started a daemon. */
const SERVICES = `
nonce=$1 seconds=$2 logs=/tmp/services
shift 2
mkdir -p "$logs" || exit 126
pick() {
  want=$1; shift
  total=$# at=0
  while [ "$at" -lt "$total" ]; do
    [ "$at" -ge "$want" ] || set -- "$@" "$1"
    shift
    at=$((at + 1))
  done
  exec "$@"
}
give_up() {
  printf 'service %s: %s\\n' "$name" "$1" >&2
  tail -c 4000 "$logs/$name.log" >&2
  exit 125
}
while [ "$1" = service ]; do
  name=$2 count=$3
  shift 3
  ( pick "$count" "$@" ) >"$logs/$name.log" 2>&1 </dev/null &
  pid=$!
  shift "$count"
  count=$1
  shift
  if [ "$count" -gt 0 ]; then
    end=$(($(date +%s) + seconds))
    until ( pick "$count" "$@" ) >>"$logs/$name.log" 2>&1 </dev/null; do
      if ! kill -0 "$pid" 2>/dev/null; then wait "$pid" || give_up "it ended with code $?"; fi
      [ "$(date +%s)" -lt "$end" ] || give_up "it is not ready after $seconds seconds"
      sleep 0.1
    done
    shift "$count"
  fi
done
shift
printf '%s\\n' "$nonce" >&2
"$@"
exit $?`;
