/** `secrets:` of a config file: texts that look like secrets but are none. Each entry says why, for later readers. */
import * as v from 'valibot';
import { sha256 } from '../../kernel/hash.ts';
import { globProblem, matcher } from '../fields/globs.ts';
import type { SecretSpan } from './secret-span.ts';

const MIN_TEXT = 6;
const reason = v.pipe(
  v.string(),
  v.trim(),
  v.minLength(3, 'must say why this is no secret, such as "example key of the documentation"'),
  v.maxLength(500),
);
const pattern = v.pipe(
  v.string(),
  v.maxLength(1_000),
  v.rawCheck(({ dataset, addIssue }) => {
    const problem = dataset.typed ? globProblem(dataset.value) : null;
    if (problem !== null) addIssue({ message: problem });
  }),
);

const entry = v.union(
  [
    v.strictObject({
      /** The value itself; a finding has to lie inside it. */
      text: v.pipe(v.string(), v.minLength(MIN_TEXT, `must have at least ${MIN_TEXT} characters`), v.maxLength(10_000)),
      reason,
    }),
    v.strictObject({
      /** The sha256 of the value, for a person who does not want to write it down. */
      sha256: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/, 'must be a sha256 as 64 lower-case hex digits')),
      reason,
    }),
    v.strictObject({
      /** Files in which nothing is looked for but values that are known to be secret. */ path: pattern,
      reason,
    }),
  ],
  'must be {text: …, reason: …}, {sha256: …, reason: …} or {path: …, reason: …}',
);

export const secretsConfig = v.strictObject({ allow: v.optional(v.array(entry), []) });
export type SecretsConfig = v.InferOutput<typeof secretsConfig>;

export class AllowList {
  readonly #texts: readonly string[];
  readonly #hashes: ReadonlySet<string>;
  readonly #paths: (path: string) => boolean;
  readonly #empty: boolean;

  constructor(entries: SecretsConfig['allow'] = []) {
    this.#texts = entries.flatMap((one) => ('text' in one ? [one.text] : []));
    this.#hashes = new Set(entries.flatMap((one) => ('sha256' in one ? [one.sha256] : [])));
    const paths = entries.flatMap((one) => ('path' in one ? [one.path] : []));
    this.#paths = paths.length === 0 ? () => false : matcher(paths);
    this.#empty = entries.length === 0;
  }

  /** The findings that must still be redacted. */
  left(text: string, findings: readonly SecretSpan[], path?: string): readonly SecretSpan[] {
    if (this.#empty || findings.length === 0) return findings;
    return path !== undefined && this.#paths(path) ? [] : findings.filter((one) => !this.#allows(text, one));
  }

  #allows(text: string, { from, to }: SecretSpan): boolean {
    if (this.#hashes.size > 0 && this.#hashes.has(sha256(text.slice(from, to)))) return true;
    return this.#texts.some((allowed) => {
      // Only around the finding: a search through the whole text for each of a million findings would not end.
      const around = text.slice(Math.max(0, to - allowed.length), from + allowed.length);
      return allowed.length >= to - from && around.includes(allowed);
    });
  }
}
