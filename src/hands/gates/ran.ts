/** How one run of a command ended, and what it left behind for judging. */
import type { Mount } from '../../engine/ports/sandbox.ts';
import type { BlobHash } from '../../kernel/ids.ts';
import type { FailedTests } from '../../mind/gates/ids.ts';

/** Names of tests in a report. */
type ListedTests = {
  readonly ran: readonly string[];
  /** Of those that ran. */
  readonly failed: readonly string[];
  readonly skipped: readonly string[];
  /** Passed only when they were tried again. */
  readonly flaky: readonly string[];
};
/** `null`: the file is taken away. */
export type PlantedFile = { readonly path: string; readonly text: string | null };

export type Tools = {
  readonly readable: readonly Mount[];
  readonly path: readonly string[];
  /** Variables by which version managers find themselves. */
  readonly env?: Readonly<Record<string, string>>;
};

export type Ran =
  | {
      readonly type: 'ended';
      readonly status: 'pass' | 'fail';
      /** How, as a part of a sentence. */
      readonly ended: string;
      readonly ms: number;
      readonly output: string;
      /** Of a red run whose gate says how it names tests. */
      readonly tests: FailedTests | null;
      /** How many tests ran; null when the runner is not known or does not say. */
      readonly ran: number | null;
      /** All tests by name, of a run that wrote a report; else null. */
      readonly listed: ListedTests | null;
      /** The text of the report that is kept. */
      readonly kept: string | null;
      /** Whether the same run again would end the same; a limit that was hit may be the machine's fault. */
      readonly lasting: boolean;
      /** The evidence of the earlier run, when it was not run now. */
      readonly cached: BlobHash | null;
    }
  /** The gate could not do its work: nobody knows about the code. */
  | {
      readonly type: 'error';
      readonly problem: string;
      readonly output: string;
      /** It ended with exit code 0 and ran no test. */
      readonly noTests?: boolean;
      /** It ended with exit code 0, and what it printed or wrote does not bear that out. */
      readonly green?: boolean;
    };
