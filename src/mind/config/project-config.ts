/** `.supervisor/config.yaml` of a project and `~/.supervisor/config.yaml` of a person: one schema, two trust levels. */
import * as v from 'valibot';
import { sha256 } from '../../kernel/hash.ts';
import { canonicalJson } from '../../kernel/json.ts';
import { limitsConfig } from '../domain/limits.ts';
import { type AllowedHost, egressConfig } from '../egress/egress-config.ts';
import { type EnvironmentConfig, environmentConfig } from '../environment/environment-config.ts';
import { environmentProblems } from '../environment/plan.ts';
import { name, onceEach, pattern } from '../fields/fields.ts';
import { type GateConfig, gateConfig } from '../gates/gate-config.ts';
import { secretsConfig } from '../secrets/allow.ts';
import { type CliSettings, clisConfig } from '../workers/cli-config.ts';
import { workflowChoice } from '../workflows/file.ts';
import { type GitSettings, gitConfig } from './git-config.ts';
import { notifyConfig } from './notify-config.ts';
import { type Backend, type Resources, sandboxConfig } from './sandbox-limits.ts';

/** With what only the whole of it shows: outputs inside others, variables of the sandbox itself. */
const soundEnvironment = v.pipe(
  environmentConfig,
  v.rawCheck(({ dataset, addIssue }) => {
    const [problem] = dataset.typed ? environmentProblems(dataset.value) : [];
    if (problem !== undefined) addIssue({ message: problem.replace(/^environment: /, '') });
  }),
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
  git: v.optional(gitConfig),
  /** What looks like a secret and is none. */
  secrets: v.optional(secretsConfig),
  /** Who is told, and how, when a task ends or waits for a person. */
  notify: v.optional(notifyConfig),
  /** What an incident of any task does to the project: only the task waits, or nothing new starts. */
  on_incident: v.optional(v.picklist(['wait', 'halt'])),
  /** Skill packs whose roles are of use here; `supervisor roles list` shows them first. */
  packs: v.optional(v.array(name)),
  /** The workflow of a run that names none, and what is different in it here. The nearest file that says it counts, whole. */
  workflow: v.optional(workflowChoice),
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
  /** Absent: nobody said anything. */
  readonly git?: GitSettings;
};

/** What a task is judged by, in one word. */
export const settingsHash = (settings: Settings): string => sha256(canonicalJson(settings));
