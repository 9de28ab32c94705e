/** An operator who is not root: the sandbox stands all the same, and what cannot be enforced then is said. */
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { ATTACKS, WITHOUT } from './forging.ts';

const UID = 60_990;
const REPOSITORY = resolve(import.meta.dirname, '../..');

/** As that user, with the checkout and Node mounted where he reaches them: they may lie below root's home. */
function asUser(dir: string): string {
  const program = (root: string) => [join(root, 'test/sandbox/operator.ts'), join(dir, 'own')];
  if (process.getuid?.() !== 0) {
    return execFileSync(process.execPath, program(REPOSITORY), { encoding: 'utf8', timeout: 200_000 });
  }
  const [code, tools] = [join(dir, 'code'), join(dir, 'tools')];
  for (const path of [code, tools]) mkdirSync(path);
  const script = `mount --bind "$1" "$2" && mount --bind "$3" "$4" && uid=$5 && shift 5 &&
    exec setpriv --reuid "$uid" --regid "$uid" --clear-groups --inh-caps=-all --bounding-set=-all -- "$@"`;
  const args = [
    ...['-m', '--propagation', 'private', 'sh', '-c', script, 'sh'],
    ...[REPOSITORY, code, dirname(process.execPath), tools, `${UID}`],
    ...[join(tools, 'node'), ...program(code)],
  ];
  return execFileSync('unshare', args, { encoding: 'utf8', timeout: 200_000, cwd: '/' });
}

test('everything works but the limits that need a control group, and the probe says which', () => {
  const dir = mkdtempSync(join(tmpdir(), 'supervisor-operator-'));
  try {
    chmodSync(dir, 0o711);
    const own = join(dir, 'own');
    mkdirSync(own);
    writeFileSync(join(own, 'outside'), 'canary');
    if (process.getuid?.() === 0) chownSync(own, UID, UID);
    const said = JSON.parse(asUser(dir));
    expect(said.uid).not.toBe(0);
    expect(said.probe).toMatchObject({ ready: true, problem: null });
    const enforced = Object.fromEntries(said.probe.limits.map((state: Limit) => [state.limit, state.enforced]));
    expect(enforced).toMatchObject({ processes: true, wallMs: true, idleMs: true, outputBytes: true });
    if (process.getuid?.() === 0) expect(enforced).toMatchObject({ memoryBytes: false, cpus: false });
    expect(said.work).toMatchObject({ end: { how: 'exit', code: 0 }, stdout: 'inputclosed\n2\n' });
    expect(said.bare).toBe('canary');
    expect(said.outside.stdout).not.toMatch(/canary|seen|state/);
    expect(said.daemon).toMatchObject({ end: { how: 'exit', code: 0 }, leftovers: 1 });
    expect(said.deaf).toMatchObject({ end: { how: 'limit', limit: 'wall' }, forced: true });
    expect(said.forks.end).toEqual({ how: 'limit', limit: 'processes' });
    for (const { kind, room, bounded } of said.hidden) {
      // The same program where there is room: none of what it holds is its own.
      if (room !== null) expect(room.stdout, kind).toMatch(/^400 MiB held, \d\d MiB resident/);
      expect(bounded.end, kind).toEqual(
        kind === 'memfd' ? { how: 'exit', code: 1 } : { how: 'limit', limit: 'memory' },
      );
    }
    expect(said.filled).toMatchObject({ end: { how: 'limit', limit: 'disk' } });
    for (const [attack, wanted] of Object.entries(ATTACKS)) {
      expect(said.forged[attack].said).toMatch(wanted.said);
      expect(said.forged[attack].end).toMatch(wanted.end);
    }
    expect(said.file).toMatchObject({ end: 'exit 1', said: expect.stringContaining('chmod: Read-only file system') });
    expect(said.look.took).toEqual([]);
    expect(said.look.told.filter((name: string) => !/^mount(?:info|s|stats)$/.test(name))).toEqual([]);
    expect(said.control).toMatchObject({ end: `exit ${WITHOUT.code}`, said: expect.stringMatching(WITHOUT.said) });
    expect(said.swept).toEqual({ removed: 0 });
    expect(said.left).toEqual({ notes: [], written: true });
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});

type Limit = { readonly limit: string; readonly enforced: boolean };
