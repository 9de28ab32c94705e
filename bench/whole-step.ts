/** (g) A whole step, by the hands of the product, against the same commands typed into a shell by hand. */
import { execFileSync } from 'node:child_process';
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GIT_ENV, git, openSteps, processorMs, repository } from './real-step.ts';
import type { Finding, Row } from './support.ts';
import * as bench from './support.ts';

const SIZES = [
  { files: 100, rounds: 15 },
  { files: 20_000, rounds: 3 },
] as const;
const GOAL = 2.5;
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
  const own = await openSteps({
    ...{ dir, repo, cli: 'scripted', gate: 'test -s d0/f0' },
    // The same programs in both sandboxes: each tool chain of the operator would be a mount more on this side alone.
    path: GIT_ENV.PATH,
    spec: (round) => ({
      version: 1,
      text: 'change one line',
      script: { steps: { build: [{ run: `echo "own ${round}" >> d0/f0` }] } },
    }),
  });
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
  await own.close();
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

const mib = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`;

/** The same trees, the same settings, the same syncing; a person would leave out most of the checks. */
const SCRIPT = `
set -e
user() { git --git-dir="$REPO" -c core.fsync=objects,derived-metadata,reference -c core.fsyncMethod=batch "$@"; }
own() { GIT_OBJECT_DIRECTORY="$HAND/objects" GIT_INDEX_FILE="$INDEX" git --git-dir="$HAND" -c core.fsync=none "$@"; }
give() { if [ -n "$OWNER" ]; then chown -R "$OWNER:$OWNER" "$1"; fi; }
send() { printf '%s\\n^%s\\n' "$1" "$2" | own pack-objects --revs --stdout --thin --delta-base-offset -q | user index-pack --stdin --fix-thin --strict >/dev/null; }
in_sandbox() {
  if [ -n "$OWNER" ]; then set -- "$1" "$2" setpriv --reuid "$OWNER" --regid "$OWNER" --clear-groups --; else set -- "$1" "$2"; fi
  at=$1 command=$2; shift 2
  "$@" bwrap --unshare-all --unshare-user --disable-userns --die-with-parent --new-session --ro-bind /usr /usr --symlink usr/bin /bin \
    --symlink usr/lib /lib --symlink usr/lib64 /lib64 --proc /proc --dev /dev --tmpfs /tmp --bind "$at" /workspace \
    --remount-ro / --chdir /workspace --clearenv --setenv PATH /usr/bin:/bin sh -c "$command"
}
base=$(user rev-parse main)
user update-ref "refs/hand/base-$ROUND" "$base"
INDEX="$HAND/index-worker"; mkdir "$HAND/worker-$ROUND"
own read-tree "$base"
own --work-tree="$HAND/worker-$ROUND" checkout-index --all --force --quiet
give "$HAND/worker-$ROUND"
in_sandbox "$HAND/worker-$ROUND" "echo 'hand $ROUND' >> d0/f0"
rm "$INDEX"; own read-tree "$base"
own --work-tree="$HAND/worker-$ROUND" add --update
tree=$(own write-tree)
send "$tree" "$base^{tree}"
user update-ref "refs/hand/candidate-$ROUND" "$tree"
INDEX="$HAND/index-gate"; mkdir "$HAND/gate-$ROUND"
own read-tree "$tree"
own --work-tree="$HAND/gate-$ROUND" checkout-index --all --force --quiet
give "$HAND/gate-$ROUND"
in_sandbox "$HAND/gate-$ROUND" "test -s d0/f0"
rm -rf "$HAND/worker-$ROUND" "$HAND/gate-$ROUND" &
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
      env: { ...GIT_ENV, REPO: join(repo, '.git'), HAND: hand, ROUND: `${round}`, OWNER: UID === null ? '' : `${UID}` },
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
