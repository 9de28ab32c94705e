/** What each real CLI makes of a server that goes bad, what Supervisor makes of that, and that nothing of it survives. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { ScenarioInput } from '../../src/mind/stand-in/scenario.ts';
import { eventually } from '../support/cli.ts';
import { leftOver } from '../support/left-over.ts';
import { settled } from '../support/traces.ts';
import { type Cli, Through, WRITES } from './through.ts';

type Turns = ScenarioInput['turns'];
type Attempt = { class: string; category: string | null; cli: string; reason: string };
type Report = { status: string; attempts: Attempt[]; verdict: { reasons: string[] }; branch: string | null };

/**
 * What is known of each. `protocol`: how it asks. `ownTries`: its own retries cannot be turned off, so a short refusal is
 * over before we hear of it. `wall`: long enough for its start on a slow machine. `vain`: what comes of answers that are
 * none; opencode tries again for longer than its wall.
 */
const KNOWN = {
  claude: { protocol: 'anthropic', ownTries: false, wall: '15s', vain: 'transient' },
  codex: { protocol: 'responses', ownTries: false, wall: '12s', vain: 'transient' },
  gemini: { protocol: 'gemini', ownTries: false, wall: '18s', vain: 'transient' },
  copilot: { protocol: 'chat', ownTries: true, wall: '20s', vain: 'transient' },
  opencode: { protocol: 'anthropic', ownTries: true, wall: '25s', vain: 'timeout' },
} as const;

const FOR_EVER = 1_000_000;
const MINUTES = 60_000;
/** One that asks in another way, so that the stand-in tells them apart. */
const other = (cli: Cli): Cli => (KNOWN[cli].protocol === 'anthropic' ? 'codex' : 'claude');
const classes = ({ attempts }: Report): string[] => attempts.map((one) => `${one.cli} ${one.class}`);

/** One run to its end; `meanwhile` acts beside it. */
async function play(
  name: string,
  turns: Turns,
  clis: readonly Cli[],
  { wall = '30m', meanwhile = async () => {} }: { wall?: string; meanwhile?: (through: Through) => Promise<void> } = {},
) {
  await using through = await new Through(turns).open(clis, `limits:\n  wall: ${wall}\n`);
  const began = performance.now();
  const running = through.run(clis.join(','));
  await meanwhile(through);
  const { code, stdout, stderr } = await running;
  const report = reportOf(stdout, stderr);
  const requests = through.standIn.mainRequests.length;
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  console.log(
    `${clis[0]}: ${name}: ${report.status}, ${classes(report).join(', ')}; ${requests} requests, ${seconds} s`,
  );
  expect(await settled(() => leftOver(through.world))).toEqual([]);
  expect((await through.world.health()).findings).toEqual([]);
  const greeting = report.branch === null ? null : through.world.git('show', `${report.branch}:greeting.txt`);
  return { code, report, requests, greeting, all: stdout + stderr };
}

function reportOf(stdout: string, stderr: string): Report {
  try {
    const { steps, ...rest } = JSON.parse(stdout);
    return { ...rest, attempts: steps.flatMap((step: { history: Attempt[] }) => step.history) };
  } catch {
    throw new Error(`no report: ${stdout}${stderr}`);
  }
}

/** The sessions in which a `sleep` of so many seconds runs, anywhere on this machine. */
const sleepers = (seconds: number): string[] =>
  readdirSync('/proc').flatMap((pid) => {
    try {
      if (readFileSync(`/proc/${pid}/cmdline`, 'latin1') !== `sleep\0${seconds}\0`) return [];
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const [state, , , session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return state === 'Z' || state === 'X' || session === undefined ? [] : [session];
    } catch {
      return [];
    }
  });

export function faultsOf(cli: Cli): void {
  const { protocol, ownTries, wall, vain } = KNOWN[cli];

  describe(cli, { timeout: 5 * MINUTES }, () => {
    test('429 with a time to wait, then all is well: waited for, and accepted', async () => {
      const { code, report, greeting, all } = await play(
        '429, then ok',
        [{ status: 429, retry_after: 1 }, ...WRITES],
        [cli],
      );
      expect([code, report.status], all).toEqual([0, 'accepted']);
      expect(classes(report)).toEqual(ownTries ? [`${cli} ok`] : [`${cli} quota`, `${cli} ok`]);
      expect(greeting).toBe('hello');
    });

    test('429 for ever: another CLI takes over', async () => {
      const next = other(cli);
      const spent: Turns = [{ status: 429, times: FOR_EVER, for: { protocol } }];
      const { code, report, greeting, all } = await play('429 for ever', [...spent, ...WRITES], [cli, next]);
      expect([code, report.status], all).toEqual([0, 'accepted']);
      expect(classes(report)).toEqual([`${cli} quota`, `${next} ok`]);
      expect(report.attempts.map(({ category }) => category)).toEqual(['resource', null]);
      expect(greeting).toBe('hello');
    });

    test('401: stopped at once, with what to do, and no other CLI is asked', async () => {
      const { code, report, requests, all } = await play('401', [{ status: 401, times: FOR_EVER }], [cli, other(cli)]);
      expect([code, report.status, classes(report)], all).toEqual([4, 'escalated', [`${cli} auth`]]);
      expect(report.attempts[0]?.category).toBe('cli');
      expect(report.verdict.reasons.join()).toMatch(
        new RegExp(
          `; log in to ${cli} or set its key \\(\`supervisor doctor\` says how\\), then \`supervisor resume t-`,
        ),
      );
      expect(requests).toBeLessThanOrEqual(3);
    });

    test('answers that are none: no success, and an end', async () => {
      const { code, report, all } = await play('malformed', [{ fault: 'malformed', times: FOR_EVER }], [cli], { wall });
      expect([code, report.status], all).toEqual([1, 'failed']);
      expect(new Set(classes(report)), all).toEqual(new Set([`${cli} ${vain}`]));
    });

    test('a stream that is cut off: no success, and an end', async () => {
      const cut: Turns = [{ text: 'half of it and then the other half', fault: 'cut', times: FOR_EVER }];
      const { code, report, all } = await play('cut stream', cut, [cli], { wall });
      expect([code, report.status], all).toEqual([1, 'failed']);
      expect(new Set(classes(report)), all).toEqual(new Set([`${cli} ${vain}`]));
    });

    test('a server that never answers: our deadline ends it, and what its tools had begun', async () => {
      const seconds = 40_000 + process.pid;
      const begins: Turns = [{ run: `setsid sleep ${seconds} </dev/null >/dev/null 2>&1 & echo begun` }];
      let seen: string[] = [];
      const { code, report, all } = await play('hang', [...begins, { fault: 'hang', times: FOR_EVER }], [cli], {
        wall,
        meanwhile: async () => {
          seen = await eventually(() => atLeast(1, sleepers(seconds)), 'a tool has begun something', 60_000);
        },
      });
      expect([code, report.status, classes(report)], all).toEqual([1, 'failed', [`${cli} timeout`, `${cli} timeout`]]);
      expect(seen).toHaveLength(1);
      expect(sleepers(seconds)).toEqual([]);
    });

    test('ended in the middle of a tool that began another session: none survives', async () => {
      const [own, apart] = [70_000 + process.pid, 71_000 + process.pid];
      const run = `setsid sleep ${apart} </dev/null >/dev/null 2>&1 & sleep ${own}`;
      let sessions: string[] = [];
      const { report, all } = await play('cancelled in a tool', [{ run, times: FOR_EVER }], [cli], {
        meanwhile: async ({ world }) => {
          const both = () => [...sleepers(own), ...sleepers(apart)];
          sessions = await eventually(() => atLeast(2, both()), 'the tool is at work', 60_000);
          const [task] = await world.tasks();
          expect((await world.run(['cancel', task?.task_id ?? ''])).code).toBe(0);
        },
      });
      expect(report.status, all).toBe('cancelled');
      expect(new Set(sessions).size).toBe(2);
      expect([...sleepers(own), ...sleepers(apart)]).toEqual([]);
    });
  });
}

const atLeast = <T>(count: number, found: T[]): T[] | null => (found.length >= count ? found : null);
