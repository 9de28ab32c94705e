/** Lists the roles and workflows of a directory for display. Nothing runs, so no trust is needed. */
import { cascade } from '../../mind/config/cascade.ts';
import { type KnownCli, knownClis } from '../../mind/roles/known.ts';
import { mergedClis } from '../../mind/workers/cli-config.ts';
import { locateCommonDir } from '../../os/git/locate.ts';
import { readRepository } from '../../os/git/repository.ts';
import type { Environment } from './environment.ts';
import { compositionOf, loadUserConfig, parseConfig } from './files.ts';
import { type ProjectFiles, readProjectFiles } from './project-files.ts';
import { loadRoles } from './roles.ts';
import { loadWorkflows, type WorkflowLimits, type Workflows } from './workflows.ts';

type SurveyContext = {
  readonly files: ProjectFiles | null;
  readonly clis: readonly KnownCli[];
  /** The packs that the config lists as useful here. */
  readonly packs: readonly string[];
};

export async function surveyRoles(environment: Environment, dir: string): Promise<SurveyContext> {
  const user = loadUserConfig(environment).config;
  const files = await projectFiles(environment, dir);
  const project = files === null ? {} : parseConfig(files).config;
  return {
    files,
    clis: knownClis(mergedClis(user.clis ?? {}, project.clis ?? {})),
    packs: [...(user.packs ?? []), ...(project.packs ?? [])],
  };
}

/** Workflows with their limits, as a task would see them; skips a project's gates if it has no config. */
export async function surveyWorkflows(
  environment: Environment,
  dir: string,
): Promise<{ readonly workflows: Workflows; readonly limited: WorkflowLimits }> {
  const user = loadUserConfig(environment);
  const files = await projectFiles(environment, dir);
  const said = files === null ? null : parseConfig(files);
  const project = said?.config ?? {};
  const roles = loadRoles(environment, files, knownClis(mergedClis(user.config.clis ?? {}, project.clis ?? {})));
  const { settings, limits } = cascade({ project, user: user.config });
  const gates = settings.gates.length === 0 ? null : settings.gates.map(({ name }) => name);
  return {
    workflows: loadWorkflows(environment, files, roles, compositionOf(said?.parsed ?? null) ?? user.composition),
    limited: { maxSteps: limits.max_steps, gates },
  };
}

/** Returns null outside a repository, where roles and workflows still exist. */
async function projectFiles(environment: Environment, dir: string): Promise<ProjectFiles | null> {
  if (locateCommonDir(dir) === null) return null;
  return readProjectFiles(environment, (await readRepository(dir)).top);
}
