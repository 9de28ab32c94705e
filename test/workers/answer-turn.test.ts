/** A missing answer is asked for once more, in a short run of its own; the work is neither redone nor changed by it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { contractOf } from '../../src/mind/prompts/contract.ts';
import { block, CHANGE, GOOD, print, Room } from './room.ts';

let room: Room;
beforeAll(() => {
  room = new Room();
});
afterAll(() => room.end());

/** A custom CLI: what it does first, and what it does when the answer alone is asked for. */
const twice = (first: string, again: string): string =>
  `packet=$(cat)\ncase $packet in\n*'do none of it again'*)\n${again}\n;;\n*)\n${first}\n;;\nesac`;
const ECHO = `printf '%s\\n' "$packet"`;
const FORGOT = `${CHANGE}\n${print('I wrote src/b.txt. All is well.')}`;

test('a custom CLI that forgot its answer is asked for the answer alone: one attempt, its work is kept', async () => {
  const { report, record, answer, transcript } = await room.work(twice(FORGOT, `${ECHO}\n${print(block(GOOD))}`));
  expect(report).toMatchObject({ class: 'ok', said: { status: 'SUCCESS' } });
  expect(room.file(report, 'src/b.txt')).toBe('changed');
  expect(record).toMatchObject({
    turns: 2,
    changed: ['src/b.txt'],
    answer_turn: { reason: expect.stringContaining('missing result'), answered: true, end: { how: 'exit', code: 0 } },
  });
  expect(transcript).toContain('asking for the answer alone');
  // What it was told: the form of the answer, what was changed, what was said; no task, no context, no rules.
  for (const part of [contractOf('implementation').example, '- src/b.txt (changed)', 'I wrote src/b.txt. All is well.'])
    expect(answer).toContain(part);
  for (const part of ['Say hello.', '## Task', '## Rules', '## Context']) expect(answer).not.toContain(part);
  // The first packet was the whole one.
  expect(room.blobs.get(record.packet)).toContain('Say hello.');
});

test('the second run can change nothing', async () => {
  const again = `echo other >src/b.txt 2>/dev/null || ${print('it is read-only')}\nrm -f src/a.txt 2>/dev/null\n${print(block(GOOD))}`;
  const { report, record, answer } = await room.work(twice(FORGOT, again));
  expect(answer).toContain('it is read-only');
  expect(report.class).toBe('ok');
  expect(record.changed).toEqual(['src/b.txt']);
  expect(room.file(report, 'src/b.txt')).toBe('changed');
});

test('output of the second run does not explain why the first one left its answer out', async () => {
  const again = 'echo "src/b.txt: Read-only file system" >&2';
  const { report } = await room.work(twice(`${FORGOT}\necho "model overloaded" >&2`, again));
  expect(report.reason).toContain('the end of its stderr: "model overloaded"');
});

describe('it is asked once, and only where that helps', () => {
  const count = 'echo run >&2';
  const runs = (transcript: string): number => transcript.split('! run').length - 1;

  test.each([
    ['it says nothing again', FORGOT, 'true', 2, 'missing result'],
    ['it says it in no form again', FORGOT, print(block({ status: 'FINE' })), 2, 'missing result'],
    ['the second run ends badly', FORGOT, `${print(block(GOOD))}\nexit 3`, 2, 'missing result'],
    ['the first run ended badly', `${FORGOT}\nexit 3`, print(block(GOOD)), 1, 'exit code 3'],
    ['there was an answer', `${CHANGE}\n${print(block({ ...GOOD, status: 'FAILED' }))}`, 'true', 1, 'FAILED'],
    ['the tree is refused', `${FORGOT}\nmkdir .git; echo x >.git/config`, print(block(GOOD)), 1, 'missing result'],
  ])('%s', async (_, first, again, expected, reason) => {
    const { report, record, transcript } = await room.work(`${count}\n${twice(first, again)}`);
    expect(report.class).not.toBe('ok');
    expect(report.reason).toContain(reason);
    expect(runs(transcript)).toBe(expected);
    expect(record.answer_turn?.answered ?? false).toBe(false);
  });

  test('a change that may not stay', async () => {
    const check = async () => ({ ok: false as const, reason: 'src/b.txt is protected' });
    const { report, record } = await room.work(twice(FORGOT, print(block(GOOD))), { options: { check } });
    expect(report.reason).toContain('src/b.txt is protected');
    expect(record.answer_turn).toBeNull();
  });
});

test('a reviewer is asked too, and its words are before it', async () => {
  const review = { status: 'CHANGES_REQUESTED', issues: [{ severity: 'high', message: 'greets nobody' }] };
  const { report, answer } = await room.work(
    twice(print('The change greets nobody.'), `${ECHO}\n${print(block(review))}`),
    { work: { role: 'reviewer' }, attempt: { kind: 'answer' } },
  );
  expect(report).toMatchObject({ class: 'ok', said: { status: 'CHANGES_REQUESTED', findings: { high: 1 } } });
  expect(answer).toContain('The change greets nobody.');
  expect(answer).not.toContain('The work changed');
});

test('the scripted worker says what its script has for it, and is not asked without', async () => {
  const script = (again?: string) => ({
    steps: {
      build: [{ files: { 'src/b.txt': 'changed\n' }, says: 'no block', ...(again === undefined ? {} : { again }) }],
    },
  });
  const play = (again?: string) =>
    room.work('', { attempt: { cli: 'scripted' }, options: { script: () => script(again) } });
  const asked = await play(block(GOOD));
  expect(asked.report.class).toBe('ok');
  expect(room.file(asked.report, 'src/b.txt')).toBe('changed');
  const silent = await play();
  expect([silent.report.class, silent.record.turns]).toEqual(['invalid', 1]);
});
