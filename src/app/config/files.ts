/** Loads the files that people write. A bad one stops everything before anything starts. */
import { lstatSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cascade, notForProjects, unknownCli } from '../../mind/config/cascade.ts';
import { type Config, config, type Settings } from '../../mind/config/project-config.ts';
import type { LimitsConfig } from '../../mind/domain/limits.ts';
import { environmentProblems } from '../../mind/environment/plan.ts';
import { type FileSchema, type ParsedFile, parseFile, problemText } from '../../mind/fields/parse-file.ts';
import type { FileProblem } from '../../mind/fields/yaml.ts';
import { knownClis } from '../../mind/roles/known.ts';
import { mergedClis } from '../../mind/workers/cli-config.ts';
import { PLAIN_SCRIPT, type Script, script } from '../../mind/workers/script.ts';
import type { ApprovalPolicy } from '../../mind/workflows/approval-policy.ts';
import type { Composition } from '../../mind/workflows/read-workflow.ts';
import { MAX_TEXT_BYTES, readTextFile } from '../../os/files/text-file.ts';
import { loadApprovals } from './approvals.ts';
import { ConfigError } from './config-error.ts';
import type { Environment } from './environment.ts';
import { type LimitsInForce, limitsInForce, type WithLimits, withLimits } from './limits.ts';
import { MAX_CONFIG_BYTES, type ProjectFiles, projectText, readProjectFiles } from './project-files.ts';
import { checkPromptFiles, loadPromptFiles, type PromptFiles } from './prompt-files.ts';
import { compareTrust, type ProjectPlace, trustNeeded } from './trust.ts';
import { type LoadedWorkflow, loadWorkflows, type Workflows } from './workflows.ts';

const LIMITS_FILE = 'limits.yaml';

export type LoadedConfig = LimitsInForce & {
  readonly settings: Settings;
  readonly told: PromptFiles;
  /** Workflows of the trusted `.supervisor/`, of the user, and the shipped ones. */
  readonly workflows: Workflows;
  /** Policies of the project and of the user; all of them count. */
  readonly approvals: readonly ApprovalPolicy[];
  /** Whether to notify the user about tasks, through any channel. */
  readonly notify: boolean;
  /** Whether an incident halts the project; the user's policy decides. */
  readonly haltOnIncident: boolean;
  /** The files that contributed, nearest first. */
  readonly sources: readonly string[];
};

/**
 * Loads all configuration of one project. Throws `ConfigError` for a bad file, and `TrustNeeded` if the project's files
 * are valid but no person has trusted them.
 */
export function loadSettings(
  environment: Environment,
  { id, top }: ProjectPlace,
  flags: LimitsConfig = {},
): LoadedConfig {
  const user = loadUserConfig(environment);
  const files = readProjectFiles(environment, top);
  // Parsed before trust is checked: a person need not look at unusable files.
  const project = files === null ? null : parseProject(environment, files, user.config);
  if (files !== null) {
    const state = compareTrust(environment, id, files);
    if (state.type === 'untrusted') throw trustNeeded(state);
  }
  const sources = [...(files === null ? [] : [files.folder]), ...(user.file === null ? [] : [user.file])];
  const { settings } = cascade({ project: project?.config ?? {}, user: user.config });
  const inForce = limitsInForce({ user, project, flags });
  // Each file is valid alone; together they may put one output inside another.
  const [problem] = settings.environment === null ? [] : environmentProblems(settings.environment);
  if (problem !== undefined) throw new ConfigError(`${sources.join(' and ')}: ${problem}`);
  const told = loadPromptFiles(environment, files, knownClis(settings.clis));
  const workflows = loadWorkflows(environment, files, told.roles, project?.composition ?? user.composition);
  return {
    ...inForce,
    settings,
    told,
    workflows,
    approvals: loadApprovals(environment, files),
    notify: (user.config.notify ?? []).length > 0,
    haltOnIncident: user.config.on_incident === 'halt',
    sources,
  };
}

/** Limits that hold without any project. */
export function loadLimits(environment: Environment, flags: LimitsConfig = {}): LimitsInForce {
  return limitsInForce({ user: loadUserConfig(environment), flags });
}

type UserConfig = WithLimits & {
  readonly file: string | null;
  readonly composition: Composition | null;
};

export function loadUserConfig(environment: Environment): UserConfig {
  const { userConfig } = environment;
  const beside = join(dirname(userConfig), LIMITS_FILE);
  const parsed = isThere(userConfig) ? load(config, userConfig, MAX_CONFIG_BYTES) : null;
  if (parsed !== null) refuse(parsed, unknownCli(parsed.value));
  const limits = isThere(beside) ? { text: readLimited(beside), file: beside } : null;
  const file = parsed === null ? null : userConfig;
  return { ...withLimits(parsed, limits), file, composition: compositionOf(parsed) };
}

/** Only a missing file means no config; a dangling link is a mistake to report. */
const isThere = (file: string): boolean => lstatSync(file, { throwIfNoEntry: false }) !== undefined;

type ParsedProject = WithLimits & {
  readonly workflows: ReadonlyMap<string, LoadedWorkflow>;
  /** The workflow that its config composes. */
  readonly composed: LoadedWorkflow | null;
  readonly composition: Composition | null;
};

/** Parses everything in `.supervisor/`; one bad file makes all of it invalid. */
export function parseProject(environment: Environment, files: ProjectFiles, user: Config): ParsedProject {
  for (const name of ['config', 'limits'])
    if (files.contents.has(`${name}.yml`))
      throw new ConfigError(`${join(files.folder, `${name}.yml`)}: is ignored; rename it to ${name}.yaml`);
  const { parsed, ...said } = parseConfig(files);
  if (parsed !== null) refuse(parsed, notForProjects(parsed.value) ?? unknownCli(parsed.value, user));
  const clis = knownClis(mergedClis(user.clis ?? {}, said.config.clis ?? {}));
  checkPromptFiles(environment, files, clis);
  const composition = compositionOf(parsed);
  const all = loadWorkflows(environment, files, loadPromptFiles(environment, files, clis).roles, composition);
  // The limit on steps depends on who runs the workflow, so it is checked later. So are gates that a user adds.
  const unlimited = { maxSteps: Number.POSITIVE_INFINITY };
  const own = all.entries().filter(({ layer }) => layer === 'project');
  const workflows = new Map(own.map(({ name }) => [name, all.get(name, unlimited)]));
  const composed = composition === null ? null : all.forRun(null, unlimited);
  loadApprovals(environment, files);
  return { ...said, workflows, composed, composition };
}

/** A project's config.yaml and the limits.yaml beside it; `parsed` is null without a config.yaml. */
export function parseConfig(files: ProjectFiles): WithLimits & { readonly parsed: ParsedFile<Config> | null } {
  const written = projectText(files, 'config.yaml');
  const parsed = written === null ? null : parse(config, written.text, written.file);
  return { ...withLimits(parsed, projectText(files, LIMITS_FILE)), parsed };
}

/** The `workflow:` section of a config, with its place. */
export function compositionOf(parsed: Pick<ParsedFile<Config>, 'value' | 'problem'> | null): Composition | null {
  const choice = parsed?.value.workflow;
  return parsed === null || choice === undefined ? null : { choice, problem: parsed.problem };
}

export function loadScript(path: string | undefined): Script {
  return path === undefined ? PLAIN_SCRIPT : load(script, path).value;
}

function load<S extends FileSchema>(
  schema: S,
  path: string,
  maxBytes = MAX_TEXT_BYTES,
): ParsedFile<ReturnType<typeof parse<S>>['value']> {
  return parse(schema, readLimited(path, maxBytes), path);
}

function readLimited(path: string, maxBytes = MAX_CONFIG_BYTES): string {
  const text = readTextFile(path, maxBytes);
  if (typeof text !== 'string') throw new ConfigError(text.message);
  return text;
}

function parse<S extends FileSchema>(schema: S, text: string, path: string) {
  const parsed = parseFile(schema, text, path);
  if (parsed.type === 'problem') throw misfit(parsed);
  return parsed;
}

function refuse(parsed: ParsedFile<unknown>, wrong: ReturnType<typeof unknownCli>): void {
  if (wrong !== null) throw misfit(parsed.problem(wrong.path, wrong.message));
}

const misfit = (problem: FileProblem): ConfigError => new ConfigError(problemText(problem));
