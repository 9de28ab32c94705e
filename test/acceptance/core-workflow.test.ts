/**
 * The acceptance criteria of the plan "core workflow", word for word. Those of its tasks 3 and 5 are tested here; those of
 * the others where their code is tested, by the same names, which is checked too. Where the design settles something
 * otherwise, the test says why.
 */
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readEnvironment } from '../../src/app/config/environment.ts';
import { projectFiles } from '../../src/app/config/project-files.ts';
import { loadRoles } from '../../src/app/config/roles.ts';
import { clisFor } from '../../src/app/request.ts';
import { parseAnswer } from '../../src/mind/answers/parse-answer.ts';
import { ANSWERS, type AnswerKind } from '../../src/mind/answers/schemas.ts';
import { cascade } from '../../src/mind/config/cascade.ts';
import { contractOf } from '../../src/mind/prompts/contract.ts';
import { knownClis } from '../../src/mind/roles/known.ts';
import { readAnswer } from '../../src/mind/workers/answer.ts';
import { adapterOf, READY_NAMES } from '../../src/mind/workers/cli-config.ts';
import { goldenOf, told } from '../clis/golden.ts';
import { Seen } from '../hostile/harness/seen.ts';
import { World } from '../support/cli.ts';
import { role } from '../support/role.ts';

const CRITERIA: Readonly<Record<string, readonly string[]>> = {
  'Task 1: Role Schema Validation': [
    'Invalid YAML fails with clear error message',
    'Missing required fields are caught (after merge)',
    'Invalid enum values are rejected',
    'Inheritance chain is validated',
    'Overlay roles without `system_prompt` work (inherit from parent)',
    'Unknown fields are rejected (`additionalProperties: false`)',
  ],
  'Task 2: Jinja2 Prompt Templating': [
    'Templates render without errors',
    'Role system_prompt is injected',
    'Context is properly included',
    'Output schema requirements are present',
    'Custom filters work correctly',
    'SandboxedEnvironment is used',
    'Template names are validated against allowlist',
    'Undefined variables raise errors (StrictUndefined)',
  ],
  'Task 3: Structured Output Parsing': [
    'JSON blocks are extracted from markdown',
    'Last JSON block is used (final output)',
    'Schema validation catches missing/invalid fields',
    'Each CLI type has working adapter',
    'No marker/magic string fallback exists',
  ],
  'Task 4: Enhanced Context Packing': [
    'Token estimation works correctly',
    'Context fits within budget',
    'Lower priority items are dropped first',
    'Truncation notice is added when needed',
    '`_pack_target_files` method works correctly',
    '`always_include` files are NEVER pruned (protected)',
    '`system_prompt` and `task` are NEVER pruned (protected)',
    'Existing `_pack_with_budget` logic verified working',
  ],
  'Task 5: Runtime Integration': [
    '`run_role()` uses templates for prompt generation',
    'Template selection works for all base roles',
    'CLI adapter selection works correctly',
    'Output parsing uses existing models from `models.py`',
  ],
};

describe('every criterion has a test of its name', () => {
  const names = namesOfTests();
  const isTested = (criterion: string) => names.some((name) => name === criterion || name.startsWith(`${criterion}: `));

  test.each(Object.entries(CRITERIA))('%s', (_, criteria) => {
    expect(criteria.filter((criterion) => !isTested(criterion))).toEqual([]);
  });

  test('a criterion without a test would be noticed', () => {
    expect(names.length).toBeGreaterThan(1_000);
    expect(isTested(`Templates render with${' '}errors`)).toBe(false);
  });
});

const KINDS = Object.keys(ANSWERS) as AnswerKind[];
const fenced = (answer: unknown, info = 'json') => `\`\`\`${info}\n${JSON.stringify(answer)}\n\`\`\``;
const DONE = { status: 'SUCCESS', action_taken: 'made foo', files_created: ['foo.py'] };

describe('Task 3: Structured Output Parsing', () => {
  test('JSON blocks are extracted from markdown', () => {
    const said = `Here's my analysis:\n\n1. \`foo\` was missing\n\n${fenced({ not: 'this' }, 'js')}\n\n${fenced(DONE)}\n\nBye.`;
    expect(parseAnswer('implementation', said)).toMatchObject({ type: 'answer', answer: DONE, others: 0 });
  });

  test('Last JSON block is used (final output)', () => {
    const said = (...answers: object[]) => answers.map((answer) => `So:\n${fenced(answer)}\n`).join('\n');
    const failed = { ...DONE, status: 'FAILED' };
    expect(parseAnswer('implementation', said(failed, DONE))).toMatchObject({ answer: DONE, others: 1 });
    expect(parseAnswer('implementation', said(DONE, failed))).toMatchObject({ answer: failed });
    // Also when the last one is no good: an earlier one is not taken for it.
    expect(parseAnswer('implementation', said(DONE, { status: 'FINE' }))).toMatchObject({ type: 'invalid' });
  });

  test.each(KINDS)('Schema validation catches missing/invalid fields: %s', (kind) => {
    const good = JSON.parse(contractOf(kind).example);
    const problem = (answer: object) => {
      const parsed = parseAnswer(kind, fenced(answer));
      return parsed.type === 'invalid' ? parsed.reason : 'no problem';
    };
    expect(problem(good)).toBe('no problem');
    const { status: _, ...without } = good;
    expect(problem(without)).toBe('status is missing');
    expect(problem({ ...good, status: 1 })).toMatch(/^status: /);
    expect(problem({ ...good, notes: [] })).toMatch(/^notes: /);
    // An answer of no kind in particular may say more; all others may not.
    const more = problem({ ...good, all_gates_passed: true });
    if (kind === 'generic') expect(more).toBe('no problem');
    else expect([more, problem({ ...good, status: 'FINE' })]).toEqual([/all_gates_passed/, /status/].map(matching));
  });

  /** Recorded runs of the real programs. Those of the plan, and three more; any other command can be declared. */
  test.each(['claude', 'codex', 'gemini', 'copilot', 'cursor', 'opencode'])(
    'Each CLI type has working adapter: %s',
    (cli) => {
      const recorded = goldenOf(cli).find(({ name }) => name === 'text');
      if (recorded === undefined) throw new Error(`nothing of ${cli} was recorded`);
      const { stdout, stderr, ended } = recorded;
      const { final } = told(cli, [stdout], stderr, ended);
      expect(readAnswer('implementation', final)).toMatchObject({ type: 'answer', answer: { status: 'SUCCESS' } });
      // What it printed is an envelope: without its adapter nothing would be found.
      expect(parseAnswer('implementation', stdout).type).toBe('invalid');
    },
  );

  test.each(KINDS)('No marker/magic string fallback exists: %s', (kind) => {
    const good = contractOf(kind).example;
    const marked = [
      'REVIEW_STATUS: APPROVED\n\nLooks good!',
      'APPROVED',
      'STATUS: SUCCESS',
      '<result>SUCCESS</result>',
      'TASK_COMPLETE\nDone.',
      good,
      `\`\`\`\n${good}\n\`\`\``,
      `The answer: \`${good.replaceAll(/\s+/g, ' ')}\``,
    ];
    for (const text of marked)
      expect(readAnswer(kind, { type: 'text', text, omitted: 0, malformed: 0 }), text).toEqual({
        type: 'invalid',
        reason: 'missing result: there is no ```json block on stdout; end with exactly one',
      });
    expect(readAnswer(kind, { type: 'text', text: `\`\`\`json\n${good}\n\`\`\``, omitted: 0, malformed: 0 }).type).toBe(
      'answer',
    );
  });
});

describe('Task 5: Runtime Integration', () => {
  /** There is no `run_role()`: every call of a model is an attempt at a step, and `run` starts a task of such steps. */
  test('`run_role()` uses templates for prompt generation', async () => {
    using world = new World();
    const program = world.file('worker', `#!/bin/sh\ncat >/dev/null\necho x >new\ncat <<'E'\n${fenced(DONE)}\nE\n`);
    chmodSync(program, 0o755);
    world.userConfig(`clis: {acme: {command: [${program}], prompt: stdin, output: text}}\ndefault_cli: [acme]\n`);
    const own = join(world.home, '.supervisor/templates');
    mkdirSync(own, { recursive: true });
    writeFileSync(join(own, 'implement.liquid'), 'Own words for {{ role.name }}.\n{% include "_task" %}');
    const result = await world.run(['run', 'Make foo.', '--gate', 'tests=true']);
    const seen = new Seen(world, result, await world.events(), 0);
    expect(seen.status, result.stderr).toBe('accepted');
    expect(seen.packet).toMatch(/^Own words for implementer\.\n\n## Task\n\n<<<\w+ task\nMake foo\.\n/);
  });

  test('Template selection works for all base roles', () => {
    const roles = rolesWith({
      'my-reviewer': 'extends: reviewer-python\n',
      'reviewer-python': 'extends: reviewer\n',
      // The plan packs context without a template for a role that builds on nobody; here each kind of answer has one.
      odd: 'description: x\nsystem_prompt: y\nkind: answer\n',
    });
    const chosen = (name: string) => roles.get(name).template;
    expect(
      ['planner', 'implementer', 'reviewer', 'test_engineer', 'security_auditor', 'investigator'].map(chosen),
    ).toEqual(['planning', 'implement', 'review', 'test', 'security', 'investigate']);
    expect(roles.get('my-reviewer')).toMatchObject({ template: 'review', answer: 'review', base_role: 'reviewer' });
    expect(roles.get('odd')).toMatchObject({ template: 'investigate', answer: 'generic', base_role: null });
  });

  test('CLI adapter selection works correctly', () => {
    const { settings } = cascade({ user: { default_cli: ['gemini', 'codex'] } });
    const ground = { settings, unready: (cli: string) => (cli === 'gemini' ? 'is not installed' : null) };
    const nobody = { cli: null, script: null, simulate: false };
    // The operator's word, then the role's, then the config's; who is not there is passed over.
    expect(clisFor(role('a', { cli: ['claude'] }), { ...nobody, cli: ['cursor'] }, ground)).toEqual(['cursor']);
    expect(clisFor(role('a', { cli: ['claude', 'codex'] }), nobody, ground)).toEqual(['claude', 'codex']);
    expect(clisFor(role('a'), nobody, ground)).toEqual(['codex']);
    expect(rolesWith({}).get('reviewer_gemini').cli).toEqual(['gemini']);
    for (const cli of READY_NAMES) expect(adapterOf(cli)?.name, cli).toBe(cli);
    expect(adapterOf('unheard-of')).toBeUndefined();
  });

  /** The models of the plan are declarations here: the packet's contract and the parser read the same one. */
  test('Output parsing uses existing models from `models.py`', () => {
    const roles = rolesWith({ own: 'extends: implementer\n' });
    const answers = Object.fromEntries(
      ['planner', 'implementer', 'reviewer', 'own'].map((name) => [name, roles.get(name).answer]),
    );
    expect(answers).toEqual({
      planner: 'plan',
      implementer: 'implementation',
      reviewer: 'review',
      own: 'implementation',
    });
    for (const name of roles.names()) {
      const { answer } = roles.get(name);
      const { example } = contractOf(answer);
      expect(
        readAnswer(answer, { type: 'text', text: `\`\`\`json\n${example}\n\`\`\``, omitted: 0, malformed: 0 }).type,
        name,
      ).toBe('answer');
    }
    // The fields that the plan lists.
    const fields = (kind: AnswerKind) => Object.keys((ANSWERS[kind] as { entries: object }).entries);
    expect(fields('plan')).toEqual(
      expect.arrayContaining(['status', 'phases', 'dependencies', 'estimated_components', 'risks', 'next_step']),
    );
    expect(fields('implementation')).toEqual(
      expect.arrayContaining([
        'status',
        'action_taken',
        'files_created',
        'files_modified',
        'tests_written',
        'next_step',
      ]),
    );
    expect(fields('review')).toEqual(
      expect.arrayContaining(['status', 'review_status', 'issues', 'suggestions', 'security_concerns', 'next_step']),
    );
  });
});

const matching = (pattern: RegExp) => expect.stringMatching(pattern);

function rolesWith(files: Readonly<Record<string, string>>) {
  const contents = Object.entries(files).map(([name, text]) => [`roles/${name}.yaml`, Buffer.from(text)] as const);
  const environment = readEnvironment({ HOME: '/nonexistent', SUPERVISOR_HOME: '/nonexistent' });
  return loadRoles(environment, projectFiles('/nonexistent/.supervisor', new Map(contents)), knownClis({}));
}

/** The titles of all tests that run, with the groups they are in. */
function namesOfTests(): string[] {
  const folder = join(import.meta.dirname, '..');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.test.ts'));
  return files.flatMap((file) =>
    [...readFileSync(join(folder, file), 'utf8').matchAll(NAMED)]
      .filter(([call]) => !/\.(?:skip|todo)/.test(call))
      .map(([, , name = '']) => name),
  );
}

const NAMED = /^ *(?:test|describe)(?:\.[a-z]+(?:\((?:[^()]|\([^()]*\))*\))?)*\(\s*(['"`])((?:\\.|(?!\1).)*)\1/gm;
