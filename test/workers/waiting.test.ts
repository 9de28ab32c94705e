/** A wall that stands before its attempt begins: taken by an attempt like the last one, by no other, and never left behind. */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import type { WorkerReport } from '../../src/engine/ports/hands.ts';
import type { SandboxRequest } from '../../src/engine/ports/sandbox.ts';
import type { WorkerOptions } from '../../src/hands/workers/options.ts';
import { Waiting } from '../../src/hands/workers/waiting.ts';
import { workerHand } from '../../src/hands/workers/worker.ts';
import type { WorkerRun } from '../../src/mind/domain/effects.ts';
import { family, killProcess } from '../../src/os/process/table.ts';
import { eventually } from '../support/cli.ts';
import { BuiltIn } from './built-in.ts';
import { Room } from './room.ts';

const room = new Room();
const builtIn = new BuiltIn(room);
const { egress, sockets } = builtIn;
let waiting: Waiting;
/** Walls that were begun, each with how it ended. */
let begun: { readonly request: SandboxRequest; end: string | null }[];
const sandbox: WorkerOptions['sandbox'] = {
  async run(request) {
    const one = { request, end: null as string | null };
    begun.push(one);
    try {
      const result = await room.sandbox.run(request);
      one.end = result.end.how;
      return result;
    } catch (error) {
      one.end = 'refused';
      throw error;
    }
  },
};

beforeEach(() => {
  begun = [];
  waiting = new Waiting({ sandbox, workspaces: room.workspaces, egress, log: () => {} }, 0);
});
afterEach(async () => {
  await waiting.close();
  expect(begun.filter(({ end }) => end === null)).toEqual([]);
  await room.workspaces.close();
  room.nothingLeft();
  expect(existsSync(sockets) ? readdirSync(sockets) : []).toEqual([]);
});
afterAll(() => builtIn.end());

const options = (script: string, more: Partial<WorkerOptions> = {}) =>
  builtIn.options(script, { sandbox, waiting, ...more });

const attempt = (of: WorkerOptions, deadline?: number, work: Partial<WorkerRun> = {}): Promise<WorkerReport> =>
  workerHand(of).run(
    room.effect(),
    room.workOf({ work, ...(deadline === undefined ? {} : { attempt: { deadline } }) }),
    room.context(),
  );

/** One attempt, after which another wall waits. */
async function first(of: WorkerOptions): Promise<void> {
  await attempt(of);
  await eventually(() => begun.length === 2, 'another wall is begun');
  await waiting.settled();
  expect(begun[1]?.end).toBe(null);
}
function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
/** Where a wall has its tree. */
const treeOf = (n: number): string => begun[n]?.request.policy.writable[0]?.from ?? '';

test('an attempt like the last one is played behind the wall that waits, in its own tree and with its own words', async () => {
  await first(options('cat >/dev/null'));
  const tree = treeOf(1);
  expect(readdirSync(tree)).toEqual([]);
  // Until it sleeps.
  await sleep(1500);
  await attempt(options('wc -c >&2; ls src >&2; echo mine >new; ls new >&2'));
  expect(room.transcript()).toMatch(/! \d{3,}\n/);
  expect(room.transcript()).toMatch(/! new\n/);
  expect(begun[1]?.end).toBe('exit');
  expect(existsSync(tree)).toBe(false);
  // And so on: the next one is begun for the one after.
  await eventually(() => begun.length === 3, 'a third wall is begun');
});

test('what it wrote is what it is judged by', async () => {
  await first(options('cat >/dev/null'));
  const report = await attempt(
    options(
      `cat >/dev/null; echo more >>src/a.ts; echo '{"type":"result","subtype":"success","is_error":false,"result":"no answer"}'`,
    ),
  );
  expect(report.class).toBe('invalid');
  expect(JSON.parse(room.blobs.get(report.record ?? '') ?? '{}')).toMatchObject({ tree: 'candidate' });
});

test.each([
  ['another key', { env: (name: string) => (name === 'K' ? 'sk-another' : undefined) }],
  ['another limit', { limits: { memoryBytes: 300 << 20, wallMs: 20_000 } }],
  [
    'another program to be seen',
    {
      tools: {
        ...room.options().tools,
        path: ['/opt'],
        find: () => ({ program: '/programs/worker.sh', readable: [] }),
      },
    },
  ],
])('%s: that wall is not taken', async (_, other) => {
  await first(options('cat >/dev/null; echo first >&2'));
  await attempt(options('cat >/dev/null; echo second >&2', other));
  expect(room.transcript()).toContain('! second');
  expect(begun[1]?.end).toBe(null);
  expect(begun[2]?.end).toBe('exit');
});

test('a program that was replaced meanwhile is not what that wall shows', async () => {
  const of = options('cat >/dev/null');
  const own = join(room.world.root, 'package');
  mkdirSync(own);
  writeFileSync(join(own, 'version'), 'old');
  const [mount, find] = [{ from: own, to: '/package' }, () => ({ program: '/programs/worker.sh', readable: [] })];
  const tools = { ...of.tools, readable: [...of.tools.readable, mount], find };
  await first({ ...of, tools });
  renameSync(own, `${own}-old`);
  mkdirSync(own);
  writeFileSync(join(own, 'version'), 'new');
  await attempt({ ...options('cat >/dev/null; cat /package/version >&2'), tools });
  expect(room.transcript()).toContain('! new');
});

test('two that take turns both find theirs; a third kind ends the oldest', async () => {
  const kinds = ['a', 'b', 'c'].map((value) => ({
    env: (name: string) => (name === 'K' ? `sk-${value}` : undefined),
  }));
  for (const kind of kinds.slice(0, 2)) {
    const before = begun.length;
    await attempt(options('cat >/dev/null', kind));
    await eventually(() => begun.length === before + 2, 'its wall is begun');
    await waiting.settled();
  }
  const [, a, , b] = begun;
  await attempt(options('cat >/dev/null', kinds[0]));
  await eventually(() => begun.length === 5, 'another one like it is begun');
  await waiting.settled();
  await attempt(options('cat >/dev/null', kinds[1]));
  expect([a?.end, b?.end]).toEqual(['exit', 'exit']);
  await eventually(() => begun.length === 6, 'another one like it is begun');
  await waiting.settled();
  await attempt(options('cat >/dev/null', kinds[2]));
  await eventually(() => begun[4]?.end === 'aborted', 'the oldest goes');
});

test('a wall whose program was killed meanwhile is not taken', async () => {
  await first(options('cat >/dev/null'));
  const waits = await eventually(() => {
    // Nobody but what this very process started.
    const found = family(process.pid).filter(({ pid }) => commandOf(pid).includes('bridge'));
    return found.length > 0 ? found : null;
  }, 'its program runs');
  for (const { pid } of waits) killProcess(pid);
  await eventually(() => begun[1]?.end !== null, 'it has ended');
  await attempt(options('cat >/dev/null; echo second >&2'));
  expect(room.transcript()).toContain('! second');
});

test('a wall whose tree is gone is not taken', async () => {
  await first(options('cat >/dev/null'));
  rmSync(dirname(treeOf(1)), { recursive: true });
  await attempt(options('cat >/dev/null; echo second >&2'));
  expect(room.transcript()).toContain('! second');
});

test('its deadline is that of the attempt', async () => {
  await first(options('cat >/dev/null'));
  // By a clock that stands still, so that all of it is left whenever the tree is there.
  const now = Date.now();
  const of = options('exec sleep 600', { clock: { now: () => now } });
  expect(await attempt(of, now + 1500)).toMatchObject({ class: 'timeout' });
  expect(begun[1]?.end).toBe('limit');
});

test('whoever is told to stop is stopped behind it too', async () => {
  await first(options('cat >/dev/null'));
  const stop = new AbortController();
  const running = workerHand(options('echo up >&2; exec sleep 600')).run(
    room.effect(),
    room.workOf({}),
    room.context(stop.signal),
  );
  await eventually(() => room.transcript().includes('! up'), 'it runs');
  stop.abort();
  expect(await running).toMatchObject({ class: 'interrupted' });
});

test('an attempt that comes to nothing takes the wall with it', async () => {
  await first(options('cat >/dev/null'));
  const contexts = { pack: () => Promise.reject(new Error('no packet')) };
  await expect(attempt(options('echo ran >&2', { contexts }))).rejects.toThrow('no packet');
  expect(begun[1]?.end).toBe('refused');
});

test('told to stop while its tree is written there, the place is left until that is done', async () => {
  await first(options('cat >/dev/null'));
  const stop = new AbortController();
  const real = room.workspaces;
  let isThere: boolean | null = null;
  const make: typeof real.make = async (name, from, uid, placed, at) => {
    placed?.(at?.tree ?? '');
    stop.abort();
    await sleep(200);
    isThere = at?.isThere() ?? null;
    return real.make(name, from, uid, placed, at);
  };
  const workspaces = Object.create(real, { make: { value: make } });
  const running = workerHand(options('cat >/dev/null', { workspaces })).run(
    room.effect(),
    room.workOf({}),
    room.context(stop.signal),
  );
  expect(await running).toMatchObject({ class: 'interrupted' });
  expect(isThere).toBe(true);
});

test('a sweep leaves the place that waits alone', async () => {
  await first(options('cat >/dev/null'));
  await room.workspaces.sweep(() => false, false);
  await attempt(options('cat >/dev/null; ls src >&2'));
  expect(begun[1]?.end).toBe('exit');
});

test('turns of one session do without: what a CLI keeps between them is mounted', async () => {
  await attempt(options('cat >/dev/null'), undefined, { turns: 1 });
  await waiting.settled();
  expect(begun).toHaveLength(1);
});
