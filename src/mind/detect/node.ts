/** JavaScript: `package.json` and the lock file of npm, pnpm or yarn. */
import { terminalLine } from '../../kernel/terminal-text.ts';
import type { Found, Part, SuggestedEnvironment, SuggestedGate } from './found.ts';

type Manager = { readonly name: string; readonly lock: string; readonly install: string; readonly test: string };

const MANAGERS: readonly Manager[] = [
  {
    name: 'npm',
    lock: 'package-lock.json',
    install: 'npm ci --ignore-scripts --no-audit --no-fund',
    test: 'npm test',
  },
  {
    name: 'pnpm',
    lock: 'pnpm-lock.yaml',
    install: 'pnpm install --frozen-lockfile --ignore-scripts',
    test: 'pnpm test',
  },
  {
    name: 'yarn',
    lock: 'yarn.lock',
    install: 'yarn install --frozen-lockfile --ignore-scripts --non-interactive',
    test: 'yarn test',
  },
];
/** From version 2 on, yarn has other flags. */
const YARN_BERRY = 'yarn install --immutable --mode=skip-build';

export function detectNode({ names, texts }: Found): Part | null {
  const text = texts.get('package.json');
  if (text === undefined) return null;
  const manifest = parsed(text);
  if (manifest === null)
    return {
      tool: 'node',
      gate: null,
      environment: null,
      notes: ['package.json is not valid JSON: it was passed over'],
    };
  const locked = MANAGERS.filter(({ lock }) => names.has(lock));
  const asked = String(manifest['packageManager'] ?? '');
  const manager = locked.find(({ name }) => asked.startsWith(`${name}@`)) ?? locked[0];
  const needed = ['dependencies', 'devDependencies', 'optionalDependencies'].some(
    (kind) => Object.keys(record(manifest[kind])).length > 0,
  );
  const notes = [
    ...(needed && manager === undefined
      ? ['package.json has dependencies but no lock file: make one (`npm install`), then add an environment']
      : []),
    ...(locked.length > 1 ? [`there are several lock files; ${manager?.lock} was taken`] : []),
    ...(manifest['workspaces'] === undefined
      ? []
      : [
          'package.json has workspaces: add the package.json of each to `key`, and node_modules folders inside them to `outputs`',
        ]),
  ];
  const environment = manager !== undefined && needed ? environmentOf(manager, asked) : null;
  return { tool: 'node', gate: gateOf(manifest, manager ?? MANAGERS[0]), environment, notes };
}

function environmentOf(manager: Manager, asked: string): SuggestedEnvironment {
  return {
    prepare: /^yarn@([2-9]|\d\d)/.test(asked) ? YARN_BERRY : manager.install,
    key: ['package.json', manager.lock],
    outputs: ['node_modules'],
    env: {},
    reason: `${manager.lock} is there: dependencies are installed by ${manager.name}, without their install scripts`,
  };
}

function gateOf(manifest: Record<string, unknown>, manager: Manager | undefined): SuggestedGate | null {
  const script = record(manifest['scripts'])['test'];
  // What `npm init` writes is no test.
  if (typeof script !== 'string' || script.includes('no test specified') || manager === undefined) return null;
  const ids = /\bvitest\b/.test(script) ? 'vitest' : /\bjest\b/.test(script) ? 'jest' : null;
  return { command: manager.test, ids, reason: `package.json has a test script: ${terminalLine(script, 100)}` };
}

function parsed(text: string): Record<string, unknown> | null {
  try {
    const value = JSON.parse(text) as unknown;
    return value !== null && typeof value === 'object' && !Array.isArray(value) ? record(value) : null;
  } catch {
    return null;
  }
}

const record = (value: unknown): Record<string, unknown> =>
  value !== null && typeof value === 'object' ? (value as Record<string, unknown>) : {};
