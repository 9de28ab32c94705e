/**
 * The evidence of one task as a file: lines of canonical JSON. The first line lists all members with their hashes and
 * contains its own digest; each further line is a member; the last one may be a signature of the digest.
 */
import { sha256 } from '../../kernel/hash.ts';
import { canonicalJson, type Json } from '../../kernel/json.ts';

const FORMAT = 'supervisor-evidence 1';
/** The purpose of the signature: `ssh-keygen -Y` refuses one that was made for another. */
export const NAMESPACE = 'supervisor-evidence@1';
/** The longest line, in characters. A bundle is read line by line, so this bounds a reader's memory. */
export const MAX_LINE = 64 << 20;
const MAX_MEMBERS = 20_000;

export type Member = { readonly name: string; readonly content: string };

type BundleHead = {
  readonly format: string;
  readonly task: string;
  readonly title: string;
  /** The time of the export. */
  readonly made: number;
  readonly members: readonly { readonly name: string; readonly sha256: string; readonly bytes: number }[];
};

export type Signature = { readonly by: string; readonly signature: string };

export type Bundle = {
  readonly head: BundleHead;
  readonly digest: string;
  readonly members: ReadonlyMap<string, string>;
  readonly signature: Signature | null;
};

/** The signed text: it names its kind and its signer, so that it cannot be used for anything else. */
export const signedText = (digest: string, by: string): string => `${NAMESPACE} ${digest} ${by}\n`;

export function headOf(of: Omit<BundleHead, 'format' | 'members'>, members: readonly Member[]): BundleHead {
  const listed = members.map(({ name, content }) => ({
    name,
    sha256: sha256(content),
    bytes: new TextEncoder().encode(content).length,
  }));
  return { format: FORMAT, ...of, members: listed };
}

export const digestOf = (head: BundleHead): string => sha256(canonicalJson(head));

export function bundleText(head: BundleHead, members: readonly Member[], signature: Signature | null): string {
  const lines: unknown[] = [{ ...head, digest: digestOf(head) }, ...members];
  if (signature !== null) lines.push(signature);
  return lines.map((line) => `${canonicalJson(line)}\n`).join('');
}

/** Returns a bundle, or a sentence that says why it is none. Every byte counts: each line has only one spelling. */
export async function readBundle(lines: AsyncIterable<string>): Promise<Bundle | string> {
  let head: (BundleHead & { readonly digest: string }) | null = null;
  const members = new Map<string, string>();
  let signature: Signature | null = null;
  let number = 0;
  for await (const line of lines) {
    number += 1;
    const value = parsed(line);
    if (value === null) return `line ${number} is damaged: it is not the JSON that was written`;
    if (head === null) {
      const found = asHead(value);
      if (typeof found === 'string') return found;
      head = found;
      continue;
    }
    if (signature !== null) return `line ${number} comes after the signature: something was added`;
    const due = head.members[members.size];
    if (due === undefined) {
      signature = asSignature(value);
      if (signature === null) return `line ${number} is not in the list of members: something was added`;
      continue;
    }
    const problem = memberProblem(value, due);
    if (problem !== null) return `line ${number}: ${problem}`;
    members.set(due.name, (value as unknown as Member).content);
  }
  if (head === null) return 'the file is empty';
  const missing = head.members[members.size];
  if (missing !== undefined) return `the file is cut: member ${missing.name} is missing`;
  const { digest, ...rest } = head;
  return { head: rest, digest, members, signature };
}

function parsed(line: string): Record<string, Json> | null {
  try {
    const value = JSON.parse(line) as unknown;
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return null;
    return canonicalJson(value) === line ? (value as Record<string, Json>) : null;
  } catch {
    return null;
  }
}

function asHead(value: Record<string, Json>): (BundleHead & { readonly digest: string }) | string {
  const { digest, ...rest } = value;
  if (typeof rest['format'] !== 'string' || !rest['format'].startsWith('supervisor-evidence '))
    return 'this is no evidence that `supervisor export` has written';
  if (rest['format'] !== FORMAT) return `it has the format ${rest['format']}, and this version reads ${FORMAT}`;
  const head = rest as unknown as BundleHead;
  if (typeof digest !== 'string' || sha256(canonicalJson(rest)) !== digest)
    return 'the first line was changed: it does not have its own digest';
  const isWhole =
    typeof head.task === 'string' &&
    typeof head.title === 'string' &&
    typeof head.made === 'number' &&
    Array.isArray(head.members) &&
    head.members.every((one) => typeof one?.name === 'string' && typeof one.sha256 === 'string');
  if (!isWhole) return 'the first line lacks something that every bundle has';
  if (head.members.length > MAX_MEMBERS)
    return `it lists ${head.members.length} members, at most ${MAX_MEMBERS} are read`;
  if (new Set(head.members.map(({ name }) => name)).size !== head.members.length)
    return 'the first line lists a member twice';
  return { ...head, digest };
}

function asSignature(value: Record<string, Json>): Signature | null {
  const { by, signature, ...rest } = value;
  if (typeof by !== 'string' || typeof signature !== 'string' || Object.keys(rest).length > 0) return null;
  return { by, signature };
}

function memberProblem(value: Record<string, Json>, due: BundleHead['members'][number]): string | null {
  const { name, content, ...rest } = value;
  if (typeof name !== 'string' || typeof content !== 'string' || Object.keys(rest).length > 0)
    return 'this is no member of a bundle';
  if (name !== due.name) return `member ${due.name} should come here, and ${name.slice(0, 200)} does`;
  return sha256(content) === due.sha256 ? null : `member ${name} was changed: it does not have its hash`;
}
