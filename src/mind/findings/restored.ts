/**
 * Finds lines that a recent commit replaced and that come back: the landed work of others is undone, often by an old
 * copy of a file.
 */
import { skipReason } from '../code/kinds.ts';
import { isCode } from '../code/languages.ts';
import type { FileFacts } from './file-facts.ts';
import { count, type FindingRule, type Hit } from './rule.ts';
import { REVERT } from './task-words.ts';

/** Fewer lines of one commit may come back by chance. */
const ENOUGH = 5;
/** The least share of the replaced lines in these files; below it, code only looks alike. */
const SHARE = 1 / 3;
const MAX_LINE = 500;

type RestoredLine = { readonly path: string; readonly line: number };

export const restored: FindingRule = ({ files, words, recent }) => {
  if (recent.length === 0) return [];
  const asked = words.asks(REVERT);
  const touched = new Set(recent.map(({ path }) => path));
  const looked = files.filter((file) => touched.has(file.path) && isWritten(file));
  if (looked.length === 0) return [];
  // Code from another file of this change has moved.
  const elsewhere = new Set(files.flatMap(({ removed }) => removed.map(({ text }) => key(text))));
  const added = new Map(looked.map((file) => [file.path, freshLines(file, elsewhere)]));
  const commits = new Map<string, { gone: number; readonly back: RestoredLine[] }>();
  for (const { commit, path, removed } of recent) {
    const fresh = added.get(path);
    if (fresh === undefined) continue;
    const found = commits.get(commit) ?? { gone: 0, back: [] };
    const gone = new Set(removed.map(key).filter(isTelling));
    found.gone += gone.size;
    for (const text of gone) {
      const line = fresh.get(text);
      if (line !== undefined) found.back.push({ path, line });
    }
    commits.set(commit, found);
  }
  return [...commits].flatMap(([commit, { gone, back }]) => {
    const hit = reverted(commit, gone, back, !asked);
    return hit === null ? [] : [hit];
  });
};

function reverted(commit: string, gone: number, back: readonly RestoredLine[], blocks: boolean): Hit | null {
  const first = [...back].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : a.line - b.line))[0];
  if (first === undefined || back.length < ENOUGH || back.length < gone * SHARE) return null;
  const message = `${count(back.length, 'line')} that commit ${commit.slice(0, 12)} replaced come back: this undoes landed work. Take that commit's lines, or say "revert" in the task`;
  return { rule: 'landed-work-reverted', severity: blocks ? 'high' : 'medium', ...first, message, blocks };
}

/** Generated files change back and forth by themselves. */
function isWritten({ path, file: { after } }: FileFacts): boolean {
  return after !== null && isCode(path) && skipReason(path, new Uint8Array(), after.slice(0, 8_192)) === null;
}

/** Lines that the file did not have, by their text. */
function freshLines(file: FileFacts, elsewhere: ReadonlySet<string>): Map<string, number> {
  const had = new Set(file.file.before?.split('\n').map(key));
  const fresh = new Map<string, number>();
  for (const { line, text } of file.added) {
    const one = key(text);
    if (isTelling(one) && !had.has(one) && !elsewhere.has(one) && !fresh.has(one)) fresh.set(one, line);
  }
  return fresh;
}

const key = (text: string): string => text.slice(0, MAX_LINE).trim();

/** Not a brace, a comment mark, or a short line that many files have. */
const isTelling = (text: string): boolean =>
  text.length >= 10 &&
  /\w{3}.*\w{2}/.test(text) &&
  !/^(?:import|from|use|#include|package|return\b.{0,6}$|end\b|else\b)/.test(text);
