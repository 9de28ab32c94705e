/** `supervisor verify FILE`: says what evidence of a task proves, and what it does not. */
import { checkBundle } from '../../app/evidence/check-bundle.ts';
import { checkSignature, type SignatureCheck } from '../../app/evidence/signatures.ts';
import { type Bundle, MAX_LINE, NAMESPACE, readBundle, signedText } from '../../mind/bundle/format.ts';
import { LinesError, textLines } from '../../os/files/text-lines.ts';
import { EXIT, UsageError } from './command.ts';
import type { Output } from './output.ts';

const MAX_BYTES = 512 << 20;

export async function verifyBundle(file: string, signers: string | undefined, out: Output): Promise<number> {
  const bundle = await read(file);
  if (typeof bundle === 'string') return refused(out, [bundle]);
  const signature = await signatureOf(bundle, signers);
  if (signature.type === 'refused') return refused(out, [signature.why]);
  const { problems, report, proves, unproven } = checkBundle(bundle);
  if (problems.length > 0) return refused(out, problems);
  const known = signature.type === 'trusted' ? [`${signature.by} signed it`] : [];
  const open = signature.type === 'trusted' ? unproven.filter((one) => !one.startsWith('who wrote it')) : unproven;
  const { head, digest } = bundle;
  out.value({
    ok: true,
    task_id: head.task,
    digest,
    signature: signature.type,
    report,
    proves: [...known, ...proves],
    does_not_prove: open,
    problems: [],
  });
  out.line(`✓ ${head.task}  ${head.title}`, 'good');
  out.line(`  ${report?.status ?? ''}, digest ${digest.slice(0, 16)}…, ${SIGNED[signature.type]}`);
  out.heading('It proves');
  for (const one of [...known, ...proves]) out.line(`  ${one}`, 'plain', 2);
  out.heading('It does not prove');
  for (const one of open) out.line(`  ${one}`, 'note', 2);
  return EXIT.done;
}

const SIGNED = {
  none: 'not signed',
  fits: 'signed; pass --signers FILE to check whose key it is',
  trusted: 'signed by an allowed signer',
} as const;

async function read(file: string): Promise<Bundle | string> {
  try {
    return await readBundle(textLines(file, { maxLine: MAX_LINE, maxBytes: MAX_BYTES }));
  } catch (error) {
    if (error instanceof LinesError && error.missing) throw new UsageError(error.message);
    if (error instanceof LinesError) return error.message;
    throw error;
  }
}

async function signatureOf(
  { signature, digest }: Bundle,
  signers: string | undefined,
): Promise<SignatureCheck | { readonly type: 'none' }> {
  if (signature !== null)
    return checkSignature(signature, signedText(digest, signature.by), { namespace: NAMESPACE, signers });
  return signers === undefined
    ? { type: 'none' }
    : { type: 'refused', why: 'it is not signed, and --signers asks for a signature' };
}

function refused(out: Output, problems: readonly string[]): number {
  out.value({ ok: false, problems });
  for (const problem of problems) out.line(`✗ ${problem}`, 'bad');
  out.line('This evidence is not what was exported: ask for it again.');
  return EXIT.failed;
}
