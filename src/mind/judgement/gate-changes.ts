/**
 * What a change without a task does to the code that decides what its gates check. Such facts block unless the task's
 * words name them.
 */
import { packageScripts } from '../candidates/base-scripts.ts';
import type { Violation } from '../candidates/change.ts';
import { type CandidateFacts, checkCandidate, isLockFile, isNeverGranted, runningOf } from '../candidates/check.ts';
import { folded } from '../candidates/fold.ts';
import { gateFiles, gateScripts } from '../candidates/gate-files.ts';
import type { ChangedFile } from '../changes/changed-file.ts';
import type { RuleFinding } from '../findings/index.ts';
import { toolsNamed } from '../findings/named-tools.ts';
import { quoted } from '../findings/rule.ts';
import { TaskWords } from '../findings/task-words.ts';

type GateChangeFacts = Omit<CandidateFacts, 'spec' | 'step' | 'insertions' | 'texts'> & {
  readonly files: readonly ChangedFile[];
  /** The operator's words, or the commit message. */
  readonly words: string;
};

export function gateChanges(asked: GateChangeFacts): readonly RuleFinding[] {
  const { files, basePaths, baseTexts, words } = asked;
  const byPath = new Map(files.map((file) => [file.path, file]));
  const facts: CandidateFacts = {
    ...asked,
    spec: {},
    texts: (path) => byPath.get(path) ?? { before: null, after: null },
  };
  const running = runningOf(facts);
  // A Makefile is followed through all of its targets: code that only those run may have nothing to do with the gate.
  const scripts = new Map([...baseTexts].filter(([path]) => path.endsWith('package.json')));
  const runBy = gateFiles(running, basePaths, scripts);
  const { violations } = checkCandidate(facts);
  const task = new TaskWords(words);
  return [
    ...violations.flatMap((one) => fileFinding(one, runBy.get(one.path))),
    ...files.flatMap((file) =>
      asked.named?.has(file.path) === true ? [] : scriptFindings(file, task, { running, baseTexts }),
    ),
  ];
}

/** These files hold dependencies and much else that no gate reads. */
const MANIFEST = /(?:^|\/)(?:pyproject\.toml|cargo\.toml|pom\.xml|build\.gradle(?:\.kts)?)$/;

/** Existing tests run in the base's version; new packages and Supervisor's own files have separate rules. */
function fileFinding({ path, kind, reason }: Violation, who: string | undefined): RuleFinding[] {
  const plain = folded(path);
  if (kind === 'tests' || kind === 'scope' || isLockFile(plain) || isNeverGranted(plain)) return [];
  if (who !== undefined) return [finding(path, 'gate-changed', `${who} runs this file, and the task does not name it`)];
  const [what = reason] = reason.split(': ', 1);
  if (kind === 'locked' || kind === 'environment') return [finding(path, 'protected-changed', `It ${what}`)];
  if (MANIFEST.test(plain)) return [];
  const message = `It ${what}: read it before you accept the change`;
  return [{ ...finding(path, 'protected-changed', message), severity: 'low', blocks: false }];
}

type Scripts = { readonly running: ReturnType<typeof runningOf>; readonly baseTexts: ReadonlyMap<string, string> };

/** Scripts of a package.json that gates run, in the base's or the change's version: a new `pretest` counts. */
function scriptFindings(
  { path, before, after }: ChangedFile,
  task: TaskWords,
  { running, baseTexts }: Scripts,
): RuleFinding[] {
  if (before === null || !path.endsWith('package.json')) return [];
  const [old, now] = [packageScripts(before), packageScripts(after ?? '')];
  const changed = [...new Set([...old.keys(), ...now.keys()])].filter((name) => old.get(name) !== now.get(name));
  if (changed.length === 0) return [];
  const texts = [baseTexts, new Map([...baseTexts, [path, after ?? '']])];
  const run = new Map(
    texts
      .flatMap((some) => gateScripts(running, some).filter((one) => one.path === path))
      .map(({ name, who }) => [name, who]),
  );
  return changed.flatMap((name) => {
    const who = run.get(name);
    const [was = '', is = ''] = [old.get(name), now.get(name)];
    if (who === undefined || isStricter(was, is) || namesScript(task, name)) return [];
    if (toolsNamed(task, was, is) !== null) return [];
    const message = `${who} runs the script ${quoted(name)}, which was ${quoted(was)} and is ${quoted(is)} now; the task does not name it`;
    return [{ ...finding(path, 'gate-changed', message), line: lineOf(after, name) }];
  });
}

/** Options for output or timing, and more commands after the old ones. */
const HARMLESS =
  /\s+--?(?:serial|timeout|concurrency|threads|max-?workers|workers|colou?rs?|verbose|reporter|coverage)(?:[= ][\w.-]+)?(?=\s|$)/gi;

function isStricter(was: string, is: string): boolean {
  const [old, now] = [was, is].map((text) => text.replaceAll(HARMLESS, '').split(/\s*&&\s*/));
  return was !== '' && old !== undefined && now !== undefined && old.every((one) => now.includes(one));
}

function lineOf(text: string | null, name: string): number | null {
  const at = (text ?? '').split('\n').findIndex((line) => line.trimStart().startsWith(`${JSON.stringify(name)}:`));
  return at < 0 ? null : at + 1;
}

function namesScript(task: TaskWords, name: string): boolean {
  const plain = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const named = new RegExp(
    `\\b(?:npm|pnpm|yarn|bun)(?: run)? ${plain}(?![\\w:-])|\\b${plain}(?:['’]s)? (?:scripts?|commands?|tasks?)\\b|[\`'"]${plain}[\`'"]`,
    'i',
  );
  return task.asks(/\b(?:npm|package|run|yarn) scripts?\b|\bscripts? (?:in|of) package\b/i) || task.asks(named);
}

const finding = (path: string, rule: string, message: string): RuleFinding => ({
  rule,
  severity: 'high',
  path,
  line: null,
  message,
  tool: 'diff',
  blocks: true,
});
