/** Makes a list of commits to measure on: `node bench/recall/make-list.ts --repo DIR --name NAME [--count 200]`. */
import { createHash } from 'node:crypto';
import { parseArgs } from 'node:util';
import { isCode } from '../../src/mind/code/languages.ts';
import { Repository } from './repository.ts';

export type Commit = {
  readonly repo: string;
  readonly commit: string;
  readonly parent: string;
  readonly time: number;
  readonly target: string;
  readonly message: string;
  /** Files it changed or removed besides the target, and files that it made: those cannot be found before. */
  readonly others: readonly string[];
  readonly added: readonly string[];
  readonly split: 'dev' | 'test';
};

/** Changed by a tool or with every change: nobody needs them found. */
const NOISE =
  /(?:^|\/)(?:package-lock\.json|yarn\.lock|pnpm-lock\.yaml|Cargo\.lock|go\.sum|poetry\.lock|uv\.lock|CHANGELOG[^/]*|CHANGES[^/]*|HISTORY\.md|RELEASE[-_]?NOTES[^/]*)$|\.(?:lock|snap|min\.js|map|svg|png|jpe?g|gif|ico|woff2?|po|mo|pb\.go)$|(?:^|\/)(?:node_modules|vendor|dist|__snapshots__|generated)\//i;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { repo: { type: 'string' }, name: { type: 'string' }, count: { type: 'string', default: '200' } },
  });
  if (values.repo === undefined) throw new Error('say which repository: --repo DIR');
  const repository = new Repository(values.repo);
  const log = await repository.git([
    ...['log', 'HEAD', '--no-merges', '--no-renames', '--name-status', '-n', '20000'],
    '--format=%x01%H%x00%P%x00%ct%x00%B%x00',
  ]);
  const found: Omit<Commit, 'split'>[] = [];
  for (const record of log.split('\u0001').slice(1)) {
    if (found.length >= Number(values.count)) break;
    const commit = commitOf(record, values.name ?? 'repository');
    if (commit !== null) found.push(commit);
  }
  const half = Math.ceil(found.length / 2);
  const list = found.map((commit, at): Commit => ({ ...commit, split: at < half ? 'test' : 'dev' }));
  process.stdout.write(`${JSON.stringify(list, null, 1)}\n`);
  repository.close();
}

function commitOf(record: string, repo: string): Omit<Commit, 'split'> | null {
  const [commit = '', parents = '', time = '0', message = '', files = ''] = record.split('\0');
  if (parents === '' || parents.includes(' ')) return null;
  const changes = files.split('\n').flatMap((line) => {
    const [status = '', path = ''] = line.split('\t');
    return path === '' || NOISE.test(path) ? [] : [{ status, path }];
  });
  if (changes.length < 2 || changes.length > 8) return null;
  const code = changes.filter(({ status, path }) => status === 'M' && isCode(path)).map(({ path }) => path);
  if (code.length === 0) return null;
  const chosen = createHash('sha256').update(commit).digest().readUInt32BE(0) % code.length;
  const target = code.sort()[chosen]!;
  const added = changes.filter(({ status }) => status === 'A').map(({ path }) => path);
  const others = changes.map(({ path }) => path).filter((path) => path !== target && !added.includes(path));
  if (others.length === 0) return null;
  return { repo, commit, parent: parents, time: Number(time), target, message: cleaned(message), others, added };
}

/** As a person would put the task: without trailers and numbers of requests. */
function cleaned(message: string): string {
  const lines = message.split('\n').filter((line) => !/^[A-Za-z-]+-by: |^Change-Id: |^\(cherry picked/i.test(line));
  return lines
    .join('\n')
    .replace(/\s*\(#\d+\)/g, '')
    .trim()
    .slice(0, 2000);
}

if (import.meta.main) await main();
