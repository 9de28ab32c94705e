/** What real work is made of and what it offers: made once per process, when the first task that is not simulated needs it. */
import type { Environments } from '../engine/ports/environments.ts';
import type { HandContext, Hands } from '../engine/ports/hands.ts';
import type { Sandbox } from '../engine/ports/sandbox.ts';
import type { AppLog, Clock, Redact } from '../engine/ports/surroundings.ts';
import type { Workspaces } from '../engine/ports/workspace.ts';
import type { BaseAsk } from '../hands/gates/gate-hand.ts';
import type { CliState } from '../hands/workers/cli-state.ts';
import type { AskedVersion } from '../hands/workers/version.ts';
import type { TaskId } from '../kernel/ids.ts';
import type { Tries } from '../mind/canary/sabotage.ts';
import type { Spec } from '../mind/domain/values.ts';
import type { BaseFinding } from '../mind/gates/baseline.ts';
import type { Script } from '../mind/workers/script.ts';
import type { SelfTestResult } from './cli-selftests.ts';
import type { CliLook } from './clis.ts';
import type { Environment } from './config/environment.ts';
import type { Loaded } from './config/files.ts';
import type { ProjectAt } from './open-store.ts';

/** What a command says of real work. */
export type RealOptions = {
  /** Read when real work is first needed; throws when it may not be used. */
  readonly loaded: () => RealSettings | Promise<RealSettings>;
  /** The operator's checkout, if there is one: what is in it is looked through faster. */
  readonly checkout?: string;
  /** The operator's word: the preparation of the environment may use the network. */
  readonly network?: boolean;
};
type RealSettings = Pick<Loaded, 'settings' | 'told'>;

/** What the rooms of real work are made of. */
export type RoomsOptions = RealOptions & {
  readonly environment: Environment;
  readonly project: ProjectAt;
  readonly failpoint: (name: string) => void;
  readonly log: AppLog;
  readonly redact: Redact;
  readonly clock: Clock;
  readonly script: (spec: Spec, task: TaskId) => Script;
  /** What a gate found at the base of a task, as soon as it is known. */
  readonly tellBase: (task: TaskId, finding: BaseFinding) => void;
};

export type RealHands = {
  /** Hash of the settings these hands judge by. */
  readonly settings: string;
  /** `unsafe`: without a wall, for a task whose operator said so. */
  hands(unsafe: boolean): Hands;
  /** What a gate finds at a base, if it was run there before; null when it was not. */
  knownBase(ask: BaseAsk, unsafe: boolean, context: HandContext): Promise<BaseFinding | null>;
  /** What a gate finds at a commit; run now unless that is remembered. Null: it was stopped. */
  baseOf(ask: BaseAsk, context: HandContext): Promise<BaseFinding | null>;
  /** Whether a gate can fail at all, tried on a commit. Null: there is no such gate, or it was stopped. */
  probe(ask: BaseAsk, context: HandContext, told: (what: string) => void): Promise<Tries | null>;
  readonly workspaces: Workspaces;
  readonly environments: Environments | null;
  sandbox(unsafe: boolean): Sandbox;
  cli(name: string): CliLook;
  version(state: CliState, signal: AbortSignal): Promise<AskedVersion | null>;
  /** What is remembered of the self-test of this version. */
  knownSelfTest(cli: string, version: string): SelfTestResult;
  /** Runs the self-test if nothing is remembered. Null: this is the task of a self-test. */
  readonly selfTest: ((cli: string, version: string, signal: AbortSignal) => Promise<SelfTestResult>) | null;
  /** Takes away what a killed process left; only the holder of the lease may. */
  settle(): Promise<void>;
  close(): Promise<void>;
};
