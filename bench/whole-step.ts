/** (g) A whole step with a worker that changes one line, against the same git commands typed into a shell by hand. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Workspace } from '../src/engine/ports/workspace.ts';
import { GitWorkspaces } from '../src/hands/workspace/workspaces.ts';
import type { Candidate } from '../src/mind/domain/values.ts';
import type { Finding, Row } from './support.ts';
import * as bench from './support.ts';

const SIZES = [
  { files: 100, rounds: 11 },
  { files: 20_000, rounds: 5 },
] as const;
const GOAL = 1.5;
/** Files are given away only by root. */
const UID = process.geteuid?.() === 0 ? 61_234 : null;

export const wholeStep: Row = {
  name: 'g',
  title: 'a whole step (two trees, one changed file, capture, commit, branch) against the same by hand in a shell',
  async run() {
    const findings: Finding[] = [];
    for (const size of SIZES) findings.push(await bench.inDirectory((dir) => compare(dir, size)));
    return findings;
  },
};

async function compare(dir: string, { files, rounds }: (typeof SIZES)[number]): Promise<Finding> {
  const repo = repository(dir, files);
  const hand = byHand(dir, repo);
  const own = bySupervisor(dir, repo);
  const taken: { hand: number[]; own: number[]; parts: Map<string, number[]> } = {
    hand: [],
    own: [],
    parts: new Map(),
  };
  for (let round = 0; round <= rounds; round += 1) {
    const spent = { hand: await bench.timed(() => hand.step(round)), own: await own.step(round) };
    await Promise.all([hand.clean(), own.clean()]);
    // The first one only warms everything up.
    if (round === 0) continue;
    taken.hand.push(spent.hand);
    taken.own.push([...spent.own.values()].reduce((sum, ms) => sum + ms, 0));
    for (const [part, ms] of spent.own) taken.parts.set(part, [...(taken.parts.get(part) ?? []), ms]);
  }
  const ratio = bench.median(taken.own.map((ms, n) => ms / taken.hand[n]!));
  const parts = [...taken.parts].map(([part, all]) => `${part} ${bench.ms(bench.median(all))}`).join(', ');
  return {
    what: `a step on ${files.toLocaleString('en')} files`,
    measured: `${bench.ms(bench.median(taken.own))} against ${bench.ms(bench.median(taken.hand))}`,
    ...{ ratio: bench.times(ratio), goal: `at most ${GOAL}x`, ok: ratio <= GOAL },
    note: `${files.toLocaleString('en')} files: ${parts}`,
  };
}

/** The parts of a step in their order; each is timed on its own. */
function bySupervisor(dir: string, repo: string) {
  const workspaces = new GitWorkspaces({
    stateDir: join(dir, 'state'),
    project: bench.PROJECT,
    commonDir: join(repo, '.git'),
  });
  let trees: Workspace[] = [];
  const step = async (round: number): Promise<Map<string, number>> => {
    const spent = new Map<string, number>();
    const part = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
      const start = performance.now();
      const result = await work();
      spent.set(name, performance.now() - start);
      return result;
    };
    const worker = await part('worker tree', () => workspaces.make(`w-${round}`, { base: 'main', tree: null }, UID));
    change(worker.tree, `own ${round}`);
    const captured = await part('capture', () => worker.capture());
    if (captured.type !== 'candidate') throw new Error(JSON.stringify(captured));
    const { candidate } = captured;
    const gate = await part('gate tree', () => workspaces.make(`g-${round}`, candidate, UID));
    await part('publish', () => publish(workspaces, candidate, `own-${round}`));
    trees = [worker, gate];
    return spent;
  };
  const clean = async () => {
    for (const tree of trees) await tree.remove();
    await workspaces.close();
  };
  return { step, clean };
}

async function publish(workspaces: GitWorkspaces, candidate: Candidate, name: string): Promise<void> {
  const done = await workspaces.publish({ branch: `ai/${name}`, candidate, message: name, time: 1_790_000_000_000 });
  if (done.type !== 'published') throw new Error(JSON.stringify(done));
}

/** The same trees, the same settings, the same syncing; a person would leave out most of the checks. */
const SCRIPT = `
set -e
user() { git --git-dir="$REPO" -c core.fsync=objects,derived-metadata,reference -c core.fsyncMethod=batch "$@"; }
own() { GIT_OBJECT_DIRECTORY="$HAND/objects" GIT_INDEX_FILE="$INDEX" git --git-dir="$HAND" -c core.fsync=none "$@"; }
give() { if [ -n "$OWNER" ]; then chown -R "$OWNER:$OWNER" "$1"; fi; }
send() { printf '%s\\n^%s\\n' "$1" "$2" | own pack-objects --revs --stdout --thin --delta-base-offset -q | user index-pack --stdin --fix-thin --strict >/dev/null; }
base=$(user rev-parse main)
user update-ref "refs/hand/base-$ROUND" "$base"
INDEX="$HAND/index-worker"; mkdir "$HAND/worker"
own read-tree "$base"
own --work-tree="$HAND/worker" checkout-index --all --force --quiet
give "$HAND/worker"
echo "hand $ROUND" >> "$HAND/worker/d0/f0"
rm "$INDEX"; own read-tree "$base"
own --work-tree="$HAND/worker" add --update
tree=$(own write-tree)
send "$tree" "$base^{tree}"
user update-ref "refs/hand/candidate-$ROUND" "$tree"
INDEX="$HAND/index-gate"; mkdir "$HAND/gate"
own read-tree "$tree"
own --work-tree="$HAND/gate" checkout-index --all --force --quiet
give "$HAND/gate"
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

const change = (tree: string, line: string): void => appendFileSync(join(tree, 'd0/f0'), `${line}\n`);

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
const git = (dir: string, ...args: string[]): void => {
  execFileSync('git', ['-C', dir, ...args], { env: ENV, stdio: ['ignore', 'ignore', 'inherit'] });
};
