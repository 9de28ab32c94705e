/**
 * How much of what a commit touched would have been in the context: `node bench/recall/main.ts --repo DIR --commits FILE`.
 * The tree, and the history, are those before the commit.
 */
import { parseArgs } from 'node:util';
import { type Case, openCase, readCommits } from './cases.ts';
import type { Commit } from './make-list.ts';
import { KINDS, type Kind, measure, measurePacket, type PacketFigures, type Recall } from './measure.ts';
import { ordersOf, WAYS, type Way } from './orders.ts';
import { Packets } from './packet.ts';
import { Repository } from './repository.ts';
import { intervalOf, mean } from './statistics.ts';

const { values } = parseArgs({
  options: {
    ...{ repo: { type: 'string' }, commits: { type: 'string' }, limit: { type: 'string', default: '1000000' } },
    ...{ split: { type: 'string', default: 'all' }, json: { type: 'boolean', default: false } },
    packet: { type: 'string' },
  },
});
if (values.repo === undefined || values.commits === undefined) {
  process.stderr.write(
    'say which repository and which commits: --repo DIR --commits FILE [--limit N] [--split test|dev|all] [--packet STRATEGY,…] [--json]\n',
  );
  process.exit(2);
}

const repository = new Repository(values.repo);
const commits = readCommits(values.commits, values.split, Number(values.limit));
const skipped: string[] = [];
const began = performance.now();

if (values.packet === undefined) await measureOrders();
else await measurePackets(values.packet.split(','));
repository.close();

async function measureOrders(): Promise<void> {
  const found = Object.fromEntries(WAYS.map((way) => [way, [] as Recall[]])) as Record<Way, Recall[]>;
  const scanned = { bytes: 0, ms: 0 };
  for await (const one of measured((commit) => openCase(repository, commit))) {
    scanned.bytes += one.scanned.bytes;
    scanned.ms += one.scanned.ms;
    const orders = ordersOf(one);
    for (const way of WAYS) found[way].push(measure(one, orders[way].whole, orders[way].capped));
  }
  const rows = WAYS.map((way) => ({
    way,
    ...Object.fromEntries(KINDS.map((kind) => [kind, figureOf(found[way].map((recall) => recall[kind]))])),
  })) as ({ way: Way } & Record<Kind, Figure>)[];
  const speed = scanned.bytes / 1e3 / Math.max(1, scanned.ms);
  print(found.ranked.length, { scan_mb_per_s: speed, rows }, [
    '| way | whole files | at most 2,500 tokens a file | its changed pieces | 2,500 falling to 600 | its changed pieces |',
    '|---|---|---|---|---|---|',
    ...rows.map((row) => `| ${row.way} | ${KINDS.map((kind) => show(row[kind])).join(' | ')} |`),
    '',
    `Scanned ${(scanned.bytes / 1e6).toFixed(0)} MB at ${speed.toFixed(0)} MB/s.`,
  ]);
}

/** What the product sends by each strategy, for the same commits. */
async function measurePackets(strategies: readonly string[]): Promise<void> {
  const packets = new Packets(await repository.gitDir());
  const found = new Map(strategies.map((strategy) => [strategy, [] as PacketFigures[]]));
  const open = async (commit: Commit): Promise<Pick<Case, 'commit' | 'hunks'> | null> => {
    const tree = await repository.tree(commit.parent);
    if (!tree.some(({ path }) => path === commit.target)) return null;
    return { commit, hunks: await repository.hunks(commit.parent, commit.commit) };
  };
  for await (const one of measured(open))
    for (const [strategy, figures] of found) figures.push(measurePacket(one, await packets.of(one.commit, strategy)));
  const rows = [...found].map(([strategy, figures]) => {
    const tokens = figures.map((one) => one.tokens).sort((a, b) => a - b);
    return {
      strategy,
      named: figureOf(figures.map((one) => one.named)),
      files: figureOf(figures.map((one) => one.files)),
      hunks: figureOf(figures.map((one) => one.hunks)),
      tokens: { mean: mean(tokens), median: tokens[Math.floor(tokens.length / 2)] ?? 0, most: tokens.at(-1) ?? 0 },
      useful: mean(figures.map((one) => one.useful)),
      useful_with_target: mean(figures.map((one) => one.usefulWithTarget)),
    };
  });
  const percent = (share: number) => `${(share * 100).toFixed(0)} %`;
  print(found.get(strategies[0] ?? '')?.length ?? 0, { packets: rows }, [
    '| strategy | named or shown | shown | changed pieces shown | tokens: mean, median, most | in touched files: others, with the target |',
    '|---|---|---|---|---|---|',
    ...rows.map(
      ({ strategy, named, files, hunks, tokens, useful, useful_with_target }) =>
        `| ${strategy} | ${show(named)} | ${show(files)} | ${show(hunks)} | ${tokens.mean.toFixed(0)}, ${tokens.median}, ${tokens.most} | ${percent(useful)}, ${percent(useful_with_target)} |`,
    ),
  ]);
}

/** A shallow or partial copy does not have every commit: what is missing is counted, not guessed. */
async function* measured<T>(open: (commit: Commit) => Promise<T | null>): AsyncIterable<T> {
  for (const [at, commit] of commits.entries()) {
    const one = await open(commit).catch((error: Error) => {
      process.stderr.write(`${commit.commit} is skipped: ${error.message.split('\n')[0]}\n`);
      return null;
    });
    if (one === null) skipped.push(commit.commit);
    else yield one;
    if ((at + 1) % 20 === 0) {
      const seconds = ((performance.now() - began) / 1000).toFixed(0);
      process.stderr.write(`${at + 1} of ${commits.length} commits, ${seconds} s\n`);
    }
  }
}

type Figure = { readonly mean: number; readonly interval: readonly [number, number] };
function figureOf(values: readonly number[]): Figure {
  return { mean: mean(values), interval: intervalOf(values) };
}
function show({ mean, interval: [low, high] }: Figure): string {
  return `${mean.toFixed(3)} [${low.toFixed(2)}, ${high.toFixed(2)}]`;
}

function print(count: number, facts: object, lines: readonly string[]): void {
  const said = `${count} commits measured, ${skipped.length} skipped (the target is not in the tree before the commit, or cannot be read).`;
  const json = { repo: values.repo, measured: count, skipped, ...facts };
  process.stdout.write(`${values.json ? JSON.stringify(json, null, 1) : [said, '', ...lines].join('\n')}\n`);
}
