/** The workspaces of a project, for real work and for commands that need nothing else of it. */
import type { AppLog } from '../engine/ports/surroundings.ts';
import { GitWorkspaces } from '../hands/workspace/workspaces.ts';
import type { Environment } from './config/environment.ts';
import type { ProjectAt } from './open-store.ts';

type WorkspacesContext = {
  readonly environment: Environment;
  readonly project: ProjectAt;
  readonly failpoint: (name: string) => void;
  readonly log: AppLog;
};

export function workspacesFor({ environment, project, failpoint, log }: WorkspacesContext): GitWorkspaces {
  return new GitWorkspaces({
    home: environment.home,
    stateDir: environment.stateDir,
    project: project.id,
    commonDir: project.commonDir,
    failpoint,
    failed: (path, error) => log('warn', 'could not be deleted', { path, error: error.message }),
  });
}
