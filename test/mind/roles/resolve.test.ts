/** UI-09 and the chain of `extends`: layers, circles, depth, and where an error is told. */
import { describe, expect, test } from 'vitest';
import { explain } from '../../../src/mind/roles/explain.ts';
import { MAX_DEPTH } from '../../../src/mind/roles/resolve.ts';
import { problemIn, ROOT, resolveIn, roleIn, type Texts } from './files.ts';

/** `r0` extends `r1` and so on; the last one is the root. */
const chain = (length: number): Texts =>
  Object.fromEntries(Array.from({ length }, (_, n) => [`r${n}`, n === length - 1 ? ROOT : `extends: r${n + 1}\n`]));

describe('UI-09: circles of extends', () => {
  test('a role that extends itself', () => {
    expect(problemIn({ a: `extends: a\n${ROOT}` })).toContain(
      'a.yaml:1:10: extends: a role cannot extend itself: a > a',
    );
  });

  test('two and more that extend each other are shown as a chain', () => {
    expect(problemIn({ a: 'extends: b\n', b: 'extends: a\n' })).toContain(
      'b.yaml:1:10: extends: the roles extend each other in a circle: a > b > a',
    );
    const three = { a: 'extends: b\n', b: 'extends: c\n', c: 'extends: b\n' };
    expect(problemIn(three)).toContain('in a circle: a > b > c > b');
  });

  test('through several layers', () => {
    const texts = { 'user:a': 'extends: b\n', 'built-in:b': 'extends: a\n', 'built-in:a': 'extends: b\n' };
    expect(problemIn(texts)).toContain('a > b > a');
    // Above a person's role no file of a project is looked for: here it ends at the built-in one.
    expect(problemIn({ a: 'extends: b\n', 'user:b': 'extends: a\n', 'built-in:a': ROOT })).toBe('no problem');
  });

  test('two roles of one parent are no circle', () => {
    const texts = {
      root: ROOT,
      left: 'extends: root\n',
      right: 'extends: root\n',
      a: 'extends: left\n',
      b: 'extends: right\n',
    };
    expect(['a', 'b', 'left', 'right'].map((name) => roleIn(texts, name).base_role)).toEqual(Array(4).fill('root'));
  });

  test('a depth of 1000 is refused in a sentence, and one that is deep but right is not', () => {
    expect(problemIn(chain(1_000), 'r0')).toContain(
      `the chain is more than ${MAX_DEPTH} roles deep: r0 > r1 > r2 > r3 > r4 > … > r29`,
    );
    expect(roleIn(chain(MAX_DEPTH + 1), 'r0')).toMatchObject({ extends: 'r1', base_role: `r${MAX_DEPTH}` });
    expect(problemIn(chain(MAX_DEPTH + 2), 'r0')).toContain('roles deep');
  });
});

describe('layers', () => {
  test('the nearest file of a name counts, for children as well', () => {
    const texts = {
      'built-in:implementer': ROOT,
      'built-in:fast': 'extends: implementer\ntier: fast\n',
      'user:implementer': 'description: mine\nsystem_prompt: Mine.\n',
    };
    expect(roleIn(texts, 'fast')).toMatchObject({ system_prompt: 'Mine.', description: 'mine', tier: 'fast' });
  });

  test('its own name means the one of the layer below', () => {
    const texts = {
      'built-in:implementer': ROOT,
      'user:implementer': 'extends: implementer\nsystem_prompt_additions: Two.\n',
      implementer: 'extends: implementer\nsystem_prompt_additions: Three.\n',
    };
    expect(roleIn(texts, 'implementer')).toMatchObject({
      ...{ system_prompt: 'You work.\n\nTwo.\n\nThree.', extends: 'implementer', base_role: 'implementer' },
    });
    expect(roleIn({ 'built-in:implementer': ROOT }, 'implementer').base_role).toBe(null);
  });
});

describe('a value that is wrong only in the whole', () => {
  test('names the place where it was written, and its role', () => {
    const texts = { a: 'extends: b\nallowed_tools: [read]\n', b: `${ROOT}\ncli: codex\n` };
    expect(problemIn(texts)).toBe(
      [
        'b.yaml:4:6: cli.0: the tools of codex cannot be restricted, but this role has allowed_tools (read): choose a CLI that can (claude, copilot, cursor, gemini, opencode), or remove allowed_tools (in the role a, which extends it)',
        '  cli: codex',
        '       ^',
      ].join('\n'),
    );
  });
});

describe('explain', () => {
  test('names role, layer, file and line of every value, and what is a default', () => {
    const texts = {
      a: 'extends: b\ncontext:\n  include: [src/, lib/]\n  token_budget: 9000\nsystem_prompt_additions: More.\n',
      'user:b': `${ROOT}context: {include: [docs/, src/], token_budget: 5000}\n`,
    };
    const resolved = resolveIn(texts, 'a');
    if (typeof resolved === 'string') throw new Error(resolved);
    const lines = explain(resolved).map(
      ({ path, value, from }) =>
        `${path} = ${JSON.stringify(value)} ${from === null ? 'default' : `${from.layer} ${from.file}:${from.line}`}`,
    );
    expect(lines).toEqual([
      'description = "a root" user b.yaml:1',
      'system_prompt = "You work." user b.yaml:2',
      'context.include.0 = "docs/" user b.yaml:3',
      'context.include.1 = "src/" user b.yaml:3',
      'context.include.2 = "lib/" project a.yaml:3',
      'context.token_budget = 9000 project a.yaml:4',
      'system_prompt_additions.0 = "More." project a.yaml:5',
      ...['kind = "change"', 'answer = "generic"', 'template = "implement"', 'tier = null'].map(
        (one) => `${one} default`,
      ),
      ...['context.strategy = "implementer_targeted"', 'context.git_diff = false'].map((one) => `${one} default`),
      ...['allowed_tools = null', 'continue = 0'].map((one) => `${one} default`),
    ]);
  });
});
