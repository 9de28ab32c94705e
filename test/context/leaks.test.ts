/** No secret of the repository reaches a packet, whichever way it would come. Each way is shown to be one without the redactor. */
import { generateKeyPairSync } from 'node:crypto';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createRedactor } from '../../src/hands/redact/redact.ts';
import { outlineOf } from '../../src/mind/code/outline.ts';
import type { PackedContext } from '../../src/mind/context/packed.ts';
import { type PackAsk, type PackWorld, packWorld, untouched } from './pack-world.ts';

// Made of pieces, so that this file itself holds none.
const letters = (n: number, seed: number): string =>
  Array.from(
    { length: n },
    (_, i) => 'ABCDEFGHJKMNPQRSTUVWXYZabcdefghjkmnpqrstuvwxyz23456789'[(i * i * 7 + i * seed + seed) % 54],
  ).join('');
const token = (seed: number): string => ['gh', 'p_', letters(36, seed)].join('');
const PEM = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
  type: 'pkcs1',
  format: 'pem',
}) as string;
/** A line from the middle of the key: by itself it looks like nothing. */
const MIDDLE = PEM.split('\n')[12] ?? '';

const IN = {
  file: token(1),
  always: token(2),
  knowledge: token(3),
  name: token(4),
  why: token(12),
  outline: token(5),
  message: token(6),
  before: token(7),
  added: token(8),
  removed: token(9),
  excerpt: token(11),
};
const lines = (n: number) => Array.from({ length: n }, (_, i) => `export const line${i} = ${i};`).join('\n');

const FILES = {
  'AGENTS.md': `Deploy with ${IN.knowledge}.\n`,
  'src/target.ts': `export const key = '${IN.file}';\nexport const rest = 1;\n`,
  'src/limits.ts': `export const limit = '${IN.always}';\n`,
  [`docs/${IN.name}.md`]: 'A name.\n',
  [`src/${IN.why}.ts`]: "import { rest } from './tied.ts';\nexport const w = rest;\n",
  'src/tied.ts': 'export const rest = 2;\n',
  'src/outlined.ts': `export function connect(secret = '${IN.outline}') {}\n`,
  'src/changed.ts': `export const before = '${IN.before}';\nexport const removed = '${IN.removed}';\n`,
  'src/large.ts': `${lines(400)}\nexport const target = '${IN.excerpt}';\n${lines(400)}\n`,
  'src/pem.ts': `export const pem = \`\n${PEM}\`;\nexport const after = 1;\n`,
};

let world: PackWorld;
let tree: string;
let [base, packers]: [string, Record<'real' | 'none', ReturnType<PackWorld['contexts']>>] = ['', undefined as never];
beforeAll(() => {
  world = packWorld(FILES);
  world.put({ 'src/changed.ts': `${FILES['src/changed.ts']}// a remark\n` });
  base = world.commit(`Deploy with ${IN.message}`);
  world.put({
    'src/changed.ts': `export const before = '${IN.before}';\nexport const added = '${IN.added}';\n`,
    // One line of the key is touched: the diff has neither its beginning nor its end.
    'src/pem.ts': FILES['src/pem.ts'].replace(MIDDLE, `${MIDDLE.slice(0, -4)}AAAA`),
    '.env': `TOKEN=${IN.file}\n`,
  });
  tree = world.written();
  packers = { real: world.contexts({ redact: createRedactor() }), none: world.contexts({ redact: untouched }) };
});
afterAll(() => world.end());

const all = ({ text, parts, left, warnings }: PackedContext): string => JSON.stringify([text, parts, left, warnings]);
const ways: [string, string, PackAsk][] = [
  ['a file of the task', IN.file, { targets: ['src/target.ts'] }],
  ['a file that is always included', IN.always, { context: { always_include: ['src/limits.ts'] } }],
  ['what the project says about itself', IN.knowledge, {}],
  ['a name in the tree', IN.name, { strategy: 'planner_docset' }],
  ['the name of a file that is shown', IN.name, { targets: [`docs/${IN.name}.md`] }],
  [
    'the name of a file that is left out',
    IN.name,
    { targets: [`docs/${IN.name}.md`], context: { exclude: ['docs/**'] } },
  ],
  ['a reason that names a file', IN.why, { targets: [`src/${IN.why}.ts`] }],
  ['an outline in the map', IN.outline, { strategy: 'explore', text: 'connect outlined' }],
  ['the list of likely files', IN.name, { strategy: 'implementer_targeted', text: `read docs/${IN.name}.md` }],
  ['an excerpt', IN.excerpt, { text: 'the target of large.ts', targets: ['src/target.ts'] }],
  ['a line that the task added', IN.added, { strategy: 'reviewer_diff', tree: 'new' }],
  ['a line that the task removed', IN.removed, { strategy: 'reviewer_diff', tree: 'new' }],
  ['a line beside the change', IN.before, { strategy: 'reviewer_diff', tree: 'new' }],
  ['the middle of a key in the diff', MIDDLE, { strategy: 'reviewer_diff', tree: 'new' }],
];

describe.each(ways)('%s', (_, secret, given) => {
  const packed = (packer: 'real' | 'none') =>
    world.pack({ budget: 12_000, base, ...given, tree: given.tree === undefined ? null : tree }, packers[packer]);

  test('leaks nothing', async () => {
    const one = all(await packed('real'));
    expect(one).not.toContain(secret);
    expect(Object.values(IN).filter((other) => one.includes(other))).toEqual([]);
  });

  test('and would without the redactor', async () => {
    expect(all(await packed('none'))).toContain(secret);
  });
});

test('the redactor alone does not know the middle of a key: what the whole file lost is lost in its diff', async () => {
  const [diff] = await createRedactor()([world.git('diff', '--unified=3', base, tree, '--', 'src/pem.ts')]);
  expect(diff).toContain(MIDDLE);
});

describe('a diff of a file with a key', () => {
  const key = `\n${PEM}`;
  /** Long enough that no hunk reaches from its end up to the key; no line of it can be a heading. */
  const below = Array.from({ length: 12 }, (_, i) => `  ${i},`).join('\n');
  const review = async (before: string, after: string, path: string) => {
    const own = packWorld({ [path]: before });
    try {
      own.put({ [path]: after });
      const changed = own.written();
      const packed = await own.pack(
        { tree: changed, strategy: 'reviewer_diff', budget: 12_000 },
        own.contexts({ redact: createRedactor() }),
      );
      return { packed, diff: own.git('diff', 'HEAD', changed) };
    } finally {
      own.end();
    }
  };

  test('has no line of it as the heading of a hunk', async () => {
    const body = [...PEM.split('\n').slice(1, 24), '-'.repeat(5)].join('\n');
    const text = `const pem = [\n${PEM.split('\n')[0]}\n${body}\n${below}\n`;
    const { packed, diff } = await review(text, `${text}  last,\n`, 'keys.ts');
    const [, heading = ''] = /^@@ .*? @@ (.+)$/m.exec(diff) ?? [];
    // Git itself shows it, and by itself it looks like nothing.
    expect(PEM).toContain(heading);
    expect(heading.length).toBeGreaterThan(30);
    expect(await createRedactor()([heading])).toEqual([heading]);
    expect(packed.text).toContain('+  last,');
    expect(all(packed)).not.toContain(heading);
  });

  test('is left out, and named, where the file is too large to be looked through', async () => {
    const pad = `// ${'x'.repeat(97)}\n`.repeat(11_000);
    const text = `${pad}const pem = \`${key}\`;\n`;
    const { packed, diff } = await review(text, text.replace(MIDDLE, `${MIDDLE.slice(0, -4)}AAAA`), 'large.ts');
    expect(diff).toContain(PEM.split('\n')[13]);
    expect(all(packed)).not.toContain(PEM.split('\n')[13]);
    expect(packed.left).toContainEqual({
      path: 'large.ts',
      kind: 'git_diff',
      reason: expect.stringMatching(/^has \d+ bytes, more than 1048576$/),
    });
  });
});

test('an outline that is cut in the middle of a secret has neither half of it', async () => {
  const password = letters(180, 13);
  const code = `URL = "postgres://admin:${password}@db.internal/shop"\n`;
  const own = packWorld({ 'src/url.py': code });
  try {
    const ask = { strategy: 'explore', text: 'connect url' };
    const seen = (redact: typeof untouched) => own.pack(ask, own.contexts({ redact }));
    expect((await seen(untouched)).text).toContain(password.slice(0, 60));
    // Cut first, it is no address any more.
    const cut = outlineOf('src/url.py', code)[0]?.signature ?? '';
    expect((await createRedactor()([cut]))[0]).toContain(password.slice(0, 60));
    const { text } = await seen(createRedactor());
    expect(text).toContain('URL = ');
    expect(text).not.toContain(password.slice(0, 10));
  } finally {
    own.end();
  }
});

test('the log of the project is not shown at all', async () => {
  for (const strategy of ['reviewer_diff', 'planner_docset', 'investigator_wide'])
    expect(all(await world.pack({ base, tree, strategy, text: 'Deploy' }, packers.none))).not.toContain(IN.message);
  expect(world.git('log', '-1', '--format=%s', base)).toContain(IN.message);
});

test('a file that holds secrets by its name is never shown, redacted or not', async () => {
  const context = { always_include: ['.env'], include: ['.env', '.*', '*'] };
  for (const strategy of ['implementer_targeted', 'implementer_full', 'reviewer_diff', 'security_audit']) {
    const packed = await world.pack({ base, tree, strategy, targets: ['.env'], context }, packers.none);
    expect(packed.text).not.toContain('TOKEN=');
    expect(packed.left.filter(({ path }) => path === '.env').map(({ reason }) => reason)).toEqual(
      expect.arrayContaining([expect.stringContaining('secrets')]),
    );
  }
  // Under another name it is a file like any other.
  world.put({ 'dotenv.txt': 'TOKEN=1\n' });
  const shown = await world.pack({ base, tree: world.written(), targets: ['dotenv.txt'] }, packers.none);
  expect(shown.text).toContain('TOKEN=1');
});

test('files beside the repository stay there: `../`, absolute, home, links', async () => {
  const own = packWorld({ 'a.ts': 'let a;\n' });
  try {
    own.put({ '../beside.txt': `KEY=${IN.file}\n` });
    symlinkSync('../beside.txt', join(own.dir, 'beside.txt'));
    symlinkSync('..', join(own.dir, 'up'));
    const at = own.commit('links');
    const contexts = own.contexts({ redact: untouched });
    for (const path of ['../beside.txt', join(own.root, 'beside.txt'), 'beside.txt', 'up/beside.txt', '~/beside.txt']) {
      const packed = await own.pack({ base: at, targets: [path] }, contexts);
      expect(all(packed)).not.toContain(IN.file);
    }
    // The same words inside of it are shown.
    own.put({ 'inside.txt': `KEY=${IN.file}\n` });
    const packed = await own.pack({ base: at, tree: own.written(), targets: ['inside.txt'] }, contexts);
    expect(packed.text).toContain(IN.file);
  } finally {
    own.end();
  }
});
