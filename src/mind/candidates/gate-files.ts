/**
 * Files of the base that a gate's own command runs, such as `sh scripts/check.sh`: they decide what is checked as much as
 * a Makefile does. Programs and what shells and interpreters are told to run count; what a command only reads does not.
 */

/** Whoever runs the file that comes next. */
const SHELLS = /^(?:(?:ba|da|z|k|a)?sh|source|\.|pwsh)$/;
const INTERPRETERS = /^(?:node|nodejs|deno|bun|tsx|ts-node|python[\d.]*|pypy3?|ruby|perl|php|lua|Rscript)$/;
/** More likely the product, tried out by a gate, than a check of it. */
const PRODUCT = /^(?:src|lib|app|bin|cmd|dist)\/|^(?:main|index|app|server|cli)\.\w+$/;
/** Words that stand before a command without being it. */
const BEFORE =
  /^(?:exec|command|env|time|timeout|nice|nohup|xargs|sudo|npx|run|then|do|else|if|while|until|!|\{|\d+[smh]?|\w+=.*)$/;
/** A code in a word, a module, or a look at the text alone: no file is run. */
const NO_FILE = /^(?:-e|-c|-m|-p|-n|--eval|--print|--check)$/;

export function gateFiles(
  gates: readonly { readonly name: string; readonly command: string | readonly string[] }[],
  basePaths: readonly string[],
): ReadonlyMap<string, string> {
  const known = new Set(basePaths);
  const found = new Map<string, string>();
  for (const { name, command } of gates)
    for (const words of simpleCommands(command))
      for (const path of runBy(words)) if (known.has(path) && !found.has(path)) found.set(path, name);
  return found;
}

/** Not a shell: good enough to see which words are programs. What stands in quotes may hold commands too (`sh -c '…'`). */
function simpleCommands(command: string | readonly string[]): string[][] {
  if (typeof command !== 'string') return [[...command], ...command.slice(1).flatMap((word) => simpleCommands(word))];
  return command.split(/[;&|\n()`"']+|\$\(/).map((part) => part.split(/\s+/).filter((word) => word !== ''));
}

function runBy(words: readonly string[]): string[] {
  const from = words.findIndex((word) => !BEFORE.test(word) && !word.startsWith('-'));
  const program = words[from];
  if (program === undefined) return [];
  const name = program.split('/').at(-1) ?? '';
  const rest = words.slice(from + 1);
  const isShell = SHELLS.test(name);
  if (!(isShell || INTERPRETERS.test(name)) || rest.some((word) => NO_FILE.test(word))) return [inTree(program)];
  const first = inTree(rest.find((word) => !word.startsWith('-') && word !== 'run' && word !== 'test') ?? '');
  return !isShell && PRODUCT.test(first) ? [] : [first];
}

const inTree = (word: string): string => word.replace(/^\/workspace\//, '').replace(/^(?:\.\/)+/, '');
