/** `supervisor export` and `verify FILE`: evidence that others check without the log, and every way to tamper with it. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkBundle } from '../../src/app/evidence/check-bundle.ts';
import { sha256 } from '../../src/kernel/hash.ts';
import { canonicalJson } from '../../src/kernel/json.ts';
import { type Bundle, bundleText, headOf, type Member, readBundle } from '../../src/mind/bundle/format.ts';
import { ENTRY, World } from '../support/cli.ts';

const SCRIPT = `steps:
  implement:
    - {files: {a.txt: "wrong\\n"}}
    - {files: {a.txt: "two\\n", b.txt: "new\\n"}}
`;

async function exported(world: World, more: readonly string[] = []) {
  world.commit({ 'a.txt': 'one\n' });
  const script = world.file('s.yaml', SCRIPT);
  const gate = 'tests=grep -q two a.txt';
  const { task_id } = await world.json<{ task_id: string }>(['run', 'make it two', '--script', script, '--gate', gate]);
  const file = join(world.dir, 'evidence');
  const told = await world.json(['export', task_id, '--out', file, ...more]);
  return { file, task_id, told };
}

/** The command line in a directory that is no repository, with a state of its own. */
function elsewhere(world: World, args: readonly string[]): { code: number | null; stdout: string } {
  const dir = join(world.dir, 'elsewhere');
  mkdirSync(dir);
  const env = { PATH: process.env['PATH'] ?? '', HOME: dir, SUPERVISOR_HOME: dir };
  const { status, stdout } = spawnSync(process.execPath, [ENTRY, ...args], { cwd: dir, env, encoding: 'utf8' });
  return { code: status, stdout };
}

/** A line of a bundle, its members, and the head made anew: how somebody who knows the format would change it. */
async function rewritten(file: string, change: (members: Member[]) => Member[]): Promise<Bundle> {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  const [first = '', ...rest] = lines;
  const { task, title, made } = JSON.parse(first) as { task: string; title: string; made: number };
  const members = change(rest.map((line) => JSON.parse(line) as Member));
  const read = await readBundle(linesOf(bundleText(headOf({ task, title, made }, members), members, null)));
  if (typeof read === 'string') throw new Error(read);
  return read;
}

async function* linesOf(text: string): AsyncGenerator<string> {
  yield* text.split('\n').slice(0, -1);
}

describe('evidence of a task', () => {
  test('is checked in a directory without repository and log, and says what it does not prove', async () => {
    using world = new World();
    const { file, task_id, told } = await exported(world);
    expect(told).toMatchObject({ task_id, file, signed_by: null });
    const { code, stdout } = elsewhere(world, ['verify', file]);
    expect(stdout).toContain(`✓ ${task_id}  make it two`);
    expect(stdout).toContain('who wrote it, unless it is signed');
    expect(code).toBe(0);
    const shown = await world.json(['show', task_id]);
    const found = await world.json<{ report: Record<string, unknown> }>(['verify', file]);
    for (const key of ['status', 'change_id', 'commit', 'verdict', 'steps', 'cost'])
      expect(found.report[key]).toEqual((shown as Record<string, unknown>)[key]);
    const again = await world.run(['export', task_id, '--out', file]);
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('is there already')]);
    // No evidence at all is no damaged evidence.
    const missing = await world.run(['verify', join(world.dir, 'none')]);
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('there is no file')]);
  });

  test('every changed byte is noticed, and so is every cut', async () => {
    using world = new World();
    const { file } = await exported(world);
    const bytes = readFileSync(file);
    const read = (text: Buffer) => {
      const content = text.toString('latin1');
      if (!content.endsWith('\n')) return 'the last line has no end';
      return readBundle(linesOf(Buffer.from(content, 'latin1').toString('utf8')));
    };
    expect(typeof (await read(bytes))).toBe('object');
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), async (at, by) => {
        const changed = Buffer.from(bytes);
        changed[at] = ((changed[at] as number) + by) & 255;
        expect(typeof (await read(changed))).toBe('string');
        expect(typeof (await read(bytes.subarray(0, at)))).toBe('string');
      }),
      { numRuns: 400 },
    );
    writeFileSync(file, bytes.subarray(0, bytes.length - 1));
    expect((await world.run(['verify', file])).code).toBe(1);
  });

  test('an edit by a person who recomputes all hashes of the file is still refused', async () => {
    using world = new World();
    const { file } = await exported(world);
    const problemsAfter = async (change: (members: Member[]) => Member[]) =>
      checkBundle(await rewritten(file, change)).problems.join('; ');
    const edit = (name: string, what: (content: string) => string) => (members: Member[]) =>
      members.map((one) => (one.name === name ? { name, content: what(one.content) } : one));

    expect(await problemsAfter((members) => members)).toBe('');
    expect(await problemsAfter(edit('events', (all) => all.replace('"status":"fail"', '"status":"pass"')))).toContain(
      'does not match its hash',
    );
    const without = (all: string) => all.split('\n').toSpliced(2, 1).join('\n');
    expect(await problemsAfter(edit('events', without))).toContain('event number 3 of the task is missing');
    expect(await problemsAfter(edit('report', (all) => all.replace('"accepted"', '"rejected"')))).toContain(
      'the report does not follow from the events',
    );
    expect(await problemsAfter(edit('workflow', (all) => all.replace('"implement"', '"implemented"')))).toContain(
      'the workflow is not the one',
    );
    expect(await problemsAfter(edit('change/raw', (all) => all.replace('a.txt', 'c.txt')))).toContain(
      'the change is not the one that was judged',
    );
    expect(await problemsAfter(edit('change/files', (all) => all.replace('two\\n', 'six\\n')))).toContain(
      'is not what git knows by',
    );
    const someText = (members: Member[]) => members.find(({ name }) => name.startsWith('text/'))?.name ?? '';
    expect(await problemsAfter((members) => edit(someText(members), (all) => `${all} `)(members))).toContain(
      'is not what an event names',
    );
    expect(await problemsAfter((members) => members.filter(({ name }) => name !== someText(members)))).toContain(
      'is named by an event and is not here',
    );
    const other = { name: `text/${sha256('x')}`, content: 'x' };
    expect(await problemsAfter((members) => [...members, other])).toContain('belongs to nothing in this task');
  });

  test.each([
    ['absent', '[null]'],
    ['workflow', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
    ['landing/events', '{"before":"x","event":{"hash":"y"}}'],
  ])('a bundle with something else in the place of %s is refused with a sentence', async (name, content) => {
    using world = new World();
    const { file } = await exported(world);
    const { problems } = checkBundle(
      await rewritten(file, (members) => [...members.filter((one) => one.name !== name), { name, content }]),
    );
    expect(problems).toEqual([expect.stringContaining('a member is not what `supervisor export` writes: ')]);
  });

  test('two bundles mixed, or one under the name of another task, are refused', async () => {
    using world = new World();
    const { file } = await exported(world);
    const second = join(world.dir, 'second');
    const script = world.file('t.yaml', 'steps: {implement: [{files: {c.txt: "three\\n"}}]}\n');
    const { task_id } = await world.json<{ task_id: string }>(['run', 'c', '--script', script, '--gate', 'tests=true']);
    await world.json(['export', task_id, '--out', second]);
    const [a, b] = [file, second].map((one) => readFileSync(one, 'utf8').split('\n'));
    writeFileSync(file, [a?.[0], ...(b ?? []).slice(1)].join('\n'));
    const { code, stdout } = await world.run(['verify', file]);
    expect([code, stdout]).toEqual([1, expect.stringContaining('was changed')]);
    const events = JSON.parse(a?.[1] ?? '') as Member;
    const mixed = await rewritten(second, (members) => members.map((one) => (one.name === 'events' ? events : one)));
    expect(checkBundle(mixed).problems.join()).toContain('belongs to task/');
  });

  test('secrets are out of it; a file that held one is named as not proven', async () => {
    using world = new World();
    const token = ['ghp', 'R4nd0mT0kenValue0123456789abcdefABCD'].join('_');
    world.commit({ 'a.txt': `key: ${token}\n` });
    const script = world.file('s.yaml', `steps: {implement: [{files: {a.txt: "key: ${token}\\nmore: 1\\n"}}]}\n`);
    const { task_id } = await world.json<{ task_id: string }>(['run', 'x', '--script', script, '--gate', 'tests=true']);
    const file = join(world.dir, 'evidence');
    await world.json(['export', task_id, '--out', file]);
    expect(readFileSync(file, 'utf8')).not.toContain(token);
    const { does_not_prove } = await world.json<{ does_not_prove: string[] }>(['verify', file]);
    expect(does_not_prove).toContain('a.txt (redacted)');
  });

  test('a signature names who stands behind it; another key, another name and a removed signer are refused', async () => {
    using world = new World();
    const key = join(world.dir, 'key');
    const other = join(world.dir, 'other');
    for (const one of [key, other]) execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', one]);
    const { file } = await exported(world, ['--sign', key, '--as', 'ana@example.com']);
    const line = (who: string, of: string) =>
      `${who} namespaces="supervisor-evidence@1" ${readFileSync(`${of}.pub`, 'utf8')}`;
    const verify = (text: string) => world.run(['verify', file, '--signers', world.file('signers', text)]);
    const good = await verify(line('ana@example.com', key));
    expect([good.code, good.stdout]).toEqual([0, expect.stringContaining('ana@example.com signed it')]);
    expect((await verify(line('ana@example.com', other))).code).toBe(1);
    expect((await verify(line('eve@example.com', key))).code).toBe(1);
    expect((await verify('')).code).toBe(1);
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    const last = JSON.parse(lines.at(-1) ?? '') as { by: string; signature: string };
    const forged = [...lines.slice(0, -1), canonicalJson({ ...last, by: 'ben@example.com' })].join('\n');
    writeFileSync(file, `${forged}\n`);
    expect((await verify(line('ben@example.com', key))).code).toBe(1);
    expect((await world.run(['verify', file])).code).toBe(1);
  });
});

describe('show --html', () => {
  test('writes one page without scripts or addresses; text of a worker stays text', async () => {
    using world = new World();
    world.commit({ 'a.txt': 'one\n' });
    const bad = '<img src=x onerror=alert(1)>';
    const script = world.file('s.yaml', `steps: {implement: [{files: {a.txt: "two ${bad}\\n"}}]}\n`);
    const gate = 'tests=echo "a.txt:1: looked at"; grep -q two a.txt';
    const { task_id } = await world.json<{ task_id: string }>(['run', `x ${bad}`, '--script', script, '--gate', gate]);
    const file = join(world.dir, 'page.html');
    const { code, stdout } = await world.run(['show', task_id, '--html', file]);
    expect([code, stdout]).toEqual([0, expect.stringContaining('open it in a browser')]);
    const page = readFileSync(file, 'utf8');
    expect(page).toContain('&lt;img src=x onerror=alert(1)&gt;');
    expect(page).not.toMatch(/<script|<img|<link|https?:\/\/|onerror=alert\(1\)>/);
    for (const part of ['What was asked', 'Steps', 'Checks', 'What happened', 'What workers said', 'The change'])
      expect(page).toContain(`<h2>${part}</h2>`);
    expect(page).toContain('<b>tests</b> a.txt:1: looked at');
    expect(page).toContain('default-src &#39;none&#39;'.replaceAll('&#39;', "'"));
  });
});
