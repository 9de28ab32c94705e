/** Lands an accepted task: moves a line to its commit, or, when the line has moved, to its change on top, checked again. */

import type { HandContext } from '../engine/ports/hands.ts';
import type { Landed } from '../engine/ports/workspace.ts';
import { sha256 } from '../kernel/hash.ts';
import type { BlobHash, StepId } from '../kernel/ids.ts';
import { type Rejection, rejected } from '../kernel/result.ts';
import { answerWith, type GateRun } from '../mind/domain/effects.ts';
import { taskStream } from '../mind/domain/stream-name.ts';
import { type RedGate, redText, statusOf } from '../mind/domain/task.ts';
import type { Candidate, GateStatus } from '../mind/domain/values.ts';
import { shortList } from '../mind/gates/baseline.ts';
import { redTestsIn } from '../mind/gates/evidence.ts';
import { commitMessage } from '../mind/protocol/commit-message.ts';
import { blockingRed, isChecked } from '../mind/protocol/run-report.ts';
import type { Workflow } from '../mind/workflows/workflow.ts';
import type { RealHands } from './open.ts';
import type { TaskView } from './task-view.ts';

export type LandProgress = {
  /** Red tests of the base that are about to land. */
  red(red: Red): void;
  /** `gates`: how many run again on top of it. */
  integrating(head: string, gates: number): void;
  gate(name: string, status: GateStatus, evidence: string, excused: number): void;
};
type LandAsk = {
  readonly view: TaskView;
  readonly real: RealHands;
  readonly onto: string | null;
  readonly unverified: boolean;
  /** The names of the task's red tests. */
  readonly redTests: readonly string[];
  readonly progress: LandProgress;
  /** Whether a clean checkout of the branch may be moved with it. */
  agreeToMove(branch: string, checkout: string): Promise<boolean>;
  readonly signal: AbortSignal;
  /** What was kept earlier, such as evidence of a gate that is remembered. */
  read(hash: BlobHash): Promise<string | null>;
};
type LandedOn = {
  readonly type: 'landed';
  readonly onto: string;
  readonly commit: string;
  /** What lands although it is red as its base is, and the names of those tests. */
  readonly red: Red;
};
type Red = { readonly gates: readonly RedGate[]; readonly tests: readonly string[] };
const NONE: Red = { gates: [], tests: [] };

/** Moves the line and says where to; that it did is then logged by the caller. Done twice, it is the same. */
export async function land(ask: LandAsk): Promise<LandedOn | Rejection> {
  const { task, workflow } = ask.view;
  const { closed, candidate } = task;
  if (closed?.status !== 'accepted' || closed.commit === null || candidate === null)
    return rejected('not_accepted', `task ${task.id} is ${statusOf(task)} and has no commit: nothing can land`);
  if (!isChecked(task, workflow) && !ask.unverified)
    return rejected(
      'unverified',
      `no gate checked task ${task.id} behind a wall (--no-gates or --unsafe-no-sandbox): look at ${closed.branch}, then say --unverified`,
    );
  const red: Red = { gates: task.red ?? [], tests: ask.redTests };
  const refused = blockingRed(task, workflow).length > 0 ? redRefusal(ask, red, `look at ${closed.branch}`) : null;
  if (refused !== null) return refused;
  if (red.gates.length > 0) ask.progress.red(red);
  const onto = ask.onto ?? task.onto;
  if (onto === 'HEAD')
    return rejected('no_line', 'the task was made on a detached HEAD: name a branch with --onto BRANCH');
  const moved = await moveLine(ask, onto, closed.commit);
  if (moved.type === 'landed') return { type: 'landed', onto, commit: moved.commit, red };
  if (moved.type === 'rejected') return moved;
  ask.progress.integrating(moved.at, blockingGates(workflow).length);
  const integrated = await ask.real.workspaces.integrate(`${task.id}.land`, candidate, moved.at);
  if (integrated.type === 'nothing_left') return { type: 'landed', onto, commit: moved.at, red: NONE };
  if (integrated.type === 'conflict')
    return rejected(
      'conflict',
      `${onto} has moved to ${moved.at.slice(0, 12)} and conflicts in ${integrated.paths.slice(0, 10).join(', ')}: merge ${closed.branch} by hand, or run the task again`,
    );
  const checked = await checkAgain(ask, integrated.candidate);
  if (checked.type === 'rejected') return checked;
  if (checked.red.gates.length > 0) ask.progress.red(checked.red);
  const branch = `${closed.branch}-on-${moved.at.slice(0, 12)}`;
  const answer = answerWith(task, candidate);
  const message = commitMessage({
    title: task.title,
    text: task.spec.text,
    answer: answer === null ? null : await ask.read(answer),
    task: task.id,
    change: integrated.candidate.change_id,
    red: checked.red.gates,
  });
  const published = await ask.real.workspaces.publish({
    branch,
    candidate: integrated.candidate,
    message,
    time: task.created,
    author: task.spec.author,
  });
  if (published.type === 'conflict')
    return rejected('conflict', `branch ${branch} exists and holds something else: remove it`);
  const again = await moveLine(ask, onto, published.commit);
  if (again.type === 'rejected') return again;
  if (again.type === 'landed') return { type: 'landed', onto, commit: again.commit, red: checked.red };
  return rejected('not_landed', `${onto} has moved once more: try again`);
}

type Moved = Extract<Landed, { type: 'landed' | 'moved' }> | Rejection;

/** Where the branch is checked out and clean, the checkout moves with it, if the operator agrees. */
async function moveLine(ask: LandAsk, onto: string, commit: string): Promise<Moved> {
  const { workspaces } = ask.real;
  let moved = await workspaces.land(onto, commit);
  if (moved.type === 'checked_out') {
    const { path } = moved;
    if (!(await ask.agreeToMove(onto, path)))
      return rejected(
        'checked_out',
        `${onto} is checked out in ${path} and clean: \`supervisor land ${ask.view.task.id} --yes\` moves both, or run \`git merge --ff-only ${commit}\` there`,
      );
    const problem = await workspaces.fastForward({ path, branch: onto }, commit);
    if (problem !== null) return rejected('not_landed', problem);
    moved = await workspaces.land(onto, commit);
  }
  if (moved.type === 'refused') return rejected('not_landed', moved.message);
  if (moved.type === 'checked_out') return rejected('not_landed', `${onto} was not moved by git: try again`);
  return moved;
}

/** Red as the base is: it lands by the operator's word alone, given when the task was made or now. */
function redRefusal({ view, unverified }: LandAsk, { gates, tests }: Red, look: string): Rejection | null {
  if (unverified || view.task.spec.red_base === 'keep') return null;
  const names = tests.length === 0 ? '' : ` (${shortList(tests, 5)})`;
  return rejected(
    'unverified',
    `${gates.map(redText).join('; ')}${names}: ${look}, then say --unverified; \`run --keep-red\` says so beforehand, \`run --fix-base\` wants them green`,
  );
}

function blockingGates(workflow: Workflow): string[] {
  const changes = [...workflow.steps.values()].filter((step) => step.kind === 'change');
  return [...new Set(changes.flatMap((step) => step.gates.filter((gate) => !step.advisory.has(gate))))];
}

/** What was checked is what lands: on a new base, every gate that can block runs again. */
async function checkAgain(ask: LandAsk, candidate: Candidate): Promise<{ type: 'checked'; red: Red } | Rejection> {
  const { view, real, progress, signal } = ask;
  const { task, workflow } = view;
  const gates = blockingGates(workflow);
  const step = ([...workflow.steps.values()].findLast(({ kind }) => kind === 'change')?.id ?? 'land') as StepId;
  const token = task.token + 1;
  const texts = new Map<string, string>();
  const context: HandContext = {
    signal,
    keep: async (text) => {
      const hash = sha256(text) as BlobHash;
      texts.set(hash, text);
      return hash;
    },
    read: async (hash) => texts.get(hash) ?? (await ask.read(hash)),
  };
  const red = { gates: [] as RedGate[], tests: [] as string[] };
  for (const gate of gates) {
    const attempt = {
      number: 1,
      token,
      kind: 'change',
      round: 1,
      on: null,
      cli: '',
      chain: 0,
      reserve: 0,
      started: 0,
      deadline: 0,
    } as const;
    const work: GateRun = { kind: 'gate.run', attempt, gate, spec: task.spec, candidate, answer: null };
    const key = `${task.id}/${step}/${token}/land/${gate}`;
    const report = await real
      .hands(task.spec.unsafe_no_sandbox === true)
      .gate.run({ key, stream: taskStream(task.id), task: task.id, step, token, started: false, work }, work, context);
    const evidence = texts.get(report.evidence ?? '') ?? '';
    const { status, excused = 0 } = report;
    progress.gate(gate, status, evidence, excused);
    if (signal.aborted) return rejected('interrupted', 'stopped; nothing was landed');
    if (status !== 'pass')
      return rejected('gate_failed', `gate ${gate}: ${status} on the integrated tree; nothing was landed`);
    if (excused > 0) red.gates.push({ gate, count: excused });
    if (excused > 0) red.tests.push(...redTestsIn(evidence));
  }
  const refused =
    red.gates.length > 0 ? redRefusal(ask, red, 'nothing was landed; look at the branch it would land on') : null;
  return refused ?? { type: 'checked', red };
}
