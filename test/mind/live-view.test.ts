/** What a person watches while a task is under way: the fold, the picture, and that no text can break it. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cutToWidth, textWidth } from '../../src/kernel/text-width.ts';
import type { NewEvent } from '../../src/mind/domain/events/index.ts';
import { eventText } from '../../src/mind/protocol/event-text.ts';
import { type Frame, liveLines } from '../../src/mind/protocol/live-lines.ts';
import { type LiveView, liveView, numbering, watch } from '../../src/mind/protocol/live-view.ts';
import type { WorkflowDefinition } from '../../src/mind/workflows/step.ts';
import { compileWorkflow } from '../../src/mind/workflows/workflow.ts';
import { moves, play } from './histories.ts';

const NOON = Date.UTC(2026, 0, 1, 12);
const TWO: WorkflowDefinition = {
  name: 'two',
  version: 1,
  steps: [
    { id: 'implement', kind: 'change', gates: ['tests', 'lint'] },
    { id: 'review', kind: 'answer' },
  ],
};
const FRAME: Frame = { now: NOON, width: 80, height: 20, tick: 0, output: [], hint: 'Ctrl-C stops' };

type Told = readonly [seconds: number, type: NewEvent['type'], data: Record<string, unknown>];
const events = (...told: Told[]) =>
  told.map(([s, type, data]) => ({ type, data, stream: 'task/t-1', time: NOON + s * 1_000 }) as unknown as NewEvent);
const seen = (definition: WorkflowDefinition, ...told: Told[]): LiveView =>
  events(...told).reduce(watch, liveView('make it polite', compileWorkflow(definition), 3));
const picture = (view: LiveView, frame: Partial<Frame> = {}) =>
  liveLines(view, { ...FRAME, ...frame }).map((line) => line.map(({ text }) => text).join(''));

const created: Told = [0, 'task.created', { title: 'make it polite', opens: ['implement'] }];
const started = (s: number, attempt: number, step = 'implement'): Told => [
  s,
  'attempt.started',
  { step, attempt, token: attempt, cli: 'claude' },
];
const produced: Told = [8, 'attempt.produced', { step: 'implement', gates: ['tests', 'lint'] }];
const gate = (s: number, name: string, status: string, ms: number | null): Told => [
  s,
  'gate.reported',
  { step: 'implement', gate: name, status, ms },
];
const settled = (s: number, outcome: string, reason: string, next: object): Told => [
  s,
  'attempt.settled',
  { step: 'implement', class: outcome, reason, next },
];
const again = (counter: string, at: number | null = null) => ({ do: 'retry', at, cli: 0, counter });

describe('the picture', () => {
  test('of a worker at work: the step, its attempt, the time, and the end of its output', () => {
    const view = seen(TWO, created, started(1, 1));
    expect(picture(view, { now: NOON + 75_000, output: ['| reading', '| ', '! oh', 'half a line'] })).toEqual([
      'make it polite  1 m 15 s',
      ' ⠋ implement  attempt 1 of 3 · claude · 1 m 14 s',
      ' · review     ',
      '   | reading',
      '   ! oh',
      ' Ctrl-C stops',
    ]);
  });

  test('of gates: what each found and how long it took, and which still run', () => {
    const view = seen(TWO, created, started(1, 1), produced, gate(9, 'lint', 'pass', 1_250));
    expect(picture(view, { now: NOON + 10_000, tick: 1 }).slice(1, 3)).toEqual([
      ' ⠙ implement  attempt 1 of 3 · gates · 9 s',
      '     tests …  lint ✓ 1.2 s',
    ]);
  });

  test('of an attempt after one that was sent back, and of one that waits', () => {
    const back = settled(9, 'invalid', 'gate failed: tests', again('candidates'));
    const view = seen(TWO, created, started(1, 1), produced, gate(9, 'tests', 'fail', 40), back, started(10, 2));
    expect(picture(view, { now: NOON + 12_000 }).slice(1, 3)).toEqual([
      ' ⠋ implement  attempt 2 of 3 · claude · 2 s',
      '     was told: gate failed: tests',
    ]);
    const parked = seen(TWO, created, started(1, 1), settled(9, 'quota', '', again('quota', NOON + 30_000)));
    expect(picture(parked, { now: NOON + 12_000 })[1]).toBe(' · implement  attempt 1 · goes on in 18 s');
  });

  test('of a step that is done, and of one that failed', () => {
    const done = settled(9, 'ok', '', { do: 'complete', opens: ['review'] });
    expect(picture(seen(TWO, created, started(1, 1), done, started(9, 1, 'review'))).slice(1, 3)).toEqual([
      ' ✓ implement  1 attempt · 8.0 s',
      ' ⠋ review     attempt 1 of 3 · claude · 0 s',
    ]);
    const failed = settled(9, 'invalid', 'no', { do: 'close', status: 'failed' });
    expect(picture(seen(TWO, created, started(1, 1), failed))[1]).toBe(' ✗ implement  attempt 1 · 8.0 s');
  });

  test('of a long workflow: running steps are always there, the rest is counted', () => {
    const steps = Array.from({ length: 50 }, (_, n) => ({ id: `s${n}`, kind: 'answer' as const }));
    const told = Array.from({ length: 20 }, (_, n): Told[] => [
      started(n, 1, `s${n}`),
      [n, 'attempt.settled', { step: `s${n}`, class: 'ok', next: { do: 'complete', opens: [`s${n + 1}`] } }],
    ]);
    const view = seen({ name: 'long', version: 1, steps }, ...told.flat(), started(20, 1, 's20'));
    const lines = picture(view, { height: 10, output: Array.from({ length: 8 }, (_, n) => `| ${n}`) });
    expect(lines).toHaveLength(10);
    expect(lines.find((line) => line.includes('⠋'))).toContain('s20');
    const counted = lines.flatMap((line) => /(\d+) (?:more )?steps? (?:done|to come)/.exec(line)?.[1] ?? []);
    const shown = lines.filter((line) => /^ . s\d+/.test(line)).length;
    expect(counted.reduce((sum, n) => sum + Number(n), shown)).toBe(50);
  });

  test('in hardly any room shows what matters most', () => {
    const view = seen(TWO, created, started(1, 1));
    expect(picture(view, { height: 1 })).toEqual([' ⠋ implement  attempt 1 of 3 · claude · 0 s']);
    expect(picture(view, { height: 0 })).toEqual([]);
    expect(picture(view, { width: 10, height: 2 })).toEqual(['make…  0 s', ' ⠋ implem…']);
  });
});

describe('no text breaks it', () => {
  const hostile = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.string({
      unit: fc.constantFrom(
        '\x1b[2J',
        '\x1b]0;x\x07',
        '\r',
        '\n',
        '\t',
        '\u202e',
        '漢',
        '👍',
        '\u0301',
        '\ud800',
        '\ufe0f',
        'a',
      ),
    }),
  );

  /** With the workflow of the history, or else nothing of it would be shown. */
  const atFirst = (history: readonly NewEvent[]) => {
    const pinned = history.find((event) => event.type === 'workflow.pinned');
    return liveView('x', compileWorkflow(pinned?.data.definition ?? TWO), 3);
  };

  test('for any events, any output, any size', () => {
    const frame = fc.record({
      ...{
        now: fc.nat(),
        tick: fc.nat(),
        width: fc.integer({ min: 0, max: 200 }),
        height: fc.integer({ min: 0, max: 60 }),
      },
      ...{
        output: fc.array(
          hostile.map((text) => `| ${text}`),
          { maxLength: 10 },
        ),
        hint: hostile,
      },
    });
    fc.assert(
      fc.property(moves, frame, hostile, (list, size, title) => {
        const history = play(list).events;
        const named = events(
          [0, 'attempt.started', { step: 'build', attempt: 1, cli: title }],
          [0, 'attempt.produced', { step: 'build', gates: [title, `${title}2`] }],
          [0, 'gate.reported', { step: 'build', gate: title, status: 'fail', ms: 1 }],
        );
        const view = [...history, ...(size.tick % 2 === 0 ? named : [])].reduce(watch, atFirst(history));
        const lines = liveLines({ ...view, title }, size);
        expect(lines.length).toBeLessThanOrEqual(size.height);
        for (const line of lines) {
          const text = line.map((span) => span.text).join('');
          expect(textWidth(text)).toBeLessThanOrEqual(size.width);
          expect(text).not.toMatch(/[\p{Cc}\u202a-\u202e\u2028\u2029\u2066-\u2069\p{Cs}]/u);
        }
      }),
    );
  });

  test('nor do events that were missed', () => {
    fc.assert(
      fc.property(moves, fc.infiniteStream(fc.boolean()), (list, kept) => {
        const history = play(list).events;
        const left = history.filter(() => kept.next().value === true);
        expect(() => picture(left.reduce(watch, atFirst(history)))).not.toThrow();
      }),
    );
  });
});

describe('cells', () => {
  test.each([
    ['plain', 5],
    ['漢字', 4],
    ['ｆｕｌｌ', 8],
    ['한국어', 6],
    ['e\u0301', 1],
    ['👍', 2],
    ['👍🏽', 4],
    ['❤', 1],
    ['❤\ufe0f', 2],
    ['ü…·✓⠋│', 6],
    ['𠀀', 2],
    ['', 0],
  ])('%s takes %i', (text, width) => {
    expect(textWidth(text)).toBe(width);
  });

  test('a cut text fits, says so, and splits no character', () => {
    expect(cutToWidth('漢字漢字', 8)).toBe('漢字漢字');
    expect(cutToWidth('漢字漢字', 7)).toBe('漢字漢…');
    expect(cutToWidth('漢字漢字', 6)).toBe('漢字…');
    expect(cutToWidth('👍👍', 3)).toBe('👍…');
    expect(cutToWidth('abc', 0)).toBe('');
    expect(cutToWidth(`a${'\u0301'.repeat(10_000)}`, 20).length).toBeLessThan(100);
  });
});

describe('a line about what follows', () => {
  const line = (...told: Told[]) => {
    const all = events(...told);
    const view = all.reduce(watch, liveView('x', compileWorkflow(TWO), 3));
    const last = all.at(-1) as NewEvent;
    return { counted: eventText(last, numbering(view, last)).text, alone: eventText(last).text };
  };

  test('shows the feedback for the next attempt, with its number if it is known', () => {
    expect(line(created, started(1, 1), settled(9, 'invalid', 'gate failed: tests', again('candidates')))).toEqual({
      counted: 'implement: tests failed; attempt 2 of 3 is told what failed',
      alone: 'implement: tests failed; the next attempt is told what failed',
    });
  });

  test('does not count attempts that used up no candidate', () => {
    const crashed = settled(2, 'crash', 'signal 11', again('crash'));
    expect(line(created, started(1, 1), crashed).counted).toBe(
      'implement: the worker crashed (signal 11); attempt 2 follows',
    );
    expect(line(created, started(1, 1), crashed, started(3, 2)).counted).toBe('implement: attempt 2 begins (claude)');
  });

  test('says that a question waits for a person, who decides about the next attempt', () => {
    const asked = settled(2, 'blocked', 'the worker says BLOCKED: "which?"', again('none'));
    expect(line(created, started(1, 1), asked).counted).toBe(
      'implement: blocked (the worker says BLOCKED: "which?"); the step waits for a person',
    );
  });

  test('says when there are none', () => {
    const exhausted = settled(9, 'invalid', 'gate failed: a, b', { do: 'close', status: 'failed' });
    expect(line(created, started(1, 3), exhausted).counted).toBe('implement: a, b failed; the task ends');
    const auth = settled(9, 'auth', '', { do: 'close', status: 'escalated' });
    expect(line(created, started(1, 1), auth).counted).toBe(
      'implement: the CLI is not logged in; a person has to look',
    );
  });

  test('says where the commit is and how to look at it', () => {
    const closed: Told = [
      9,
      'task.closed',
      { status: 'accepted', reason: 'all steps are done', commit: 'c0ffee'.repeat(5), branch: 'ai/t-1-x' },
    ];
    expect(line(closed).alone).toBe(
      'task accepted: all steps are done, commit c0ffeec0ffee on ai/t-1-x; look at it with: git show ai/t-1-x',
    );
  });
});
