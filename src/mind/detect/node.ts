/** JavaScript: `package.json` and the lock file of npm, pnpm, yarn or bun. */
import { terminalLine } from '../../kernel/terminal-text.ts';
import { checksOf } from './node-checks.ts';
import { type Managed, managerOf, type NodeManager } from './node-managers.ts';
import { type PackageManifest, packageOf } from './package-json.ts';
import { reportOfScript } from './report.ts';
import type { RepositoryFacts, SuggestedEnvironment, SuggestedGate, ToolChainFacts } from './repository-facts.ts';
import { type PackageWorkspace, workspacesOf } from './workspaces.ts';

/** With more, a person should say which of them count. */
const MOST_WORKSPACES = 40;

export function detectNode(found: RepositoryFacts): ToolChainFacts | null {
  const text = found.texts.get('package.json');
  if (text === undefined) return null;
  const manifest = packageOf(text);
  const nothing = { tool: 'node', gate: null, checks: [], environment: null };
  if (manifest === null) return { ...nothing, notes: ['package.json is not valid JSON: it was skipped'] };
  const managed = managerOf(found.names, manifest.packageManager);
  const workspaces = workspacesOf(found, manifest);
  const needed = [manifest, ...(workspaces ?? []).map((one) => one.manifest)].some((one) => one.installs);
  const environment = managed.lock !== null && needed ? environmentOf(managed, managed.lock, workspaces ?? []) : null;
  const own = ownGate(manifest, managed, workspaces);
  const guess = own === null ? guessOf(found, manifest, { workspaces, installed: environment !== null }) : null;
  return {
    ...nothing,
    gate: own ?? guess,
    ...(own === null ? { make: { prefix: '' } } : {}),
    checks: checksOf(found, manifest, { manager: managed.manager, locked: environment !== null }),
    environment,
    notes: notesOf(managed, { needed, workspaces, script: manifest.scripts['test'] ?? '' }),
  };
}

/** Packages of a workspace may have their own `node_modules`; for others an empty one does no harm. */
function environmentOf(
  { manager }: Managed,
  lock: string,
  workspaces: readonly PackageWorkspace[],
): SuggestedEnvironment {
  const members = workspaces.length > MOST_WORKSPACES ? [] : workspaces;
  const own = members.filter(({ manifest }) => manifest.installs).map(({ dir }) => `${dir}/node_modules`);
  return {
    prepare: own.length === 0 ? manager.install : `${manager.install} && mkdir -p ${own.join(' ')}`,
    key: ['package.json', lock, ...members.map(({ dir }) => `${dir}/package.json`)],
    outputs: ['node_modules', ...own],
    env: manager.env,
    reason: `${lock} is there: dependencies are installed by ${manager.name}, without their install scripts`,
  };
}

const RUNNERS = { vitest: 'vitest run', jest: 'jest', mocha: 'mocha', hardhat: 'hardhat test' };

/** The project's own script, of the top or of its workspaces. */
function ownGate(
  manifest: PackageManifest,
  { manager }: Managed,
  workspaces: readonly PackageWorkspace[] | null,
): SuggestedGate | null {
  const script = testScript(manifest);
  if (script !== null) {
    const { name, text } = script;
    const ids = /\bvitest\b/.test(text) ? 'vitest' : /\bjest\b/.test(text) ? 'jest' : null;
    const direct = directTap(manifest, name, manager);
    if (direct !== null)
      return {
        command: direct,
        ids: 'tap',
        reason: `package.json has a ${name} script: ${terminalLine(text, 100)}; called without ${manager.name}, so that its output names tests`,
      };
    const command = name === 'test' ? manager.test : `${manager.name} run ${name}`;
    const report = reportOfScript(text, manager);
    return {
      // The script watches for changes unless a variable says that it runs in CI.
      command: /\breact-scripts test\b/.test(text) ? `CI=true ${command}` : command,
      ids,
      reason: `package.json has a ${name} script: ${terminalLine(text, 100)}`,
      ...(report === null ? {} : { report }),
    };
  }
  const tested = (workspaces ?? []).filter((one) => testScript(one.manifest)?.name === 'test');
  if (tested.length === 0) return null;
  const many = tested.length === 1 ? '1 of them has' : `${tested.length} of them have`;
  return { command: manager.testAll, ids: null, reason: `package.json has workspaces, and ${many} a test script` };
}

function guessOf(
  { paths }: RepositoryFacts,
  manifest: PackageManifest,
  { workspaces, installed }: { readonly workspaces: readonly PackageWorkspace[] | null; readonly installed: boolean },
): SuggestedGate | null {
  const runner = Object.keys(RUNNERS).find((name) => manifest.dependencies.includes(name));
  if (runner !== undefined)
    return installed
      ? {
          command: `node_modules/.bin/${RUNNERS[runner as keyof typeof RUNNERS]}`,
          ids: runner === 'vitest' || runner === 'jest' ? runner : null,
          reason: `package.json names ${runner}, and has no test script`,
        }
      : null;
  const test = paths.find((path) => /(?:^|[./-])test\.[cm]?js$/.test(path));
  if (test === undefined || workspaces !== null) return null;
  return {
    command: `node --test ${TAP}`,
    ids: 'tap',
    reason: `${terminalLine(test, 100)} is there, and nothing names a test runner: Node has one`,
  };
}

const TAP = '--test-reporter=tap';
/** One program and its words: no shell operator, no variable, nothing to escape. */
const ONE_NODE_CALL = /^node(?: +[\w@%+=:,./*?{}"'-]+)+$/;
/** Options of Node that take the next word. */
const WITH_VALUE = /^(?:-r|-C|--require|--import|--loader|--experimental-loader|--conditions|--env-file)$/;

/** A script that only calls `node --test`, with a parsable report; null if calling it directly could differ. */
function directTap({ scripts }: PackageManifest, name: string, manager: NodeManager): string | null {
  const text = (scripts[name] ?? '').trim();
  // Yarn and Bun may bring their own Node, loader or shell.
  if (manager.name !== 'npm' && manager.name !== 'pnpm') return null;
  if (scripts[`pre${name}`] !== undefined || scripts[`post${name}`] !== undefined) return null;
  if (text.length > 300 || !ONE_NODE_CALL.test(text) || /--(?:test-reporter|watch)/.test(text)) return null;
  const words = text.split(/ +/);
  const at = words.indexOf('--test');
  const isOption = (word: string, n: number) => word.startsWith('-') || WITH_VALUE.test(words[n - 1] ?? '');
  if (at < 0 || !words.slice(0, at).every((word, n) => n === 0 || isOption(word, n))) return null;
  return [...words.slice(0, at + 1), TAP, ...words.slice(at + 1)].join(' ');
}

/** The other usual names if `test` is missing. */
const TEST_SCRIPTS = ['test', 'tests', 'test:unit', 'test-unit', 'unit', 'test:ci', 'test-ci', 'test:all'];

/** The default of `npm init` is no test. */
function testScript({ scripts }: PackageManifest): { readonly name: string; readonly text: string } | null {
  for (const name of TEST_SCRIPTS) {
    const text = scripts[name];
    if (text !== undefined && !text.includes('no test specified')) return { name, text };
  }
  return null;
}

function notesOf(
  { lock, locks }: Managed,
  said: { readonly needed: boolean; readonly workspaces: readonly PackageWorkspace[] | null; readonly script: string },
): string[] {
  return [
    ...(said.needed && lock === null
      ? ['package.json has dependencies but no lock file: make one (`npm install`), then add an environment']
      : []),
    ...(locks.length > 1 ? [`there are several lock files; ${lock} was taken`] : []),
    ...(/(?:^|\s)--watch(?:All)?(?:\s|$)/.test(said.script)
      ? ['the test script watches for changes and would never end: name a gate that runs once']
      : []),
    ...((said.workspaces?.length ?? 0) > MOST_WORKSPACES
      ? [
          `there are ${said.workspaces?.length} workspaces, too many to list: add the package.json of those that the tests need to \`key\`, and their node_modules to \`outputs\``,
        ]
      : []),
  ];
}
