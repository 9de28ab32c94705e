/** Loads the files people write; a bad one stops everything before anything is started. */
import { existsSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { nearest } from '../../kernel/nearest.ts';
import { cascade, notForProjects, unknownCli } from '../../mind/config/cascade.ts';
import { type Config, config, type Settings } from '../../mind/config/project-config.ts';
import type { Limits } from '../../mind/domain/limits.ts';
import { environmentProblems } from '../../mind/environment/plan.ts';
import { type FileSchema, type ParsedFile, parseFile, problemText } from '../../mind/fields/parse-file.ts';
import type { FileProblem } from '../../mind/fields/yaml.ts';
import { knownClis } from '../../mind/roles/known.ts';
import { mergedClis } from '../../mind/workers/cli-config.ts';
import { PLAIN_SCRIPT, type Script, script } from '../../mind/workers/script.ts';
import { checkWorkflow } from '../../mind/workflows/check-graph.ts';
import type { WorkflowDefinition } from '../../mind/workflows/step.ts';
import { expandWorkflow, workflowFile } from '../../mind/workflows/workflow.ts';
import { packageRoot } from '../../os/files/package-root.ts';
import { MAX_TEXT_BYTES, readTextFile } from '../../os/files/text-file.ts';
import { ConfigError } from './config-error.ts';
import type { Environment } from './environment.ts';
import { MAX_CONFIG_BYTES, type ProjectFiles, projectText, readProjectFiles } from './project-files.ts';
import { checkTold, loadTold, type Told } from './told.ts';
import { compareTrust, type ProjectPlace, trustNeeded } from './trust.ts';

export type Loaded = {
  readonly settings: Settings;
  readonly limits: Limits;
  readonly told: Told;
  /** The trusted `.supervisor/` as it was read: its workflows come from here, not from the disk. */
  readonly project: ParsedProject | null;
  /** The files that had a say, nearest first. */
  readonly sources: readonly string[];
};

/**
 * Everything that configuration says about one project. Throws `ConfigError` for a bad file, whoever wrote it, and
 * `TrustNeeded` when the project's files are fine but not accepted by a person.
 */
export function loadSettings(environment: Environment, { id, top }: ProjectPlace): Loaded {
  const user = loadUserConfig(environment);
  const files = readProjectFiles(environment, top);
  // Parsed before trust is asked: what can not be used need not be shown to a person first.
  const project = files === null ? null : parseProject(environment, files, user.config);
  if (files !== null) {
    const state = compareTrust(environment, id, files);
    if (state.type === 'untrusted') throw trustNeeded(state);
  }
  const sources = [...(files === null ? [] : [files.folder]), ...(user.file === null ? [] : [user.file])];
  const { settings, limits } = cascade({ project: project?.config ?? {}, user: user.config });
  // Each file is sound by itself; together they may still name one output inside another.
  const [problem] = settings.environment === null ? [] : environmentProblems(settings.environment);
  if (problem !== undefined) throw new ConfigError(`${sources.join(' and ')}: ${problem}`);
  const told = loadTold(environment, files, knownClis(settings.clis));
  return { settings, limits, told, project, sources };
}

/** What holds without any project. */
export function loadLimits(environment: Environment): Limits {
  return cascade({ user: loadUserConfig(environment).config }).limits;
}

export function loadUserConfig(environment: Environment): { readonly config: Config; readonly file: string | null } {
  // Only a file that is not there means no config; a link that leads nowhere is a mistake to be told.
  if (lstatSync(environment.userConfig, { throwIfNoEntry: false }) === undefined) return { config: {}, file: null };
  const parsed = load(config, environment.userConfig, MAX_CONFIG_BYTES);
  refuse(parsed, unknownCli(parsed.value));
  return { config: parsed.value, file: environment.userConfig };
}

type LoadedWorkflow = { readonly definition: WorkflowDefinition; readonly file: string };
type ParsedProject = { readonly config: Config; readonly workflows: ReadonlyMap<string, LoadedWorkflow> };

/** All that this version reads of `.supervisor/`; one bad file makes all of it bad. */
export function parseProject(environment: Environment, files: ProjectFiles, user: Config): ParsedProject {
  if (files.contents.has('config.yml'))
    throw new ConfigError(`${join(files.folder, 'config.yml')}: is not read; rename it to config.yaml`);
  const written = projectText(files, 'config.yaml');
  const parsed = written === null ? null : parse(config, written.text, written.file);
  if (parsed !== null) refuse(parsed, notForProjects(parsed.value) ?? unknownCli(parsed.value, user));
  const workflows = new Map<string, LoadedWorkflow>();
  for (const path of files.contents.keys()) {
    const name = /^workflows\/([^/]+)\.yaml$/.exec(path)?.[1];
    const found = name === undefined ? null : projectText(files, path);
    if (name === undefined || found === null) continue;
    // How many steps are allowed is another matter: that depends on who runs it.
    const loaded = { definition: expandWorkflow(parse(workflowFile, found.text, found.file).value), file: found.file };
    workflows.set(name, sound(loaded, Number.POSITIVE_INFINITY));
  }
  const said = parsed?.value ?? {};
  checkTold(environment, files, knownClis(mergedClis(user.clis ?? {}, said.clis ?? {})));
  return { config: said, workflows };
}

export function loadScript(path: string | undefined): Script {
  return path === undefined ? PLAIN_SCRIPT : load(script, path).value;
}

/** By name from the trusted project's or the shipped ones, the nearer first; or by path. */
export function loadWorkflow(named: string, limits: Limits, project: ParsedProject | null = null): LoadedWorkflow {
  const theirs = project?.workflows ?? new Map<string, LoadedWorkflow>();
  const loaded = theirs.get(named) ?? readWorkflow(/[./]/.test(named) ? named : shipped(named, [...theirs.keys()]));
  return sound(loaded, limits.max_steps);
}

function sound(loaded: LoadedWorkflow, maxSteps: number): LoadedWorkflow {
  const problem = checkWorkflow(loaded.definition, maxSteps);
  if (problem !== null) throw new ConfigError(`${loaded.file}: ${problem.message}`);
  return loaded;
}

const readWorkflow = (file: string): LoadedWorkflow => ({
  definition: expandWorkflow(load(workflowFile, file, MAX_CONFIG_BYTES).value),
  file,
});

export const shippedWorkflows = (): string[] =>
  readdirSync(join(packageRoot(), 'templates', 'workflows')).map((entry) => entry.replace(/\.yaml$/, ''));

function shipped(name: string, theirs: readonly string[]): string {
  const file = join(packageRoot(), 'templates', 'workflows', `${name}.yaml`);
  if (existsSync(file)) return file;
  const names = [...new Set([...theirs, ...shippedWorkflows()])];
  const meant = nearest(name, names);
  throw new ConfigError(
    `there is no workflow ${JSON.stringify(name)}${meant === null ? '' : `, did you mean ${meant}?`} (known: ${names.join(', ')}; a file is named by its path)`,
  );
}

function load<S extends FileSchema>(
  schema: S,
  path: string,
  maxBytes = MAX_TEXT_BYTES,
): ParsedFile<ReturnType<typeof parse<S>>['value']> {
  const text = readTextFile(path, maxBytes);
  if (typeof text !== 'string') throw new ConfigError(text.message);
  return parse(schema, text, path);
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
