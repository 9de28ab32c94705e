/** `.supervisor/config.yaml` of a project and `~/.supervisor/config.yaml` of a person: one schema, two trust levels. */
import * as v from 'valibot';
import { sha256 } from '../../kernel/hash.ts';
import { canonicalJson } from '../../kernel/json.ts';
import type { Spec } from '../domain/values.ts';
import { environmentProblems } from '../environment/plan.ts';
import { duration, insideFile, name, pathProblem, pattern, text, word } from '../fields/fields.ts';
import { pathTo } from '../fields/path-to.ts';
import { secretsConfig } from '../secrets/allow.ts';
import { argv, type CliSettings, clisConfig, variable } from './cli-config.ts';
import { type AllowedHost, egressConfig } from './egress-config.ts';
import { limitsConfig } from './limits.ts';
import { type Backend, type Resources, sandboxConfig } from './sandbox-limits.ts';

/** A string is run by `sh -c` inside the sandbox; a list is run as it is. */
const command = v.union([word, argv], 'must be a command line, or a list of words');
const variables = v.record(variable, text(100_000));

const gateConfig = v.strictObject({
  name,
  command,
  /** Milliseconds; by the gate's name when absent. */
  timeout: v.optional(duration),
  blocking: v.optional(v.boolean(), true),
  weight: v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(100)), 1),
  on_fail: v.optional(v.picklist(['retry', 'escalate']), 'retry'),
  /** How its output names failed tests; without it, red stays red whatever failed before. */
  ids: v.optional(v.picklist(['tap', 'pytest', 'vitest', 'jest', 'go', 'cargo'])),
});
export type GateConfig = v.InferOutput<typeof gateConfig>;

const service = v.strictObject({
  name,
  command,
  /** Tried until it succeeds, before the gate starts. */
  ready: v.optional(command),
  env: v.optional(variables, {}),
});
export type ServiceConfig = v.InferOutput<typeof service>;

/** Where prepared things may lie: a path of the tree, or below the fixed mount `/env`. */
const output = v.pipe(
  word,
  v.rawCheck(({ dataset, addIssue }) => {
    const problem = dataset.typed ? outputProblem(dataset.value) : null;
    if (problem !== null) addIssue({ message: problem });
  }),
);

export const environmentConfig = v.strictObject({
  /** Absent: nothing has to be installed (for services alone). */
  prepare: v.optional(command),
  key: v.optional(v.array(insideFile), []),
  /** Whether packages may run scripts of their own while they are installed. */
  scripts: v.optional(v.boolean()),
  /** Relative ones are mounted into the tree; `/env/…` lies outside of it, at the same path everywhere. */
  outputs: v.optional(v.array(output), []),
  env: v.optional(variables, {}),
  services: v.optional(v.pipe(v.array(service), onceEach('service')), []),
});
/** With what only the whole of it shows: outputs inside others, variables of the sandbox itself. */
const soundEnvironment = v.pipe(
  environmentConfig,
  v.rawCheck(({ dataset, addIssue }) => {
    const [problem] = dataset.typed ? environmentProblems(dataset.value) : [];
    if (problem !== undefined) addIssue({ message: problem.replace(/^environment: /, '') });
  }),
);
export type EnvironmentConfig = v.InferOutput<typeof environmentConfig>;

/** As git writes it. */
const author = v.pipe(
  text(200),
  v.regex(/^[^<>\n]*[^<>\s] <[^<>\s]+>$/, 'must be written as `Name <mail@example.com>`'),
);

export const config = v.strictObject({
  limits: v.optional(limitsConfig),
  gates: v.optional(v.pipe(v.array(gateConfig), v.maxLength(100), onceEach('gate'))),
  environment: v.optional(soundEnvironment),
  clis: v.optional(clisConfig),
  default_cli: v.optional(v.pipe(v.array(name), v.minLength(1, 'is empty: name a CLI, or leave it out'))),
  tests: v.optional(v.strictObject({ paths: v.optional(v.array(pattern)) })),
  /** Further paths that no task may change without a grant, such as locked interfaces. */
  protect: v.optional(v.array(pattern)),
  sandbox: v.optional(sandboxConfig),
  egress: v.optional(egressConfig),
  commit: v.optional(v.strictObject({ author: v.optional(author) })),
  /** What looks like a secret and is none. */
  secrets: v.optional(secretsConfig),
  /** Skill packs whose roles are of use here; `supervisor roles list` shows them first. */
  packs: v.optional(v.array(name)),
  /** What a worker should know of the project, whatever its task. */
  knowledge: v.optional(v.strictObject({ paths: v.optional(v.array(pattern)) })),
});
export type Config = v.InferOutput<typeof config>;

/** What a run works with: everything present, after the cascade. */
export type Settings = {
  readonly gates: readonly GateConfig[];
  readonly environment: EnvironmentConfig | null;
  readonly clis: Readonly<Record<string, CliSettings>>;
  readonly defaultCli: readonly string[];
  readonly testPaths: readonly string[];
  readonly protect: readonly string[];
  readonly sandbox: { readonly worker: Resources; readonly gate: Resources } & Backend;
  readonly egress: { readonly worker: readonly AllowedHost[]; readonly prepare: readonly AllowedHost[] };
  readonly packs: readonly string[];
  readonly knowledge: readonly string[];
  /** Of the commits; absent: Supervisor. */
  readonly author?: string;
};

const TIMEOUTS: Readonly<Record<string, number>> = {
  syntax: 30_000,
  tests: 300_000,
  security: 180_000,
  coverage: 300_000,
  review: 180_000,
};

export const gateTimeout = (gate: Pick<GateConfig, 'name' | 'timeout'>): number =>
  gate.timeout ?? TIMEOUTS[gate.name] ?? 300_000;

/** Two of one name in one file: the second would drop the first without a word. */
function onceEach<T extends { readonly name: string }>(what: string) {
  return v.rawCheck<T[]>(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const seen = new Set<string>();
    for (const [index, one] of dataset.value.entries()) {
      if (seen.has(one.name))
        addIssue({
          message: `there are two ${what}s named ${one.name}: rename or remove one`,
          path: pathTo(dataset.value, [index, 'name']),
        });
      seen.add(one.name);
    }
  });
}

function outputProblem(path: string): string | null {
  if (!path.startsWith('/')) {
    if (/^\.(git|supervisor)(\/|$)/i.test(path)) return `${JSON.stringify(path)} is no place for an output`;
    return (
      pathProblem(path)?.replace('relative to the repository', 'relative to the repository, or below /env') ?? null
    );
  }
  if (path !== '/env' && !path.startsWith('/env/'))
    return `${JSON.stringify(path)} must be relative to the repository, or below /env`;
  return path === '/env' ? null : pathProblem(path.slice('/env/'.length));
}

/** The project's gates and those that a role or the operator brings for one task; a later one beats those of its name before. */
export function withOwnGates(gates: readonly GateConfig[], own: Readonly<NonNullable<Spec['gates']>>): GateConfig[] {
  const usual = { blocking: true, weight: 1, on_fail: 'retry' } as const;
  const all = [...gates, ...own.map((gate) => ({ ...usual, ...gate }) as GateConfig)];
  return [...new Map(all.map((gate) => [gate.name, gate])).values()];
}

/** What a task is judged by, in one word. */
export const settingsHash = (settings: Settings): string => sha256(canonicalJson(settings));
