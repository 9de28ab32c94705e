/**
 * Damaged output of every CLI, a great many times: no parser throws or hangs, no number is nonsense, and no success is
 * read from output that does not report it.
 */
import { expect, test } from 'vitest';
import type { CliExit, CliResult } from '../../src/mind/workers/adapter.ts';
import { ADAPTERS } from '../../src/mind/workers/adapters/index.ts';
import { cpuSeconds } from '../support/cpu.ts';
import { ALL } from '../support/effort.ts';
import { allGolden, type Golden, told } from './golden.ts';
import { type Chance, chanceOf, damaged, inPieces } from './mutations.ts';

const STREAMS = ALL ? 100_000 : 5_000;
const SEED = ALL ? Date.now() % 2 ** 31 : 20_261_115;

type Event = Readonly<Record<string, unknown>>;
const inner = (event: Event, key: string): Event => {
  const value = event[key];
  return value !== null && typeof value === 'object' ? (value as Event) : {};
};

/**
 * What each CLI says at its end, in the simplest words: true for success, false for failure, null for anything else. Apart
 * from the adapters on purpose: this is what they are measured by.
 */
const ENDS: Readonly<Record<string, (event: Event) => boolean | null>> = {
  acp: (event) =>
    event['type'] === 'result' ? event['stop'] === 'end_turn' : event['type'] === 'error' ? false : null,
  http: (event) => (event['type'] === 'result' ? event['finish'] === 'stop' : event['type'] === 'error' ? false : null),
  claude: (event) =>
    event['type'] === 'result' ? event['is_error'] === false && event['subtype'] === 'success' : null,
  codex: ({ type }) => (type === 'turn.completed' ? true : type === 'turn.failed' ? false : null),
  copilot: (event) => (event['type'] === 'result' ? event['exitCode'] === 0 : null),
  cursor: (event) =>
    event['type'] === 'result' ? event['is_error'] === false && event['subtype'] === 'success' : null,
  gemini: (event) => (event['type'] === 'result' ? event['status'] === 'success' : null),
  opencode: (event) =>
    event['type'] === 'error'
      ? false
      : event['type'] === 'step_finish'
        ? inner(event, 'part')['reason'] === 'stop'
        : null,
};

/** Where each says whose event it is; only those of the session that is named first count. */
const SESSIONS: Readonly<Record<string, string>> = {
  acp: 'session',
  claude: 'session_id',
  copilot: 'sessionId',
  cursor: 'session_id',
  opencode: 'sessionID',
};

/** Whether the last event that tells how it ended is whole and says success. */
function saysSuccess(cli: string, text: string): boolean {
  const end = ENDS[cli];
  if (end === undefined) throw new Error(`how does ${cli} say that it ended? write it down in ENDS`);
  const key = SESSIONS[cli];
  let last: boolean | null = null;
  let own: unknown = null;
  for (const line of text.split('\n')) {
    try {
      const event = JSON.parse(line) as unknown;
      if (event === null || typeof event !== 'object') continue;
      const id = key === undefined ? null : (event as Event)[key];
      if (typeof id === 'string') own ??= id;
      if (own === null || id === own) last = end(event as Event) ?? last;
    } catch {
      // No event.
    }
  }
  return last === true;
}

/** What our own programs print for agents and servers; those are no CLIs that could be recorded. */
const OURS: Readonly<Record<string, readonly (readonly Event[])[]>> = {
  acp: [
    [
      { type: 'init', session: 's1', protocol: 1, agent: 'agent', version: '1' },
      { type: 'text', text: 'First.', session: 's1' },
      { type: 'tool', id: 't1', title: 'write', status: 'completed', session: 's1' },
      { type: 'text', text: 'Done.\n```json\n{"status":"SUCCESS","action_taken":"x"}\n```\n', session: 's1' },
      { type: 'result', stop: 'end_turn', usage: { inputTokens: 7, outputTokens: 3 }, meta: null, session: 's1' },
    ],
    [
      { type: 'init', session: 's1' },
      { type: 'result', stop: 'max_tokens', usage: null, meta: null, session: 's1' },
    ],
    [
      { type: 'init', session: 's1' },
      { type: 'error', code: -32_000, message: 'log in first', session: 's1' },
    ],
  ],
  http: [
    [
      { type: 'text', text: 'Done.\n```json\n{"status":"SUCCESS"}\n```\n' },
      { type: 'result', finish: 'stop', model: 'm', usage: { prompt_tokens: 7, completion_tokens: 3, cost: 0.1 } },
    ],
    [
      { type: 'text', text: 'Do' },
      { type: 'result', finish: 'length', model: 'm', usage: null },
    ],
    [{ type: 'error', status: 429, message: 'Too many requests' }],
  ],
};
const ENDED: CliExit = { exit: { how: 'exit', code: 0 }, now: Date.parse('2026-11-15T10:00:00Z'), upstream: null };
const ours = Object.entries(OURS).flatMap(([cli, runs]) =>
  runs.map((events, index): Golden => {
    const stdout = `${events.map((event) => JSON.stringify(event)).join('\n')}\n`;
    const about = { version: '', args: [], stderr: '', ended: ENDED, told: told(cli, [stdout], '', ENDED) };
    return { cli, name: `${index}`, stdout, ...about };
  }),
);

const golden = [...allGolden(), ...ours];
const outputs = new Map<string, string[]>();
for (const { cli, stdout } of golden) outputs.set(cli, [...(outputs.get(cli) ?? []), stdout]);
const clis = [...outputs.keys()];

/** Every CLI gets as many streams as any other, however many runs of it there are. Each has a seed of its own, so that one that fails can be had again alone. */
function streams(count: number, each: (of: Golden, stdout: string, chance: Chance, name: string) => void): void {
  for (let index = 0; index < count; index += 1) {
    const chance = chanceOf(SEED + index);
    const cli = clis[chance(clis.length)];
    const runs = golden.filter((one) => one.cli === cli);
    const of = runs[chance(runs.length)] as Golden;
    const { text, by } = damaged(of.stdout, chance, outputs.get(of.cli) ?? []);
    each(of, text, chance, `${of.cli}/${of.name} with ${by.join(', ')} (seed ${SEED + index})`);
  }
}

const isCount = (number: number | null): boolean => number === null || (Number.isSafeInteger(number) && number >= 0);

function problemOf(one: CliResult, cli: string, stdout: string): string | null {
  if (one.claims === 'success' && !saysSuccess(cli, stdout)) return 'is taken for a success';
  if (one.claims === 'success' && one.failure !== null) return 'has both succeeded and failed';
  if (one.claims === 'failure' && one.failure === null) return 'failed for no reason';
  if (!Object.values(one.cost).every(isCount)) return `costs ${JSON.stringify(one.cost)}`;
  if (one.failure !== null && one.failure.reason.length > 600) return 'has an endless reason';
  if (one.failure !== null && one.failure.resetAt !== null && !isCount(one.failure.resetAt)) return 'resets at no time';
  return null;
}

test(`${STREAMS} damaged streams`, { timeout: 20 * 60_000 }, () => {
  const problems: string[] = [];
  const seen = { success: 0, failure: 0, nothing: 0 };
  streams(STREAMS, ({ cli, stderr, ended }, stdout, chance, name) => {
    const exit = chance(2) === 0 ? ({ how: 'exit', code: 0 } as const) : ended.exit;
    let one = null as CliResult | null;
    let seconds = 0;
    try {
      seconds = cpuSeconds(() => {
        one = told(cli, inPieces(stdout, chance), stderr, { ...ended, exit });
      });
    } catch (error) {
      problems.push(`${name} throws ${error}`);
      return;
    }
    if (one === null) return;
    if (seconds > 10) problems.push(`${name} takes seconds`);
    seen[one.claims] += 1;
    const problem = problemOf(one, cli, stdout);
    if (problem !== null) problems.push(`${name} ${problem}`);
  });
  expect(problems.slice(0, 10)).toEqual([]);
  // The damage is neither so small nor so large that only one thing comes out.
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(STREAMS / 20);
});

test('control: a reader that looks for words instead of events is fooled by the same streams', () => {
  const WORDS = /"is_error":false|"type":"turn\.completed"|"status":"success"|"exitCode":0|"reason":"stop"/;
  let fooled = 0;
  streams(1_000, ({ cli }, stdout) => {
    if (WORDS.test(stdout) && !saysSuccess(cli, stdout)) fooled += 1;
  });
  expect(fooled).toBeGreaterThan(10);
});

test('control: an undamaged success is one, for every CLI', () => {
  for (const { cli, name, stdout, told: one } of golden)
    if (one.claims === 'success') expect(saysSuccess(cli, stdout), `${cli}/${name}`).toBe(true);
  const good = new Set(golden.filter(({ told: one }) => one.claims === 'success').map(({ cli }) => cli));
  expect([...good].toSorted()).toEqual(Object.keys(ADAPTERS).toSorted());
});
