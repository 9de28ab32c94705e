/** What workers are told, as data of three layers: roles, prompt templates, context strategies. Read when first asked for. */
import type { Strategy } from '../../mind/context/strategy.ts';
import type { Templates } from '../../mind/prompts/liquid.ts';
import type { KnownCli } from '../../mind/roles/known.ts';
import type { Environment } from './environment.ts';
import type { ProjectFiles } from './project-files.ts';
import { loadTemplates } from './prompts.ts';
import { checkProjectRoles, loadRoles, type Roles } from './roles.ts';
import { checkProjectStrategies, loadStrategies } from './strategies.ts';

export type Told = {
  readonly roles: Roles;
  templates(): Templates;
  strategy(name: string): Strategy;
};

export function loadTold(environment: Environment, files: ProjectFiles | null, clis: readonly KnownCli[]): Told {
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

/** One bad file of a project makes all of it bad. Throws `ConfigError` with the place. */
export function checkTold(environment: Environment, files: ProjectFiles, clis: readonly KnownCli[]): void {
  const brings = (folder: string) => [...files.contents.keys()].some((path) => path.startsWith(`${folder}/`));
  if (brings('strategies')) checkProjectStrategies(environment, files);
  if (brings('templates')) loadTemplates(environment, files);
  if (brings('roles')) checkProjectRoles(environment, files, clis);
}
