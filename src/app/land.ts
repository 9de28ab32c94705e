/** Lands an accepted task: moves a line to its commit, or, when the line has moved, to its change on top, checked again. */

import type { HandContext } from '../engine/ports/hands.ts';
import { sha256 } from '../kernel/hash.ts';
import type { BlobHash, StepId } from '../kernel/ids.ts';
import { type Rejection, rejected } from '../kernel/result.ts';
import type { GateRun } from '../mind/domain/effects.ts';
import { statusOf } from '../mind/domain/task.ts';
import type { Candidate, GateStatus } from '../mind/domain/values.ts';
import { isChecked } from '../mind/protocol/run-report.ts';
import type { RealHands } from './open.ts';
import type { TaskView } from './task-view.ts';

export type LandProgress = {
  integrating(head: string): void;
  gate(name: string, status: GateStatus, evidence: string): void;
};
export type LandAsk = {
  readonly view: TaskView;
  readonly real: RealHands;
  readonly onto: string | null;
  readonly unverified: boolean;
  readonly progress: LandProgress;
  readonly signal: AbortSignal;
  /** What was kept earlier, such as evidence of a gate that is remembered. */
  read(hash: BlobHash): Promise<string | null>;
};
export type LandedOn = { readonly type: 'landed'; readonly onto: string; readonly commit: string };

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
  const onto = ask.onto ?? task.onto;
  if (onto === 'HEAD')
    return rejected('no_line', 'the task was made on a detached HEAD: name a branch with --onto BRANCH');
  const moved = await ask.real.workspaces.land(onto, closed.commit);
  if (moved.type === 'landed') return { type: 'landed', onto, commit: moved.commit };
  if (moved.type === 'refused') return rejected('not_landed', moved.message);
  ask.progress.integrating(moved.at);
  const integrated = await ask.real.workspaces.integrate(`${task.id}.land`, candidate, moved.at);
  if (integrated.type === 'nothing_left') return { type: 'landed', onto, commit: moved.at };
  if (integrated.type === 'conflict')
    return rejected(
      'conflict',
      `${onto} has moved to ${moved.at.slice(0, 12)} and conflicts in ${integrated.paths.slice(0, 10).join(', ')}: merge ${closed.branch} by hand, or run the task again`,
    );
  const red = await checkAgain(ask, integrated.candidate);
  if (red !== null) return red;
  const branch = `${closed.branch}-on-${moved.at.slice(0, 12)}`;
  const message = `${task.title}\n\nSupervisor-Task: ${task.id}\nSupervisor-Change: ${integrated.candidate.change_id}`;
  const published = await ask.real.workspaces.publish({
    branch,
    candidate: integrated.candidate,
    message,
    time: task.created,
  });
  if (published.type === 'conflict')
    return rejected('conflict', `branch ${branch} exists and holds something else: remove it`);
  const again = await ask.real.workspaces.land(onto, published.commit);
  if (again.type === 'landed') return { type: 'landed', onto, commit: again.commit };
  return rejected('not_landed', again.type === 'refused' ? again.message : `${onto} has moved once more: try again`);
}

/** What was checked is what lands: on a new base, every gate that can block runs again. */
async function checkAgain(ask: LandAsk, candidate: Candidate): Promise<Rejection | null> {
  const { view, real, progress, signal } = ask;
  const { task, workflow } = view;
  const checked = [...workflow.steps.values()].filter((step) => step.kind === 'change');
  const gates = new Set(checked.flatMap((step) => step.gates.filter((gate) => !step.advisory.has(gate))));
  const step = (checked.at(-1)?.id ?? 'land') as StepId;
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
  for (const gate of gates) {
    const attempt = {
      number: 1,
      token,
      kind: 'change',
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
      .gate.run({ key, task: task.id, step, token, started: false, work }, work, context);
    const evidence = texts.get(report.evidence ?? '') ?? '';
    progress.gate(gate, report.status, evidence);
    if (signal.aborted) return rejected('interrupted', 'stopped; nothing was landed');
    if (report.status !== 'pass')
      return rejected('gate_failed', `gate ${gate}: ${report.status} on the integrated tree; nothing was landed`);
  }
  return null;
}
