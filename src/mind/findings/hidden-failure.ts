/** Finds checks whose failure is hidden, and tests that are left out: `|| true`, `continue-on-error`, `autotests = false`. */
import type { AddedLine } from '../changes/changed-file.ts';
import { nameOf } from '../code/paths.ts';
import { matcher } from '../fields/globs.ts';
import type { FileFacts } from './file-facts.ts';
import { type FindingRule, type Hit, quoted } from './rule.ts';
import { REMOVAL, REVERT, REWORK } from './task-words.ts';

const isPipeline = matcher([
  ...['.github/workflows/', '.github/actions/', '.gitlab-ci.y*ml', '.gitlab/', '.circleci/', '.travis.yml'],
  ...['azure-pipelines*.y*ml', 'bitbucket-pipelines.yml', '.drone.yml', '.woodpecker*', '.buildkite/', 'Jenkinsfile*'],
  ...['appveyor.yml', '.appveyor.yml', '.cirrus.yml', '.ci/'],
]);
const RUNS = /^(?:package\.json|GNUmakefile|[Mm]akefile(?:\..+)?|.+\.mk|[Jj]ustfile|Taskfile\.ya?ml|.+\.(?:ba|z)?sh)$/;
const MAKEFILE = /^(?:GNUmakefile|[Mm]akefile(?:\..+)?|.+\.mk)$/;

/** Where a runner is told which tests there are. */
const SETTINGS =
  /^(?:pyproject\.toml|Cargo\.toml|pom\.xml|build\.gradle(?:\.kts)?|(?:pytest|tox)\.ini|setup\.cfg|(?:vite|vitest|jest)\.(?:config|workspace)\.\w+|\.mocharc\.\w+)$/;
/** Leaves tests out, or runs none of them. */
export const LEAVES_OUT =
  /\bautotests\s{0,3}=\s{0,3}false|\b(?:skipTests|maven\.test\.skip)\b.{0,3}(?:true|=|>)|--(?:ignore|deselect)(?:-glob)?[= ]|--?passWithNoTests\b|\bpassWithNoTests\s{0,3}:\s{0,3}true|\btestPathIgnorePatterns\b|\bexclude\b.{0,60}(?:\b(?:__)?(?:tests?|specs?)(?:__)?\/|\.(?:test|spec)\.)|--no-run\b|--collect-only\b|--if-present\b|-run[= ]['"]?\^\$/;

/** The end of a command that discards its failure. */
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
  /\b(?:allow\w*|ignor\w*|toler\w*|optional\w*|experimental|nightly|flak\w+|non-?blocking|advisory|best[- ]effort|disabl\w*|skip\w*|exclud\w*|soft|unstable|warn\w*|continue[- ]on[- ]error|(?:not|n't|never) (?:\w+ ){0,3}(?:fail|block|break)\w*|fails? silently|no[- ]op)\b|\|\| true/i;

export const hiddenFailure: FindingRule = ({ files, words, isGranted }) => {
  const asked = words.asks(ASKED) || words.clauses.some(({ text }) => ASKED.test(text));
  return files.flatMap((file) => {
    const { before, after } = file.file;
    const name = nameOf(file.path);
    if (before === null || after === null || !(isPipeline(file.path) || RUNS.test(name) || SETTINGS.test(name)))
      return [];
    const blocks = !asked && !isGranted(file.path);
    const reworked = words.asks(REMOVAL) || words.asks(REWORK) || words.asks(REVERT);
    const lost = reworked ? [] : lostChecks(file);
    return [...hushed(file), ...mayFail(file), ...emptied(file), ...leftOut(file), ...lost].map(
      ({ line, text, what }): Hit => {
        const message = `${what} (${quoted(text)}): let it fail, or say in the task why it may`;
        return { rule: 'failure-hidden', severity: blocks ? 'high' : 'medium', path: file.path, line, message, blocks };
      },
    );
  });
};

type HiddenFailure = AddedLine & { readonly what: string };

/** The same command as before, but its failure is now ignored. */
function hushed(file: FileFacts): HiddenFailure[] {
  const old = new Set(file.removed.map(({ text }) => commandOf(text)));
  const isMakefile = MAKEFILE.test(nameOf(file.path));
  const loudChecks = new Set(file.removed.flatMap(({ text }) => (isLoudCheck(text) ? [programOf(text)] : [])));
  return file.added.flatMap((added) => {
    const text = commandOf(added.text);
    const loud = isMakefile ? text.replace(/^([@+]*)-([@+]*)/, '$1$2') : text;
    const bare = loud.replace(HIDES, '');
    const wasLoud = old.has(bare) || (CHECKS.test(bare) && loudChecks.has(programOf(bare)));
    if (bare === text || bare === '' || old.has(text) || !wasLoud) return [];
    return [{ ...added, what: 'The failure of this command is ignored now' }];
  });
}

/** What runs checks: `npm test`, `go vet ./...`, `./ci.sh`. */
const RUNNER =
  /^(?:npm|npx|yarn|pnpm|bun|node|deno|make|just|task|go|cargo|python3?|uv|poetry|pytest|tox|nox|bundle|rake|gradle|mvn|dotnet|swift|bazel|sh|bash|\.{1,2}\/|\.\/gradlew)/;
const isLoudCheck = (text: string): boolean => {
  const command = commandOf(text);
  return RUNNER.test(command) && CHECKS.test(command) && command.replace(HIDES, '') === command;
};
const programOf = (text: string): string => /^[\w./-]+/.exec(commandOf(text))?.[0] ?? '';

/** Installs packages, such as a test runner: no check. */
const INSTALLS =
  /^(?:npm|pnpm|yarn|bun) (?:i|install|ci|add)\b|\bpip3? install\b|^(?:go|cargo) install\b|^(?:uv|poetry) add\b/;
const isCheck = (command: string): boolean =>
  RUNNER.test(command) && CHECKS.test(command) && (!INSTALLS.test(command) || /&&|;/.test(command));

/** A pipeline or a script runs fewer checks than before. */
function lostChecks(file: FileFacts): HiddenFailure[] {
  if (isPipeline(file.path)) return fewerChecks(file.removed, file.added);
  const scripts = new Map(file.added.flatMap((line) => scriptIn(line.text).map(([name]) => [name, line])));
  return file.removed.flatMap((line) => {
    const now = scripts.get(scriptIn(line.text)[0]?.[0] ?? '');
    const parts = partsOf(line);
    return now === undefined || parts.length < 2 ? [] : fewerChecks(parts, partsOf(now));
  });
}

/** The commands of a script that run one after the other. */
const partsOf = ({ line, text }: AddedLine): AddedLine[] =>
  (scriptIn(text)[0]?.[1] ?? '').split(/\s*(?:&&|;)\s*/).map((part) => ({ line, text: part }));

function fewerChecks(removed: readonly AddedLine[], added: readonly AddedLine[]): HiddenFailure[] {
  const [gone, fresh] = [removed, added].map((lines) => lines.filter(({ text }) => isCheck(commandOf(text)))) as [
    AddedLine[],
    AddedLine[],
  ];
  const kept = new Set(fresh.map(({ text }) => commandOf(text)));
  const lost = gone.filter(({ text }) => !kept.has(commandOf(text)));
  if (gone.length <= fresh.length) return [];
  return lost
    .slice(0, gone.length - fresh.length)
    .map((one) => ({ ...one, line: 1, what: 'This check does not run any more' }));
}

function leftOut(file: FileFacts): HiddenFailure[] {
  const fresh = file.added.filter(({ text }) => LEAVES_OUT.test(text.slice(0, 2_000)));
  const more = fresh.length - file.removed.filter(({ text }) => LEAVES_OUT.test(text.slice(0, 2_000))).length;
  return fresh.slice(0, Math.max(0, more)).map((one) => ({ ...one, what: 'Tests are left out now' }));
}

function mayFail(file: FileFacts): HiddenFailure[] {
  if (!isPipeline(file.path)) return [];
  const fresh = file.added.filter(({ text }) => MAY_FAIL.test(text));
  const more = fresh.length - file.removed.filter(({ text }) => MAY_FAIL.test(text)).length;
  return fresh.slice(0, Math.max(0, more)).map((one) => ({ ...one, what: 'This step may fail, or never runs, now' }));
}

/** A script or recipe that ran a check and does nothing now. */
function emptied(file: FileFacts): HiddenFailure[] {
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

/** `"test": "node --test",` of a package.json: its name and command. */
function scriptIn(text: string): [name: string, command: string][] {
  const [, name, command] =
    /^\s{0,40}(?:"scripts"\s*:\s*)?\{?\s*"([\w:.@/-]{1,80})"\s*:\s*"((?:[^"\\]|\\.){0,2000})"/.exec(text) ?? [];
  return name === undefined || command === undefined ? [] : [[name, command]];
}

/** Without its surroundings: a list's dash, a key, quotes. */
const commandOf = (text: string): string =>
  text
    .slice(0, 2_000)
    .trim()
    .replace(/^-\s+/, '')
    .replace(/^(?:"[\w:.@/-]{1,80}"|[\w-]{1,40})\s*:\s+/, '')
    .replace(/^["']|["'],?$/g, '')
    .trim();
