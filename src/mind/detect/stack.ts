/** What a repository is made of, in a few words each, so that a person sees what was detected. */
import { pipelines } from './ci.ts';
import type { ComposeService } from './compose.ts';
import { type Dependencies, firstUsed, type ToolChainName } from './dependencies.ts';
import { managerOf } from './node-managers.ts';
import { packageOf } from './package-json.ts';
import { dirName } from './paths.ts';
import type { RepositoryFacts } from './repository-facts.ts';
import { kindOf } from './services.ts';

export const FACT_KINDS = [
  'languages',
  'frameworks',
  'test runner',
  'linter',
  'formatter',
  'coverage',
  'packages',
  'services',
  'CI',
] as const;

export type Fact = {
  readonly kind: (typeof FACT_KINDS)[number];
  readonly name: string;
  /** The file or package that shows it. */
  readonly by: string;
};

/** Kind, name, and the packages that show it, by ecosystem. */
const BY_PACKAGE: readonly (readonly [Fact['kind'], string, ToolChainName, readonly string[]])[] = [
  ['frameworks', 'React', 'node', ['react']],
  ['frameworks', 'Vue', 'node', ['vue']],
  ['frameworks', 'Next.js', 'node', ['next']],
  ['frameworks', 'Nuxt', 'node', ['nuxt']],
  ['frameworks', 'Svelte', 'node', ['svelte', '@sveltejs/kit']],
  ['frameworks', 'Angular', 'node', ['@angular/core']],
  ['frameworks', 'Express', 'node', ['express']],
  ['frameworks', 'Fastify', 'node', ['fastify']],
  ['frameworks', 'NestJS', 'node', ['@nestjs/core']],
  ['frameworks', 'Hardhat', 'node', ['hardhat']],
  ['frameworks', 'Django', 'python', ['django']],
  ['frameworks', 'Flask', 'python', ['flask']],
  ['frameworks', 'FastAPI', 'python', ['fastapi']],
  ['frameworks', 'pandas', 'python', ['pandas']],
  ['frameworks', 'Airflow', 'python', ['apache-airflow', 'airflow']],
  ['frameworks', 'Axum', 'cargo', ['axum']],
  ['frameworks', 'Actix', 'cargo', ['actix-web']],
  [
    'frameworks',
    'Spring Boot',
    'jvm',
    ['spring-boot-starter-parent', 'spring-boot-starter-web', 'spring-boot-starter'],
  ],
  ['test runner', 'vitest', 'node', ['vitest']],
  ['test runner', 'jest', 'node', ['jest', 'react-scripts']],
  ['test runner', 'mocha', 'node', ['mocha']],
  ['test runner', 'ava', 'node', ['ava']],
  ['test runner', 'playwright', 'node', ['@playwright/test', 'playwright']],
  ['test runner', 'pytest', 'python', ['pytest']],
  ['test runner', 'JUnit', 'jvm', ['junit-jupiter', 'junit', 'junit-jupiter-api']],
  ['linter', 'eslint', 'node', ['eslint']],
  ['linter', 'biome', 'node', ['@biomejs/biome']],
  ['linter', 'ruff', 'python', ['ruff']],
  ['linter', 'flake8', 'python', ['flake8']],
  ['linter', 'mypy', 'python', ['mypy']],
  ['formatter', 'prettier', 'node', ['prettier']],
  ['formatter', 'biome', 'node', ['@biomejs/biome']],
  ['formatter', 'black', 'python', ['black']],
  ['coverage', 'vitest', 'node', ['@vitest/coverage-v8', '@vitest/coverage-istanbul']],
  ['coverage', 'c8', 'node', ['c8']],
  ['coverage', 'nyc', 'node', ['nyc']],
  ['coverage', 'pytest-cov', 'python', ['pytest-cov']],
  ['coverage', 'coverage.py', 'python', ['coverage']],
];

/** Kind, name, and the files at the top that show it. */
const BY_FILE: readonly (readonly [Fact['kind'], string, RegExp])[] = [
  ['test runner', 'go test', /^go\.mod$/],
  ['test runner', 'cargo test', /^Cargo\.toml$/],
  ['test runner', 'pytest', /^pytest\.ini$/],
  ['test runner', 'forge', /^foundry\.toml$/],
  ['linter', 'golangci-lint', /^\.golangci\.(?:ya?ml|toml|json)$/],
  ['linter', 'clippy', /^\.?clippy\.toml$/],
  ['linter', 'ruff', /^\.?ruff\.toml$/],
  ['formatter', 'rustfmt', /^\.?rustfmt\.toml$/],
  ['packages', 'uv', /^uv\.lock$/],
  ['packages', 'poetry', /^poetry\.lock$/],
  ['packages', 'pip', /^requirements[\w.-]*\.txt$/],
  ['packages', 'pipenv', /^Pipfile$/],
  ['packages', 'Go modules', /^go\.mod$/],
  ['packages', 'cargo', /^Cargo\.toml$/],
  ['packages', 'maven', /^pom\.xml$/],
  ['packages', 'gradle', /^build\.gradle(?:\.kts)?$/],
];

const LANGUAGES: Readonly<Record<string, string>> = {
  ts: 'TypeScript',
  tsx: 'TypeScript',
  mts: 'TypeScript',
  js: 'JavaScript',
  jsx: 'JavaScript',
  mjs: 'JavaScript',
  cjs: 'JavaScript',
  vue: 'Vue',
  svelte: 'Svelte',
  py: 'Python',
  go: 'Go',
  rs: 'Rust',
  java: 'Java',
  kt: 'Kotlin',
  sol: 'Solidity',
  rb: 'Ruby',
  php: 'PHP',
  cs: 'C#',
  c: 'C',
  h: 'C',
  cc: 'C++',
  cpp: 'C++',
  hpp: 'C++',
  zig: 'Zig',
  swift: 'Swift',
  scala: 'Scala',
  ex: 'Elixir',
  exs: 'Elixir',
  dart: 'Dart',
  sh: 'Shell',
  sql: 'SQL',
  tf: 'Terraform',
};

/** `product`: what the project itself needs; `all`: also its development tools. */
export function stackOf(
  found: RepositoryFacts,
  { product, all }: { readonly product: Dependencies; readonly all: Dependencies },
  services: readonly ComposeService[],
): Fact[] {
  const facts: Fact[] = [
    ...languages(found),
    ...BY_PACKAGE.flatMap(([kind, name, ecosystem, packages]) => {
      const used = firstUsed(kind === 'frameworks' ? product : all, ecosystem, packages);
      return used === null ? [] : [{ kind, name, by: used.path }];
    }),
    ...BY_FILE.flatMap(([kind, name, file]) => {
      const by = [...found.names].find((one) => file.test(one));
      return by === undefined ? [] : [{ kind, name, by }];
    }),
    ...node(found),
    ...(found.names.has('manage.py') && product.python.has('django')
      ? [{ kind: 'test runner' as const, name: 'Django', by: 'manage.py' }]
      : []),
    ...services.flatMap(({ image, path }) => {
      const known = kindOf(image);
      return known === null ? [] : [{ kind: 'services' as const, name: known.kind, by: path }];
    }),
    ...pipelines(found).map(({ service, path, runsTests }) => ({
      kind: 'CI' as const,
      name: service,
      by: runsTests ? path : `no tests seen in ${dirName(path) === '' ? path : `${dirName(path)}/`}`,
    })),
  ];
  const once = new Map(facts.map((fact) => [`${fact.kind} ${fact.name}`, fact] as const).reverse());
  return facts.filter((fact) => once.get(`${fact.kind} ${fact.name}`) === fact);
}

/** Most frequent first; a handful is enough. */
function languages({ paths }: RepositoryFacts): Fact[] {
  const counts = new Map<string, number>();
  for (const path of paths) {
    const ending = path.slice(path.lastIndexOf('.') + 1);
    const language = Object.hasOwn(LANGUAGES, ending) ? LANGUAGES[ending] : undefined;
    if (language !== undefined) counts.set(language, (counts.get(language) ?? 0) + 1);
  }
  return [...counts]
    .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
    .slice(0, 5)
    .map(([name, count]) => ({ kind: 'languages', name, by: count === 1 ? '1 file' : `${count} files` }));
}

function node({ names, texts }: RepositoryFacts): Fact[] {
  const manifest = packageOf(texts.get('package.json') ?? '');
  if (manifest === null) return [];
  const { manager, lock } = managerOf(names, manifest.packageManager);
  const spaces = manifest.workspaces !== null || names.has('pnpm-workspace.yaml');
  const script = manifest.scripts['test'] ?? '';
  return [
    { kind: 'packages', name: spaces ? `${manager.name} workspaces` : manager.name, by: lock ?? 'package.json' },
    ...(/\bnode\b.*--test\b/.test(script.slice(0, 500))
      ? [{ kind: 'test runner' as const, name: 'node:test', by: 'package.json' }]
      : []),
  ];
}
