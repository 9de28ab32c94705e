/** How one run of a command ended, and what it left to judge. */
import type { Mount } from '../../engine/ports/sandbox.ts';
import type { BlobHash } from '../../kernel/ids.ts';
import type { FailedTests } from '../../mind/gates/ids.ts';

/** Names of tests in a report. */
export type ListedTests = {
  readonly ran: readonly string[];
  /** Failed tests, among those that ran. */
  readonly failed: readonly string[];
  readonly skipped: readonly string[];
  /** Tests that passed only when tried again. */
  readonly flaky: readonly string[];
};
/** `null` removes the file. */
export type PlantedFile = { readonly path: string; readonly text: string | null };

export type GateTools = {
  readonly readable: readonly Mount[];
  readonly path: readonly string[];
  /** Variables that version managers need to find themselves. */
  readonly env?: Readonly<Record<string, string>>;
};

export type CheckRunResult =
  | {
      readonly type: 'ended';
      readonly status: 'pass' | 'fail';
      /** How it ended, as a part of a sentence. */
      readonly ended: string;
      readonly ms: number;
      readonly output: string;
      /** The failed tests of a red run, if the gate names its tests. */
      readonly tests: FailedTests | null;
      /** How many tests ran; null if the runner is unknown or does not say. */
      readonly ran: number | null;
      /** All tests by name, if the run wrote a report; else null. */
      readonly listed: ListedTests | null;
      /** The text of the report, for storage. */
      readonly kept: string | null;
      /** Whether the same run would end the same way again; a limit may have been hit because of the machine. */
      readonly lasting: boolean;
      /** The evidence of the earlier run, if this one was cached. */
      readonly cached: BlobHash | null;
    }
  /** The gate could not run, so nothing is known about the code. */
  | {
      readonly type: 'error';
      readonly problem: string;
      readonly output: string;
      /** The command exited with 0 and ran no test. */
      readonly noTests?: boolean;
      /** The command exited with 0, but its output or report contradicts that. */
      readonly green?: boolean;
    };

/** A run of a command that reached its end. */
export type EndedRun = Extract<CheckRunResult, { type: 'ended' }>;
/** How it ended, without its tests. */
export type GateRunEnd = Pick<EndedRun, 'type' | 'status' | 'ended' | 'lasting'>;
