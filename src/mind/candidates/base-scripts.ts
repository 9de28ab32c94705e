/**
 * Command lines in files of the base that a gate may call by name: scripts of a package.json, recipes of a Makefile.
 */
const SCRIPT_FILES = /^(?:package\.json|GNUmakefile|[Mm]akefile|Makefile\..+|.+\.mk)$/;
const MAX_FILES = 100;
const MAX_LINES = 1000;
const MAX_LINE = 2000;

/** Which files of the base to read for it: those nearest to the top if there are very many. */
export function scriptFilesWanted(basePaths: readonly string[]): string[] {
  const depth = (path: string) => path.split('/').length;
  return basePaths
    .filter((path) => SCRIPT_FILES.test(path.slice(path.lastIndexOf('/') + 1)) && !/(?:^|\/)node_modules\//.test(path))
    .sort((a, b) => depth(a) - depth(b))
    .slice(0, MAX_FILES);
}

/** Parsed like a package manager does, less strictly than a worker's change. */
export function packageScripts(text: string): ReadonlyMap<string, string> {
  try {
    const { scripts } = JSON.parse(text.replace(/^\uFEFF/, '')) as { scripts?: unknown };
    if (typeof scripts !== 'object' || scripts === null) return new Map();
    return new Map(Object.entries(scripts).filter((one): one is [string, string] => typeof one[1] === 'string'));
  } catch {
    return new Map();
  }
}

/** The script with those that run before and after it; `test:*` means all that match. */
export function scriptsNamed(scripts: ReadonlyMap<string, string>, word: string): string[] {
  const star = word.indexOf('*');
  const names = [word, ...(SHORT.get(word) ?? [])];
  const hits = star < 0 ? names : [...scripts.keys()].filter((name) => name.startsWith(word.slice(0, star)));
  return hits.flatMap((name) => [`pre${name}`, name, `post${name}`]).filter((name) => scripts.has(name));
}

const INSTALL = ['install', 'prepublish', 'prepare'];
const SHORT: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    t: ['test'],
    tst: ['test'],
    it: [...INSTALL, 'test'],
    cit: [...INSTALL, 'test'],
    ci: INSTALL,
    i: INSTALL,
    install: INSTALL,
    restart: ['restart', 'stop', 'start'],
  }),
);

/**
 * All recipe lines of all targets: dependencies of a target are often variables. A variable that the file does not set
 * becomes a word that is no program.
 */
export function recipesOf(text: string): string[] {
  const prefix = /^\.RECIPEPREFIX\s*:?=\s*(\S)/m.exec(text)?.[1] ?? '\t';
  const set = new Map(Object.entries({ MAKE: 'make', SHELL: 'sh', CURDIR: '.', PWD: '.' }));
  const lines: string[] = [];
  for (const line of text.replace(/\\\r?\n/g, ' ').split(/\r?\n/)) {
    const variable = /^\s*(?:(?:export|override)\s+)*([\w.-]+)\s*(?:[?+!]|:{0,3})=\s*(.*)$/.exec(line);
    if (line.startsWith(prefix)) lines.push(line.slice(1).replace(/^[\s@+-]+/, ''));
    else if (variable !== null) {
      const [whole, name = '', value = ''] = variable;
      set.set(name, value.slice(0, MAX_LINE / 4));
      if (/\$[({]shell\s|!=/.test(whole)) lines.push(value);
    } else if (/^[^#=;]+:[^=;]*;/.test(line)) lines.push(line.slice(line.indexOf(';') + 1));
  }
  const filled = (line: string) =>
    line.slice(0, MAX_LINE).replace(/\$[({]([\w.-]+)[)}]/g, (_, name: string) => set.get(name) ?? 'unset');
  return lines.slice(0, MAX_LINES).map((line) => filled(filled(filled(line))).replaceAll('$$', '$'));
}
