/** `.supervisor/config.yaml` of a project and `~/.supervisor/config.yaml` of a user: one schema, two trust levels. */
import * as v from 'valibot';
import { sha256 } from '../../kernel/hash.ts';
import { canonicalJson } from '../../kernel/json.ts';
import { limitsConfig } from '../domain/limits.ts';
import { type AllowedHost, egressConfig } from '../egress/egress-config.ts';
import { type EnvironmentConfig, environmentConfig } from '../environment/environment-config.ts';
import { environmentProblems } from '../environment/plan.ts';
import { name, onceEach, pattern, text } from '../fields/fields.ts';
import { type GateConfig, gateConfig } from '../gates/gate-config.ts';
import { secretsConfig } from '../secrets/allow.ts';
import { type CliSettings, clisConfig } from '../workers/cli-config.ts';
import { workflowChoice } from '../workflows/file.ts';
import { type GitSettings, gitConfig } from './git-config.ts';
import { notifyConfig } from './notify-config.ts';
import { type Backend, type Resources, sandboxConfig } from './sandbox-limits.ts';

/** Adds checks of the whole section: outputs inside others, variables that belong to the sandbox. */
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
  /** More paths that no task may change without a grant, such as locked interfaces. */
  protect: v.optional(v.array(pattern)),
  sandbox: v.optional(sandboxConfig),
  egress: v.optional(egressConfig),
  git: v.optional(gitConfig),
  /** Texts that look like secrets but are none. */
  secrets: v.optional(secretsConfig),
  /** The channels for notifications: when a task ends or waits for a person. */
  notify: v.optional(notifyConfig),
  /** The effect of an incident on the project: only its task waits, or nothing new starts. */
  on_incident: v.optional(v.picklist(['wait', 'halt'])),
  /** The file with the keys that may approve. */
  allowed_signers: v.optional(text(4_000)),
  /** Skill packs that are useful here; `supervisor roles list` shows their roles first. */
  packs: v.optional(v.array(name)),
  /** The workflow of a run that names none, with changes to it. The nearest file that sets it counts, as a whole. */
  workflow: v.optional(workflowChoice),
  /** What every worker should know about the project. */
  knowledge: v.optional(v.strictObject({ paths: v.optional(v.array(pattern)) })),
});
export type Config = v.InferOutput<typeof config>;

/** The settings of a run: complete, after the cascade. */
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
  /** Absent if no config sets it. */
  readonly git?: GitSettings;
};

/** A hash that identifies the settings of a task. */
export const settingsHash = (settings: Settings): string => sha256(canonicalJson(settings));
