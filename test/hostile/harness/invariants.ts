/** What holds of every hostile case, whatever it tried: the operator's things, the record, the machine. */
import { execFileSync } from 'node:child_process';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'vitest';
import { sha256 } from '../../../src/kernel/hash.ts';
import type { World } from '../../support/cli.ts';
import { leftOver } from '../../support/left-over.ts';
import { settled } from '../../support/traces.ts';
import { databases, filesBelow, type Seen } from './seen.ts';

/** Everything of the operator, by path: names, modes, links, contents; with the refs that are not ours. */
export function operatorsThings(world: World): Record<string, string> {
  const found: Record<string, string> = {};
  const note = (path: string) => {
    const stat = lstatSync(path);
    const what = stat.isSymbolicLink() ? readlinkSync(path) : stat.isFile() ? sha256(readFileSync(path, 'latin1')) : '';
    found[path.slice(world.dir.length + 1)] = `${stat.mode.toString(8)} ${stat.uid} ${stat.nlink} ${what}`;
  };
  const walk = (dir: string, skip: (name: string) => boolean = () => false) => {
    for (const name of readdirSync(dir)) {
      if (skip(name)) continue;
      const path = join(dir, name);
      const isDirectory = lstatSync(path).isDirectory();
      if (!isDirectory) note(path);
      else walk(path);
    }
  };
  walk(world.dir, (name) => ['state', 'ledger', 'repository', 'home'].includes(name));
  // What Node made of our own sources.
  walk(world.home, (name) => name === '.cache');
  walk(world.repository, (name) => name === '.git');
  // Objects and our own refs and their logs come in; everything else of the git directory stays.
  walk(join(world.repository, '.git'), (name) => ['objects', 'refs', 'logs', 'packed-refs'].includes(name));
  walk(join(world.repository, '.git/objects/info'), () => false);
  for (const line of world.git('for-each-ref', '--format=%(refname) %(objectname) %(symref)').split('\n'))
    if (!/^refs\/(supervisor\/|heads\/ai\/)/.test(line)) found[`ref ${line.split(' ')[0]}`] = line.trim();
  found['reflog'] = world.git('reflog', '--all', '--format=%H %gD %gs').replace(/^.*refs\/heads\/ai\/.*\n?/gm, '');
  return found;
}

/** Where one of them was found, in clear, base64 or hex; empty: nowhere. */
export function leaks(seen: Seen, ...secrets: readonly string[]): string[] {
  const forms = secrets.flatMap((secret) => {
    const bytes = Buffer.from(secret);
    return [secret, bytes.toString('base64').slice(0, -4), bytes.toString('hex')];
  });
  const has = (text: string) => forms.some((form) => text.includes(form));
  const { world, result } = seen;
  const objects = execFileSync('git', ['cat-file', '--batch-all-objects', '--batch'], {
    cwd: world.repository,
    encoding: 'latin1',
    maxBuffer: 1 << 30,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return [
    ...(has(result.stdout + result.stderr) ? ['what was printed'] : []),
    ...filesBelow(world.state).filter((path) => has(contentOf(path))),
    ...databases(world.state).flatMap((path) => rowsWith(path, has)),
    ...(has(objects) ? ['an object of the repository'] : []),
    ...(has(world.git('for-each-ref')) ? ['a ref'] : []),
  ];
}

/** The trash is emptied in the background, so a file that was listed may be gone. */
function contentOf(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

/** Rows, not pages: a text may be split between two pages of the file. */
function rowsWith(path: string, has: (text: string) => boolean): string[] {
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    const tables = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
    return tables.flatMap(({ name }) =>
      db
        .prepare(`SELECT * FROM "${name}"`)
        .all()
        .filter((row) => Object.values(row).some((value) => has(textOf(value))))
        .map(() => `a row of ${name}`),
    );
  } finally {
    db.close();
  }
}

const textOf = (value: unknown): string =>
  value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value);

/** Bytes that a terminal obeys; tab and line end are allowed. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const OBEYED = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/u;

const ACTORS = ['engine', 'hand', `operator:${userInfo().username}`, 'clock'];

export async function checkInvariants(
  seen: Seen,
  before: Record<string, string>,
  canaries: readonly string[],
): Promise<void> {
  const { world, result, events } = seen;
  expect(operatorsThings(world), 'what belongs to the operator').toEqual(before);
  expect(leaks(seen, ...canaries), 'a canary').toEqual([]);
  expect(`${result.stdout}${result.stderr}`, 'what was printed').not.toMatch(OBEYED);
  for (const transcript of seen.transcripts) expect(transcript, 'a transcript').not.toMatch(OBEYED);
  expect(result.stderr).not.toMatch(/^\s+at .*\.(ts|js):\d+/m);
  expect(seen.connections, 'somebody connected to the host').toBe(0);
  checkProducers(seen);
  expect(events.filter(({ actor }) => !ACTORS.includes(actor))).toEqual([]);
  // A command that is refused before anything starts leaves not even a log.
  const isUntouched = filesBelow(world.state).length === 0;
  expect(await world.health()).toEqual({ findings: isUntouched ? ['no log'] : [], leased: false });
  expect(await settled(() => leftOver(world)), 'what is left over').toEqual([]);
}

/** What was accepted was found good by each of the operator's gates, and is exactly the tree that they looked at. */
function checkProducers(seen: Seen): void {
  const { world, events } = seen;
  const gateEvents = events.filter(({ type }) => type.startsWith('gate.'));
  expect(
    gateEvents.filter(({ actor }) => actor !== 'hand'),
    'gate events',
  ).toEqual([]);
  const branches = world.git('for-each-ref', '--format=%(refname:short)', 'refs/heads/ai').split('\n').join('');
  expect(branches).toBe(seen.branch);
  expect(seen.branch === '').toBe(seen.status !== 'accepted');
  if (seen.status !== 'accepted') return;
  const [produced] = seen.of('attempt.produced').slice(-1);
  const reports = seen.of('gate.reported').filter(({ token }) => token === produced.token);
  expect(reports.map(({ gate, status }) => [gate, status])).toEqual(
    produced.gates.map((gate: string) => [gate, 'pass']),
  );
  for (const { evidence } of reports) expect(seen.blob(evidence)).toContain(`tree: ${produced.candidate.tree}\n`);
  expect(world.git('rev-parse', `${seen.branch}^{tree}`)).toBe(produced.candidate.tree);
  expect(world.git('rev-parse', `${seen.branch}~1`)).toBe(world.git('rev-parse', 'main'));
}
