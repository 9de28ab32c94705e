/** The screen of questions: what each key does, what pasted text cannot do, and what fits on a small terminal. */
import { describe, expect, test } from 'vitest';
import { approvalLines } from '../../../src/mind/screens/approval-lines.ts';
import { type ApprovalQuestion, type Approvals, approvalsOf, press } from '../../../src/mind/screens/approvals.ts';
import { type KeyPress, Keys } from '../../../src/mind/screens/keys.ts';

const ask = (over: Partial<ApprovalQuestion> = {}): ApprovalQuestion => ({
  ...{ task: 't-1', title: 'Add a login', step: 'approval', text: 'Is the change good?', about: 'abcdef0123456789' },
  ...{ reason: 'low_risk: file_count < 3', level: 'low_risk', command: null },
  files: [{ path: 'src/a.ts', added: 3, removed: 1 }],
  checks: [{ name: 'tests', good: true, text: 'pass' }],
  diff: Array.from({ length: 50 }, (_, n) => `+line ${n}`),
  ...over,
});
const HIGH = ask({ task: 't-2', level: 'high_risk', reason: 'high_risk: changes_auth_code' });
const char = (text: string): KeyPress => ({ type: 'char', char: text });
const type = (state: Approvals, ...keys: (KeyPress | string)[]): Approvals =>
  keys.reduce<Approvals>(
    (now, key) => (typeof key === 'string' ? [...key].reduce((one, c) => press(one, char(c)), now) : press(now, key)),
    state,
  );
const ENTER: KeyPress = { type: 'enter' };
const paste = (text: string): KeyPress => ({ type: 'paste', text });
const approved = (...asks: number[]) => asks.map((n) => ({ ask: n, decision: 'APPROVE', reason: '' }));

describe('a question of low risk', () => {
  test('is approved by one key, and the next one is shown', () => {
    const state = type(approvalsOf([ask(), ask({ task: 't-3' })]), 'a');
    expect([state.answers, state.at, state.mode.name]).toEqual([approved(0), 1, 'ask']);
    expect(type(state, 'a').mode.name).toBe('done');
  });

  test('is not approved by pasted text, in whatever it is pasted', () => {
    const state = type(approvalsOf([ask()]), paste('a'), paste('approve\n'));
    expect([state.answers, state.said]).toEqual([[], expect.stringContaining('pasted text approves nothing')]);
  });

  test('is rejected only with a reason; comments go along', () => {
    const state = type(approvalsOf([ask()]), 'c', 'src/a.ts:2 why?', ENTER, 'r', ENTER);
    expect(state.answers).toEqual([]);
    expect(type(state, 'no', ENTER).answers).toEqual([{ ask: 0, decision: 'REJECT', reason: 'no\nsrc/a.ts:2 why?' }]);
  });
});

describe('a question of high risk', () => {
  test('wants a word that is typed, not pasted, and not another one', () => {
    const asked = type(approvalsOf([HIGH]), 'a');
    expect(asked.answers).toEqual([]);
    expect(type(asked, paste('approve'), ENTER).answers).toEqual([]);
    expect(type(asked, 'approv', ENTER).answers).toEqual([]);
    expect(type(asked, 'approve', ENTER).answers).toEqual(approved(0));
    expect(type(asked, 'approve', { type: 'escape' }).mode.name).toBe('ask');
  });

  test('is left out when all calm ones are approved together, which wants a word too', () => {
    const batch = type(approvalsOf([ask(), HIGH, ask(), ask({ level: null })]), 'b');
    const done = type(batch, 'approve 2', ENTER);
    expect([batch.answers, done.answers, done.at]).toEqual([[], approved(0, 2), 1]);
    expect(type(approvalsOf([HIGH]), 'b').said).toContain('no question of low or medium risk is left');
  });
});

describe('the batch', () => {
  const calm = Array.from({ length: 30 }, (_, n) => ask({ task: `t-${n}`, title: `Change number ${n}` }));
  const textOf = (state: Approvals, height = 20) =>
    approvalLines(state, { width: 60, height }).map((line) => line.map(({ text }) => text).join(''));

  test('lists everything that its word approves, and scrolls to what does not fit', () => {
    const batch = type(approvalsOf(calm), 'b');
    const lines = textOf(batch);
    expect(lines.length).toBeLessThanOrEqual(20);
    expect(lines[0]).toMatch(/^One word approves all of these \(1 to 1\d of 30/);
    expect(lines.join('\n')).toContain('t-3 LOW, 1 file: Change number 3');
    expect(lines.join('\n')).not.toContain('t-29 ');
    const end = type(batch, { type: 'pagedown' }, { type: 'pagedown' }, 'appr');
    expect(textOf(end).join('\n')).toMatch(/t-29 LOW[\s\S]*> appr/);
    expect(type(end, 'ove 30', ENTER).answers).toHaveLength(30);
  });

  test('names a check that is not good', () => {
    const checks = [{ name: 'tests', good: false, text: '2 red, same as base' }];
    expect(textOf(type(approvalsOf([ask({ checks })]), 'b')).join('\n')).toContain('✗ a check is not good');
  });

  test('leaves out what has to be looked at alone, such as a new environment', () => {
    const batch = type(approvalsOf([ask(), ask({ alone: true })]), 'b');
    expect(type(batch, 'approve 1', ENTER).answers).toEqual(approved(0));
  });
});

test('a question with an answer of its own names the command, and neither key answers it', () => {
  const state = approvalsOf([ask({ command: 'supervisor answer t-1 "…"' })]);
  for (const key of ['a', 'r'])
    expect(type(state, key)).toMatchObject({ answers: [], said: expect.stringContaining('supervisor answer t-1') });
});

test('skip, quit and Ctrl-C answer nothing', () => {
  const state = approvalsOf([ask(), HIGH]);
  expect(type(state, 's')).toMatchObject({ answers: [], at: 1 });
  for (const key of [char('q'), { type: 'stop' } as const])
    expect(type(state, key)).toMatchObject({ answers: [], mode: { name: 'done' } });
});

test('bytes of a terminal are keys one by one; more at once, or between marks, is a paste', () => {
  const keys = new Keys();
  expect(['a', '\r', '\u001b[A', '\u007f', 'approve\r', 'é'].map((chunk) => keys.read(chunk))).toEqual([
    { type: 'char', char: 'a' },
    { type: 'enter' },
    { type: 'up' },
    { type: 'backspace' },
    { type: 'paste', text: 'approve\r' },
    { type: 'char', char: 'é' },
  ]);
  expect(keys.read('\u001b[200~a')).toBeNull();
  expect(keys.read('bc\u001b[201~')).toEqual({ type: 'paste', text: 'abc' });
  expect([keys.read('\u001bOP'), keys.read('\u0001')]).toEqual([null, null]);
  // The mark in two pieces, and one letter behind it: a paste all the same.
  for (const [first, ...rest] of [
    ['\u001b[20', '0~', 'a', '\u001b[201~'],
    ['\u001b[', '200~a\u001b[201~'],
  ]) {
    expect(keys.read(first ?? '')).toBeNull();
    expect(rest.map((chunk) => keys.read(chunk)).at(-1)).toEqual({ type: 'paste', text: 'a' });
  }
  // Control: a lone Escape is a key, and so is a letter behind a sequence that is no mark.
  expect(['\u001b', '\u001b[5~', 'a'].map((chunk) => keys.read(chunk)?.type)).toEqual(['escape', 'pageup', 'char']);
});

describe.each([
  [120, 40],
  [80, 24],
  [60, 20],
])('on a terminal of %i columns and %i rows', (width, height) => {
  const many = Array.from({ length: 60 }, (_, n) => ({
    path: `src/deep/${'x'.repeat(70)}/${n}.ts`,
    added: n,
    removed: 1,
  }));
  const state = approvalsOf([{ ...HIGH, files: many, title: 'A long title '.repeat(20) }]);
  const textOf = (shown: Approvals) =>
    approvalLines(shown, { width, height }).map((line) => line.map(({ text }) => text).join(''));

  test('the question, its risk and the keys are shown, and nothing is wider or higher', () => {
    const lines = textOf(state);
    expect(lines.length).toBeLessThanOrEqual(height);
    expect(Math.max(...lines.map((line) => [...line].length))).toBeLessThanOrEqual(width);
    expect(lines.join('\n')).toMatch(/Risk {2}HIGH \(changes_auth_code\)[\s\S]*and \d+ more[\s\S]*\[A\]pprove/);
  });

  test('the change can be read line by line', () => {
    const diff = type(state, 'd', { type: 'pagedown' }, { type: 'down' });
    expect(textOf(diff)[0]).toBe('+line 11');
    expect(textOf(type(diff, 'd')).join('\n')).toContain('Risk');
  });
});

test('text from outside has no way to the terminal', () => {
  const state = approvalsOf([ask({ title: 'x\u001b[2Jy\u202e', diff: ['+\u001b]0;title\u0007'] })]);
  const all = [state, type(state, 'd')].flatMap((one) => approvalLines(one, { width: 80, height: 24 }));
  expect(
    all
      .flat()
      .map(({ text }) => text)
      .join('\n'),
  ).not.toMatch(/[^\P{C}\n]/u);
});
