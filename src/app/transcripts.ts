/** The transcripts of attempts: their path, and their last lines for this or another process. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import type { ProjectId } from '../kernel/ids.ts';
import type { Environment } from './config/environment.ts';

type AttemptName = { readonly task: string; readonly step: string; readonly attempt: number };

export function transcriptPath(
  environment: Environment,
  project: ProjectId,
  { task, step, attempt }: AttemptName,
): string {
  return join(taskTranscripts(environment, project, task), `${step}.${attempt}.log`);
}

export const taskTranscripts = ({ stateDir }: Environment, project: ProjectId, task: string): string =>
  join(stateDir, 'transcripts', project, task);

/**
 * The last lines of a transcript, oldest first; empty if there is no transcript. It was sanitised when it was written.
 */
export function lastLines(path: string, count: number, maxBytes = 128 << 10): string[] {
  try {
    const fd = openSync(path, 'r');
    try {
      const { size } = fstatSync(fd);
      const bytes = Buffer.alloc(Math.min(size, maxBytes));
      readSync(fd, bytes, 0, bytes.length, size - bytes.length);
      const lines = bytes.toString('utf8').split('\n');
      // The first line may start in the middle of a line or a character.
      if (size > bytes.length) lines.shift();
      return lines.filter((line) => line.trim() !== '').slice(-count);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
