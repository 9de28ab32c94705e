/** What is seen of an attempt against what becomes of it: nothing but a clean end, a good answer and a checked tree is ok. */
import { describe, expect, test } from 'vitest';
import type { ParsedAnswer } from '../../src/mind/answers/parse-answer.ts';
import type { AnswerKind } from '../../src/mind/answers/schemas.ts';
import { MAX_LINE, type OutcomeClass } from '../../src/mind/domain/values.ts';
import {
  badEnd,
  type CapturedTree,
  goodEnd,
  type Heard,
  type RunEnd,
  type TreeCheck,
} from '../../src/mind/workers/outcome.ts';

const heard: Heard = { limits: { wallMs: 1000, idleMs: 500, outputBytes: 10 }, unfinished: '', stderr: '' };
const ENDS: readonly (readonly [RunEnd, OutcomeClass | null])[] = [
  [{ how: 'exit', code: 0 }, null],
  [{ how: 'exit', code: 1 }, 'crash'],
  [{ how: 'exit', code: 255 }, 'crash'],
  [{ how: 'signal', signal: 'SIGSEGV' }, 'killed'],
  [{ how: 'aborted' }, 'interrupted'],
  [{ how: 'limit', limit: 'wall' }, 'timeout'],
  [{ how: 'limit', limit: 'idle' }, 'timeout'],
  [{ how: 'limit', limit: 'output' }, 'output_limit'],
  [{ how: 'limit', limit: 'memory' }, 'resource_limit'],
  [{ how: 'limit', limit: 'processes' }, 'resource_limit'],
  [{ how: 'limit', limit: 'disk' }, 'resource_limit'],
];

/** As a declared command is taken: its exit code is its word. */
const CLEAN = { claims: 'success', failure: null } as const;

test.each(ENDS)('the end %j is %s', (end, expected) => {
  expect(badEnd(end, heard, CLEAN)?.class ?? null).toBe(expected);
  expect(badEnd(end, heard, CLEAN)?.candidate ?? null).toBeNull();
});

describe('a CLI that tells how it went', () => {
  const failure = { class: 'quota', reason: 'limit reached', status: 429, resetAt: 7_000 } as const;
  const exit = (code: number) => ({ how: 'exit', code }) as const;

  test('exit code 0 without a last word, or with a bad one, is no success', () => {
    expect(badEnd(exit(0), heard, { claims: 'nothing', failure: null })?.class).toBe('unknown');
    expect(badEnd(exit(0), heard, { claims: 'failure', failure: null })?.class).toBe('unknown');
    expect(badEnd(exit(0), heard, { claims: 'failure', failure })).toMatchObject({ class: 'quota', reset_at: 7_000 });
    expect(badEnd(exit(0), heard, { claims: 'success', failure: null })).toBeNull();
  });

  test('a good word with a bad exit code is no success either', () => {
    expect(badEnd(exit(3), heard, { claims: 'success', failure: null })?.class).toBe('crash');
    expect(badEnd(exit(1), heard, { claims: 'failure', failure })?.class).toBe('quota');
  });

  test('at its deadline it still tried against a wall that is known: that is what counts', () => {
    const wall = { how: 'limit', limit: 'wall' } as const;
    expect(badEnd(wall, heard, { claims: 'nothing', failure })?.class).toBe('quota');
    expect(badEnd(wall, heard, { claims: 'nothing', failure: { ...failure, status: null } })?.class).toBe('timeout');
    expect(badEnd({ how: 'limit', limit: 'memory' }, heard, { claims: 'nothing', failure })?.class).toBe(
      'resource_limit',
    );
    expect(badEnd({ how: 'aborted' }, heard, { claims: 'nothing', failure })?.class).toBe('interrupted');
  });
});

describe('after a clean end', () => {
  const candidate = { base: 'b', tree: 't', change_id: 'c' };
  const answer = (status: string): ParsedAnswer<AnswerKind> => ({
    type: 'answer',
    others: 0,
    answer: {
      ...{ status: status as 'SUCCESS', action_taken: '', next_step: null, notes: '' },
      ...{ files_created: [], files_modified: [], tests_written: [], blockers: [] },
    },
  });
  const ANSWERS = [answer('SUCCESS'), answer('FAILED'), answer('BLOCKED'), { type: 'invalid', reason: 'bad' }] as const;
  const TREES: readonly (CapturedTree | null)[] = [
    { type: 'candidate', candidate },
    { type: 'unchanged' },
    { type: 'refused', problems: [{ path: 'x', problem: 'is a pipe' }] },
    null,
  ];
  const CHECKS: readonly (TreeCheck | null)[] = [{ ok: true, notes: [] }, { ok: false, reason: 'protected' }, null];
  const all = ANSWERS.flatMap((parsed) => TREES.flatMap((taken) => CHECKS.map((check) => ({ parsed, taken, check }))));

  test('of all combinations, one gives a candidate', () => {
    const judged = all.map((one) => ({ one, got: goodEnd({ ...one, answerKind: 'implementation', heard }) }));
    const passed = judged.filter(({ got }) => got.candidate !== null);
    expect(passed.map(({ one }) => one)).toEqual([all[0]]);
    // What is ok without a candidate changed nothing, or was not to change anything; the task's rules decide on that.
    const ok = judged.filter(({ got }) => got.class === 'ok');
    expect(ok.every(({ one }) => one.parsed === ANSWERS[0] && one.check?.ok !== false)).toBe(true);
    expect(ok.every(({ one }) => one.taken?.type !== 'refused')).toBe(true);
  });

  test('an unchecked candidate does not go on', () => {
    const seen = {
      parsed: ANSWERS[0],
      taken: TREES[0] ?? null,
      check: null,
      answerKind: 'implementation',
      heard,
    } as const;
    expect(goodEnd(seen)).toMatchObject({ class: 'blocked', candidate: null });
  });
});

test('reasons are bounded and harmless', () => {
  const loud: Heard = { ...heard, stderr: `\u001b[2J${'x'.repeat(5000)}`, unfinished: `\u0007${'y'.repeat(5000)}` };
  const problems = Array.from({ length: 1000 }, () => ({ path: 'p\u001b'.repeat(100), problem: 'is bad' }));
  const seen = { answerKind: 'implementation', parsed: { type: 'invalid', reason: 'bad' }, check: null } as const;
  for (const { reason } of [
    badEnd({ how: 'exit', code: 1 }, loud, CLEAN),
    badEnd({ how: 'limit', limit: 'idle' }, loud, CLEAN),
    goodEnd({ ...seen, taken: { type: 'refused', problems }, heard: loud }),
  ].filter((one) => one !== null)) {
    expect(reason.length).toBeLessThanOrEqual(MAX_LINE);
    expect(reason).not.toContain('\u001b');
  }
});
