/** The roles there are for somebody who stands in a directory, for looking at: nothing runs by it, so nothing needs trust. */

import { type Config, config } from '../../mind/config/project-config.ts';
import { parseFile, problemText } from '../../mind/fields/parse-file.ts';
import { type KnownCli, knownClis } from '../../mind/roles/known.ts';
import { mergedClis } from '../../mind/workers/cli-config.ts';
import { locateCommonDir } from '../../os/git/locate.ts';
import { readRepository } from '../../os/git/repository.ts';
import { ConfigError } from './config-error.ts';
import type { Environment } from './environment.ts';
import { loadUserConfig } from './files.ts';
import { type ProjectFiles, projectText, readProjectFiles } from './project-files.ts';

type Survey = {
  readonly files: ProjectFiles | null;
  readonly clis: readonly KnownCli[];
  /** Those that the config says are of use here. */
  readonly packs: readonly string[];
};

export async function surveyRoles(environment: Environment, dir: string): Promise<Survey> {
  const user = loadUserConfig(environment).config;
  // Roles can be looked at outside of a repository too.
  const inside = locateCommonDir(dir) !== null;
  const files = inside ? readProjectFiles(environment, (await readRepository(dir)).top) : null;
  const project = files === null ? {} : configOf(files);
  return {
    files,
    clis: knownClis(mergedClis(user.clis ?? {}, project.clis ?? {})),
    packs: [...(user.packs ?? []), ...(project.packs ?? [])],
  };
}

function configOf(files: ProjectFiles): Config {
  const said = projectText(files, 'config.yaml');
  if (said === null) return {};
  const parsed = parseFile(config, said.text, said.file);
  if (parsed.type === 'problem') throw new ConfigError(problemText(parsed));
  return parsed.value;
}
