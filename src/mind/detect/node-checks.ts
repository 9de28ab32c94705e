/** Linters, formatters, types and coverage of a JavaScript project. */

import type { NodeManager } from './node-managers.ts';
import type { PackageManifest } from './package-json.ts';
import type { Check, RepositoryFacts } from './repository-facts.ts';

type NodeTool = {
  readonly name: Check['name'];
  readonly packages: readonly string[];
  /** A file that shows it is set up here; without one, the package may serve something else. */
  readonly setUp?: RegExp;
  /** The project's own script for it. */
  readonly script?: string;
  readonly run: string;
};

const TOOLS: readonly NodeTool[] = [
  {
    name: 'lint',
    packages: ['eslint'],
    setUp: /^(?:eslint\.config\.[cm]?[jt]s|\.eslintrc(?:\.[a-z]+)?)$/,
    script: 'lint',
    run: 'eslint .',
  },
  { name: 'lint', packages: ['@biomejs/biome'], setUp: /^\.?biome\.jsonc?$/, script: 'lint', run: 'biome lint .' },
  {
    name: 'format',
    packages: ['prettier'],
    setUp: /^(?:\.prettierrc(?:\.[a-z0-9]+)?|prettier\.config\.[cm]?[jt]s)$/,
    run: 'prettier --check .',
  },
  { name: 'format', packages: ['@biomejs/biome'], setUp: /^\.?biome\.jsonc?$/, run: 'biome format .' },
  { name: 'types', packages: ['typescript'], setUp: /^tsconfig\.json$/, script: 'typecheck', run: 'tsc --noEmit' },
];

/** These checks write into the tree, or need what no sandbox has: a person always decides. */
const IDEAS: readonly NodeTool[] = [
  { name: 'coverage', packages: ['@vitest/coverage-v8', '@vitest/coverage-istanbul'], run: 'vitest run --coverage' },
  { name: 'coverage', packages: ['c8'], run: 'c8 npm test' },
  { name: 'coverage', packages: ['nyc'], run: 'nyc npm test' },
  { name: 'coverage', packages: ['jest'], run: 'jest --coverage' },
  { name: 'e2e', packages: ['@playwright/test', 'playwright'], run: 'playwright test' },
];

/** Repairs what it finds, or never ends: unsuitable for a gate. */
const UNFIT = /--(?:fix|write|apply|watch)\b/;

export function checksOf(
  { names }: RepositoryFacts,
  manifest: PackageManifest,
  { manager, locked }: { readonly manager: NodeManager; readonly locked: boolean },
): Check[] {
  const taken = new Set<string>();
  return [...TOOLS, ...IDEAS].flatMap((tool) => {
    const used = tool.packages.find((name) => manifest.dependencies.includes(name));
    const { setUp } = tool;
    if (used === undefined || taken.has(tool.name)) return [];
    const file = setUp === undefined ? undefined : [...names].find((name) => setUp.test(name));
    if (setUp !== undefined && file === undefined) return [];
    taken.add(tool.name);
    const own = tool.script === undefined ? undefined : manifest.scripts[tool.script];
    const fits =
      own !== undefined && own.length < 300 && own.includes(tool.run.split(' ')[0] ?? '') && !UNFIT.test(own);
    const why = `package.json names ${used}${file === undefined ? '' : `, and ${file} is there`}`;
    return [
      {
        name: tool.name,
        command: fits ? `${manager.name} run ${tool.script}` : `node_modules/.bin/${tool.run}`,
        reason: tool.name === 'e2e' ? `${why}; it needs a browser, which a sandbox shows only if it is installed` : why,
        sure: locked && !IDEAS.includes(tool),
      },
    ];
  });
}
