/** (g) A whole step, by the hands of the product, against the same commands typed into a shell by hand. */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readEnvironment } from '../src/app/config/environment.ts';
import type { RealHands } from '../src/app/open.ts';
import { locateProject } from '../src/app/open-store.ts';
import { realHands } from '../src/app/real.ts';
import type { HandContext } from '../src/engine/ports/hands.ts';
import { sha256 } from '../src/kernel/hash.ts';
import type { BlobHash, StepId, TaskId } from '../src/kernel/ids.ts';
import { cascade } from '../src/mind/config/cascade.ts';
import { scriptOf } from '../src/mind/config/task-script.ts';
import type { CandidateApply, Effect, GateRun, Work, WorkerRun } from '../src/mind/domain/effects.ts';
import type { Candidate, Spec } from '../src/mind/domain/values.ts';
import { systemClock } from '../src/os/machine/clock.ts';
import type { Finding, Row } from './support.ts';
import * as bench from './support.ts';

const SIZES = [
  { files: 100, rounds: 15 },
  { files: 20_000, rounds: 5 },
] as const;
const GOAL = 1.5;
const CACHED_MS = 5;
/** Files are given away only by root; of no sandbox of ours. */
const UID = process.geteuid?.() === 0 ? 60_998 : null;

export const wholeStep: Row = {
  name: 'g',
  title:
    'a whole step with a worker that changes one line (workspace, sandbox, capture, checks, gate, commit) against the same by hand in a shell',
  async run() {
    const findings: Finding[] = [];
    for (const size of SIZES) findings.push(...(await bench.inDirectory((dir) => compare(dir, size))));
    return findings;
  },
};

async function compare(dir: string, { files, rounds }: (typeof SIZES)[number]): Promise<Finding[]> {
  for (const at of [dir, join(dir, '..')]) chmodSync(at, 0o711);
  const repo = repository(dir, files);
  const hand = byHand(dir, repo);
  const own = await bySupervisor(dir, repo);
  const taken = {
    hand: [] as number[],
    own: [] as number[],
    cached: [] as number[],
    parts: new Map<string, number[]>(),
  };
  const processor = { hand: 0, own: 0 };
  let disk = { during: 0, after: 0 };
  for (let round = 0; round <= rounds; round += 1) {
    const byOwn = async () => own.step(round);
    const first = round % 2 === 0 ? await byOwn() : null;
    const before = processorMs();
    const byShell = await bench.timed(() => hand.step(round));
    const ofShell = processorMs() - before;
    const spent = first ?? (await byOwn());
    const cached = await own.again();
    ({ disk } = spent);
    hand.clean();
    // The first one only warms everything up.
    if (round === 0) continue;
    processor.hand += ofShell;
    processor.own += spent.processor;
    taken.hand.push(byShell);
    taken.own.push([...spent.parts.values()].reduce((sum, ms) => sum + ms, 0));
    taken.cached.push(cached);
    for (const [part, ms] of spent.parts) taken.parts.set(part, [...(taken.parts.get(part) ?? []), ms]);
  }
  const swept = await own.sweep();
  const ratio = bench.median(taken.own.map((ms, n) => ms / taken.hand[n]!));
  const parts = [...taken.parts].map(([part, all]) => `${part} ${bench.ms(bench.median(all))}`).join(', ');
  const count = files.toLocaleString('en');
  const cached = bench.median(taken.cached);
  return [
    {
      what: `a step on ${count} files`,
      measured: `${bench.ms(bench.median(taken.own))} against ${bench.ms(bench.median(taken.hand))}`,
      ...{ ratio: bench.times(ratio), goal: `at most ${GOAL}x`, ok: ratio <= GOAL },
      note: `${count} files: ${parts}; processor time ${bench.ms(processor.own / rounds)} against ${bench.ms(processor.hand / rounds)}; disk: ${mib(disk.during)} while the worker works, ${mib(disk.after)} after the step, ${mib(swept)} after gc`,
    },
    {
      what: `the same gate on the same tree once more, ${count} files`,
      measured: bench.ms(cached),
      ...{ ratio: '', goal: `under ${CACHED_MS} ms`, ok: cached < CACHED_MS },
    },
  ];
}

/** Of this process and all that it started and saw end, in the kernel's ticks. */
function processorMs(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? [];
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * 10, 0);
}

const mib = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`;

type Spent = {
  readonly parts: Map<string, number>;
  readonly processor: number;
  readonly disk: { during: number; after: number };
};

/** The hands as the product joins them, called as the engine calls them; the log is left out on both sides. */
async function bySupervisor(dir: string, repo: string) {
  const stateDir = join(dir, 'state');
  // As the store of the product makes it: users of sandboxes have to pass through.
  mkdirSync(stateDir, { mode: 0o711 });
  // The same programs behind both walls: each tool chain of the operator would be a mount more on this side alone.
  const environment = { ...readEnvironment(), stateDir, path: ENV.PATH };
  const project = locateProject(repo);
  const gates = [{ name: 'tests', command: 'test -s d0/f0', blocking: true, weight: 1, on_fail: 'retry' as const }];
  const { settings } = cascade({ user: { gates } });
  const real: RealHands = await realHands({ environment, project, settings: () => settings })({
    ...{ failpoint: () => {}, log: () => {}, clock: systemClock(), script: scriptOf },
    redact: async (texts) => texts,
  });
  const base = git(repo, 'rev-parse', 'main').trim();
  const hands = real.hands(false);
  const texts = new Map<string, string>();
  const context: HandContext = {
    signal: new AbortController().signal,
    keep: async (text) => {
      const hash = sha256(text) as BlobHash;
      texts.set(hash, text);
      return hash;
    },
    read: async (hash) => texts.get(hash) ?? null,
  };
  let last: { effect: Effect; work: GateRun } | null = null;

  async function step(round: number): Promise<Spent> {
    const parts = new Map<string, number>();
    let processor = 0;
    const part = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
      const start = performance.now();
      const used = processorMs();
      const result = await work();
      parts.set(name, performance.now() - start);
      processor += processorMs() - used;
      return result;
    };
    const spec: Spec = {
      version: 1,
      text: 'change one line',
      script: { steps: { build: [{ run: `echo "own ${round}" >> d0/f0` }] } },
    };
    const attempt = { number: 1, token: 1, kind: 'change', cli: 'scripted', chain: 0, reserve: 0 } as const;
    const timed = { ...attempt, started: Date.now(), deadline: Date.now() + 600_000 };
    const task = `t-${round}` as TaskId;
    const effect = <W extends Work>(work: W): Effect => ({
      key: '',
      task,
      step: 'build' as StepId,
      token: 1,
      started: true,
      work,
    });
    const work: WorkerRun = {
      ...{ kind: 'worker.run', attempt: timed, attempts: 1, role: 'implementer', spec, input: null, base },
      ...{ feedback: null, findings: [] },
    };
    const report = await part('worker (tree, sandbox, capture, checks)', () =>
      hands.worker.run(effect(work), work, context),
    );
    const during = diskUse(stateDir);
    const candidate = report.candidate as Candidate | null | undefined;
    if (candidate == null) throw new Error(JSON.stringify(report));
    const gate: GateRun = { kind: 'gate.run', attempt: timed, gate: 'tests', spec, candidate, answer: null };
    const { status } = await part('gate (tree, sandbox)', () => hands.gate.run(effect(gate), gate, context));
    if (status !== 'pass') throw new Error(`the gate says ${status}`);
    last = { effect: effect(gate), work: gate };
    const apply: CandidateApply = {
      ...{ kind: 'candidate.apply', candidate, onto: 'main', branch: `ai/own-${round}`, title: `own ${round}` },
      ...{ spec, created: 1_790_000_000_000 },
    };
    const applied = await part('commit and branch', () => hands.applier.run(effect(apply), apply, context));
    if (applied.status !== 'applied') throw new Error(JSON.stringify(applied));
    await real.workspaces.close();
    return { parts, processor, disk: { during, after: diskUse(stateDir) } };
  }

  return {
    step,
    async again(): Promise<number> {
      if (last === null) throw new Error('no gate was run yet');
      const { effect, work } = last;
      return bench.timed(() => hands.gate.run(effect, work, context));
    },
    async sweep(): Promise<number> {
      await real.workspaces.sweep(() => false, false);
      await real.workspaces.close();
      return diskUse(stateDir);
    },
  };
}

/** Bytes of a directory as the disk counts them; the trash too, because it is still there. */
function diskUse(dir: string): number {
  if (!existsSync(dir)) return 0;
  const entries = readdirSync(dir, { recursive: true, withFileTypes: true });
  return entries.reduce((sum, entry) => {
    try {
      return sum + statSync(join(entry.parentPath, entry.name)).blocks * 512;
    } catch {
      return sum;
    }
  }, 0);
}

/** The same trees, the same settings, the same syncing; a person would leave out most of the checks. */
const SCRIPT = `
set -e
user() { git --git-dir="$REPO" -c core.fsync=objects,derived-metadata,reference -c core.fsyncMethod=batch "$@"; }
own() { GIT_OBJECT_DIRECTORY="$HAND/objects" GIT_INDEX_FILE="$INDEX" git --git-dir="$HAND" -c core.fsync=none "$@"; }
give() { if [ -n "$OWNER" ]; then chown -R "$OWNER:$OWNER" "$1"; fi; }
send() { printf '%s\\n^%s\\n' "$1" "$2" | own pack-objects --revs --stdout --thin --delta-base-offset -q | user index-pack --stdin --fix-thin --strict >/dev/null; }
wall() {
  if [ -n "$OWNER" ]; then set -- "$1" "$2" setpriv --reuid "$OWNER" --regid "$OWNER" --clear-groups --; else set -- "$1" "$2"; fi
  at=$1 command=$2; shift 2
  "$@" bwrap --unshare-all --unshare-user --disable-userns --die-with-parent --new-session --ro-bind /usr /usr --symlink usr/bin /bin \
    --symlink usr/lib /lib --symlink usr/lib64 /lib64 --proc /proc --dev /dev --tmpfs /tmp --bind "$at" /workspace \
    --remount-ro / --chdir /workspace --clearenv --setenv PATH /usr/bin:/bin sh -c "$command"
}
base=$(user rev-parse main)
user update-ref "refs/hand/base-$ROUND" "$base"
INDEX="$HAND/index-worker"; mkdir "$HAND/worker"
own read-tree "$base"
own --work-tree="$HAND/worker" checkout-index --all --force --quiet
give "$HAND/worker"
wall "$HAND/worker" "echo 'hand $ROUND' >> d0/f0"
rm "$INDEX"; own read-tree "$base"
own --work-tree="$HAND/worker" add --update
tree=$(own write-tree)
send "$tree" "$base^{tree}"
user update-ref "refs/hand/candidate-$ROUND" "$tree"
INDEX="$HAND/index-gate"; mkdir "$HAND/gate"
own read-tree "$tree"
own --work-tree="$HAND/gate" checkout-index --all --force --quiet
give "$HAND/gate"
wall "$HAND/gate" "test -s d0/f0"
rm -rf "$HAND/worker" "$HAND/gate" &
commit=$(echo "hand-$ROUND" | own commit-tree -p "$base" "$tree")
send "$commit" "$base"
user update-ref "refs/heads/hand/$ROUND" "$commit"
`;

function byHand(dir: string, repo: string) {
  const hand = join(dir, 'hand');
  git(dir, 'init', '-q', '--bare', hand);
  writeFileSync(join(hand, 'objects/info/alternates'), `${join(repo, '.git/objects')}\n`);
  const step = (round: number) => {
    execFileSync('sh', ['-c', SCRIPT], {
      cwd: hand,
      env: { ...ENV, REPO: join(repo, '.git'), HAND: hand, ROUND: `${round}`, OWNER: UID === null ? '' : `${UID}` },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  };
  const clean = () => {
    for (const name of ['worker', 'gate', 'index-worker', 'index-gate']) {
      rmSync(join(hand, name), { recursive: true, force: true });
    }
  };
  return { step, clean };
}

function repository(dir: string, files: number): string {
  const repo = join(dir, 'repo');
  for (let n = 0; n < files; n += 1) {
    const at = join(repo, `d${n % Math.ceil(files / 100)}`);
    if (n < files / 100) mkdirSync(at, { recursive: true });
    writeFileSync(join(at, `f${n}`), bench.textOf(1_000 + (n % 7) * 300, `${n}`));
  }
  git(repo, 'init', '-q', '-b', 'main');
  git(repo, 'config', 'gc.auto', '0');
  git(repo, 'add', '-A');
  git(repo, 'commit', '-q', '-m', 'first');
  git(repo, 'gc', '-q');
  return repo;
}

const ENV = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  HOME: '/nonexistent',
  ...{ GIT_AUTHOR_NAME: 'bench', GIT_AUTHOR_EMAIL: 'b@localhost' },
  ...{ GIT_COMMITTER_NAME: 'bench', GIT_COMMITTER_EMAIL: 'b@localhost' },
};
const git = (dir: string, ...args: string[]): string =>
  execFileSync('git', ['-C', dir, ...args], { env: ENV, stdio: ['ignore', 'pipe', 'inherit'], encoding: 'utf8' });
