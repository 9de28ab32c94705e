/**
 * One changed file as evidence: both texts, which can be hashed like git does and compared with the change id's diff.
 */
import { gitBlobId } from '../../kernel/hash.ts';
import { parseRawDiff, type RawChange } from '../candidates/raw-diff.ts';

export type FileSide = {
  readonly id: string;
  readonly mode: string;
  /** `null` if the bundle does not have it. */
  readonly text: string | null;
  readonly why: 'binary' | 'large' | 'redacted' | 'gone' | null;
};

/** The path as git has it, one character per byte. */
export type FileChange = { readonly path: string; readonly before: FileSide | null; readonly after: FileSide | null };

/** Lists where files do not match the change, and which of them prove nothing. */
export function checkFiles(
  raw: string,
  files: readonly FileChange[],
): { readonly problems: readonly string[]; readonly unproven: readonly string[] } {
  let changes: readonly RawChange[];
  try {
    changes = parseRawDiff(raw);
  } catch (error) {
    return { problems: [(error as Error).message], unproven: [] };
  }
  if (changes.length !== files.length)
    return { problems: [`the change has ${changes.length} files, the bundle shows ${files.length}`], unproven: [] };
  const problems: string[] = [];
  const unproven: string[] = [];
  changes.forEach((change, n) => {
    const file = files[n];
    if (file === undefined || file.path !== change.path) {
      problems.push(`file ${n + 1} of the change is ${change.path}, the bundle shows ${file?.path ?? 'nothing'}`);
      return;
    }
    for (const side of ['before', 'after'] as const) {
      const [due, shown] = [change[side], file[side]];
      if ((due === null) !== (shown === null) || due?.id !== shown?.id || due?.mode !== shown?.mode)
        problems.push(`${change.path}: the bundle shows another file ${side} the change`);
      else if (shown !== null && shown.text === null) unproven.push(`${change.path} (${shown.why ?? 'not included'})`);
      else if (shown?.text != null && gitBlobId(shown.text, shown.id.length === 64) !== shown.id)
        problems.push(`${change.path}: its text ${side} the change is not what git knows by ${shown.id.slice(0, 12)}`);
    }
  });
  return { problems, unproven: [...new Set(unproven)] };
}
