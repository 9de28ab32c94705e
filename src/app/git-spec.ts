/** Settings for a task's branch and commit, fixed when the task is made, so that the same commit can be made again. */
import type { Settings } from '../mind/config/project-config.ts';
import type { Spec } from '../mind/domain/values.ts';
import { isConventional } from '../mind/protocol/subject.ts';
import { tryGit } from '../os/git/git.ts';

/** The number of recent commits that show the project's convention. */
const LOOKED_AT = 30;

export async function gitSpec(
  { git = {} }: Pick<Settings, 'git'>,
  { commonDir, base }: { readonly commonDir: string; readonly base: string },
): Promise<Pick<Spec, 'author' | 'git'>> {
  const { author, branch_pattern, subject = 'auto' } = git;
  const conventional = subject === 'auto' ? await writesConventional(commonDir, base) : subject === 'conventional';
  const said = {
    ...(branch_pattern === undefined ? {} : { branch_pattern }),
    ...(conventional ? { conventional } : {}),
  };
  return {
    ...(author === undefined ? {} : { author }),
    ...(Object.keys(said).length === 0 ? {} : { git: said }),
  };
}

async function writesConventional(commonDir: string, base: string): Promise<boolean> {
  const { code, stdout } = await tryGit(['log', '-z', `--max-count=${LOOKED_AT}`, '--format=%s', base, '--'], {
    dir: commonDir,
  });
  return code === 0 && isConventional(stdout.split('\0').filter((one) => one !== ''));
}
