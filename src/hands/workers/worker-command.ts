/** The program and arguments for one turn of an attempt, or why none can run. */
import type { EgressPolicy } from '../../engine/ports/egress.ts';
import type { Mount } from '../../engine/ports/sandbox.ts';
import type { AnswerKind } from '../../mind/answers/schemas.ts';
import type { OutcomeClass } from '../../mind/domain/values.ts';
import type { CliRequest, Listener } from '../../mind/workers/adapter.ts';
import type { DeclaredCli } from '../../mind/workers/cli-config.ts';

export type WorkerCommand =
  | {
      readonly type: 'command';
      readonly argv: readonly [string, ...string[]];
      readonly input: string;
      readonly shown: readonly string[];
      readonly output: DeclaredCli['output'];
      readonly env: Readonly<Record<string, string>>;
      /** Values that must not appear in anything stored or shown. */
      readonly secrets: readonly string[];
      readonly readable: readonly Mount[];
      readonly listener: Listener;
      /** Its reported usage includes earlier turns of the session. */
      readonly cumulative: boolean;
      /** The worker's network access; null for none. */
      readonly egress: EgressPolicy | null;
    }
  | {
      readonly type: 'refused';
      readonly class: Extract<OutcomeClass, 'blocked' | 'auth' | 'missing_cli' | 'wrong_version'>;
      readonly message: string;
    };

/** The prompt of one turn. */
export type TurnPrompt = {
  readonly text: string;
  readonly answer: AnswerKind;
  readonly session: CliRequest['session'];
  /** The work is done; a separate run asks only for the answer and can change nothing. */
  readonly answerOnly?: true;
};
