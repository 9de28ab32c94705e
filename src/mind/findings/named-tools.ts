/** Whether a task names the tools that changed scripts start: "Switch from mocha to vitest". */
import { packageScripts } from '../candidates/base-scripts.ts';
import { guardedPackageJson } from '../candidates/package-json.ts';
import type { ChangedFile } from '../changes/changed-file.ts';
import { LEAVES_OUT } from './hidden-failure.ts';
import type { TaskWords } from './task-words.ts';

/** Programs in most scripts; a task that mentions one means something else. */
const EVERYDAY = new Set('node npm npx yarn pnpm bun sh bash true exit echo test'.split(' '));
/** More than one command, or one whose failure can be lost. */
const NOT_PLAIN = /[|&;<>`$()\n\\]/;
const STARTS = /^(?:(?:[A-Z_][A-Z0-9_]*=\S*|cross-env|npx|bunx|(?:npm|pnpm|yarn) exec|pnpm dlx)\s+)*/;

const BESIDE = '(?:(?:the|our|its|all|old|unused|existing|standalone)\\s+){0,3}[`\'"]?';
const END =
  '[`\'"]?(?:\\s+(?:test\\s+)?(?:runner|linter|formatter|package|dependency|tool|checker|bundler)\\b)?(?=\\s*$|\\s*[,.:;!?()]|\\s+(?:and|as|by|for|from|in|instead|to|with)\\b)';
const TURNS = '\\b(?:switch|migrat|mov|chang|port|convert|replac|swap)\\w*\\b.{0,60}\\b';
const COMES = `(?:\\b(?:add|use|using|introduce|adopt|install|set ?up|configure)\\s+|${TURNS}(?:to|with|by|for)\\s+)`;
const GOES = `(?:\\b(?:remov(?:e|ing)|drop|delet(?:e|ing)|replac(?:e|ing)|swap|get rid of)\\s+|${TURNS}from\\s+)`;

const named = (verbs: string, name: string) =>
  new RegExp(`${verbs}${BESIDE}${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}${END}`, 'i');

/** The words by which this thing goes; null if there are none. "Use vitest instead of mocha" forbids and removes mocha. */
export function wordsOfLoss(task: TaskWords, name: string): string | null {
  const instead = named('\\b(?:instead of|rather than)\\s+', name);
  return task.asking(named(GOES, name))[0] ?? task.clauses.find(({ text }) => instead.test(text))?.text ?? null;
}

/** If only scripts of a package.json differ: the words that name their tools, or null; otherwise undefined. */
export function scriptsNamed({ path, before, after }: ChangedFile, task: TaskWords): string | null | undefined {
  if (!path.endsWith('package.json') || before === null || after === null) return undefined;
  const [old, now] = [packageScripts(before), packageScripts(after)];
  const names = [...new Set([...old.keys(), ...now.keys()])].filter((name) => old.get(name) !== now.get(name));
  if (names.length === 0) return undefined;
  if (withoutScripts(before) !== withoutScripts(after)) return null;
  const words = names.map((name) => toolsNamed(task, old.get(name) ?? '', now.get(name) ?? ''));
  return words.includes(null) ? null : (words[0] ?? null);
}

function withoutScripts(text: string): string | null {
  const all = guardedPackageJson(text);
  return all === null ? null : JSON.stringify({ ...(JSON.parse(all) as object), scripts: null });
}

/** The words that name every command which comes or goes; null if they do not. All other commands stay. */
export function toolsNamed(task: TaskWords, was: string, is: string): string | null {
  const [old, now] = [partsOf(was), partsOf(is)];
  const [gone, fresh] = [old.filter((one) => !now.includes(one)), now.filter((one) => !old.includes(one))];
  if (fresh.some((one) => NOT_PLAIN.test(one) || LEAVES_OUT.test(one))) return null;
  const going = gone.map(programOf);
  if (fresh.some((one) => going.includes(programOf(one)))) return null;
  const words = [
    ...going.map((name) => (EVERYDAY.has(name) ? null : wordsOfLoss(task, name))),
    ...fresh.map(programOf).map((name) => (EVERYDAY.has(name) ? null : (task.asking(named(COMES, name))[0] ?? null))),
  ];
  return words.includes(null) ? null : (words[0] ?? null);
}

const partsOf = (command: string): string[] =>
  command
    .split('&&')
    .map((part) => part.trim())
    .filter((part) => part !== '');

/** The test runner of Node.js is called by its module: `node:test`. */
const programOf = (part: string): string => {
  const program = part.replace(STARTS, '').split(/\s/)[0] ?? '';
  return program === 'node' && /\snode --test\b|^node --test\b/.test(part) ? 'node:test' : program.toLowerCase();
};
