/** npm, pnpm, yarn and bun: how each installs and runs a script. */

export type NodeManager = {
  readonly name: 'npm' | 'pnpm' | 'yarn' | 'bun';
  /** The first is the one it writes today. */
  readonly locks: readonly string[];
  readonly install: string;
  /** Variables without which the install would leave no `node_modules`. */
  readonly env: Readonly<Record<string, string>>;
  readonly test: string;
  /** Runs the script `test` of each workspace that has one. */
  readonly testAll: string;
};

const NPM: NodeManager = {
  name: 'npm',
  locks: ['package-lock.json', 'npm-shrinkwrap.json'],
  install: 'npm ci --ignore-scripts --no-audit --no-fund',
  env: {},
  test: 'npm test',
  testAll: 'npm test --workspaces --if-present',
};
const YARN: NodeManager = {
  name: 'yarn',
  locks: ['yarn.lock'],
  install: 'yarn install --frozen-lockfile --ignore-scripts --non-interactive',
  env: {},
  test: 'yarn test',
  testAll: 'yarn workspaces run test',
};
/** Since version 2 it has other flags, and installs into archives unless told to make a folder. */
const YARN_BERRY: NodeManager = {
  ...YARN,
  install: 'yarn install --immutable --mode=skip-build',
  env: { YARN_NODE_LINKER: 'node-modules' },
  testAll: 'yarn workspaces foreach --all run test',
};
const MANAGERS: readonly NodeManager[] = [
  NPM,
  {
    name: 'pnpm',
    locks: ['pnpm-lock.yaml'],
    install: 'pnpm install --frozen-lockfile --ignore-scripts',
    env: {},
    test: 'pnpm test',
    testAll: 'pnpm -r --if-present test',
  },
  YARN,
  {
    name: 'bun',
    locks: ['bun.lock', 'bun.lockb'],
    install: 'bun install --frozen-lockfile --ignore-scripts',
    env: {},
    test: 'bun run test',
    testAll: "bun run --filter '*' test",
  },
];

export type Managed = {
  readonly manager: NodeManager;
  /** The lock file; null if there is none. */
  readonly lock: string | null;
  /** All existing ones: more than one is a mistake to report. */
  readonly locks: readonly string[];
};

/** By the lock file; if there are several, by `packageManager`. */
export function managerOf(names: ReadonlySet<string>, asked: string): Managed {
  const said = MANAGERS.find(({ name }) => asked.startsWith(`${name}@`));
  const present = MANAGERS.flatMap((manager) =>
    manager.locks.filter((lock) => names.has(lock)).map((lock) => ({ manager, lock })),
  );
  const chosen = present.find(({ manager }) => manager === said) ?? present[0];
  const manager = chosen?.manager ?? said ?? (names.has('pnpm-workspace.yaml') ? MANAGERS[1] : undefined) ?? NPM;
  const newYarn = manager === YARN && (/^yarn@(?:[2-9]|\d\d)/.test(asked) || names.has('.yarnrc.yml'));
  return {
    manager: newYarn ? YARN_BERRY : manager,
    lock: chosen?.lock ?? null,
    locks: present.map(({ lock }) => lock),
  };
}
