/** The program that one turn of an attempt runs, or why none can be run; and the words it is given. */
import type { EgressPolicy } from '../../engine/ports/egress.ts';
import type { Mount } from '../../engine/ports/sandbox.ts';
import type { AnswerKind } from '../../mind/answers/schemas.ts';
import type { OutcomeClass } from '../../mind/domain/values.ts';
import type { Ask, Listener } from '../../mind/workers/adapter.ts';
import type { DeclaredCli } from '../../mind/workers/cli-config.ts';

export type Command =
  | {
      readonly type: 'command';
      readonly argv: readonly [string, ...string[]];
      readonly input: string;
      readonly shown: readonly string[];
      readonly output: DeclaredCli['output'];
      readonly env: Readonly<Record<string, string>>;
      /** Values that must be in nothing that is kept or shown. */
      readonly secrets: readonly string[];
      readonly readable: readonly Mount[];
      readonly listener: Listener;
      /** What it tells of its usage counts earlier turns of the session too. */
      readonly cumulative: boolean;
      /** Null: no way out. */
      readonly egress: EgressPolicy | null;
    }
  | {
      readonly type: 'refused';
      readonly class: Extract<OutcomeClass, 'blocked' | 'auth' | 'missing_cli' | 'wrong_version'>;
      readonly message: string;
    };

/** What a worker is told in one turn. */
export type Said = {
  readonly text: string;
  readonly answer: AnswerKind;
  readonly session: Ask['session'];
  /** The work is done and only its answer is asked for, in a run of its own that can change nothing. */
  readonly answerOnly?: true;
};
