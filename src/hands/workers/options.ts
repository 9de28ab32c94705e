/** What the hand for workers needs; it meets other rooms through the engine's ports. */
import type { Egress } from '../../engine/ports/egress.ts';
import type { Environments } from '../../engine/ports/environments.ts';
import type { Mount, Sandbox, SandboxLimits } from '../../engine/ports/sandbox.ts';
import type { AppLog, Clock } from '../../engine/ports/surroundings.ts';
import type { Captured, Workspaces } from '../../engine/ports/workspace.ts';
import type { StepId, TaskId } from '../../kernel/ids.ts';
import type { Settings } from '../../mind/config/project-config.ts';
import type { Candidate, Spec } from '../../mind/domain/values.ts';
import type { WorkerRun } from '../../mind/domain/worker-run.ts';
import type { TreeCheck } from '../../mind/workers/outcome.ts';
import type { Script } from '../../mind/workers/script.ts';
import type { PacketMakers } from './packet.ts';

/** Programs of the operator's machine, as a sandbox sees them. */
export type WorkerTools = {
  /** Tool chains outside the system paths. */
  readonly readable: readonly Mount[];
  /** PATH, in the operator's order. */
  readonly path: readonly string[];
  /** Variables that version managers need to find themselves. */
  readonly env?: Readonly<Record<string, string>>;
  /** Where a program is inside the sandbox, and what to mount for it; null if it is not installed. */
  find(program: string): { readonly program: string; readonly readable: readonly Mount[] } | null;
};

/** Programs of our own that run inside a sandbox. */
type WorkerPrograms = {
  readonly readable: readonly Mount[];
  /** How to start one of them there. */
  argv(program: string): readonly [string, ...string[]];
};

type CapturedCandidate = Extract<Captured, { type: 'candidate' }>;
/** Checks write scope, protected paths, environment outputs, links and sizes. */
/** `claims`: paths that the answer says were changed. */
type CheckTree = (
  captured: CapturedCandidate,
  base: string,
  work: WorkerRun,
  claims: readonly string[],
) => Promise<TreeCheck>;

export type WorkerOptions = Omit<PacketMakers, 'settings'> & {
  readonly sandbox: Pick<Sandbox, 'run'>;
  readonly workspaces: Pick<Workspaces, 'make' | 'changes' | 'read' | 'paths'>;
  /** The prepared environments; null if the project needs none. */
  readonly environments: Pick<Environments, 'ready'> | null;
  readonly settings: () => Settings;
  readonly tools: WorkerTools;
  /** Network access for CLIs that need a model. */
  readonly egress: Egress;
  readonly inside: WorkerPrograms;
  /** The operator's home, for logins; null if there is none. */
  readonly home: string | null;
  /** A variable of the operator's own environment. */
  readonly env: (name: string) => string | undefined;
  readonly check: CheckTree;
  /** Hints of the rules for a reviewer of this change, one line each. */
  readonly opinions: (change: Candidate, work: Pick<WorkerRun, 'spec'>) => Promise<readonly string[]>;
  readonly script: (spec: Spec, task: TaskId) => Script;
  /** An absolute path below `stateDir`, one per attempt. */
  readonly transcriptPath: (task: TaskId, step: StepId, attempt: number) => string;
  readonly stateDir: string;
  readonly clock: Pick<Clock, 'now'>;
  /** Replaces built-in and configured limits. */
  readonly limits?: Partial<SandboxLimits>;
  readonly log: AppLog;
};
