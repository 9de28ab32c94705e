/**
 * How much of what a commit touched would have been in the context: `node bench/recall/main.ts --repo DIR --commits FILE`.
 * The tree, and the history, are those before the commit.
 */
import { parseArgs } from 'node:util';
import { openCase, readCommits } from './cases.ts';
import { KINDS, type Kind, measure, measurePacket, type Recall } from './measure.ts';
import { ordersOf, WAYS, type Way } from './orders.ts';
import { Packets } from './packet.ts';
import { Repository } from './repository.ts';
import { intervalOf, mean } from './statistics.ts';

const { values } = parseArgs({
  options: {
    ...{ repo: { type: 'string' }, commits: { type: 'string' }, limit: { type: 'string', default: '1000000' } },
    ...{ split: { type: 'string', default: 'all' }, json: { type: 'boolean', default: false } },
    packet: { type: 'boolean', default: false },
  },
});
if (values.repo === undefined || values.commits === undefined) {
  process.stderr.write(
    'say which repository and which commits: --repo DIR --commits FILE [--limit N] [--split test|dev|all] [--packet] [--json]\n',
  );
  process.exit(2);
}

const repository = new Repository(values.repo);
const commits = readCommits(values.commits, values.split, Number(values.limit));
const found = Object.fromEntries(WAYS.map((way) => [way, [] as Recall[]])) as Record<Way, Recall[]>;
const packets = values.packet ? new Packets(await repository.gitDir()) : null;
const packed: ReturnType<typeof measurePacket>[] = [];
const skipped: string[] = [];
const scanned = { bytes: 0, ms: 0 };
const began = performance.now();
for (const [at, commit] of commits.entries()) {
  // A shallow or partial copy does not have every commit: what is missing is counted, not guessed.
  const one = await openCase(repository, commit).catch((error: Error) => {
    process.stderr.write(`${commit.commit} is skipped: ${error.message.split('\n')[0]}\n`);
    return null;
  });
  if (one === null) {
    skipped.push(commit.commit);
    continue;
  }
  scanned.bytes += one.scanned.bytes;
  scanned.ms += one.scanned.ms;
  const orders = ordersOf(one);
  for (const way of WAYS) found[way].push(measure(one, orders[way].whole, orders[way].capped));
  if (packets !== null) packed.push(measurePacket(one, await packets.of(commit)));
  if ((at + 1) % 20 === 0) {
    const seconds = ((performance.now() - began) / 1000).toFixed(0);
    process.stderr.write(`${at + 1} of ${commits.length} commits, ${seconds} s\n`);
  }
}
repository.close();

type Figure = { readonly mean: number; readonly interval: readonly [number, number] };
const figureOf = (values: readonly number[]): Figure => ({ mean: mean(values), interval: intervalOf(values) });
const rows = WAYS.map((way) => ({
  way,
  ...Object.fromEntries(KINDS.map((kind) => [kind, figureOf(found[way].map((recall) => recall[kind]))])),
})) as ({ way: Way } & Record<Kind, Figure>)[];
const packet = {
  files: figureOf(packed.map(({ files }) => files)),
  hunks: figureOf(packed.map(({ hunks }) => hunks)),
};

if (values.json) {
  const speed = scanned.bytes / 1e3 / Math.max(1, scanned.ms);
  const measured = found.ranked.length;
  process.stdout.write(
    `${JSON.stringify({ repo: values.repo, measured, skipped, scan_mb_per_s: speed, rows, ...(packets && { packet }) }, null, 1)}\n`,
  );
} else {
  const show = ({ mean, interval: [low, high] }: Figure) =>
    `${mean.toFixed(3)} [${low.toFixed(2)}, ${high.toFixed(2)}]`;
  const n = found.ranked.length;
  const lines = [
    `${n} commits measured, ${skipped.length} skipped (the target is not in the tree before the commit, or cannot be read).`,
    '',
    '| way | whole files | at most 2,500 tokens a file | its changed pieces | 2,500 falling to 600 | its changed pieces |',
    '|---|---|---|---|---|---|',
    ...rows.map((row) => `| ${row.way} | ${KINDS.map((kind) => show(row[kind])).join(' | ')} |`),
    '',
    ...(packets ? [`The packet: files ${show(packet.files)}, their changed pieces ${show(packet.hunks)}.`] : []),
    `Scanned ${(scanned.bytes / 1e6).toFixed(0)} MB at ${(scanned.bytes / 1e3 / Math.max(1, scanned.ms)).toFixed(0)} MB/s.`,
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}
