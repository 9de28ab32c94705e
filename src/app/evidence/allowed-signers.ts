/** Decides whose keys may approve: reads the user's file of allowed signers and checks signatures against it. */
import { lstatSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, isAbsolute, join, relative } from 'node:path';
import { type Rejection, rejected } from '../../kernel/result.ts';
import { type AllowedSigner, parseSigners } from '../../mind/approvals/allowed-signers.ts';
import { APPROVAL_NAMESPACE } from '../../mind/approvals/approval-text.ts';
import type { NewEvent } from '../../mind/domain/events/index.ts';
import type { Agreed } from '../../mind/domain/task.ts';
import type { SignedWord } from '../../mind/domain/values.ts';
import { MAX_TEXT_BYTES, readTextFile } from '../../os/files/text-file.ts';
import type { Environment } from '../config/environment.ts';
import { loadUserConfig } from '../config/files.ts';
import { checkSignature } from './signatures.ts';

const DEFAULT = 'allowed_signers';

/** Reads the file at each use, so that removing a signer takes effect at once. `top`: the checkout of the project. */
export function loadSigners(environment: Environment, top: string): AllowedSigner[] | Rejection {
  const { userConfig, home } = environment;
  const named = loadUserConfig(environment).config.allowed_signers;
  const file = named === undefined ? join(dirname(userConfig), DEFAULT) : named.replace(/^~(?=\/)/, home ?? '~');
  const problem = isAbsolute(file) ? placeProblem(file, top) : 'write the whole path, or one that begins with ~/';
  if (problem !== null) return rejected('no_signers', `${file}: ${problem}`);
  const text = readTextFile(file, MAX_TEXT_BYTES, 'no-links');
  if (typeof text !== 'string') return rejected('no_signers', text.message);
  const signers = parseSigners(text);
  return typeof signers === 'string' ? rejected('no_signers', `${file}: ${signers}`) : signers;
}

/** A file that others can write, or that comes with the repository, would let them choose the approvers. */
function placeProblem(file: string, top: string): string | null {
  const stat = lstatSync(file, { throwIfNoEntry: false });
  if (stat === undefined)
    return 'there is no such file. It lists whose keys may approve (`allowed_signers` of your own config names another one)';
  if (!stat.isFile()) return 'must be a file, not a link or a directory';
  if (stat.uid !== 0 && stat.uid !== process.getuid?.()) return "belongs to another user: it must be yours, or root's";
  if ((stat.mode & 0o022) !== 0) return 'others may write it: run `chmod go-w` on it';
  const inside = relative(realpathSync(top), realpathSync(file));
  return inside.startsWith('..') || isAbsolute(inside)
    ? null
    : 'lies in the repository: a change could then name its own approvers';
}

/** The owner of a signature: the fingerprint of the key, and the names that the file lists for it. */
export async function checkApproval(
  signers: readonly AllowedSigner[],
  { as, text, signature }: Pick<SignedWord, 'as' | 'text' | 'signature'>,
): Promise<Pick<SignedWord, 'key' | 'names'> | Rejection> {
  const dir = mkdtempSync(join(tmpdir(), 'supervisor-signers-'));
  try {
    const file = join(dir, 'allowed_signers');
    writeFileSync(file, signers.map(({ line }) => `${line}\n`).join(''));
    const against = { namespace: APPROVAL_NAMESPACE, signers: file };
    const found = await checkSignature({ by: as, signature }, text, against);
    if (found.type !== 'trusted')
      return rejected('bad_signature', found.type === 'refused' ? found.why : `${as} is no allowed signer`);
    const signer = signers.find(({ fingerprint }) => fingerprint === found.key);
    if (signer === undefined)
      return rejected('bad_signature', `the key of ${as} is not in the file of allowed signers`);
    return { key: found.key, names: [...signer.names] };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Keys of earlier approvals that still count. Each signature is checked again against the current file. */
export async function confirmedKeys(
  environment: Environment,
  top: string,
  { agreed, events }: { readonly agreed: readonly Agreed[]; readonly events: readonly NewEvent[] },
): Promise<string[]> {
  const wanted = new Set(agreed.flatMap(({ signed }) => (signed === undefined ? [] : [signed.key])));
  const signers = wanted.size === 0 ? [] : loadSigners(environment, top);
  if (!Array.isArray(signers)) return [];
  const confirmed = new Set<string>();
  for (const event of events) {
    if (event.type !== 'step.agreed' && event.type !== 'task.approved') continue;
    const { signed } = event.data;
    if (signed === undefined || !wanted.has(signed.key)) continue;
    const found = await checkApproval(signers, signed);
    if ('names' in found && found.key === signed.key) confirmed.add(found.key);
  }
  return [...confirmed];
}
