/** What each real CLI makes of a server that goes bad, and what Supervisor makes of that; nothing of it survives. */
import { expect, test } from 'vitest';
import type { ScenarioInput } from '../../src/mind/stand-in/scenario.ts';
import { leftOver } from '../support/left-over.ts';
import { CLIS, type Cli, Through, WRITES } from './through.ts';

type Turns = ScenarioInput['turns'];
type Attempt = { class: string; category: string | null; cli: string; reason: string; cost: { usd: number | null } };
type Report = {
  status: string;
  task_id: string;
  verdict: { reasons: string[] };
  attempts: Attempt[];
  branch: string | null;
};

const MINUTES = 60_000;
const always = (turn: Turns[number]): Turns => [{ ...turn, times: 1_000_000 }];

async function play(turns: Turns, clis: readonly Cli[], config = '') {
  await using through = await new Through(turns).open(clis, config);
  const { code, stdout, stderr } = await through.run(clis.join(','));
  let report: Report;
  try {
    const { steps, ...rest } = JSON.parse(stdout);
    report = { ...rest, attempts: steps.flatMap((step: { history: Attempt[] }) => step.history) };
  } catch {
    throw new Error(`no report (exit ${code}): ${stdout}${stderr}`);
  }
  expect(leftOver(through.world)).toEqual([]);
  expect((await through.world.health()).findings).toEqual([]);
  const { requests, mainRequests } = through.standIn;
  return { code, report, requests: [...requests], main: [...mainRequests], text: stdout };
}

const LIMITS = (wall: string) => `limits:\n  wall: ${wall}\n  backoff: aggressive\n`;
const other = (cli: Cli): Cli => (cli === 'claude' ? 'codex' : 'claude');
const protocolOf = (cli: Cli) =>
  ({ claude: 'anthropic', codex: 'responses', gemini: 'gemini', copilot: 'chat', opencode: 'chat' })[cli] as never;

test.each(CLIS)('%s: 429 with a time to wait, then all is well: accepted', { timeout: 4 * MINUTES }, async (cli) => {
  const { code, report, text } = await play([{ status: 429, retry_after: 1 }, ...WRITES], [cli]);
  expect([code, report.status], text).toEqual([0, 'accepted']);
});

test.each(CLIS)('%s: 429 for ever: another CLI takes over', { timeout: 5 * MINUTES }, async (cli) => {
  const next = other(cli);
  const wall: Turns = [{ status: 429, times: 1_000_000, for: { protocol: protocolOf(cli) } }];
  const { code, report, text } = await play([...wall, ...WRITES], [cli, next]);
  expect([code, report.status], text).toEqual([0, 'accepted']);
  expect(report.attempts.map(({ cli: by, class: what }) => `${by} ${what}`)).toEqual([`${cli} quota`, `${next} ok`]);
  expect(report.attempts[0]?.category).toBe('resource');
});

test.each(CLIS)('%s: 401: stopped at once, with what to do', { timeout: 4 * MINUTES }, async (cli) => {
  const { code, report, text } = await play(always({ status: 401 }), [cli]);
  expect([code, report.status, report.attempts.map((one) => one.class)], text).toEqual([4, 'escalated', ['auth']]);
});

test.each(CLIS)('%s: answers that are none: no success', { timeout: 6 * MINUTES }, async (cli) => {
  const { report, text } = await play(always({ fault: 'malformed' }), [cli], LIMITS('25s'));
  expect(['failed', 'escalated'], text).toContain(report.status);
  for (const { class: what } of report.attempts) expect(['transient', 'timeout', 'unknown', 'crash']).toContain(what);
});

test.each(CLIS)(
  '%s: a stream that is cut off: no success, or a second try of its own',
  { timeout: 6 * MINUTES },
  async (cli) => {
    const { report, text } = await play(always({ text: 'half of it and', fault: 'cut' }), [cli], LIMITS('25s'));
    expect(['failed', 'escalated'], text).toContain(report.status);
  },
);

test.each(CLIS)('%s: a server that never answers: our deadline ends it', { timeout: 4 * MINUTES }, async (cli) => {
  const { report, text } = await play(always({ fault: 'hang' }), [cli], LIMITS('20s'));
  expect(report.status, text).toBe('failed');
  expect(report.attempts.map((one) => one.class)).toEqual(['timeout', 'timeout']);
});

test.each(CLIS)(
  '%s: ended with a tool in a session of its own: none survives',
  { timeout: 4 * MINUTES },
  async (cli) => {
    const run = 'setsid sleep 4321 </dev/null >/dev/null 2>&1 & touch begun; sleep 4322';
    const { report, text } = await play(always({ run }), [cli], LIMITS('25s'));
    expect(report.status, text).toBe('failed');
    // That none of them is left is seen by leftOver.
    expect(report.attempts.map((one) => one.class)).toEqual(['timeout', 'timeout']);
  },
);
