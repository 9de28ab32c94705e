/** Checkouts that `take` makes for people: where to make one, which task it belongs to, and its notes. */
import {
  accessSync,
  constants,
  lchownSync,
  lstatSync,
  readdirSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { type Rejection, rejected } from '../kernel/result.ts';
import type { Taken } from '../mind/domain/taken.ts';
import type { Task } from '../mind/domain/task.ts';
import type { Feedback } from '../mind/feedback/document.ts';
import { feedbackMarkdown, fenced } from '../mind/feedback/markdown.ts';
import { locateCheckout } from '../os/git/locate.ts';
import { ownerOf } from '../os/git/owner.ts';

/** `top`: the operator's own checkout. The project's config is read there, never in the checkout that was made. */
export type TakeNote = { readonly task: string; readonly top: string };

/** Returns null if the directory is in no checkout that `take` made. */
export function takenAt(dir: string): (TakeNote & { readonly dir: string }) | null {
  const checkout = locateCheckout(dir);
  if (checkout === null) return null;
  try {
    const { task, top } = JSON.parse(readFileSync(join(checkout.gitDir, 'supervisor-take.json'), 'utf8')) as TakeNote;
    return { task, top, dir: checkout.top };
  } catch {
    return null;
  }
}

/** Chooses where to make a task's checkout; by default beside the repository. Never overwrites anything. */
export function placeFor(task: string, top: string, asked: string | undefined): string | Rejection {
  const wanted = asked === undefined ? join(dirname(top), `${basename(top)}-${task}`) : resolve(asked);
  const other = '`supervisor take TASK DIR` names another directory';
  try {
    const parent = realpathSync(dirname(wanted));
    accessSync(parent, constants.W_OK | constants.X_OK);
    const dir = join(parent, basename(wanted));
    const within = relative(realpathSync(top), dir);
    if (within !== '' && !/^\.\.(?:\/|$)/.test(within))
      return rejected('no_dir', `${dir} lies in your own checkout, which stays as it is: ${other}`);
    const stat = lstatSync(dir, { throwIfNoEntry: false });
    if (stat === undefined || (stat.isDirectory() && readdirSync(dir).length === 0)) return dir;
    return rejected('dir_exists', `${dir} exists already, and nothing is overwritten: ${other}`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return rejected('no_dir', `cannot make a directory in ${dirname(wanted)} (${code}): ${other}`);
  }
}

export const isCheckoutThere = (dir: string): boolean =>
  lstatSync(join(dir, '.git'), { throwIfNoEntry: false }) !== undefined;

/** The tree that the person saw last: the one sent back to them, or else the one they started from. */
export function lastSeen({ steps }: Task, { step, on, base }: Taken): string {
  return (steps.get(step)?.sentBack ?? on)?.tree ?? base;
}

const FEEDBACK = 'SUPERVISOR_FEEDBACK.md';

/** Writes into the checkout's git directory, so that no capture includes it. Returns the path. */
export function writeFeedback(gitDir: string, task: string, documents: readonly Feedback[]): string {
  const path = join(gitDir, FEEDBACK);
  const text = documents.map((one) => feedbackMarkdown(one, fenced)).join('\n\n');
  writeFileSync(path, `${text === '' ? `# ${task}\n\nNothing was sent back.` : text}\n`);
  const owner = ownerOf(gitDir);
  if (owner !== null) lchownSync(path, owner.uid, owner.gid);
  return path;
}

/** Gates that the change did not pass, as commands that a person can run. */
export const redGatesIn = (documents: readonly Feedback[]) =>
  documents.flatMap(({ failed_gates }) =>
    failed_gates.map(({ gate, status, command, at }) => ({ gate, status, command, at })),
  );
