/** A control group of version 2 that was given to an ordinary user: Supervisor makes its own groups below it. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { NOT_ROOT, untested } from '../support/untested.ts';

const UID = 60_991;
const REPOSITORY = resolve(import.meta.dirname, '../..');
const NAME = `supervisor-test-${process.pid}`;

/**
 * Mounts the hierarchy where nobody else sees it, makes a group, gives it to a user as systemd does, and becomes that user in
 * it. The memory controller may belong to another hierarchy here; the kernel's rules are the same for each.
 */
const SCRIPT = `
mount --bind "$1" "$2" && mount --bind "$3" "$4" && mount -t cgroup2 none "$5" || exit 90
case " $(cat "$5/cgroup.controllers") " in *' pids '*) controller=pids ;; *) controller=hugetlb ;; esac
case " $(cat "$5/cgroup.subtree_control") " in *" $controller "*) had=yes ;; *) had= ; echo "+$controller" >"$5/cgroup.subtree_control" ;; esac
group=$5/$NAME
mkdir "$group" || exit 91
case $KIND in
  foreign) ;;
  shared) sleep 600 & echo $! >"$group/cgroup.procs" ;;
esac
[ "$KIND" = foreign ] || chown -R "$UID_OF_USER" "$group"
(
  sh -c 'echo $PPID' >"$group/cgroup.procs"
  exec setpriv --reuid "$UID_OF_USER" --regid "$UID_OF_USER" --clear-groups --inh-caps=-all --bounding-set=-all -- \
    "$4/node" "$2/test/sandbox/delegated.ts" "$group" "$controller"
)
code=$?
for pid in $(cat "$group/cgroup.procs"); do kill -9 "$pid"; done
wait
rmdir "$group"/*/ 2>/dev/null; rmdir "$group" || code=92
[ -n "$had" ] || echo "-$controller" >"$5/cgroup.subtree_control"
exit $code`;

function inGroup(kind: 'delegated' | 'shared' | 'foreign') {
  const dir = mkdtempSync(join(tmpdir(), 'supervisor-delegated-'));
  try {
    const places = ['code', 'tools', 'groups'].map((name) => join(dir, name));
    for (const place of places) mkdirSync(place);
    const [code = '', tools = '', groups = ''] = places;
    spawnSync('chmod', ['0711', dir]);
    const { stdout, stderr, status } = spawnSync(
      'unshare',
      [
        ...['-m', '--propagation', 'private', 'sh', '-c', SCRIPT, 'sh'],
        ...[REPOSITORY, code, dirname(process.execPath), tools, groups],
      ],
      {
        encoding: 'utf8',
        timeout: 60_000,
        cwd: '/',
        env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', NAME, KIND: kind, UID_OF_USER: `${UID}` },
      },
    );
    expect(status, stderr).toBe(0);
    return JSON.parse(stdout);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

const skipped = untested('control groups that are given to a user', NOT_ROOT);

test.skipIf(skipped)(
  'a group that Supervisor has for itself: it moves into a leaf, and makes, fills and ends a group',
  () => {
    const said = inGroup('delegated');
    expect(said).toMatchObject({ uid: UID, own: `/${NAME}/supervisor-itself`, left: false });
    expect(said.found.given).toHaveLength(1);
    expect(said.again).toEqual(said.found);
    expect(said.member).toContain(`/${NAME}/supervisor-sandbox-of-a-test`);
  },
);

test.skipIf(skipped)('one that another program is in too: nobody is moved, and there is no group', () => {
  expect(inGroup('shared')).toMatchObject({ uid: UID, own: `/${NAME}`, found: { given: [] }, member: null });
});

test.skipIf(skipped)('a group that is not ours', () => {
  expect(inGroup('foreign')).toMatchObject({ uid: UID, own: `/${NAME}`, found: { given: [] }, member: null });
});
