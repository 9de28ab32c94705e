/** Identifiers: one strict grammar, so that an id is safe in a path, a ref, a shell line and a terminal. */
declare const brand: unique symbol;
type Id<Name extends string> = string & { readonly [brand]: Name };

export type ProjectId = Id<'project'>;
/** The machine that holds the log. */
export type HostId = Id<'host'>;
export type TaskId = Id<'task'>;
export type StepId = Id<'step'>;
export type ProposalId = Id<'proposal'>;
export type WorkflowHash = Id<'workflow'>;
/** sha256 of a blob's content, lower-case hex. */
export type BlobHash = Id<'blob'>;

const GRAMMAR = /^[a-z0-9][a-z0-9_-]{0,63}$/;

export function isId(text: string): boolean {
  return GRAMMAR.test(text);
}

/** 32 letters and digits without i, l, o and u, which people mix up; 8 of them give 2^40 ids per project. */
const LETTERS = '0123456789abcdefghjkmnpqrstvwxyz';

/** A short random id; the random bytes are an argument, because the mind has none of its own. */
export function idFrom(prefix: string, bytes: Uint8Array): string {
  return `${prefix}-${[...bytes].map((byte) => LETTERS[byte & 31]).join('')}`;
}
