/** The file by which other programs, or a person without a terminal of ours, ask for the project to be halted. */
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

/** What is kept of one project for people and their programs; the log is elsewhere. */
export const projectDir = ({ environment, project }: ProjectOf): string =>
  join(environment.stateDir, 'projects', project.id);

const haltFile = (of: ProjectOf): string => join(projectDir(of), NAME);

export const haltRequested = (of: ProjectOf): boolean => existsSync(haltFile(of));

export const HALT_BY_FILE: CommandOf<'board.halt'> = {
  type: 'board.halt',
  reason: `${NAME} is in the state directory of the project`,
  now: false,
};

/** The file asks, and the log answers: whoever sets the project running again takes the request away first. */
export const takeRequestAway = (of: ProjectOf): void => rmSync(haltFile(of), { force: true, recursive: true });

/** Asks as other programs do: where the log itself cannot be written to. */
export const requestHalt = (of: ProjectOf, why: string): void => writePrivateFile(haltFile(of), `${why}\n`);

/** Calls back when the file is there, or comes. A directory that cannot be watched is looked at with the next command. */
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
