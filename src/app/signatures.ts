/** Signatures by ssh-keygen: made with a person's key, checked against a file of allowed signers. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NAMESPACE, type Signature } from '../mind/bundle/format.ts';
import { run } from '../os/process/run.ts';

const TIMEOUT_MS = 15_000;
const ARMOURED = /^-----BEGIN SSH SIGNATURE-----\n(?:[A-Za-z0-9+/=]{1,100}\n){1,100}-----END SSH SIGNATURE-----\n$/;

/** `by` is the name of the signer in files of allowed signers. `agent`: the socket of a running ssh-agent. */
export async function signedBy(
  { key, by, agent }: { readonly key: string; readonly by: string; readonly agent: string | undefined },
  text: string,
): Promise<Signature | string> {
  const { code, stdout, stderr, ended } = await run('ssh-keygen', ['-Y', 'sign', '-f', key, '-n', NAMESPACE], {
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
  | { readonly type: 'trusted'; readonly by: string }
  /** The signature fits; nobody said whose key it is. */
  | { readonly type: 'fits' }
  | { readonly type: 'refused'; readonly why: string };

/** Without `signers` a signature only shows that somebody's key has signed this very text. */
export async function checkSignature(
  { by, signature }: Signature,
  text: string,
  signers: string | undefined,
): Promise<SignatureCheck> {
  if (!ARMOURED.test(signature)) return { type: 'refused', why: 'the signature is damaged' };
  const dir = mkdtempSync(join(tmpdir(), 'supervisor-signature-'));
  try {
    const file = join(dir, 'signature');
    writeFileSync(file, signature);
    const args =
      signers === undefined
        ? ['-Y', 'check-novalidate', '-n', NAMESPACE, '-s', file]
        : ['-Y', 'verify', '-f', signers, '-I', by, '-n', NAMESPACE, '-s', file];
    const { code, stderr, ended } = await run('ssh-keygen', args, {
      env: ENVIRONMENT,
      input: text,
      timeoutMs: TIMEOUT_MS,
    });
    if (ended === 'missing') return { type: 'refused', why: NO_PROGRAM };
    if (code === 0) return signers === undefined ? { type: 'fits' } : { type: 'trusted', by };
    const reason = stderr.trim().split('\n')[0] ?? '';
    return { type: 'refused', why: `the signature of ${by} was refused${reason === '' ? '' : `: ${reason}`}` };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
