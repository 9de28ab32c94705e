/** Finds mistakes in `--files` before anything is prepared or paid: each would cost a whole attempt. */
import { shown } from '../mind/candidates/names.ts';
import { filesProblem } from '../mind/candidates/scope.ts';
import type { Repository } from '../os/git/repository.ts';
import { pathsAt } from '../os/git/revisions.ts';

/** Describes the first name that is missing from the base; null if none is. */
export async function missingFile(
  files: readonly string[] | undefined,
  { repository, base, line }: { readonly repository: Repository; readonly base: string | null; readonly line: string },
): Promise<string | null> {
  if (files === undefined || base === null) return null;
  return filesProblem(files, (await pathsAt(repository.commonDir, base)).map(shown), line);
}
