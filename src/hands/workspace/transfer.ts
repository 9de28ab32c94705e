/** Copies new objects into the user's repository as one checked pack that the user's `git gc` leaves alone until it is pinned. */
import { pipeGit } from '../../os/git/git.ts';
import { type Context, failure, inPrivateDir, inUserRepository } from './context.ts';
import { noted } from './notes.ts';
import { keepLabel } from './pins.ts';

export type Transferred =
  | { readonly type: 'transferred' }
  /** An object that was borrowed is gone: the user's gc took it before it was pinned. */
  | { readonly type: 'missing'; readonly message: string }
  /** Git's own check of the objects found something that can do harm elsewhere. */
  | { readonly type: 'refused'; readonly problem: string };

export async function transfer(
  context: Context,
  scratch: string,
  what: { readonly name: string; readonly include: string; readonly exclude: string },
): Promise<Transferred> {
  const input = `${what.include}\n^${what.exclude}\n`;
  const { codes, stderr, timedOut } = await noted(context, { files: [], pack: true }, () =>
    pipeGit(
      {
        args: ['pack-objects', '--revs', '--stdout', '--thin', '--delta-base-offset', '-q'],
        call: { ...inPrivateDir(context, scratch), input },
      },
      {
        // `--keep` comes first, the pack after it: there is no moment in which gc could take it (tried, without it is lost).
        args: ['index-pack', '--stdin', '--fix-thin', '--strict', `--keep=${keepLabel(context, what.name)}`],
        call: inUserRepository(context),
      },
    ),
  );
  if (codes[0] === 0 && codes[1] === 0) return { type: 'transferred' };
  if (timedOut) throw failure('the transfer', 'it took too long');
  const problem = /object [0-9a-f]+: (\w+: .+)/.exec(stderr)?.[1];
  if (codes[0] === 0 && problem !== undefined) return { type: 'refused', problem };
  if (codes[0] !== 0) return { type: 'missing', message: stderr };
  throw failure('the transfer', stderr);
}
