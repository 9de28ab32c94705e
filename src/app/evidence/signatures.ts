/** Signatures by ssh-keygen: made with a person's key, checked against a file of allowed signers. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Signature } from '../../mind/bundle/format.ts';
import { run } from '../../os/process/run.ts';

const TIMEOUT_MS = 15_000;
const ARMOURED = /^-----BEGIN SSH SIGNATURE-----\n(?:[A-Za-z0-9+/=]{1,100}\n){1,100}-----END SSH SIGNATURE-----\n$/;

type Signer = {
  readonly key: string;
  /** The signer's name in files of allowed signers. */
  readonly by: string;
  /** The purpose of the signature; a signature for one purpose does not count for another. */
  readonly namespace: string;
  /** The socket of a running ssh-agent. */
  readonly agent: string | undefined;
};

export async function signedBy({ key, by, namespace, agent }: Signer, text: string): Promise<Signature | string> {
  const { code, stdout, stderr, ended } = await run('ssh-keygen', ['-Y', 'sign', '-f', key, '-n', namespace], {
    env: agent === undefined ? ENVIRONMENT : { ...ENVIRONMENT, SSH_AUTH_SOCK: agent },
    input: text,
    timeoutMs: TIMEOUT_MS,
  });
  if (ended === 'missing') return NO_PROGRAM;
  if (code !== 0 || !ARMOURED.test(stdout))
    return `${key} did not sign: ${stderr.trim().split('\n')[0] ?? `exit code ${code}`}. A key with a passphrase needs ssh-agent`;
  return { by, signature: stdout };
}

const ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C' };
const NO_PROGRAM = 'ssh-keygen is not installed: install it (Debian: apt-get install openssh-client)';

export type SignatureCheck =
  /** `key`: the fingerprint of the key that signed. */
  | { readonly type: 'trusted'; readonly by: string; readonly key: string }
  /** The signature is valid, but no file says whose key it is. */
  | { readonly type: 'fits' }
  | { readonly type: 'refused'; readonly why: string };

type Against = {
  readonly namespace: string;
  /** A file of allowed signers. Without one, a signature only shows that some key signed this text. */
  readonly signers: string | undefined;
};

export async function checkSignature(
  { by, signature }: Signature,
  text: string,
  { namespace, signers }: Against,
): Promise<SignatureCheck> {
  if (!ARMOURED.test(signature)) return { type: 'refused', why: 'the signature is damaged' };
  const dir = mkdtempSync(join(tmpdir(), 'supervisor-signature-'));
  try {
    const file = join(dir, 'signature');
    writeFileSync(file, signature);
    const args =
      signers === undefined
        ? ['-Y', 'check-novalidate', '-n', namespace, '-s', file]
        : ['-Y', 'verify', '-f', signers, '-I', by, '-n', namespace, '-s', file];
    const { code, stdout, stderr, ended } = await run('ssh-keygen', args, {
      env: ENVIRONMENT,
      input: text,
      timeoutMs: TIMEOUT_MS,
    });
    if (ended === 'missing') return { type: 'refused', why: NO_PROGRAM };
    const [, key] = / key (SHA256:\S+)/.exec(stdout) ?? [];
    if (code === 0 && signers === undefined) return { type: 'fits' };
    if (code === 0 && key !== undefined) return { type: 'trusted', by, key };
    const reason = stderr.trim().split('\n')[0] ?? '';
    return { type: 'refused', why: `the signature of ${by} was refused${reason === '' ? '' : `: ${reason}`}` };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
