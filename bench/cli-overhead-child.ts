/** Steps with one real CLI and the same CLI alone, in turns; what it found, as JSON. A process of its own: see as-shipped.ts. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, chmodSync, constants, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Adapter, AdapterCall } from '../src/mind/workers/adapter.ts';
import type { CliConfig } from '../src/mind/workers/cli-config.ts';
import { commitOf, GIT_ENV, git, openSteps, processorMs, repository, type Steps, WORKER } from './real-step.ts';
import type { Finding } from './support.ts';
import * as bench from './support.ts';

export type Compared = {
  readonly cli: string;
  readonly rounds: number;
  readonly base: string;
  readonly model?: string;
};

const FILES = 100;
const GOAL_MS = 300;
const KEY = { variable: 'BENCH_KEY', value: 'sk-opens-nothing' };

async function compare(of: Compared & { dir: string; url: string; bin: string; restMs: number }): Promise<Finding[]> {
  const { dir, url, bin } = of;
  for (const at of [dir, join(dir, '..')]) chmodSync(at, 0o711);
  const repo = repository(dir, FILES);
  const { cli, rounds } = of;
  const base_url = `${url}${of.base}`;
  const written: CliConfig = { base_url, key: KEY.variable, ...(of.model === undefined ? {} : { model: of.model }) };
  const path = `${bin}:${dirname(process.execPath)}:${GIT_ENV.PATH}`;
  const own = await openSteps({
    ...{ dir, repo, cli, clis: { [cli]: written }, gate: 'grep -q hello greeting.txt', path },
    variable: (name) => (name === KEY.variable ? KEY.value : undefined),
    spec: () => ({ version: 1, text: 'write a greeting' }),
    // Or every gate after the first would only be remembered.
    base: (round) => commitOf(repo, round),
  });
  try {
    // The first one only warms everything up, and tells what the worker is given.
    const { packet } = await own.step(0);
    const bare = bareOf({ dir, repo, path, packet, cli, written, steps: own });
    await bare.run();
    const taken = {
      bare: [] as number[],
      worker: [] as number[],
      whole: [] as number[],
      inside: [] as number[],
      parts: new Map<string, number[]>(),
    };
    const processor = { bare: 0, worker: 0, whole: 0 };
    for (let round = 1; round <= rounds; round += 1) {
      await sleep(of.restMs);
      const first = round % 2 === 0 ? await own.step(round) : null;
      const alone = await bare.run();
      const spent = first ?? (await own.step(round));
      taken.bare.push(alone.ms);
      taken.worker.push(spent.parts.get(WORKER) ?? Number.NaN);
      taken.whole.push([...spent.parts.values()].reduce((sum, ms) => sum + ms, 0));
      taken.inside.push(spent.inside);
      for (const [part, ms] of spent.parts) taken.parts.set(part, [...(taken.parts.get(part) ?? []), ms]);
      processor.bare += alone.processor / rounds;
      processor.worker += spent.processorOfWorker / rounds;
      processor.whole += spent.processor / rounds;
    }
    return findingsOf(cli, taken, processor);
  } finally {
    await own.close();
  }
}

function findingsOf(
  cli: string,
  taken: {
    readonly bare: readonly number[];
    readonly worker: readonly number[];
    readonly whole: readonly number[];
    readonly inside: readonly number[];
    readonly parts: ReadonlyMap<string, readonly number[]>;
  },
  processor: { readonly bare: number; readonly worker: number; readonly whole: number },
): Finding[] {
  const bare = bench.median(taken.bare);
  const finding = (what: string, name: 'worker' | 'whole'): Finding => {
    const differences = taken[name].map((ms, n) => ms - taken.bare[n]!);
    const over = bench.median(differences);
    const [least, most] = bench.medianWithin(differences);
    // Nobody is quicker with us than without: then the runs differ more from each other than we take.
    const judged =
      over < 0 ? { ok: null, note: `${cli}: not judged, below what can be told` } : bench.withinLimit(over, GOAL_MS);
    return {
      what: `${cli}: ${what}`,
      measured: `${signed(over)}, between ${signed(least)} and ${signed(most)} (${bench.ms(bench.median(taken[name]))} against ${bench.ms(bare)})`,
      ratio: bench.times(bench.median(taken[name].map((ms, n) => ms / taken.bare[n]!))),
      ...{ goal: `under ${GOAL_MS} ms more`, ...judged },
    };
  };
  const parts = [...[...taken.parts], ['of that inside, our bridge and the CLI,', taken.inside] as const]
    .map(([part, all]) => `${part} ${bench.ms(bench.median(all))}`)
    .join(', ');
  const used = `processor time ${bench.ms(processor.worker)} and ${bench.ms(processor.whole)} against ${bench.ms(processor.bare)}`;
  const [quickest, slowest] = [Math.min(...taken.bare), Math.max(...taken.bare)];
  const spread = `bare from ${bench.ms(quickest)} to ${bench.ms(slowest)} in ${taken.bare.length} runs, the quickest attempt ${signed(Math.min(...taken.worker) - quickest)} and the quickest whole step ${signed(Math.min(...taken.whole) - quickest)} over the quickest bare run`;
  const whole = finding('the whole step, gate and commit included', 'whole');
  return [
    finding('the attempt, from packet to checked candidate', 'worker'),
    {
      ...whole,
      note: [whole.note, `${cli}: ${parts}; ${used}; ${spread}`].filter((one) => one !== undefined).join('; '),
    },
  ];
}

const signed = (value: number): string => `${value < 0 ? '−' : '+'}${bench.ms(Math.abs(value))}`;

/** The CLI as a person would start it to the same end: in the tree, with an empty environment but for what it needs. */
function bareOf(of: {
  readonly dir: string;
  readonly repo: string;
  readonly path: string;
  readonly packet: string;
  readonly cli: string;
  readonly written: CliConfig;
  readonly steps: Steps;
}) {
  const { dir, repo, path, packet, cli, written, steps } = of;
  const tree = join(dir, 'bare');
  git(repo, 'clone', '-q', '--shared', repo, tree);
  const look = steps.real.cli(cli);
  if (look.type !== 'built in' || look.state.type !== 'ready') throw new Error(`${cli}: ${JSON.stringify(look)}`);
  const { adapter, program, way } = look.state;
  if (way.type !== 'key') throw new Error(`${cli} would use a login`);
  const endpoint = { url: way.upstream, provider: way.provider };

  async function run(): Promise<{ ms: number; processor: number }> {
    git(tree, 'clean', '-fdxq');
    const home = mkdtempSync(join(inMemory(dir), 'supervisor-bench-'));
    try {
      const [configDir, tempDir] = [join(home, '.cli'), join(home, 'tmp')];
      for (const at of [configDir, tempDir]) mkdirSync(at);
      const call = adapter.call({
        ...{
          packet,
          id: '11111111-2222-4333-8444-555555555555',
          kind: 'change',
          model: written.model ?? null,
          effort: null,
          system: null,
          tools: null,
          schema: null,
        },
        ...{ session: null, endpoint, proxy: null, command: [] },
        ...{ configDir, tempDir, cwd: tree },
      });
      if (call.type === 'refused') throw new Error(call.message);
      for (const { path: file, text } of call.files) {
        mkdirSync(dirname(join(configDir, file)), { recursive: true });
        writeFileSync(join(configDir, file), text);
      }
      const env = {
        ...call.env,
        ...unpacked(dir, adapter),
        PATH: path,
        HOME: home,
        LANG: 'C.UTF-8',
        TERM: 'dumb',
        NO_COLOR: '1',
      };
      const used = processorMs();
      const start = performance.now();
      await started(program.path ?? '', call, { cwd: tree, env });
      const ms = performance.now() - start;
      if (git(tree, 'status', '--porcelain').trim() !== '?? greeting.txt') throw new Error(`${cli} wrote no greeting`);
      return { ms, processor: processorMs() - used };
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  }
  return { run };
}

async function started(
  program: string,
  call: Extract<AdapterCall, { type: 'call' }>,
  options: { readonly cwd: string; readonly env: Record<string, string> },
): Promise<void> {
  const child = spawn(program, call.args, { ...options, stdio: ['pipe', 'pipe', 'ignore'] });
  child.stdin.end(call.input);
  child.stdout.resume();
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${program} ended with ${code}`);
}

/** What the sandbox is given unpacked, so that neither side unpacks anything. */
function unpacked(dir: string, { unpack }: Adapter): Record<string, string> {
  if (unpack === undefined) return {};
  const shelf = join(dir, 'state', 'unpacked');
  const [place] = readdirSync(shelf);
  return place === undefined ? {} : { [unpack.variable]: join(shelf, place) };
}

/** A sandbox has its home in memory. */
function inMemory(otherwise: string): string {
  try {
    accessSync('/dev/shm', constants.W_OK);
    return '/dev/shm';
  } catch {
    return otherwise;
  }
}

console.log(JSON.stringify(await compare(JSON.parse(process.argv[2] ?? ''))));
