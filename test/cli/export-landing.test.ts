/** Evidence of a task that has landed: what is checked without the log and the repository, and every way to tamper with it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkBundle } from '../../src/app/evidence/check-bundle.ts';
import { gitObjectId } from '../../src/kernel/hash.ts';
import { type Bundle, bundleText, headOf, MAX_LINE, type Member, readBundle } from '../../src/mind/bundle/format.ts';
import { looseObject, treeDiff } from '../../src/mind/bundle/git-objects.ts';
import { textLines } from '../../src/os/files/text-lines.ts';
import { accepted, ENV } from '../real/task.ts';
import { World } from '../support/cli.ts';

const LINES = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'];
const text = (lines: readonly string[]): string => `${lines.join('\n')}\n`;
const GATE = ['--gate', 'tests=! grep -q broken src/deep/a.txt'];
const CHANGE = { 'src/deep/a.txt': text(['right', ...LINES.slice(1)]), 'src/new.txt': 'new\n', 'old.txt': null };

const world = new World();
const files = new Map<string, string>();
const read = (file: string) => readBundle(textLines(file, { maxLine: MAX_LINE, maxBytes: 1 << 28 }));

async function bundle(name: string): Promise<Bundle> {
  const found = await read(files.get(name) ?? '');
  if (typeof found === 'string') throw new Error(found);
  return found;
}

async function exported(name: string, task: string): Promise<void> {
  const file = join(world.dir, `${name}.evidence`);
  await world.json(['export', task, '--out', file]);
  files.set(name, file);
}

async function landed(name: string, task: string, ...more: string[]): Promise<void> {
  const { code, stderr } = await world.run(['land', task, '--yes', ...more], ENV);
  expect(code, stderr).toBe(0);
  await exported(name, task);
}

beforeAll(async () => {
  const start = { 'src/deep/a.txt': text(LINES), 'src/b.txt': 'two\n', 'old.txt': 'old\n', 'src.txt': 'x\n' };
  world.commit(start);
  const { task_id: task, base } = await accepted(world, [{ files: CHANGE }], GATE);
  await exported('accepted', task);
  for (const name of ['beside', 'both', 'merged']) world.git('branch', name, base);
  const onBranch = (name: string, path: string, content: string) => {
    world.git('checkout', '-q', name);
    world.commit({ [path]: content });
    world.git('checkout', '-q', 'main');
  };
  onBranch('beside', 'src/b.txt', 'of somebody else\n');
  onBranch('both', 'src/deep/a.txt', text([...LINES.slice(0, 7), 'EIGHT']));
  await landed('beside', task, '--onto', 'beside');
  await landed('both', task, '--onto', 'both');
  await landed('merged', task, '--onto', 'merged', '--as', 'merge');
  await landed('landed', task);
  const undone = await world.run(['undo', task, '--json'], ENV);
  expect(undone.code, undone.stderr).toBe(0);
  const { task_id: undo } = JSON.parse(undone.stdout) as { task_id: string };
  await landed('undo', undo);
  await exported('undone', task);
}, 240_000);
afterAll(() => world[Symbol.dispose]());

describe('the proof', () => {
  test('an accepted task: its commit holds the judged tree, and changes what is shown', async () => {
    const { problems, proves } = checkBundle(await bundle('accepted'));
    expect(problems).toEqual([]);
    expect(proves.join('\n')).toMatch(/commit [0-9a-f]{12} by .+ <.+> holds the tree that was judged, on top of /);
    expect(proves.join('\n')).toMatch(/commit [0-9a-f]{12} changes the files shown, and no other/);
  });

  test('landed as it was, beside other changes, and together with one in the same file', async () => {
    const plain = checkBundle(await bundle('landed'));
    expect(plain.problems).toEqual([]);
    expect(plain.proves.join('\n')).toMatch(/it landed on main as commit [0-9a-f]{12} by .+: the tree that was judged/);
    expect(plain.proves).toContain('main got exactly the accepted change, and nothing else');
    expect(plain.unproven.join('\n')).toMatch(
      /that main still holds commit [0-9a-f]{12}, and that it was not reverted/,
    );

    const beside = checkBundle(await bundle('beside'));
    expect(beside.problems).toEqual([]);
    expect(beside.proves.join('\n')).toMatch(/it landed on beside as .+: the tree on which tests passed, on top of /);
    expect(beside.proves).toContain('beside got exactly the accepted change, and nothing else');

    const both = checkBundle(await bundle('both'));
    expect(both.problems).toEqual([]);
    expect(both.proves).toContain('both got changes in files of the accepted change only');
    expect(both.unproven).toContain('that src/deep/a.txt was merged as git does: both had changed them too');
  });

  test('as a merge: a commit of its own, whose first parent is the branch', async () => {
    const merged = checkBundle(await bundle('merged'));
    expect(merged.problems).toEqual([]);
    expect(merged.proves).toContain('merged got exactly the accepted change, and nothing else');
    expect(merged.proves.join('\n')).toMatch(/it landed on merged as commit [0-9a-f]{12} by/);
  });

  test('the task that took it back has landed, too; the first one does not claim to be there still', async () => {
    const undo = checkBundle(await bundle('undo'));
    expect([undo.problems, undo.proves.join('\n')]).toEqual([
      [],
      expect.stringContaining('it landed on main as commit'),
    ]);
    const undone = checkBundle(await bundle('undone'));
    expect([undone.problems, undone.unproven.join('\n')]).toEqual([[], expect.stringContaining('it was not reverted')]);
  });

  test('the command line says so where there is no log', async () => {
    const { code, stdout } = await world.run(['verify', files.get('both') ?? '']);
    expect([code, stdout]).toEqual([0, expect.stringContaining('it landed on both as commit')]);
  });

  test('the trees say what git says that changed, directories that became files too', async () => {
    const before = world.git('rev-parse', 'HEAD^{tree}');
    world.git('rm', '-rq', 'src', 'src.txt');
    world.commit({ src: 'a file now\n', 'src-1/x': '1\n', 'src.txt/deep/y': '2\n' }, 'turn');
    const after = world.git('rev-parse', 'HEAD^{tree}');
    const objects = new Map<string, string>();
    let found = treeDiff(objects, before, after);
    while (found.missing.length > 0) {
      for (const id of found.missing) objects.set(id, looseObject('tree', rawTree(id)));
      found = treeDiff(objects, before, after);
    }
    const form = ['diff-tree', '-r', '-z', '--raw', '--no-renames', '--full-index'];
    expect(found.raw).toBe(world.git(...form, before, after));
    for (const [id, object] of objects) expect(gitObjectId(object)).toBe(id);
  });
});

function rawTree(id: string): string {
  const listed = world.git('ls-tree', '-z', id).split('\0').filter(Boolean);
  return listed
    .map((line) => {
      const [, mode = '', blob = '', name = ''] = /^(\d+) \w+ ([0-9a-f]+)\t(.+)$/.exec(line) ?? [];
      return `${mode.replace(/^0/, '')} ${name}\0${Buffer.from(blob, 'hex').toString('latin1')}`;
    })
    .join('');
}

describe('what is noticed', () => {
  test.each(['accepted', 'both', 'undone'])(
    'every changed byte of every member (%s)',
    async (name) => {
      const file = files.get(name) ?? '';
      const bytes = readFileSync(file);
      expect(typeof (await read(file))).toBe('object');
      const changed = join(world.dir, 'changed');
      const lines = bytes.toString('latin1').split('\n');
      let [at, tried] = [0, 0];
      for (const line of lines.slice(0, -1)) {
        const end = at + line.length + 1;
        // A long line is sampled: its beginning, its end, and some places in between.
        const step = line.length < 700 ? 1 : Math.ceil(line.length / 150);
        for (let n = at; n < end; n += n - at < 60 || end - n < 60 ? 1 : step) {
          const copy = Buffer.from(bytes);
          copy[n] = (bytes[n] as number) ^ (1 << (n % 8));
          writeFileSync(changed, copy);
          tried += 1;
          const found = await read(changed).catch((error: Error) => error.message);
          if (typeof found !== 'string') throw new Error(`byte ${n} of ${name} was changed and nobody noticed`);
        }
        at = end;
      }
      expect(tried).toBeGreaterThan(lines.length * 100);
      for (let cut = 1; cut < lines.length; cut += 1) {
        writeFileSync(changed, `${lines.slice(0, cut).join('\n')}\n`, 'latin1');
        if (cut < lines.length - 1) expect(typeof (await read(changed))).toBe('string');
      }
    },
    240_000,
  );

  const remade = async (name: string, change: (members: Member[]) => Member[]): Promise<string> => {
    const { head, members } = await bundle(name);
    const { task, title, made } = head;
    const now = change([...members].map(([name, content]) => ({ name, content })));
    const text = bundleText(headOf({ task, title, made }, now), now, null);
    const found = await readBundle(linesOf(text));
    if (typeof found === 'string') throw new Error(found);
    return checkBundle(found).problems.join('; ');
  };
  const edit = (of: string, what: (content: string) => string) => (members: Member[]) =>
    members.map(({ name, content }) => ({ name, content: name === of ? what(content) : content }));
  const without = (of: string) => (members: Member[]) => members.filter(({ name }) => name !== of);

  test('an edit by a person who recomputes all hashes of the file', async () => {
    expect(await remade('both', (members) => members)).toBe('');
    expect(
      await remade(
        'both',
        edit('landing/events', (all) => all.replace('"pass"', '"fail"')),
      ),
    ).toContain('does not match its hash');
    expect(await remade('both', without('landing/events'))).toContain('does not say that the task landed as');
    const gated = (all: string) =>
      all
        .split('\n')
        .filter((line) => !line.includes('"line.gated'))
        .join('\n');
    expect(await remade('both', edit('landing/events', gated))).toContain('gate tests did not pass on the tree');
    const commit = (await bundle('both')).members.get('landing/events')?.match(/"commit":"([0-9a-f]{40})"/)?.[1] ?? '';
    const author = (content: string) => content.replace(/author [^<]+/, 'author Eve ');
    expect(await remade('both', edit(`git/${commit}`, author))).toContain('is not what git knows by that name');
    const foreign = looseObject('commit', `tree ${commit}\n\nx\n`);
    const added = { name: `git/${gitObjectId(foreign)}`, content: foreign };
    expect(await remade('both', (members) => [...members, added])).toContain('belongs to nothing in this task');
  });

  test('events and commits of another task, in place of its own or beside them', async () => {
    const other = await bundle('undo');
    const events = other.members.get('landing/events') ?? '';
    expect(
      await remade(
        'landed',
        edit('landing/events', () => events),
      ),
    ).toContain('is not about a landing of task');
    const foreign = [...other.members.keys()].filter((name) => name.startsWith('git/'));
    const mixed = (members: Member[]) => {
      const own = new Set(members.map(({ name }) => name));
      const more = foreign.filter((name) => !own.has(name));
      expect(more.length).toBeGreaterThan(0);
      return [...members, ...more.map((name) => ({ name, content: other.members.get(name) ?? '' }))];
    };
    expect(await remade('landed', mixed)).toContain('belongs to nothing in this task');
  });

  test('a missing commit or tree is no proof: it is named as not proven', async () => {
    const { head, members } = await bundle('landed');
    const commit = members.get('landing/events')?.match(/"commit":"([0-9a-f]{40})"/)?.[1] ?? '';
    const left = [...members]
      .filter(([name]) => name !== `git/${commit}`)
      .map(([name, content]) => ({ name, content }));
    const found = checkBundle({
      head,
      digest: '',
      members: new Map(left.map((one) => [one.name, one.content])),
      signature: null,
    });
    expect(found.unproven.join('\n')).toContain(`what commit ${commit.slice(0, 12)} holds: it is not in the bundle`);
    expect(found.proves.join('\n')).not.toContain('it landed on main as commit');
  });
});

test('it shows who approved the landed change', async () => {
  using asked = new World();
  asked.commit({ 'src/deep/a.txt': text(LINES) });
  const rule = '{conditions: [file_count > 0], action: require_approval, approvers: [leads]}';
  const policy = `approval_gates:\n  high_risk: ${rule}\ngroups: {leads: [${userInfo().username}]}\n`;
  asked.userConfig('{}\n');
  writeFileSync(join(asked.home, '.supervisor', 'approvals.yaml'), policy);
  const script = asked.file(
    's.json',
    JSON.stringify({ steps: { implement: [{ files: { 'src/deep/a.txt': CHANGE['src/deep/a.txt'] } }] } }),
  );
  const ran = await asked.run(['run', 'do it', '--script', script, ...GATE, '--json'], ENV);
  const { task_id: task } = JSON.parse(ran.stdout) as { task_id: string };
  expect((await asked.run(['approve', task], ENV)).code).toBe(0);
  asked.commit({ 'src/deep/a.txt': text([...LINES.slice(0, 7), 'EIGHT']) });
  expect((await asked.run(['land', task, '--yes'], ENV)).code).toBe(3);
  expect((await asked.run(['approve', task, 'land'], ENV)).code).toBe(0);
  const done = await asked.run(['land', task, '--yes'], ENV);
  expect(done.code, done.stderr).toBe(0);
  const file = join(asked.dir, 'e');
  await asked.json(['export', task, '--out', file]);
  const { proves } = await asked.json<{ proves: string[] }>(['verify', file]);
  expect(proves.join('\n')).toContain(`${userInfo().username} approved what landed on main`);
});

async function* linesOf(all: string): AsyncGenerator<string> {
  yield* all.split('\n').slice(0, -1);
}
