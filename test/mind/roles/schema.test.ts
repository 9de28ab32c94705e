/** What a role file may say; the names of the first tests are the acceptance criteria of the plan's task 1. */
import { describe, expect, test } from 'vitest';
import { knownClis } from '../../../src/mind/roles/known.ts';
import { KNOWN, problemIn, ROOT, roleIn, shapeProblem } from './files.ts';

describe('role schema validation', () => {
  test('Invalid YAML fails with clear error message', () => {
    expect(problemIn({ a: 'description: [one\nsystem_prompt: x\n' })).toMatch(/^a\.yaml:\d+:\d+: /);
    expect(problemIn({ a: '' })).toBe('a.yaml:1:1: is empty: write at least one key, or remove the file\n  \n  ^');
    expect(problemIn({ a: '- a list\n' })).toContain('a.yaml:1:1: must hold keys and values at its top');
    expect(problemIn({ a: 'name: a\nname: b\n' })).toContain('a.yaml:2:1: keys must be unique');
  });

  test('Missing required fields are caught (after merge)', () => {
    expect(problemIn({ a: 'description: x\n' })).toContain('a.yaml:1:1: `system_prompt` is missing');
    expect(problemIn({ a: 'system_prompt: x\n' })).toContain('`description` is missing');
    // Not one of the chain has it: that is only known when all of it is merged.
    expect(problemIn({ a: 'extends: b\n', b: 'description: x\n' })).toContain(
      '`system_prompt` is missing in the whole chain a > b',
    );
    // Additions alone are no prompt.
    expect(problemIn({ a: 'description: x\nsystem_prompt_additions: y\n' })).toContain('`system_prompt` is missing');
    expect(problemIn({ a: 'extends: b\n', b: ROOT })).toBe('no problem');
  });

  test('Invalid enum values are rejected', () => {
    const bad: [string, string][] = [
      ['cli: claud', 'there is no CLI claud, did you mean claude? (known: claude, codex'],
      ['cli: [claude, gemeni]', 'there is no CLI gemeni, did you mean gemini?'],
      ['tier: huge', '"huge" is no tier (known: fast, standard, strong)'],
      ['kind: chnge', '"chnge" is no kind, did you mean change?'],
      ['answer: reviw', '"reviw" is no kind of answer, did you mean review?'],
      ['allowed_tools: [bash]', '"bash" is no tool'],
      ['context: {priority_order: [import]}', '"import" is no kind of part, did you mean imports?'],
      ['gates: [{name: tests, on_fail: stop}]', 'on_fail: retry, escalate, block or warn'],
      [
        'context: {strategy: implementer_target}',
        'there is no strategy implementer_target, did you mean implementer_targeted?',
      ],
      ['template: implment', 'there is no template implment, did you mean implement?'],
    ];
    const known = { ...KNOWN, strategies: ['implementer_targeted'], templates: ['implement'] };
    expect(problemIn({ a: ROOT }, 'a', known)).toBe('no problem');
    for (const [line, message] of bad)
      expect(problemIn({ a: `${ROOT}${line}\n` }, 'a', known), line).toContain(message);
  });

  test('Inheritance chain is validated', () => {
    // A mistake of a parent is told with the parent's file and line, whoever asked.
    const chain = { a: 'extends: b\n', b: 'extends: c\ndescription: x\n', c: `${ROOT}\ntier: hug\n` };
    expect(problemIn(chain)).toContain('c.yaml:4:7: tier: "hug" is no tier');
    expect(problemIn({ a: 'extends: nobody\n', anybody: ROOT })).toContain(
      'a.yaml:1:10: extends: there is no role "nobody", did you mean anybody?',
    );
  });

  test('Overlay roles without `system_prompt` work (inherit from parent)', () => {
    const role = roleIn({ a: 'extends: b\nsystem_prompt_additions: And carefully.\n', b: ROOT }, 'a');
    expect(role.system_prompt).toBe('You work.\n\nAnd carefully.');
    expect(roleIn({ a: 'extends: b\n', b: ROOT }, 'a').system_prompt).toBe('You work.');
    expect([role.description, role.extends, role.base_role]).toEqual(['a root', 'b', 'b']);
  });

  test('Unknown fields are rejected (`additionalProperties: false`)', () => {
    expect(shapeProblem(`${ROOT}descripton: x\n`)).toContain(
      'a.yaml:3:1: descripton: unknown key, did you mean `description`?',
    );
    expect(shapeProblem('context: {inclde: []}\n')).toContain('unknown key `inclde`, did you mean `include`?');
    expect(shapeProblem('gates: [{name: a, comand: x}]\n')).not.toBe('no problem');
    // Fields of people's own, and settings that a role's own tools read.
    const role = roleIn({ a: `${ROOT}x-model: {name: big}\nconfig: {anything: [1, 2]}\n` }, 'a');
    expect([role.extensions, role.config]).toEqual([{ 'x-model': { name: 'big' } }, { anything: [1, 2] }]);
  });
});

describe('a role file', () => {
  test('is checked for types before the merge', () => {
    for (const line of [
      'gates: tests',
      'context: src',
      'config: 3',
      'flags: x',
      'system_prompt_additions: [x]',
      'cli: {a: 1}',
      'tier:',
    ])
      expect(shapeProblem(`${line}\n`), line).toMatch(/^a\.yaml:1:/);
  });

  test('keeps to the ranges of its numbers', () => {
    const lines = (values: readonly number[], key: string) => values.map((n) => `${key.replace('N', String(n))}\n`);
    for (const [key, good, bad] of [
      ['context: {token_budget: N}', [1_000, 100_000], [999, 100_001, 1_500.5]],
      ['config: {max_retries: N}', [1, 10], [0, 11]],
      ['config: {timeout: N}', [30, 3_600], [29, 3_601]],
      ['config: {coverage_target: N}', [0, 100], [-1, 101]],
      ['continue: N', [0, 3], [-1, 4]],
    ] as const) {
      for (const text of lines(good, key)) expect(shapeProblem(text), text).toBe('no problem');
      for (const text of lines(bad, key)) expect(shapeProblem(text), text).toContain('must be a whole number from');
    }
    expect(shapeProblem('config: {tdd: 1}\n')).toContain('must be true or false');
  });

  test('is named as its file, if it says a name at all', () => {
    expect(roleIn({ a: `name: a\n${ROOT}` }, 'a').name).toBe('a');
    expect(problemIn({ a: `name: b\n${ROOT}` })).toContain('a.yaml:1:7: name: the file is a.yaml, so the role is a');
    for (const name of ['A', '1a', 'a b', 'a/b', '../a', '-a'])
      expect(shapeProblem(`extends: ${JSON.stringify(name)}\n`), name).toContain('begin with a letter');
  });

  test("says words for a CLI only in a person's own layer, for exactly one program", () => {
    const flags = `${ROOT}cli: claude\nflags: [--verbose]\n`;
    expect(roleIn({ 'user:a': flags }, 'a').flags).toEqual(['--verbose']);
    expect(problemIn({ a: flags })).toContain('a.yaml:4:8: flags: a project may not pass words to a CLI');
    expect(problemIn({ 'user:a': flags.replace('cli: claude\n', '') })).toContain('name exactly one `cli`');
    expect(problemIn({ 'user:a': flags.replace('claude', '[claude, codex]') })).toContain('name exactly one `cli`');
  });

  test("does not hand a person's flags on to a role of a project", () => {
    const texts = { 'user:mine': `${ROOT}cli: claude\nflags: [--verbose]\n` };
    expect(roleIn({ ...texts, 'user:a': 'extends: mine\n' }, 'a').flags).toEqual(['--verbose']);
    expect(roleIn({ ...texts, a: 'extends: mine\ncli: codex\n' }, 'a').flags).toEqual([]);
    expect(roleIn({ ...texts, mine: 'extends: mine\n' }, 'mine').flags).toEqual([]);
  });

  test('restricts tools only of CLIs that can be restricted, fail-overs too', () => {
    const role = roleIn({ a: `${ROOT}cli: claude\nallowed_tools: [read_file, edit, read]\n` }, 'a');
    expect(role.allowed_tools).toEqual(['read', 'edit']);
    const refused = 'the tools of codex cannot be restricted';
    expect(problemIn({ a: `${ROOT}cli: codex\nallowed_tools: [read]\n` })).toContain(`a.yaml:3:6: cli.0: ${refused}`);
    expect(problemIn({ a: `${ROOT}cli: [claude, codex]\nallowed_tools: [read]\n` })).toContain(
      `a.yaml:3:15: cli.1: ${refused}`,
    );
    expect(problemIn({ a: `${ROOT}cli: codex\n` })).toBe('no problem');
  });

  test('asks of no CLI what it cannot do, and knows those that the config declares', () => {
    const clis = knownClis({ acme: { type: 'declared' }, local: { type: 'adapter', adapter: 'http' } });
    const known = { ...KNOWN, clis };
    expect(problemIn({ a: `${ROOT}cli: acme\n` }, 'a', known)).toBe('no problem');
    expect(problemIn({ a: `${ROOT}cli: acme\nallowed_tools: [read]\n` }, 'a', known)).toContain('the tools of acme');
    expect(problemIn({ a: `${ROOT}cli: local\n` }, 'a', known)).toContain('local only answers and changes no files');
    expect(problemIn({ a: `${ROOT}cli: local\nkind: answer\n` }, 'a', known)).toBe('no problem');
  });

  test('answers with what fits its kind', () => {
    expect(problemIn({ a: `${ROOT}kind: answer\nanswer: implementation\n` })).toContain(
      'a.yaml:4:9: answer: a role of kind answer answers with brainstorm, document, plan, review, security, generic',
    );
    expect(problemIn({ a: `${ROOT}kind: change\nanswer: review\n` })).toContain('a role of kind change answers with');
  });

  test('has gates by name or of its own, each once', () => {
    const text = `${ROOT}gates: [tests, {name: risk, command: make risk, timeout: 90s, on_fail: escalate}]\n`;
    expect(roleIn({ a: text }, 'a').gates).toEqual([
      'tests',
      { name: 'risk', command: 'make risk', timeout: 90_000, on_fail: 'escalate' },
    ]);
    expect(shapeProblem('gates: [tests, {name: tests, command: x}]\n')).toContain('there are two gates named tests');
    expect(shapeProblem('gates: ["pytest -q"]\n')).toContain('is no name of a gate; for a command of its own write');
  });

  test('understands the words others use for the diff and for what always comes first', () => {
    const role = roleIn(
      {
        a: `${ROOT}context: {include: ["git diff --cached", src/], priority_order: [system_prompt, task_description, imports]}\n`,
      },
      'a',
    );
    expect(role.context).toMatchObject({ include: ['src/'], git_diff: true, priority_order: ['imports'] });
    const child = roleIn(
      { a: 'extends: b\ncontext: {git_diff: false}\n', b: `${ROOT}context: {include: ["git diff --cached"]}\n` },
      'a',
    );
    expect(child.context.git_diff).toBe(false);
  });

  test('has defaults for missing keys', () => {
    expect(roleIn({ a: ROOT }, 'a')).toMatchObject({
      ...{
        kind: 'change',
        answer: 'generic',
        template: 'implement',
        cli: [],
        tier: null,
        allowed_tools: null,
        continue: 0,
      },
      context: { strategy: 'implementer_targeted', token_budget: 20_000, git_diff: false },
    });
  });
});
