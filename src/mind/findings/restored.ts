/** Lines that a recent commit replaced and that come back: landed work of others is undone, often by an old copy of a file. */
import { skipReason } from '../code/kinds.ts';
import { isCode } from '../code/languages.ts';
import type { FileFacts } from './file-facts.ts';
import { count, type Hit, type Rule, type RuleContext } from './rule.ts';
import { REVERT } from './task-words.ts';

/** Fewer lines of one commit come back by chance. */
const ENOUGH = 5;
const MAX_LINE = 500;

export const restored: Rule = ({ files, words, recent }) => {
  if (recent.length === 0 || words.asks(REVERT)) return [];
  const byPath = new Map<string, RuleContext['recent'][number][]>();
  for (const one of recent) byPath.set(one.path, [...(byPath.get(one.path) ?? []), one]);
  const looked = files.filter(({ path }) => byPath.has(path));
  // Code that comes back from another file of this change has moved.
  const elsewhere = new Set(
    looked.length === 0 ? [] : files.flatMap(({ removed }) => removed.map(({ text }) => key(text))),
  );
  return looked.flatMap((file) => comesBack(file, byPath.get(file.path) ?? [], elsewhere));
};

function comesBack(file: FileFacts, commits: RuleContext['recent'], elsewhere: ReadonlySet<string>): Hit[] {
  if (commits.length === 0 || file.file.after === null || !isCode(file.path)) return [];
  if (skipReason(file.path, new Uint8Array(), file.file.after.slice(0, 8_192)) !== null) return [];
  const had = new Set(file.file.before?.split('\n').map(key));
  const added = new Map<string, number>();
  for (const { line, text } of file.added) {
    const one = key(text);
    if (isTelling(one) && !had.has(one) && !elsewhere.has(one) && !added.has(one)) added.set(one, line);
  }
  if (added.size === 0) return [];
  const hits = commits.flatMap(({ commit, removed }): Hit[] => {
    const gone = new Set(removed.map(key).filter(isTelling));
    const back = [...gone].filter((text) => added.has(text));
    if (back.length < ENOUGH || back.length * 2 < gone.size) return [];
    const line = Math.min(...back.map((text) => added.get(text) ?? 0));
    const message = `${count(back.length, 'line')} that commit ${commit.slice(0, 12)} replaced come back: this undoes landed work. Take that commit's lines, or say "revert" in the task`;
    return [{ rule: 'landed-work-reverted', severity: 'high', path: file.path, line, message, blocks: true }];
  });
  return hits.slice(0, 1);
}

const key = (text: string): string => text.slice(0, MAX_LINE).trim();

/** Not a brace, a comment mark, or a short line that many files have. */
const isTelling = (text: string): boolean =>
  text.length >= 10 &&
  /\w{3}.*\w{2}/.test(text) &&
  !/^(?:import|from|use|#include|package|return\b.{0,6}$|end\b|else\b)/.test(text);
