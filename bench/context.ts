/** (k) Packing context: what it costs a fresh process, against the floor and against a packer without selection. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { rolldown } from 'rolldown';
import { VOCABULARY_FILE } from '../src/hands/context/token-file.ts';
import { packedVocabulary } from '../src/mind/tokens/count.ts';
import { plainBuiltins } from '../tools/plain-builtins.ts';
import type { PackedOnce } from './context-child.ts';
import { makeRepository } from './context-repository.ts';
import { prepareRepomix } from './peers/repomix.ts';
import type { Finding, Row } from './support.ts';
import * as bench from './support.ts';

const SIZES = [3000, 7000, 30_000];
const ROUNDS = 7;
const WARM = 7;
/** Tasks that were packed before. */
const OTHERS = 5;
/** From the cache, and with nothing in it. */
const STORED = { floor: 3, peer: 0.5 };
const FIRST = { floor: 5, peer: 1 };
const MOST = { bytes: 250e6, warmMs: 50 };

export const context: Row = {
  name: 'k',
  title:
    'packing 25,000 tokens of context for a task in a fresh process, as it is shipped (bundled); processor time with that of its children, the least of seven rounds in turns; with what other processes stored in the cache while they packed other tasks (listing, history, kinds of files), and the first time ever; BENCH_REPOS=DIR,… for checkouts of your own',
  async run() {
    return bench.inDirectory(async (dir) => {
      const programs = await bundled(join(dir, 'programs'));
      const given = process.env['BENCH_REPOS']?.split(',') ?? [];
      const peer = prepareRepomix();
      const findings: Finding[] = [];
      for (const at of given) findings.push(...(await measured(basename(at), at, programs, peer, dir)));
      for (const size of given.length > 0 ? [] : SIZES) {
        const repository = join(dir, `files-${size}`);
        await makeRepository(repository, size);
        findings.push(...(await measured(`${size.toLocaleString('en')} files`, repository, programs, peer, dir)));
      }
      return findings;
    });
  },
};

/** The children as single programs: reading types away takes longer than packing does. */
async function bundled(out: string): Promise<string> {
  const input = Object.fromEntries(
    ['context-child', 'context-floor-child'].map((name) => [name, join(bench.ROOT, 'bench', `${name}.ts`)]),
  );
  const build = await rolldown({ cwd: bench.ROOT, input, platform: 'node', logLevel: 'silent' });
  await build.write({ dir: out, format: 'esm', entryFileNames: '[name].js', plugins: [plainBuiltins] });
  await build.close();
  writeFileSync(join(out, VOCABULARY_FILE), await packedVocabulary());
  writeFileSync(join(out, 'package.json'), '{"type":"module"}');
  mkdirSync(join(out, 'strategies'));
  const strategy = 'implementer_full.yaml';
  copyFileSync(join(bench.ROOT, 'templates', 'strategies', strategy), join(out, 'strategies', strategy));
  return out;
}

async function measured(
  name: string,
  repository: string,
  programs: string,
  peer: { readonly directory: string } | string,
  scratch: string,
): Promise<Finding[]> {
  const [task = [], ...others] = newestChanges(repository);
  const program = join(programs, 'context-child.js');
  const named = (name: string) => join(scratch, `${name}-${basename(repository)}`);
  const own = (again: number, cacheDir: string, of = task) =>
    started([program, repository, join(programs, 'strategies'), `${again}`, ...of, cacheDir], {}, scratch);
  // Other tasks at the same commit: of this task nothing is stored.
  for (const other of others) own(1, named('kept'), other);
  const floors: Usage[] = [];
  const [firsts, colds]: [Usage[], Usage[]] = [[], []];
  const theirs: { readonly kept: Usage[]; readonly first: Usage[] } = { kept: [], first: [] };
  const { files, tokens, warmMs }: PackedOnce = JSON.parse(own(WARM, named('warm')).printed);
  for (let round = 0; round < ROUNDS; round += 1) {
    floors.push(started([join(programs, 'context-floor-child.js'), repository], {}, scratch));
    const kept = named(`round-${round}`);
    cpSync(named('kept'), kept, { recursive: true, preserveTimestamps: true });
    colds.push(own(0, kept));
    firsts.push(own(0, named(`none-${round}`)));
    if (typeof peer === 'string') continue;
    const packed = (cache: string) => repomix(peer.directory, repository, files, scratch, cache);
    theirs.kept.push(packed(named('theirs')));
    theirs.first.push(packed(named(`theirs-${round}`)));
  }
  const warm = bench.median(warmMs);
  const what = `${name}: ${files.length} files, ${tokens} tokens`;
  return [
    ...against(`${what}: from the cache`, STORED, colds, floors, theirs.kept, String(peer)),
    ...against(`${what}: first time ever`, FIRST, firsts, floors, theirs.first, String(peer)),
    {
      what: `${what}: the next packet of the same process`,
      measured: bench.ms(warm),
      ...{ ratio: bench.times(warm / MOST.warmMs), goal: `under ${MOST.warmMs} ms` },
      ...bench.withinLimit(warm, MOST.warmMs),
    },
  ];
}

function against(
  what: string,
  goal: { readonly floor: number; readonly peer: number },
  ours: readonly Usage[],
  floors: readonly Usage[],
  theirs: readonly Usage[],
  noPeer: string,
): Finding[] {
  const [own, floor] = [least(ours), least(floors)];
  const bytes = Math.max(...ours.map((one) => one.bytes));
  const theirBytes = Math.max(...theirs.map((one) => one.bytes));
  return [
    {
      what: `${what}: against list, read and look once`,
      measured: `${bench.ms(own)} against ${bench.ms(floor)}`,
      ...ratio(own / floor, goal.floor),
    },
    theirs.length === 0
      ? {
          ...{ what: `${what}: against repomix`, measured: 'not measured', ratio: '', goal: `at most ${goal.peer}x` },
          ...{ ok: null, note: noPeer },
        }
      : {
          what: `${what}: against \`repomix --stdin\` with those files`,
          measured: `${bench.ms(own)} against ${bench.ms(least(theirs))}`,
          ...ratio(own / least(theirs), goal.peer),
        },
    {
      what: `${what}: most memory`,
      measured: `${(bytes / 1e6).toFixed(0)} MB${theirs.length === 0 ? '' : ` (repomix ${(theirBytes / 1e6).toFixed(0)} MB)`}`,
      ...{ ratio: bench.times(bytes / MOST.bytes), goal: 'under 250 MB', ok: bytes < MOST.bytes },
    },
  ];
}

/**
 * The newest commit, what it says as the task, and the first file it changed as the one to work on; then the same of some
 * changes before it, as tasks at that commit too.
 */
function newestChanges(repository: string): string[][] {
  const git = (...args: string[]) =>
    spawnSync('git', ['-C', repository, ...args], { encoding: 'utf8' })
      .stdout.trim()
      .split('\n');
  const changes = git('log', `-${1 + OTHERS}`, '--no-merges', '--format=%H %s').map((line) => line.split(/ (.*)/));
  const base = changes[0]?.[0] ?? '';
  return changes.map(([commit = '', text = '']) => {
    const [target = ''] = git(
      ...['diff-tree', '-r', '--root', '--no-commit-id', '--name-only', '--diff-filter=AM', commit],
    );
    return [base, text, target];
  });
}

const ratio = (value: number, most: number): Pick<Finding, 'ratio' | 'goal' | 'ok'> => ({
  ...{ ratio: bench.times(value), goal: `at most ${most}x`, ok: value <= most },
});

/** Processor time and the most memory of a process; the time with that of all children it waited for. */
type Usage = { readonly ms: number; readonly bytes: number; readonly printed: string };
const least = (all: readonly Usage[]): number => Math.min(...all.map(({ ms }) => ms));

/**
 * Every side tells in the same way what it took, at its very end. Not by `maxRSS`, which begins with the memory of whoever
 * started the process.
 */
const TELL = `data:text/javascript,${encodeURIComponent(`
import { readFileSync, writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
const to = process.env.BENCH_USAGE;
delete process.env.BENCH_USAGE;
if (isMainThread && to) process.on('exit', () => {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1).split(' ');
  const { userCPUTime, systemCPUTime } = process.resourceUsage();
  const bytes = Number(/VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]) * 1024;
  const children = (Number(fields[13]) + Number(fields[14])) * 10;
  writeFileSync(to, JSON.stringify({ ms: (userCPUTime + systemCPUTime) / 1e3 + children, bytes }));
});`)}`;

function started(
  args: readonly string[],
  options: { cwd?: string; input?: string; env?: object },
  scratch: string,
): Usage {
  const usage = join(scratch, 'usage.json');
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', TELL, ...args], {
    ...{ encoding: 'utf8', maxBuffer: 1 << 28, cwd: options.cwd ?? scratch, timeout: 600_000 },
    ...(options.input === undefined ? {} : { input: options.input }),
    env: {
      PATH: process.env['PATH'],
      ...{ HOME: scratch, TMPDIR: scratch, BENCH_USAGE: usage },
      // As our entry has it; all sides get it.
      NODE_COMPILE_CACHE: join(scratch, 'compiled'),
      ...options.env,
    },
  });
  if (status !== 0) throw new Error(`${basename(args[0] ?? '')} ended with ${status}: ${stderr.slice(-2000)}`);
  return { ...JSON.parse(readFileSync(usage, 'utf8')), printed: stdout };
}

/** `cache`: where it keeps what it counted, as we do. */
function repomix(
  directory: string,
  repository: string,
  files: readonly string[],
  scratch: string,
  cache: string,
): Usage {
  const program = join(directory, 'node_modules', 'repomix', 'bin', 'repomix.cjs');
  const args = [program, '--stdin', '--quiet', '--output', join(scratch, 'repomix.xml')];
  const env = { REPOMIX_TOKEN_CACHE_PATH: join(cache, 'counts.json') };
  return started(args, { cwd: repository, input: `${files.join('\n')}\n`, env }, scratch);
}
