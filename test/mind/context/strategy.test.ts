import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { planOf } from '../../../src/mind/context/plan.ts';
import { parseStrategy, type Strategy } from '../../../src/mind/context/strategy.ts';
import { PatternRefused } from '../../../src/mind/context/variables.ts';
import { problemText } from '../../../src/mind/fields/parse-file.ts';
import { PART_KINDS } from '../../../src/mind/fields/part-kinds.ts';
import type { RoleContext } from '../../../src/mind/roles/role.ts';

const SHIPPED = join(import.meta.dirname, '../../../templates/strategies');
const PLAIN: RoleContext = {
  strategy: 'mine',
  include: [],
  exclude: [],
  always_include: [],
  token_budget: 20_000,
  git_diff: false,
  priority_order: [],
};

function parsed(yaml: string, file = 'mine.yaml'): Strategy {
  const one = parseStrategy(yaml, file);
  if (one.type === 'problem') throw new Error(problemText(one));
  return one.value;
}
const MINE = 'name: mine\ndescription: d\ntoken_budget: 9000\n';
const complaint = (yaml: string): string => {
  const one = parseStrategy(yaml, 'mine.yaml');
  return one.type === 'problem' ? `${one.line}:${one.column} ${one.message}` : 'no complaint';
};

describe('strategies that are shipped', () => {
  const files = readdirSync(SHIPPED);

  test('are sound', () => {
    const names = files.map((file) => parsed(readFileSync(join(SHIPPED, file), 'utf8'), file).name).sort();
    expect(names).toEqual([
      'explore',
      'implementer_full',
      'implementer_targeted',
      'investigator_wide',
      'planner_docset',
      'reviewer_diff',
      'security_audit',
    ]);
  });

  test.each(files)('%s names in its order every kind it packs', (file) => {
    const { parts, priority_order } = parsed(readFileSync(join(SHIPPED, file), 'utf8'), file);
    expect(Object.keys(parts).filter((kind) => !priority_order.includes(kind as 'map'))).toEqual([]);
  });
});

describe('a strategy of one’s own', () => {
  test('is data: it cannot hold a command', () => {
    expect(complaint(`${MINE}parts: {}\ncommand: cat /etc/passwd\n`)).toMatch(/^5:1 unknown key `command`/);
    expect(complaint(`${MINE}parts: { related: { command: x } }\n`)).toMatch(/^4:\d+ unknown key `command`/);
  });

  test.each([
    [`${MINE}parts: { relatd: {} }\n`, /unknown key `relatd`, did you mean `related`\?/],
    [`${MINE}priority_order: [targets]\nparts: {}\n`, /no kind of part/],
    [`${MINE}parts: { related: { share: 2 } }\n`, /must be from 0\.01 to 1/],
    [`${MINE}parts: { tree: { depth: 99 } }\n`, /whole number from 1 to 12/],
    [`${MINE}include: [$TARGETS]\nparts: {}\n`, /did you mean \$TARGET\?/],
    ['name: other\ndescription: d\ntoken_budget: 9000\nparts: {}\n', /the file is mine\.yaml/],
  ])('%j is refused with the place', (yaml, message) => {
    expect(complaint(yaml)).toMatch(message);
  });

  // Catalogue UI-13.
  test.each(['../../etc/passwd', '/etc/*', '~/.ssh/*', '~/.ssh/id_rsa', 'src/../../x', '../**', 'C:\\x'])(
    'a pattern that leaves the repository is refused, and named: %s',
    (pattern) => {
      for (const list of ['include', 'exclude', 'always_include'])
        expect(complaint(`${MINE}${list}: ['${pattern}']\nparts: {}\n`)).toContain(JSON.stringify(pattern));
      // Also when it did not come from a file that was checked.
      const strategy = parsed(`${MINE}parts: {}\n`);
      for (const list of ['include', 'exclude', 'always_include'])
        expect(() => planOf(strategy, { ...PLAIN, [list]: [pattern] })).toThrow(PatternRefused);
      expect(() => planOf(strategy, { ...PLAIN, include: [pattern] })).toThrow(JSON.stringify(pattern));
    },
  );
  test('and one that stays inside is not', () => {
    const strategy = parsed(`${MINE}include: ['./README.md', 'docs/**', '.ssh-notes/*', 'app/$id.tsx']\nparts: {}\n`);
    expect(() => planOf(strategy, PLAIN)).not.toThrow();
  });
});

describe('a strategy and a role together', () => {
  const strategy = parsed(
    `${MINE}priority_order: [related, target_file]\nparts: { related: { max_files: 3 }, target_file: {} }\n`,
  );

  test('variables and switches of the role turn kinds on', () => {
    const kinds = (role: Partial<RoleContext>) => [...planOf(strategy, { ...PLAIN, ...role }).uses.keys()].sort();
    expect(kinds({})).toEqual(['related', 'target_file']);
    expect(kinds({ include: ['$CHANGED_FILES'] })).toContain('changed_files');
    expect(kinds({ include: ['$TARGET_IMPORTS'] })).toContain('imports');
    expect(kinds({ include: ['$INTERFACE_DEFINITIONS'] })).toContain('interfaces');
    expect(kinds({ include: ['docs/**'] })).toContain('files');
    expect(kinds({ git_diff: true })).toContain('git_diff');
    expect(kinds({ include: ['git diff --cached'] })).toContain('git_diff');
    expect(kinds({ always_include: ['limits.py'] })).toContain('always_include');
  });

  test('the role’s order comes before the strategy’s, and what is protected before both', () => {
    const { order } = planOf(strategy, { ...PLAIN, priority_order: ['system_prompt', 'task', 'tree', 'imports'] });
    expect(order.slice(0, 5)).toEqual(['always_include', 'tree', 'imports', 'related', 'target_file']);
    expect([...order].sort()).toEqual([...PART_KINDS].sort());
  });
});
