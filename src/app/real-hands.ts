/** Everything that real work needs: opened once per process, by the first task that is not simulated. */
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
import type { LoadedConfig } from './config/files.ts';
import type { ProjectAt } from './open-store.ts';

/** A command's options for real work. */
export type RealOptions = {
  /** Called when real work is first needed; throws if the settings may not be used. */
  readonly loaded: () => RealSettings | Promise<RealSettings>;
  /** The operator's checkout, if there is one: reading unchanged files from it is faster. */
  readonly checkout?: string;
  /** True if the operator allows the preparation of the environment to use the network. */
  readonly network?: boolean;
};
type RealSettings = Pick<LoadedConfig, 'settings' | 'told'>;

/** What real work is built from. */
export type RoomsOptions = RealOptions & {
  readonly environment: Environment;
  readonly project: ProjectAt;
  readonly failpoint: (name: string) => void;
  readonly log: AppLog;
  readonly redact: Redact;
  readonly clock: Clock;
  readonly script: (spec: Spec, task: TaskId) => Script;
  /** Called as soon as it is known what a gate finds at a task's base. */
  readonly tellBase: (task: TaskId, finding: BaseFinding) => void;
};

export type RealHands = {
  /** Hash of the settings that these hands apply. */
  readonly settings: string;
  /** `unsafe`: without a sandbox, for a task whose operator passed the flag. */
  hands(unsafe: boolean): Hands;
  /** What a gate finds at a base if that is remembered; null if it was never run there. */
  knownBase(ask: BaseAsk, unsafe: boolean, context: HandContext): Promise<BaseFinding | null>;
  /** What a gate finds at a commit: remembered, or run now. Null if it was stopped. */
  baseOf(ask: BaseAsk, context: HandContext): Promise<BaseFinding | null>;
  /** Tries on a commit whether a gate can fail at all. Null if there is no such gate, or it was stopped. */
  probe(ask: BaseAsk, context: HandContext, told: (what: string) => void): Promise<Tries | null>;
  readonly workspaces: Workspaces;
  readonly environments: Environments | null;
  sandbox(unsafe: boolean): Sandbox;
  /** Gates of the config that cannot run on this machine, by name: why, and whether that is certain. */
  unreadyGates(
    gates: readonly string[],
    base: string,
  ): Promise<readonly { readonly text: string; readonly sure: boolean }[]>;
  cli(name: string): CliLook;
  version(state: CliState, signal: AbortSignal): Promise<AskedVersion | null>;
  /** The stored result of this version's self-test. */
  knownSelfTest(cli: string, version: string): SelfTestResult;
  /** Runs the self-test if no result is stored. Null inside a self-test. */
  readonly selfTest: ((cli: string, version: string, signal: AbortSignal) => Promise<SelfTestResult>) | null;
  /** Removes what a killed process left. Only the lease holder may do this. */
  settle(): Promise<void>;
  close(): Promise<void>;
};
