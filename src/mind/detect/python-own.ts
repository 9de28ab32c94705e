/** How a Python project runs its own tests: what tox or nox would run, in the prepared environment. */
import type { RepositoryFacts, SuggestedGate } from './repository-facts.ts';

/** Folders from which the tests import the project: tox and nox install it, a gate does not. */
export function importPath({ names, paths }: Pick<RepositoryFacts, 'names' | 'paths'>): 'src' | '.' {
  const hasCode = paths.some((path) => path.startsWith('src/') && path.endsWith('.py'));
  // A `src` that is a package itself is imported by that name.
  return names.has('src/') && hasCode && !paths.includes('src/__init__.py') ? 'src' : '.';
}

type OwnPython = SuggestedGate & {
  /** A program that has to be installed beside the dependencies. */
  readonly needs: 'nox' | null;
};

export function ownPython(found: RepositoryFacts): OwnPython | null {
  return fromTox(found) ?? fromNox(found);
}

/**
 * tox itself builds and installs packages, which needs the network. Its environments cannot be reused either: they
 * would test the copy of the project that was installed then. So its commands run without it.
 */
function fromTox(found: RepositoryFacts): OwnPython | null {
  for (const [file, read] of TOX_FILES) {
    const text = found.texts.get(file)?.slice(0, MOST_TEXT);
    const commands = text === undefined ? null : read(text);
    if (commands === null || commands.length === 0) continue;
    const plain = commands.flatMap((command) => substituted(command) ?? []);
    if (plain.length !== commands.length) return null;
    const joined = plain.join(' && ');
    const path = `PYTHONPATH=${importPath(found)}`;
    return {
      command: plain.length === 1 ? `${path} ${joined}` : `export ${path} && ${joined}`,
      ids: idsOf(joined),
      reason: `tox runs it (${file}); it is run without tox, which would install packages`,
      needs: null,
    };
  }
  return null;
}

const idsOf = (command: string): SuggestedGate['ids'] =>
  /(?:^|\s)pytest(?:\s|$)/.test(command) ? 'pytest' : /\s-m unittest(?:\s|$)/.test(command) ? 'unittest' : null;

const MOST_TEXT = 1 << 16;
const TOX_FILES: readonly (readonly [string, (text: string) => string[] | null])[] = [
  ['tox.ini', (text) => iniCommands(text, /^\[testenv\]/)],
  ['tox.toml', (text) => tomlCommands(text, 'env_run_base')],
  [
    'pyproject.toml',
    (text) =>
      tomlCommands(text, 'tool.tox.env_run_base') ??
      iniCommands(
        /^legacy_tox_ini[ \t]*=[ \t]*(?:"""|''')([\s\S]*?)(?:"""|''')/m.exec(text)?.[1] ?? '',
        /^\[testenv\]/,
      ),
  ],
  ['setup.cfg', (text) => iniCommands(text, /^\[testenv\]/)],
];

/** The lines of `commands` in the section with this heading. */
function iniCommands(text: string, section: RegExp): string[] | null {
  const lines = text.split('\n').map((line) => line.trimEnd());
  const start = lines.findIndex((line) => section.test(line));
  if (start === -1) return null;
  const end = lines.findIndex((line, n) => n > start && line.startsWith('['));
  const own = lines.slice(start + 1, end === -1 ? undefined : end);
  const at = own.findIndex((line) => /^commands[ \t]*=/.test(line));
  if (at === -1) return null;
  const [first = '', ...rest] = own.slice(at);
  const next = rest.findIndex((line) => line !== '' && !/^[ \t#;]/.test(line));
  return [first.replace(/^commands[ \t]*=/, ''), ...rest.slice(0, next === -1 ? undefined : next)]
    .filter((line) => !/^[ \t]*[#;]/.test(line))
    .join('\n')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** A list of lists of words. Tables in it stand for arguments of the caller, and there are none. */
function tomlCommands(text: string, table: string): string[] | null {
  const heading = text.split('\n').findIndex((line) => line.trim() === `[${table}]`);
  if (heading === -1) return null;
  const after = text.split('\n').slice(heading + 1);
  const end = after.findIndex((line) => /^\[[\w."]/.test(line));
  const own = after.slice(0, end === -1 ? undefined : end).join('\n');
  const list = /^commands[ \t]*=[ \t]*(?=\[)/m.exec(own);
  if (list === null) return null;
  const commands: string[][] = [];
  let depth = 0;
  for (const [token, double, single] of own
    .slice(list.index + list[0].length)
    .matchAll(/"([^"\n]*)"|'([^'\n]*)'|\{[^{}]*\}|#.*|\[|\]/g)) {
    if (token === '[') depth += 1;
    if (token === '[' && depth === 2) commands.push([]);
    if (token === ']') depth -= 1;
    if (depth === 0) break;
    const word = double ?? single;
    if (word !== undefined) commands.at(-1)?.push(/^[\w@%+=:,./{}-]+$/.test(word) ? word : `'${word}'`);
  }
  return commands.map((words) => words.join(' ')).filter((command) => command !== '');
}

/** As a shell would parse it; null if it uses tox features that this code does not know. */
function substituted(command: string): string | null {
  const text = command
    .replaceAll(/\{posargs(?::([^{}]*))?\}/g, '$1')
    .replaceAll(/\{env:\w+:([^{}]*)\}/g, '$1')
    .replaceAll(/\{(?:tox_?ini_?dir|tox_root)\}(?:\/|\{\/\})?/g, './')
    .replaceAll(/\{env_?bin_?dir\}\//g, '')
    .replaceAll(/\{env_?python\}|\{base_?python\}/g, 'python')
    .replace(/^python(?=\s)/, 'python3')
    .replaceAll(/\{(?:env_?tmp_?dir|temp_dir|env_?log_?dir)\}/g, '/tmp/tox')
    .replaceAll('{/}', '/')
    .replaceAll(/ {2,}/g, ' ')
    .trim();
  // A mark before the command, a condition on the environment's name, or text that a shell would parse differently from
  // tox.
  const isPlain = text.length < 500 && !/^[-!]|^[\w,.{}!-]+: |[{}`$;|&<>\\\n]/.test(text);
  return isPlain && text !== '' ? text : null;
}

const SESSIONS = ['tests', 'test', 'unit', 'unit_tests', 'unittests', 'pytest'];

/** nox can work without its own environments: it then runs in the prepared one and installs nothing. */
function fromNox(found: RepositoryFacts): OwnPython | null {
  const text = found.texts.get('noxfile.py')?.slice(0, MOST_TEXT);
  if (text === undefined) return null;
  const session = SESSIONS.find((name) => text.includes(`\ndef ${name}(`));
  if (session === undefined) return null;
  return {
    command: `PYTHONPATH=${importPath(found)} nox --no-venv --no-install -s ${session}`,
    ids: null,
    reason: `noxfile.py has a session \`${session}\`; it runs in the prepared environment`,
    needs: 'nox',
  };
}
