/** `supervisor pack`: the packet as a worker would get it, and all that is said about it. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { World } from '../support/cli.ts';

type Packed = {
  role: string;
  base: string;
  budget: number;
  tokens: number;
  over: boolean;
  packet: string;
  strategy: string;
  parts: { kind: string; path: string | null; tokens: number; why: string }[];
  left: { path: string; reason: string }[];
};

const FILES = {
  'src/parser.js': "import { trim } from './trim.js';\nexport const parse = (text) => trim(text).split(' ');\n",
  'src/trim.js': 'export const trim = (text) => text.trim();\n',
  'test/parser.test.js': "import { parse } from '../src/parser.js';\nparse('a b');\n",
  'AGENTS.md': 'Amounts are integers of cents.\n',
  '.env': 'TOKEN=abc\n',
};

const TASK = 'let the parser take tabs';

describe('supervisor pack', () => {
  test('the packet goes to stdout alone; what it holds and costs is said beside it', async () => {
    using world = new World();
    world.commit(FILES);
    const { code, stdout, stderr } = await world.run(['pack', TASK, '--files', 'src/parser.js']);
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(/^implementer by implementer_targeted: [\d,]+ of 25,000 tokens/),
    ]);
    for (const shown of [TASK, 'export const parse', 'export const trim', 'integers of cents', '"status"'])
      expect(stdout).toContain(shown);
    expect(stdout).not.toContain('TOKEN=abc');
    for (const part of ['target_file src/parser.js', 'paths', 'tests test/parser.test.js', 'knowledge AGENTS.md'])
      expect(stderr).toContain(part);
  });

  test('as one document for programs; its counts add up and stay in the budget', async () => {
    using world = new World();
    world.commit(FILES);
    const packed = await world.json<Packed>(['pack', TASK, '--files', 'src/parser.js', '--cli', 'codex']);
    expect(packed).toMatchObject({
      role: 'implementer',
      cli: 'codex',
      factor: { factor: 1 },
      budget: 25_000,
      over: false,
    });
    expect(packed.base).toBe(world.git('rev-parse', 'HEAD'));
    expect(packed.parts.every(({ tokens, why }) => tokens > 0 && why !== '')).toBe(true);
    expect(packed.parts.reduce((sum, { tokens }) => sum + tokens, 0)).toBeLessThan(packed.tokens);
    expect(packed.left.find(({ path }) => path === '.env')?.reason ?? 'not even looked at').not.toBe('');
  });

  test('two strategies side by side', async () => {
    using world = new World();
    world.commit(FILES);
    const { code, stdout } = await world.run(['pack', TASK, '--files', 'src/parser.js', '--compare', 'explore']);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^only implementer_targeted: .*test\/parser\.test\.js/m)]);
  });

  test('of an existing task, by its id: its words and its files', async () => {
    using world = new World();
    world.commit(FILES);
    const made = await world.json<{ task_id: string }>(['run', TASK, '--simulate', '--files', 'src/trim.js']);
    const packed = await world.json<Packed>(['pack', made.task_id]);
    expect(packed).toMatchObject({ task: made.task_id, role: 'implementer' });
    expect(packed.packet).toContain(TASK);
    expect(packed.parts[0]).toMatchObject({ kind: 'target_file', path: 'src/trim.js' });
  });

  test('`run --strategy` holds for the steps that change files, and for nothing else', async () => {
    using world = new World();
    world.commit(FILES);
    const made = await world.json<{ task_id: string }>(['run', TASK, '--simulate', '--strategy', 'implementer_full']);
    const strategyOf = async (...flags: string[]) =>
      (await world.json<Packed>(['pack', made.task_id, ...flags])).strategy;
    expect(await strategyOf()).toBe('implementer_full');
    expect(await strategyOf('--strategy', 'explore')).toBe('explore');
    expect(await strategyOf('--role', 'reviewer')).toBe('reviewer_diff');
  });

  test('a CLI that cannot open files is sent their text', async () => {
    using world = new World();
    world.commit(FILES);
    world.userConfig('clis:\n  local: {adapter: http, base_url: "http://127.0.0.1:9/v1", model: m}\n');
    const folder = join(world.home, '.supervisor', 'roles');
    mkdirSync(folder, { recursive: true });
    const context = 'context: {strategy: implementer_targeted}\n';
    writeFileSync(join(folder, 'adviser.yaml'), `description: d\nkind: answer\nsystem_prompt: Advise.\n${context}`);
    const strategyOf = async (cli: string) =>
      (await world.json<Packed>(['pack', TASK, '--role', 'adviser', '--cli', cli])).strategy;
    expect([await strategyOf('local'), await strategyOf('codex')]).toEqual([
      'implementer_full',
      'implementer_targeted',
    ]);
  });

  test.each([
    [['--role', 'implementor'], 'did you mean implementer?'],
    [['--strategy', 'explorer'], 'did you mean explore?'],
    [['--files', '../secret'], 'must name something inside the repository'],
    [['--onto', 'nowhere'], 'there is no such branch'],
    [['--files', 'nope.js'], '--files nope.js: main has no such file'],
  ])('bad input is named: %j', async (flags, message) => {
    using world = new World();
    const { code, stdout, stderr } = await world.run(['pack', TASK, ...flags]);
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(message)]);
  });
});
