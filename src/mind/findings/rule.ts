/** The input and output of every rule. */

import type { Finding } from '../changes/finding.ts';
import type { FileFacts } from './file-facts.ts';
import type { TaskWords } from './task-words.ts';

export type Hit = Omit<Finding, 'tool'> & { readonly blocks: boolean };

export type RuleContext = {
  /** Sorted by path. */
  readonly files: readonly FileFacts[];
  readonly words: TaskWords;
  readonly task: string;
  readonly claims: readonly string[];
  /** Whether the task may change this protected path. */
  readonly isGranted: (path: string) => boolean;
  readonly recent: readonly { readonly commit: string; readonly path: string; readonly removed: readonly string[] }[];
  /** Names that entry files of the base's packages re-export. */
  readonly offered: ReadonlySet<string>;
  readonly generated: (path: string) => string | null;
  /** Work may be postponed: the change may be a part of the task. */
  readonly mayPutOff: boolean;
  /** Earlier steps of the task changed behaviour already; this step only adds to it. */
  readonly continues: boolean;
};

export type FindingRule = (context: RuleContext) => readonly Hit[];

/** Quotes text of the change in a message: one line, not long, and unable to end its quotes. */
export function quoted(text: string, most = 80): string {
  const plain = text.trim().replace(/[\p{C}\p{Zl}\p{Zp}`]/gu, ' ');
  return `\`${plain.length <= most ? plain : `${plain.slice(0, most - 1)}…`}\``;
}

export const count = (n: number, word: string): string => `${n} ${word}${n === 1 ? '' : 's'}`;
