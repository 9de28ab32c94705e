/** A check whose failure nobody hears of any more: `|| true`, `continue-on-error`, a script that only says `true`. */
import type { AddedLine } from '../changes/changed-file.ts';
import { nameOf } from '../code/paths.ts';
import { matcher } from '../fields/globs.ts';
import type { FileFacts } from './file-facts.ts';
import { type Hit, quoted, type Rule } from './rule.ts';

const isPipeline = matcher([
  ...['.github/workflows/', '.github/actions/', '.gitlab-ci.y*ml', '.gitlab/', '.circleci/', '.travis.yml'],
  ...['azure-pipelines*.y*ml', 'bitbucket-pipelines.yml', '.drone.yml', '.woodpecker*', '.buildkite/', 'Jenkinsfile*'],
  ...['appveyor.yml', '.appveyor.yml', '.cirrus.yml', '.ci/'],
]);
const RUNS = /^(?:package\.json|GNUmakefile|[Mm]akefile(?:\..+)?|.+\.mk|[Jj]ustfile|Taskfile\.ya?ml|.+\.(?:ba|z)?sh)$/;
const MAKEFILE = /^(?:GNUmakefile|[Mm]akefile(?:\..+)?|.+\.mk)$/;

/** Ends a command so that its failure counts for nothing. */
const HIDES =
  /\s*(?:\|\||;)\s*(?:true|:|exit 0|\/bin\/true|\(exit 0\))(?=\s*(?:$|[;&)"'\\]))|\s*\|\|\s*echo\b[^&|;]*$/g;
/** A step or job that may fail. */
const MAY_FAIL =
  /^\s*(?:-\s+)?(?:continue[-_]on[-_]error|continueOnError|allow_failure|soft_fail|ignore_errors?)\s*:\s*['"]?true\b|^\s*(?:-\s+)?if\s*:\s*['"]?(?:\$\{\{\s*)?false\b/i;
/** A command that checks nothing. */
const IDLE = /^(?:true|:|exit 0|exit|(?:echo|printf)\b[^|;&<>$`]*)?$/;
const CHECKS =
  /\b(?:tests?|spec|lint\w*|check\w*|verify|vet|audit|types?|typecheck|tsc|coverage|cover|e2e|ci|eslint|biome|ruff|mypy|pyright|pytest|jest|vitest|mocha|clippy|flake8|tox)\b/i;
const ASKED =
  /\b(?:allow\w*|ignor\w*|toler\w*|optional\w*|experimental|nightly|flak\w+|non-?blocking|advisory|best[- ]effort|disabl\w*|skip\w*|soft|unstable|warn\w*|continue[- ]on[- ]error|(?:not|n't|never) (?:\w+ ){0,3}(?:fail|block|break)\w*|fails? silently|no[- ]op)\b|\|\| true/i;

export const hiddenFailure: Rule = ({ files, words, isGranted }) => {
  const asked = words.asks(ASKED) || words.clauses.some(({ text }) => ASKED.test(text));
  return files.flatMap((file) => {
    const { before, after } = file.file;
    if (before === null || after === null || !(isPipeline(file.path) || RUNS.test(nameOf(file.path)))) return [];
    const blocks = !asked && !isGranted(file.path);
    return [...hushed(file), ...mayFail(file), ...emptied(file)].map(({ line, text, what }): Hit => {
      const message = `${what} (${quoted(text)}): let it fail, or say in the task why it may`;
      return { rule: 'failure-hidden', severity: blocks ? 'high' : 'medium', path: file.path, line, message, blocks };
    });
  });
};

type Found = AddedLine & { readonly what: string };

/** The same command as before, and now its failure counts for nothing. */
function hushed(file: FileFacts): Found[] {
  const old = new Set(file.removed.map(({ text }) => commandOf(text)));
  const isMakefile = MAKEFILE.test(nameOf(file.path));
  return file.added.flatMap((added) => {
    const text = commandOf(added.text);
    const loud = isMakefile ? text.replace(/^([@+]*)-([@+]*)/, '$1$2') : text;
    const bare = loud.replace(HIDES, '');
    if (bare === text || bare === '' || old.has(text) || !old.has(bare)) return [];
    return [{ ...added, what: 'A failure of this command counts for nothing any more' }];
  });
}

function mayFail(file: FileFacts): Found[] {
  if (!isPipeline(file.path)) return [];
  const fresh = file.added.filter(({ text }) => MAY_FAIL.test(text));
  const more = fresh.length - file.removed.filter(({ text }) => MAY_FAIL.test(text)).length;
  return fresh.slice(0, Math.max(0, more)).map((one) => ({ ...one, what: 'This step may fail, or never runs, now' }));
}

/** A script or recipe that ran a check and does nothing now. */
function emptied(file: FileFacts): Found[] {
  const scripts = new Map(file.removed.flatMap(({ text }) => scriptIn(text)));
  const goneChecks = file.removed.filter(({ text }) => CHECKS.test(text) && /^\t/.test(text)).length;
  const isMakefile = MAKEFILE.test(nameOf(file.path));
  return file.added.flatMap((added) => {
    const [[name, command] = [null, '']] = scriptIn(added.text);
    const was = name === null ? undefined : scripts.get(name);
    const script = was !== undefined && IDLE.test(command.trim()) && !IDLE.test(was.trim());
    const recipe =
      isMakefile && goneChecks > 0 && /^\t/.test(added.text) && IDLE.test(commandOf(added.text).replace(/^@/, ''));
    return script || recipe ? [{ ...added, what: 'This ran something, and does nothing now' }] : [];
  });
}

/** `"test": "node --test",` of a package.json: its name and its command. */
function scriptIn(text: string): [name: string, command: string][] {
  const [, name, command] =
    /^\s{0,40}(?:"scripts"\s*:\s*)?\{?\s*"([\w:.@/-]{1,80})"\s*:\s*"((?:[^"\\]|\\.){0,2000})"/.exec(text) ?? [];
  return name === undefined || command === undefined ? [] : [[name, command]];
}

/** Without what stands around a command: a list's dash, a key, quotes. */
const commandOf = (text: string): string =>
  text
    .slice(0, 2_000)
    .trim()
    .replace(/^-\s+/, '')
    .replace(/^(?:"[\w:.@/-]{1,80}"|[\w-]{1,40})\s*:\s+/, '')
    .replace(/^["']|["'],?$/g, '')
    .trim();
