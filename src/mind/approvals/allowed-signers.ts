/**
 * Reads a file of allowed signers (`ssh-keygen(1)`, ALLOWED SIGNERS). Stricter than ssh-keygen, which skips lines that
 * it cannot parse, accepts a line without `namespaces=` for every purpose, and `*` for every name.
 */
import { sha256 } from '../../kernel/hash.ts';
import { APPROVAL_NAMESPACE } from './approval-text.ts';

export type AllowedSigner = {
  /** Every name of this person, from all lines that share a name or a key. */
  readonly names: readonly string[];
  /** `ssh-ed25519 AAAA…`, as in a public key file. */
  readonly publicKey: string;
  /** As ssh-keygen prints it. */
  readonly fingerprint: string;
  /** The whole line, for ssh-keygen. */
  readonly line: string;
};

const MAX_SIGNERS = 1_000;
const NAME = /^[\w.@+-]{1,200}$/;
const KEY_TYPE = /^(?:sk-)?(?:ssh|ecdsa)-[a-z0-9@.-]{1,60}$/;
const KEY = /^[A-Za-z0-9+/]{20,4000}={0,2}$/;
const LINE = /^(\S+)[ \t]+((?:[^\s"]|"[^"]*")+)[ \t]+(\S+)[ \t]+(\S+)(?:[ \t].*)?$/;
const OPTION = /^(namespaces|valid-after|valid-before)="([^"]*)"$/;

/** The keys that may sign approvals, or a sentence that says which line is wrong. Skips lines for other purposes. */
export function parseSigners(text: string): AllowedSigner[] | string {
  const read: { names: string[]; publicKey: string; fingerprint: string; line: string }[] = [];
  for (const [n, raw] of text.split('\n').entries()) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) continue;
    const signer = readLine(line);
    if (typeof signer === 'string') return `line ${n + 1}: ${signer}`;
    if (signer !== null) read.push(signer);
    if (read.length > MAX_SIGNERS) return `it has more than ${MAX_SIGNERS} signers`;
  }
  return read.map((one) => ({ ...one, names: namesOf(one, read) }));
}

type ReadSigner = Omit<AllowedSigner, 'names'> & { readonly names: string[] };

function readLine(line: string): ReadSigner | string | null {
  const [, who = '', options = '', type = '', key = ''] = LINE.exec(line) ?? [];
  if (who === '' || OPTION.exec(splitOptions(options)[0] ?? '') === null)
    return `write NAME namespaces="${APPROVAL_NAMESPACE}" KEYTYPE KEY: without namespaces a signature for anything else would count`;
  const given = new Map<string, string>();
  for (const option of splitOptions(options)) {
    const [, name, value] = OPTION.exec(option) ?? [];
    if (name === undefined || value === undefined) return `${option} is not read here: leave it out`;
    if (given.has(name)) return `${name} is there twice`;
    given.set(name, value);
  }
  const namespaces = given.get('namespaces');
  if (namespaces === undefined) return `namespaces="${APPROVAL_NAMESPACE}" is missing`;
  const listed = namespaces.split(',');
  if (listed.some((one) => /[*?!]/.test(one))) return 'namespaces are written out, without patterns';
  if (!listed.includes(APPROVAL_NAMESPACE)) return null;
  const names = who.split(',');
  const bad = names.find((name) => !NAME.test(name));
  if (bad !== undefined) return `${JSON.stringify(bad)} is no name: names are written out, without patterns or quotes`;
  if (!KEY_TYPE.test(type) || !KEY.test(key)) return 'there is no public key behind its options';
  return { names, publicKey: `${type} ${key}`, fingerprint: fingerprintOf(key), line };
}

/** Splits at commas outside quotes. */
const splitOptions = (text: string): string[] => text.match(/(?:[^,"]|"[^"]*")+/g) ?? [];

function fingerprintOf(key: string): string {
  const bytes = Uint8Array.from(atob(key), (one) => one.charCodeAt(0));
  const digest = sha256(bytes).match(/../g) ?? [];
  return `SHA256:${btoa(String.fromCharCode(...digest.map((hex) => Number.parseInt(hex, 16)))).replace(/=+$/, '')}`;
}

/** All names of the person of a line, also across several lines. */
function namesOf(one: ReadSigner, all: readonly ReadSigner[]): string[] {
  const names = new Set(one.names);
  const keys = new Set([one.publicKey]);
  for (let before = -1; before !== names.size + keys.size; ) {
    before = names.size + keys.size;
    for (const other of all) {
      if (!keys.has(other.publicKey) && !other.names.some((name) => names.has(name))) continue;
      keys.add(other.publicKey);
      for (const name of other.names) names.add(name);
    }
  }
  return [...names];
}
