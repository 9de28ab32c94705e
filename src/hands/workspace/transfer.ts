/**
 * Copies new objects into the user's repository as one checked pack, which the user's `git gc` leaves alone until it is
 * pinned.
 */
import { type GitCall, pipeGit, tryGit } from '../../os/git/git.ts';
import { type GitContext, inPrivateDir, inUserRepository } from './context.ts';
import { failure } from './must-git.ts';
import { noted } from './notes.ts';
import { keepLabel } from './pins.ts';

export type Transferred =
  | { readonly type: 'transferred' }
  /** A borrowed object is gone: the user's gc removed it before it was pinned. */
  | { readonly type: 'missing'; readonly message: string }
  /** Git's own check of the objects found something harmful. */
  | { readonly type: 'refused'; readonly problem: string };

export async function transfer(
  context: GitContext,
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
      { args: indexPack(context, what.name), call: inUserRepository(context) },
    ),
  );
  if (timedOut) throw failure('the transfer', 'it took too long');
  return codes[0] === 0 ? judged(codes[1], stderr) : { type: 'missing', message: stderr };
}

/** The same with an existing pack. */
export async function receive(context: GitContext, name: string, pack: Uint8Array): Promise<Transferred> {
  const call: GitCall = {
    ...inUserRepository(context),
    encoding: 'latin1',
    input: Buffer.from(pack).toString('latin1'),
  };
  const { code, stderr } = await noted(context, { files: [], pack: true }, () =>
    tryGit(indexPack(context, name), call),
  );
  return judged(code, stderr);
}

/** `--keep` first, then the pack, so that gc can never remove it (tested: without it the pack is lost). */
const indexPack = (context: GitContext, name: string): string[] => [
  ...['index-pack', '--stdin', '--fix-thin', '--strict', `--keep=${keepLabel(context, name)}`],
];

function judged(code: number | null, stderr: string): Transferred {
  if (code === 0) return { type: 'transferred' };
  const problem = /object [0-9a-f]+: (\w+: .+)/.exec(stderr)?.[1];
  if (problem !== undefined) return { type: 'refused', problem };
  if (/did not receive expected object/.test(stderr)) return { type: 'missing', message: stderr };
  throw failure('the transfer', stderr);
}
