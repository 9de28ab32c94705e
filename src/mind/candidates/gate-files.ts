/**
 * Files of the base that a gate's own command runs, such as `sh scripts/check.sh`, also through a script in
 * package.json or a recipe of a Makefile: they decide what is checked as much as a Makefile does. Programs count, and
 * what shells and interpreters are told to run; what a command only reads does not. In doubt a file of that name
 * counts.
 */
import { packageScripts, recipesOf, scriptsNamed } from './base-scripts.ts';
import { commandLinesIn, simpleCommands } from './shell-words.ts';

/** Shells run the file in their next argument. */
const SHELLS = /^(?:(?:ba|da|z|k|a|fi)?sh|source|\.|pwsh)$/;
const INTERPRETERS = /^(?:node|nodejs|deno|bun|tsx|ts-node|python[\d.]*|pypy3?|ruby|perl|php|lua|Rscript)$/;
/** More likely the product that a gate tries than a check of it. */
const PRODUCT = /^(?:src|lib|app|bin|cmd|dist)\/|^(?:main|index|app|server|cli)\.\w+$/;
const MAKE = /^[gb]?make$/;
/** Programs that run scripts of package.json by name; with these words, those of all packages. */
const MANAGERS = /^(?:npm|pnpm|yarn|bun|npm-run-all2?|run-[sp]|turbo|nx|lerna|--run)$/;
const MANY = /^(?:turbo|nx|lerna|-w|-ws|-r|-F|--recursive|(?:--)?workspaces?(?:=.*)?|--filter(?:=.*)?)$/;
/** Words before a command that are not the command. */
const BEFORE = new RegExp(
  `^(?:${[
    ...['exec', 'command', 'builtin', 'env', 'time', 'timeout', 'nice', 'ionice', 'nohup', 'setsid', 'stdbuf', 'xargs'],
    ...[
      'sudo',
      'doas',
      'watch',
      'then',
      'do',
      'else',
      'elif',
      'if',
      'while',
      'until',
      '!',
      '\\{',
      '\\d+[smh]?',
      '\\w+=.*',
    ],
    ...['run', 'x', 'dlx', 'shell', 'npx', 'pnpx', 'bunx', 'npm', 'pnpm', 'yarn', 'corepack', 'uv', 'uvx', 'poetry'],
    ...['pipenv', 'pdm', 'hatch', 'rye', 'pixi', 'conda', 'mise', 'bundle', 'coverage', 'cross-env', 'c8', 'nyc'],
  ].join('|')})$`,
);
/** Options whose next word is a value; it may still be the command, as in `time -p ./check`. */
const VALUED =
  /^(?:-[suIpPCwSkF]|--(?:with|package|python|directory|project|extra|group|signal|unset|user|chdir|env-file|cwd|prefix|filter|workspace))$/;
/** Options that set the working directory. */
const DIRECTORY = /^(?:-C|--(?:prefix|cwd|directory|dir|chdir))(?:=(.*))?$/;
/** Code in a word, a module, or a check of the text alone: no file is run. `sh -e` and `perl -p` do run one. */
const SHELL_CODE = /^-\w*[cn]\w*$/;
const CODE = /^(?:-[nplaiwsW0]*[eEc]|-m|--eval|--print|--check)$/;
/** Options of interpreters that name another file to load. */
const BESIDE = /^(?:-[rPI]|--(?:require|import|loader|experimental-loader|rcfile|init-file|env-file|project|config))$/;

const MAX_COMMANDS = 5000;
const MAX_DEPTH = 8;
const MAX_DIRECTORIES = 16;

export type CheckedCommand = {
  /** The name in messages, such as `gate tests`. */
  readonly who: string;
  readonly command: string | readonly string[];
};

/** Which gate or service runs each path. `baseTexts` has the readable files that `scriptFilesWanted` named. */
export function gateFiles(
  running: readonly CheckedCommand[],
  basePaths: readonly string[],
  baseTexts: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { who, walk } of walks(running, basePaths, baseTexts))
    for (const path of walk.found) if (!found.has(path)) found.set(path, who);
  return found;
}

type GateScript = { readonly path: string; readonly name: string; readonly who: string };

/** The scripts of a package.json that gates run, also through others. `texts` as for `gateFiles`. */
export function gateScripts(
  running: readonly CheckedCommand[],
  texts: ReadonlyMap<string, string>,
): readonly GateScript[] {
  return walks(running, [], texts).flatMap(({ who, walk }) => walk.scripts.map((script) => ({ ...script, who })));
}

function walks(
  running: readonly CheckedCommand[],
  basePaths: readonly string[],
  texts: ReadonlyMap<string, string>,
): { readonly who: string; readonly walk: Walk }[] {
  const known = new Set(basePaths);
  return running.map(({ who, command }) => {
    const walk = new Walk(known, texts);
    walk.follow(typeof command === 'string' ? simpleCommands(command) : [command], [''], 0);
    return { who, walk };
  });
}

class Walk {
  readonly found = new Set<string>();
  readonly scripts: { readonly path: string; readonly name: string }[] = [];
  readonly #known: ReadonlySet<string>;
  readonly #texts: ReadonlyMap<string, string>;
  /** Scripts read so far: scripts may call each other in a circle. */
  readonly #seen = new Set<string>();
  #left = MAX_COMMANDS;

  constructor(known: ReadonlySet<string>, texts: ReadonlyMap<string, string>) {
    this.#known = known;
    this.#texts = texts;
  }

  /** Once entered, a directory stays possible to the end: parentheses and branches are not distinguished. */
  follow(commands: readonly (readonly string[])[], from: readonly string[], depth: number): void {
    let dirs = from;
    for (const words of commands) {
      this.#left -= 1;
      if (this.#left < 0 || depth > MAX_DEPTH) return;
      const at = words.findIndex((word) => /^(?:cd|pushd)$/.test(word));
      if (at >= 0) dirs = entered(dirs, words.slice(at + 1).find((word) => !word.startsWith('-')) ?? '.');
      this.#look(words, dirs, depth);
    }
  }

  #look(words: readonly string[], from: readonly string[], depth: number): void {
    let dirs = from;
    for (const [i, word] of words.entries()) {
      const told = DIRECTORY.exec(word);
      if (told !== null) dirs = entered(dirs, told[1] ?? words[i + 1] ?? '.');
    }
    for (const line of commandLinesIn(words, isShell)) this.follow(simpleCommands(line), dirs, depth + 1);
    const each = words.findIndex((word) => /^-exec(?:dir)?$/.test(word));
    if (each >= 0) this.follow([words.slice(each + 1)], dirs, depth + 1);
    const manager = words.findIndex((word) => MANAGERS.test(word));
    if (manager >= 0) this.#packages(words.slice(manager), dirs, depth);
    for (const at of programsOf(words)) {
      const program = words[at] ?? '';
      const rest = words.slice(at + 1);
      if (MAKE.test(nameOf(program))) this.#make(rest, dirs, depth);
      else if (isRunner(program)) this.#runner(nameOf(program), rest, dirs);
      // `uv run src/tool.py` is an interpreter in other words.
      else if (at === 0 || !/\.\w+$/.test(program) || !PRODUCT.test(program)) this.#add(program, dirs);
    }
  }

  /** Returns whether such a file exists. */
  #add(word: string, dirs: readonly string[]): boolean {
    const paths = dirs.map((dir) => inside(dir, word)).filter((path) => path !== null && this.#known.has(path));
    for (const path of paths) this.found.add(path as string);
    return paths.length > 0;
  }

  #runner(name: string, rest: readonly string[], dirs: readonly string[]): void {
    const shell = SHELLS.test(name);
    const add = (word: string) => (!shell && PRODUCT.test(inside('', word) ?? '')) || this.#add(word, dirs);
    for (const [i, word] of rest.entries()) {
      const before = rest[i - 1] ?? '';
      if (/^[-+]/.test(word)) {
        if (shell ? SHELL_CODE.test(word) : isCode(name, word)) return;
        const [option = '', value] = word.split('=', 2);
        if (value !== undefined && BESIDE.test(option)) add(value);
      } else if (BESIDE.test(before)) add(word);
      // A word after an option is its value if it is no file: `bash -o pipefail check.sh`.
      else if (!/^(?:run|test)$/.test(word) && !isRunner(word) && (add(word) || !/^[-+]/.test(before))) return;
    }
  }

  #packages(words: readonly string[], dirs: readonly string[], depth: number): void {
    const all = words.some((word) => MANY.test(word));
    for (const [path, text] of this.#texts) {
      if (nameOf(path) !== 'package.json' || !(all || dirs.includes(directoryOf(path)))) continue;
      const scripts = packageScripts(text);
      for (const name of words.slice(1).flatMap((word) => scriptsNamed(scripts, word))) {
        if (!this.#first(`${path} ${name}`)) continue;
        this.scripts.push({ path, name });
        this.follow(simpleCommands(scripts.get(name) ?? ''), [directoryOf(path)], depth + 1);
      }
    }
  }

  #make(rest: readonly string[], dirs: readonly string[], depth: number): void {
    const named = rest.flatMap((word, i) => (/^(?:-f|--file|--makefile)$/.test(rest[i - 1] ?? '') ? [word] : []));
    for (const dir of dirs) {
      const files = [...['GNUmakefile', 'makefile', 'Makefile'], ...named].map((name) => inside(dir, name));
      for (const [path, text] of this.#texts) {
        // A Makefile's includes often use patterns and variables.
        if (!(files.includes(path) || path.endsWith('.mk')) || !this.#first(`${dir} ${path}`)) continue;
        for (const line of recipesOf(text)) this.follow(simpleCommands(line), [dir], depth + 1);
      }
    }
    for (const name of named) this.#add(name, dirs);
  }

  #first(what: string): boolean {
    if (this.#seen.has(what)) return false;
    this.#seen.add(what);
    return true;
  }
}

/** Where a command's program may be: the first word that is none of those before it. */
function programsOf(words: readonly string[]): number[] {
  const found: number[] = [];
  for (const [i, word] of words.entries()) {
    if (word.startsWith('-') || BEFORE.test(word)) continue;
    found.push(i);
    if (!VALUED.test(words[i - 1] ?? '') || isRunner(word)) break;
  }
  return found;
}

const isCode = (name: string, word: string): boolean =>
  CODE.test(word) ||
  (word === '-p' && /^(?:node|nodejs|bun|tsx|ts-node)$/.test(name)) ||
  (word === '-l' && name === 'php');

function entered(dirs: readonly string[], word: string): string[] {
  const further = dirs.map((dir) => inside(dir, word)).filter((dir) => dir !== null);
  return [...new Set([...dirs, ...further])].slice(0, MAX_DIRECTORIES);
}

/**
 * The path from the top of the tree; null if it leaves the tree. A variable or substitution in front counts as the top.
 */
function inside(dir: string, word: string): string | null {
  const plain = word.replace(/^(?:\$\w+|\$\{[^}]*\}|\$\([^)]*\))(?=\/|$)/, '/workspace');
  const top = /^\/workspace(?:\/|$)/;
  if (plain.startsWith('/') && !top.test(plain)) return null;
  const names = top.test(plain) || dir === '' ? [] : dir.split('/');
  for (const name of plain.replace(top, '').split('/')) {
    if (name === '..' && names.pop() === undefined) return null;
    if (name !== '' && name !== '.' && name !== '..') names.push(name);
  }
  return names.join('/');
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
const directoryOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));
const isShell = (word: string): boolean => SHELLS.test(nameOf(word));
const isRunner = (word: string): boolean => isShell(word) || INTERPRETERS.test(nameOf(word));
