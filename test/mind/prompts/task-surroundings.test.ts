/** What of its surroundings a task is told, and which guidance it gets. */
import { describe, expect, test } from 'vitest';
import { renderPacket } from '../../../src/mind/prompts/packet.ts';
import { type About, type PromptSurroundings, relevant } from '../../../src/mind/prompts/task-surroundings.ts';
import { TASK_TYPES, type TaskType, taskType } from '../../../src/mind/prompts/task-type.ts';
import { TEMPLATES } from '../../support/templates.ts';
import { PARTS } from './parts.ts';

const AROUND: PromptSurroundings = {
  goal: 'A web shop where customers pay invoices by card',
  queue: ['Send reminders for invoices that customers have not paid', 'Dark colours'],
  history: ['Set up the database', 'Customers can list their invoices'],
  notes: [
    { by: 'planner', kind: 'plan', text: 'src/pay.ts is the only door to the bank' },
    { by: 'implementer', kind: 'implementation', text: 'nothing to add' },
  ],
};
const NONE: PromptSurroundings = { goal: null, queue: [], history: [], notes: [] };
const about = (text: string, over: Partial<About> = {}): About => ({
  text,
  files: [],
  answer: 'implementation',
  judges: false,
  ...over,
});

describe('smart injection', () => {
  test.each([
    'Fix the typo in the title',
    'Rename total to sum in src/sum.ts',
    'Bump the version',
    'Remove the unused import',
  ])('a simple fix reads nothing about its surroundings: %s', (text) =>
    expect(relevant(about(text), AROUND)).toEqual({ ...NONE, notes: AROUND.notes }),
  );

  test('a task that shares words with the goal gets the goal, and the tasks near it', () => {
    const text = 'Add a page on which customers see their open invoices and pay them';
    expect(relevant(about(text), AROUND)).toEqual({
      goal: AROUND.goal,
      queue: [AROUND.queue[0]],
      history: [AROUND.history[1]],
      notes: AROUND.notes,
    });
    const other = relevant(about('Show the weather of the day on a page of its own'), AROUND);
    expect(other).toEqual({ ...NONE, notes: AROUND.notes });
  });

  test('a task that mentions earlier or later work gets the list of it', () => {
    expect(relevant(about('Go on with the rest of the previous step'), AROUND)).toMatchObject({
      ...{ queue: [], history: AROUND.history, notes: AROUND.notes },
    });
    expect(relevant(about('Prepare the table for the next task'), AROUND).queue).toEqual(AROUND.queue);
    expect(relevant(about('Make sure that this serves the goal'), AROUND).goal).toBe(AROUND.goal);
    // Also when it is a fix.
    expect(relevant(about('Fix what the previous attempt left open'), AROUND).history).toEqual(AROUND.history);
  });

  test('a plan is passed on, also when it uses none of the words of the task', () => {
    const plan = { by: 'planner', kind: 'plan', text: 'Put a limiter in front of the router' } as const;
    const text = 'Protect the public endpoints against abuse';
    expect(relevant(about(text), { ...NONE, notes: [plan] }).notes).toEqual([plan]);
  });

  test('a planner reads everything, and a judge reads what others say of their work', () => {
    expect(relevant(about('Anything', { answer: 'plan' }), AROUND)).toEqual(AROUND);
    expect(relevant(about('Fix the typo', { answer: 'test' }), AROUND)).toEqual({ ...NONE, notes: AROUND.notes });
  });

  test("a reviewer reads the plan, and not the author's words about the change", () => {
    for (const answer of ['review', 'security'] as const)
      expect(relevant(about('Fix the typo', { answer, judges: true }), AROUND).notes).toEqual([AROUND.notes[0]]);
  });

  test("a judge does not read a test engineer's words about its own tests either, whatever form the judgement has", () => {
    const notes = [
      ...AROUND.notes,
      { by: 'test_engineer', kind: 'test' as const, author: true, text: 'all is tested' },
    ];
    const told = relevant(about('Judge it', { answer: 'generic', judges: true }), { ...AROUND, notes });
    expect(told.notes).toEqual([AROUND.notes[0]]);
    expect(relevant(about('Go on'), { ...AROUND, notes }).notes).toEqual(notes);
  });

  test('never more than ten of each, and all that earlier steps said', () => {
    const many = Array.from({ length: 50 }, (_, index) => `${index}`);
    const notes = many.map((text) => ({ by: 'x', kind: 'plan' as const, text }));
    const found = relevant(about('Plan it', { answer: 'plan' }), { goal: null, queue: many, history: many, notes });
    expect([found.queue[0], found.history[0], found.notes.at(-1)?.text]).toEqual(['0', '0', '49']);
    expect([found.queue.length, found.history.length, found.notes.length]).toEqual([10, 10, 50]);
  });

  test('and the packet says it, or does not', () => {
    const with_ = renderPacket(
      { ...PARTS, ...AROUND, text: 'Go on as planned towards the goal, with the next task in mind' },
      TEMPLATES,
    );
    const without = renderPacket({ ...PARTS, ...AROUND, text: 'Fix the typo' }, TEMPLATES);
    expect(without).toContain('## What earlier workers say\n');
    for (const heading of ['What it is part of', 'What was done before', 'What others will do']) {
      expect(with_).toContain(`## ${heading}\n`);
      expect(without).not.toContain(`## ${heading}\n`);
    }
  });
});

describe('task types', () => {
  test.each<[TaskType, string, string[]]>([
    ['implementation', 'Add a function that greets', []],
    ['implementation', 'Fix the failing tests by repairing the parser', []],
    ['implementation', 'Implement login and add tests for it', []],
    ['implementation', 'The server crashes when the name is empty. Update the docs too.', []],
    ['test', 'Add tests for the parser', []],
    ['test', 'Increase coverage of src/parser.ts', ['src/parser.ts']],
    ['test', 'Make it better', ['test/a.test.ts', 'src/__tests__/b.js']],
    ['docs', 'Document the options of the command', []],
    ['docs', 'Update README', []],
    ['docs', 'Say how to install it', ['docs/install.md']],
    ['config', 'Configure the linter to refuse any', []],
    ['config', 'Bump the dependency on left-pad', []],
    ['config', 'Use the new region', ['deploy/values.yaml', 'Dockerfile']],
    ['refactor', 'Refactor the config loader', []],
    ['refactor', 'Extract the parser from main.ts into a file of its own', []],
    ['refactor', 'Rename total to sum', []],
    ['implementation', '', []],
  ])('%s: %s %j', (type, text, files) => expect(taskType(text, files)).toBe(type));

  test('each has a few lines of its own in the packet, and long text costs no time', () => {
    const guidance = TASK_TYPES.map((type) => {
      const text = {
        implementation: 'Build it',
        config: 'Configure it',
        test: 'Write tests',
        docs: 'Document it',
        refactor: 'Refactor it',
      }[type];
      const packet = renderPacket({ ...PARTS, text }, TEMPLATES);
      const lines = /\n## For .*\n\n((?:- .*\n)+)/.exec(packet)?.[1]?.trim().split('\n') ?? [];
      expect(lines.length).toBeGreaterThanOrEqual(2);
      expect(lines.length).toBeLessThanOrEqual(4);
      return lines.join('\n');
    });
    expect(new Set(guidance).size).toBe(TASK_TYPES.length);
    expect(taskType(`add ${'more '.repeat(1_000_000)}`, [])).toBe('implementation');
  });
});
