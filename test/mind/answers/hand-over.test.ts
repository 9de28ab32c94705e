/** Sections 1.1 and 1.2 of the plan as a table: what each phase hands over, and which gap sends it back. */
import { describe, expect, test } from 'vitest';
import { handOverGaps, handOverRules, handOverText } from '../../../src/mind/answers/hand-over.ts';
import { parseAnswer } from '../../../src/mind/answers/parse-answer.ts';
import { ANSWERS, type Answer, type AnswerKind } from '../../../src/mind/answers/schemas.ts';
import { mismatchText, untrueClaims } from '../../../src/mind/candidates/claims.ts';

function read<K extends AnswerKind>(kind: K, answer: object): Answer<K> {
  const parsed = parseAnswer(kind, `\`\`\`json\n${JSON.stringify({ status: 'COMPLETE', ...answer })}\n\`\`\``);
  if (parsed.type === 'invalid') throw new Error(parsed.reason);
  return parsed.answer;
}

const BRAINSTORM = {
  problem: 'Nobody is greeted',
  users: ['Ada'],
  goals: ['a hello'],
  limits: ['no mail'],
  risks: ['r'],
};

describe('brainstorm > document: problem, users, goals, limits and risks are there', () => {
  const gaps = (more: object) => handOverGaps('brainstorm', read('brainstorm', { ...BRAINSTORM, ...more }), []);
  test.each<[string, object, string[]]>([
    ['all of them', {}, []],
    ['no problem', { problem: '' }, ['`problem` is empty']],
    ['a problem of signs', { problem: ' -- ' }, ['`problem` is empty']],
    ['no users', { users: [] }, ['`users` is empty']],
    ['no goals', { goals: [''] }, ['`goals` is empty']],
    ['no limits', { limits: ['-', ' '] }, ['`limits` is empty']],
    ['no risks', { risks: [] }, ['`risks` is empty']],
    [
      'nothing but a risk',
      { problem: '', users: [], goals: [], limits: [] },
      ['problem', 'users', 'goals', 'limits'].map((one) => `\`${one}\` is empty`),
    ],
    ['one word is enough in any script', { users: ['顧客'], goals: ['да'] }, []],
  ])('%s', (_, more, expected) => {
    expect(gaps(more)).toEqual(expected);
  });
});

const criterion = (id: string, text: string, check = 'npm test') => ({ id, criterion: text, check });
const requirement = (id: string, ...criteria: object[]) => ({ id, requirement: `${id} holds`, criteria });

describe('document > plan: each requirement has a criterion that a test can decide', () => {
  const gaps = (...requirements: object[]) => handOverGaps('document', read('document', { requirements }), []);
  const NONE = 'requirement "R1" has no criterion that a test can decide';
  test.each<[string, object[], string[]]>([
    [
      'one each',
      [requirement('R1', criterion('a', 'exit code 0')), requirement('R2', criterion('b', 'greet() is "hi"'))],
      [],
    ],
    ['no requirement', [], ['there is no requirement']],
    ['no criterion', [requirement('R1')], [NONE]],
    [
      'one that says not how it is checked',
      [requirement('R1', criterion('a', 'exit code 0', ''))],
      [NONE, 'criterion "a" does not say how it is checked: name the command or the example in `check`'],
    ],
    [
      'one that nobody can decide, beside one that somebody can',
      [requirement('R1', criterion('a', 'exit code 0'), criterion('b', 'It is fast and easy to use'))],
      ['criterion "b" cannot be decided by a test: say the input, and what exactly comes out'],
    ],
    ['how fast', [requirement('R1', criterion('a', 'It is fast: 200 ms for the first page'))], []],
    ['what works', [requirement('R1', criterion('a', 'the empty name works: greet(x) does not throw'))], []],
    [
      'an id twice',
      [requirement('R1', criterion('a', 'exit code 0'), criterion('a', 'exit code 1'))],
      ['two criteria are called "a"'],
    ],
    [
      'a requirement twice',
      [requirement('R1', criterion('a', 'is 1')), requirement('R1', criterion('b', 'is 2'))],
      ['two requirements are called "R1"'],
    ],
  ])('%s', (_, requirements, expected) => {
    expect(gaps(...requirements)).toEqual(expected);
  });

  test.each([
    ...[
      'The page loads fast',
      'It works as expected',
      'Errors are handled properly',
      'The code is clean',
      'It is user-friendly',
    ],
    ...['It is easily extended', 'The login is secure', 'It scales well'],
  ])('%s: praise is no criterion', (text) => {
    expect(gaps(requirement('R1', criterion('a', text)))).toHaveLength(2);
  });
});

describe('plan > execute: every criterion has a component, and no component is too large', () => {
  const document = read('document', {
    requirements: [requirement('R1', criterion('R1.1', 'exit code 0'), criterion('R1.2', 'prints "hi"'))],
  });
  const files = (count: number) => Array.from({ length: count }, (_, n) => `src/${n}.ts`);
  const component = (name: string, covers: string[], more: object = {}) => ({
    ...{ name, covers, files: files(2), acceptance: ['npm test ends with 0'] },
    ...more,
  });
  const gaps = (components: unknown[], documents = [document]) =>
    handOverGaps('plan', read('plan', { phases: [{ name: 'p', components }], estimated_components: 1 }), documents);
  const BOTH = ['R1.1', 'R1.2'];

  test.each<[string, unknown[], string[]]>([
    ['all are covered', [component('a', ['R1.1']), component('b', ['R1.2'])], []],
    ['by the words of the criterion', [component('a', ['R1.1'], { acceptance: ['prints "hi"'] })], []],
    ['no component', [], ['there is no component']],
    [
      'one criterion left',
      [component('a', ['R1.1'])],
      ['criterion "R1.2" has no component: name it in `covers` of one'],
    ],
    [
      'a criterion that is none',
      [component('a', [...BOTH, 'R9'])],
      ['component "a" covers "R9", which is no criterion'],
    ],
    ['ten files', [component('a', BOTH, { files: files(10) })], []],
    [
      'eleven files',
      [component('a', BOTH, { files: files(11) })],
      ['component "a" names 11 files, at most 10 are allowed: cut it into several'],
    ],
    [
      'no acceptance',
      [component('a', BOTH, { acceptance: [] })],
      ['component "a" has no acceptance criteria: cut the work so that each part has some'],
    ],
    [
      'a component that is none',
      ['do it'],
      [
        'component "number 1" has no acceptance criteria: cut the work so that each part has some',
        ...BOTH.map((id) => `criterion "${id}" has no component: name it in \`covers\` of one`),
      ],
    ],
  ])('%s', (_, components, expected) => {
    expect(gaps(components)).toEqual(expected);
  });

  test('without written requirements, a plan covers its own', () => {
    expect(gaps([component('a', ['R7'])], [])).toEqual([]);
  });
});

describe('execute > review: what the worker says that it changed', () => {
  const [OLD, NEW] = ['1', '2'];
  const change = (path: string, before: string | null = OLD, after: string | null = NEW) =>
    ({ path, before, after }) as const;
  const says = (modified: string[], created: string[] = []) => ({
    ...{ files_created: created, files_modified: modified, tests_written: [] },
  });
  const wrong = (...of: Parameters<typeof untrueClaims>) => untrueClaims(...of).map(mismatchText);
  const one = [change('a.ts')] as never;

  test.each<[string, string[], string[], string[]]>([
    ['all of it', ['a.ts'], [], []],
    ['nothing', [], [], ['a.ts was changed, and the answer does not name it']],
    ['more', ['a.ts', 'b.ts'], [], ['b.ts is named in the answer, and was not changed']],
    ['as new', [], ['a.ts'], ['a.ts is named in `files_created`, and was there before']],
  ])('%s', (_, modified, created, expected) => {
    expect(wrong(says(modified, created), one, one)).toEqual(expected);
  });

  test('an attempt that continues may report all of the change, or only its own part', () => {
    const all = [change('a.ts', null), change('b.ts')] as never;
    const own = [change('a.ts')] as never;
    expect(wrong(says(['a.ts']), all, own)).toEqual([]);
    expect(wrong(says(['b.ts'], ['a.ts']), all, own)).toEqual([]);
    expect(wrong(says(['b.ts']), all, own)).toEqual(['a.ts was changed, and the answer does not name it']);
  });
});

test('ten gaps are named, and the others counted; none is no sentence', () => {
  const gaps = Array.from({ length: 12 }, (_, n) => `gap ${n}`);
  expect(handOverText(gaps)).toMatch(/^not ready to be handed over: gap 0; .*gap 9; and 2 more$/);
  expect(handOverText([])).toBeNull();
});

test('a worker reads what is checked, and nothing about other answers', () => {
  const told = (Object.keys(ANSWERS) as AnswerKind[]).filter((kind) => handOverRules(kind).length > 0);
  expect(told).toEqual(['brainstorm', 'document', 'plan', 'implementation', 'test']);
  for (const kind of ['review', 'security', 'generic'] as const)
    expect(handOverGaps(kind, { status: 'APPROVED' } as never, [])).toEqual([]);
});
