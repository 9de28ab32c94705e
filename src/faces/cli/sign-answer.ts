/** Signed answers: `--sign`, or `--print` and `--signature` if the key is on another machine. */
import { checkApproval, confirmedKeys, loadSigners } from '../../app/evidence/allowed-signers.ts';
import { signedBy } from '../../app/evidence/signatures.ts';
import type { TaskView } from '../../app/task-view.ts';
import { type Rejection, rejected } from '../../kernel/result.ts';
import type { AllowedSigner } from '../../mind/approvals/allowed-signers.ts';
import { APPROVAL_NAMESPACE, approvalText, readApprovalText } from '../../mind/approvals/approval-text.ts';
import { LANDING } from '../../mind/approvals/landing-approval.ts';
import type { AnswerCommand } from '../../mind/domain/commands.ts';
import type { Agreed, Task } from '../../mind/domain/task.ts';
import type { SignedWord } from '../../mind/domain/values.ts';
import { readTextFile } from '../../os/files/text-file.ts';
import { type CommandContext, EXIT, text, UsageError } from './command.ts';

type SigningContext = { readonly project: string; readonly top: string; readonly view: TaskView };

/** What the flags say about a signature. `text`: the content of the file beside the signature. */
export type Signing =
  | { readonly by: 'nobody' }
  | { readonly by: 'key'; readonly key: string; readonly as: string | null }
  | { readonly by: 'print'; readonly as: string }
  | { readonly by: 'file'; readonly text: string; readonly signature: string };

export function signingIn({ flags }: CommandContext): Signing {
  const [key, file, as] = [text(flags['sign']), text(flags['signature']), text(flags['as'])];
  const print = flags['print'] === true;
  if ([key !== undefined, file !== undefined, print].filter(Boolean).length > 1)
    throw new UsageError('--sign, --print and --signature exclude each other: choose one');
  if (key !== undefined) return { by: 'key', key, as: as ?? null };
  if (print) {
    if (as === undefined)
      throw new UsageError('--as NAME is missing: give the name of the key in the file of allowed signers');
    return { by: 'print', as };
  }
  if (as !== undefined) throw new UsageError('--as says who signs: it goes with --sign or --print');
  return file === undefined ? { by: 'nobody' } : fromFile(file);
}

/** `ssh-keygen -Y sign` writes `FILE.sig` beside the text. */
function fromFile(file: string): Signing {
  if (!file.endsWith('.sig'))
    throw new UsageError(`--signature ${file}: the file that ssh-keygen wrote ends in .sig, and the text is beside it`);
  const [words, signature] = [readTextFile(file.slice(0, -'.sig'.length)), readTextFile(file)];
  if (typeof words !== 'string') throw new UsageError(words.message);
  if (typeof signature !== 'string') throw new UsageError(signature.message);
  return { by: 'file', text: words, signature };
}

/** The reason that was signed. */
export const signedReason = (signing: Signing): string | null =>
  signing.by === 'file' ? (readApprovalText(signing.text)?.reason ?? null) : null;

/**
 * The command for the answer: with the signature, if there is one, and with the keys of earlier approvals that still
 * count.
 */
export async function signAnswer(
  { environment }: Pick<CommandContext, 'environment'>,
  place: SigningContext,
  answer: AnswerCommand,
  signing: Signing,
): Promise<AnswerCommand | Rejection> {
  const { top, view } = place;
  const confirmed = await confirmedKeys(environment, top, { agreed: agreedIn(view.task, answer.step), ...view });
  const counted = confirmed.length === 0 ? answer : { ...answer, confirmed };
  if (signing.by !== 'key' && signing.by !== 'file') return counted;
  const signers = loadSigners(environment, top);
  if (!Array.isArray(signers)) return signers;
  const agent = environment.variable('SSH_AUTH_SOCK');
  const said =
    signing.by === 'file'
      ? fileSigned(place, answer, signing)
      : await keySigned(place, answer, signing, { signers, agent });
  if ('code' in said) return said;
  const checked = await checkApproval(signers, said);
  return 'code' in checked ? checked : { ...counted, signed: { ...said, ...checked } };
}

type Unchecked = Omit<SignedWord, 'key' | 'names'>;

function fileSigned(
  { project, view }: SigningContext,
  answer: AnswerCommand,
  { text: signed, signature }: Signing & { by: 'file' },
): Unchecked | Rejection {
  const words = readApprovalText(signed);
  if (words === null || approvalText(project, view.task, { ...answer, as: words.as, at: words.at }) !== signed)
    return rejected('other_text', otherText(view.task, answer));
  return { as: words.as, at: words.at, text: signed, signature };
}

const otherText = ({ id }: Task, { step, decision }: AnswerCommand): string =>
  `what was signed is not this answer to this question: \`supervisor ${decision === 'APPROVE' ? 'approve' : 'reject'} ${id} ${step} --print\` prints what has to be signed now`;

async function keySigned(
  { project, view }: SigningContext,
  answer: AnswerCommand,
  { key, as: named }: Signing & { by: 'key' },
  { signers, agent }: { readonly signers: readonly AllowedSigner[]; readonly agent: string | undefined },
): Promise<Unchecked | Rejection> {
  const as = named ?? nameOf(key, signers);
  if (as === null) return rejected('no_signer', `${key}: no allowed signer has this key; --as NAME says who signs`);
  const at = Date.now();
  const words = approvalText(project, view.task, { ...answer, as, at });
  if (words === null) return rejected('not_waiting', `step ${answer.step} of task ${view.task.id} asks nobody`);
  const made = await signedBy({ key, by: as, namespace: APPROVAL_NAMESPACE, agent }, words);
  return typeof made === 'string' ? rejected('not_signed', made) : { as, at, text: words, signature: made.signature };
}

/** Finds the signer by the public half of the key, which lies beside it. */
function nameOf(key: string, signers: readonly AllowedSigner[]): string | null {
  const half = readTextFile(key.endsWith('.pub') ? key : `${key}.pub`);
  if (typeof half !== 'string') return null;
  const publicKey = half.trim().split(/\s+/).slice(0, 2).join(' ');
  return signers.find((one) => one.publicKey === publicKey)?.line.split(/[\s,]/)[0] ?? null;
}

/** Prints what has to be signed, and nothing else. */
export function printToSign(
  { out }: CommandContext,
  { project, view }: SigningContext,
  answer: AnswerCommand,
  as: string,
): number {
  const words = approvalText(project, view.task, { ...answer, as, at: Date.now() });
  if (words === null) {
    out.error('not_waiting', `step ${answer.step} of task ${view.task.id} asks nobody`);
    return EXIT.failed;
  }
  out.verbatim(words.trimEnd());
  out.value({ task_id: view.task.id, step: answer.step, namespace: APPROVAL_NAMESPACE, text: words });
  return EXIT.done;
}

function agreedIn(task: Task, step: string): readonly Agreed[] {
  if (task.closed !== null) return step === LANDING ? (task.landingAsk?.agreed ?? []) : [];
  const place = task.steps.get(step)?.place;
  return place?.at === 'waiting' ? (place.agreed ?? []) : [];
}
