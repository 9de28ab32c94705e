/** The file with which other programs, or a person without access to the log, ask to halt the project. */
import { existsSync, mkdirSync, rmSync, watch } from 'node:fs';
import { join } from 'node:path';
import type { CommandOf } from '../mind/domain/commands.ts';
import { writePrivateFile } from '../os/files/private-file.ts';
import type { Environment } from './config/environment.ts';
import type { ProjectAt } from './open-store.ts';

const NAME = 'PAUSE_REQUESTED';

export type ProjectOf = {
  readonly environment: Pick<Environment, 'stateDir'>;
  readonly project: Pick<ProjectAt, 'id'>;
};

/** A project's directory for people and their programs; the log lives elsewhere. */
export const projectDir = ({ environment, project }: ProjectOf): string =>
  join(environment.stateDir, 'projects', project.id);

const haltFile = (of: ProjectOf): string => join(projectDir(of), NAME);

export const haltRequested = (of: ProjectOf): boolean => existsSync(haltFile(of));

export const HALT_BY_FILE: CommandOf<'board.halt'> = {
  type: 'board.halt',
  reason: `${NAME} is in the state directory of the project`,
  now: false,
};

/** The file asks and the log answers, so resuming the project removes the file first. */
export const takeRequestAway = (of: ProjectOf): void => rmSync(haltFile(of), { force: true, recursive: true });

/** Writes the request file, for when the log itself cannot be written. */
export const requestHalt = (of: ProjectOf, why: string): void => writePrivateFile(haltFile(of), `${why}\n`);

/** Calls back when the file exists or appears. If the directory cannot be watched, the next command checks it. */
export function watchHaltRequest(of: ProjectOf, requested: () => void): { close(): void } {
  const look = () => {
    if (haltRequested(of)) requested();
  };
  try {
    mkdirSync(projectDir(of), { recursive: true, mode: 0o700 });
    const watcher = watch(projectDir(of), { persistent: false }, look);
    watcher.on('error', () => watcher.close());
    look();
    return watcher;
  } catch {
    look();
    return { close() {} };
  }
}
