/** Loads roles, prompt templates and context strategies from three layers. Reads templates at first use. */
import type { Strategy } from '../../mind/context/strategy.ts';
import type { Templates } from '../../mind/prompts/liquid.ts';
import type { KnownCli } from '../../mind/roles/known.ts';
import type { Environment } from './environment.ts';
import type { ProjectFiles } from './project-files.ts';
import { loadTemplates } from './prompts.ts';
import { checkProjectRoles, loadRoles, type Roles } from './roles.ts';
import { checkProjectStrategies, loadStrategies } from './strategies.ts';

export type PromptFiles = {
  readonly roles: Roles;
  templates(): Templates;
  strategy(name: string): Strategy;
};

export function loadPromptFiles(
  environment: Environment,
  files: ProjectFiles | null,
  clis: readonly KnownCli[],
): PromptFiles {
  let templates: Templates | null = null;
  return {
    roles: loadRoles(environment, files, clis),
    templates: () => {
      templates ??= loadTemplates(environment, files);
      return templates;
    },
    strategy: loadStrategies(environment, files),
  };
}

/** One bad file makes the whole project's `.supervisor/` invalid. Throws `ConfigError` with the place. */
export function checkPromptFiles(environment: Environment, files: ProjectFiles, clis: readonly KnownCli[]): void {
  const brings = (folder: string) => [...files.contents.keys()].some((path) => path.startsWith(`${folder}/`));
  if (brings('strategies')) checkProjectStrategies(environment, files);
  if (brings('templates')) loadTemplates(environment, files);
  if (brings('roles')) checkProjectRoles(environment, files, clis);
}
