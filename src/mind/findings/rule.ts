/** What every rule is given and gives. */

import type { Finding } from '../changes/finding.ts';
import type { FileFacts } from './file-facts.ts';
import type { TaskWords } from './task-words.ts';

export type Hit = Omit<Finding, 'tool'> & { readonly blocks: boolean };

export type RuleContext = {
  /** In the order of their paths. */
  readonly files: readonly FileFacts[];
  readonly words: TaskWords;
  readonly task: string;
  readonly claims: readonly string[];
  /** Whether the task may change this protected path. */
  readonly isGranted: (path: string) => boolean;
  readonly recent: readonly { readonly commit: string; readonly path: string; readonly removed: readonly string[] }[];
  /** Names that entries of the base's packages pass on to others. */
  readonly offered: ReadonlySet<string>;
  readonly generated: (path: string) => string | null;
  /** Work may be put off: the change is to be a part of the task. */
  readonly mayPutOff: boolean;
};

export type Rule = (context: RuleContext) => readonly Hit[];

/** A text of the change in a message: one line, not long, and unable to end its quotes. */
export function quoted(text: string, most = 80): string {
  const plain = text.trim().replace(/[\p{C}\p{Zl}\p{Zp}`]/gu, ' ');
  return `\`${plain.length <= most ? plain : `${plain.slice(0, most - 1)}…`}\``;
}

export const count = (n: number, word: string): string => `${n} ${word}${n === 1 ? '' : 's'}`;
