/**
 * Supervisor's refs in the user's repository that protect objects, and the `.keep` files that protect them until then.
 */
import { readdirSync, readFileSync, statSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { tryGit } from '../../os/git/git.ts';
import { type GitContext, inUserRepository } from './context.ts';
import { failure, must } from './must-git.ts';
import { noted, refLock } from './notes.ts';

/** `base` and `input`: what a workspace was made from. `candidate`: what was captured. `published`: a commit. */
type PinKind = 'base' | 'input' | 'candidate' | 'published';
export type Pin = { readonly kind: PinKind; readonly name: string; readonly id: string };

/** The ref ends with the object's id: a pin never moves, so a repeated or concurrent one cannot lose an older one. */
export const refOf = ({ place }: GitContext, { kind, name, id }: Pin): string =>
  `refs/supervisor/${kind}/${place}/${name}/${id}`;

export async function pin(context: GitContext, pins: readonly Pin[]): Promise<void> {
  const input = pins.map((one) => `update ${refOf(context, one)} ${one.id}\n`).join('');
  const files = pins.map((one) => refLock(refOf(context, one), one.id));
  await noted(context, { files, pack: false }, () =>
    must(['update-ref', '--stdin'], { ...inUserRepository(context), input }),
  );
}

/** All pins of this project and state directory. */
export async function listPins(context: GitContext): Promise<(Pin & { readonly ref: string })[]> {
  const kinds: readonly PinKind[] = ['base', 'input', 'candidate', 'published'];
  const patterns = kinds.map((kind) => `refs/supervisor/${kind}/${context.place}/`);
  const listed = await must(
    ['for-each-ref', '--format=%(objectname) %(refname)', ...patterns],
    inUserRepository(context),
  );
  return listed.split('\n').flatMap((line) => {
    const [id = '', ref = ''] = line.split(' ');
    const kind = kinds.find((one) => ref.startsWith(`refs/supervisor/${one}/`));
    const name = ref.slice(`refs/supervisor/${kind}/${context.place}/`.length).split('/').slice(0, -1).join('/');
    return kind === undefined ? [] : [{ kind, name, id, ref }];
  });
}

export async function unpin(context: GitContext, pins: readonly (Pin & { readonly ref: string })[]): Promise<void> {
  if (pins.length === 0) return;
  const input = pins.map(({ ref, id }) => `delete ${ref} ${id}\n`).join('');
  const files = [
    ...pins.map(({ ref }) => refLock(ref, '')),
    ...['packed-refs.lock', 'packed-refs.new'].map((path) => ({ path, id: null })),
  ];
  const { code, stderr } = await noted(context, { files, pack: false }, () =>
    tryGit(['update-ref', '--stdin'], { ...inUserRepository(context), input }),
  );
  if (code !== 0) throw failure('removing pins', stderr);
}

/** What index-pack writes into the `.keep` file of a transfer. */
export const keepLabel = ({ place }: GitContext, name: string): string => `supervisor ${place} ${name}`;

/** The `.keep` files of this project: of one transfer, or of all. */
export function keepFiles(context: GitContext, name: string | null): string[] {
  const packs = join(context.commonDir, 'objects', 'pack');
  return readdirSync(packs)
    .filter((file) => file.endsWith('.keep'))
    .map((file) => join(packs, file))
    .filter((path) => {
      const text = smallText(path);
      const own = keepLabel(context, name ?? '');
      return name === null ? text.startsWith(own) : text === own;
    });
}

export function removeKeeps(paths: readonly string[]): void {
  for (const path of paths) unlinkSync(path);
}

function smallText(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat?.isFile() && stat.size < 1000 ? readFileSync(path, 'utf8').trim() : '';
}
