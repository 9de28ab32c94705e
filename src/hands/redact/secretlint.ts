/** The base of the scan: secretlint's recommended rules, which others keep up to date. */
import { setImmediate as breathe } from 'node:timers/promises';
import { lintSource } from '@secretlint/core';
import { secretLintProfiler } from '@secretlint/profiler';
import { creator as recommended, type rules } from '@secretlint/secretlint-rule-preset-recommend';
import type { SecretSpan } from '../../mind/secrets/secret-span.ts';

/** Excludes this recommended rule: with it, a text that says `secretlint-disable` keeps its secrets. */
const OBEYS_THE_TEXT = '@secretlint/secretlint-rule-filter-comments';

type SecretlintRule = (typeof rules)[number];

/**
 * The rule without its message texts, which are not used. It looks up a message by a word of the text, and
 * `tskey-constructor-…` made it throw, so that no text of that scan was redacted.
 */
export function withoutWords(one: SecretlintRule): SecretlintRule {
  const word = () => ({ message: one.meta.id, messageId: one.meta.id, data: {} });
  return { ...one, create: (context, options) => one.create({ ...context, createTranslator: () => word }, options) };
}

const rule: typeof recommended = {
  ...recommended,
  create(context, options) {
    const registerRule: typeof context.registerRule = (one, defaults) => {
      if (one.meta.id !== OBEYS_THE_TEXT) context.registerRule(withoutWords(one), defaults);
    };
    return recommended.create({ ...context, registerRule }, options);
  },
};
const CONFIG = { rules: [{ id: '@secretlint/secretlint-rule-preset-recommend', rule, options: {} }] };

// The profiler keeps marks of every scan for ever: 39 MB per 1,000 tasks and two thirds of a short scan's time
// (measured 2026-11).
secretLintProfiler.setEnabled(false);

/**
 * Scans in pieces: its time grows with the square of its matches, and it does not pause (1 MB of lines with a token
 * each: 18 s, 64 KB: 0.06 s, measured 2026-11). A block of lines may be cut; our own rules find multi-line keys.
 */
export async function lint(content: string): Promise<SecretSpan[]> {
  const found: SecretSpan[] = [];
  for (const [from, to] of pieces(content)) {
    if (from > 0) await breathe();
    for (const one of await lintPiece(content.slice(from, to)))
      found.push({ ...one, from: one.from + from, to: one.to + from });
  }
  return ended(content, found);
}

const PIECE = 1 << 16;
/**
 * If a line is longer than a piece, the next piece starts this far back, so that a token is whole in one of the two.
 */
const OVERLAP = 1 << 10;

/** Cuts at the end of a line, if there is one. */
export function pieces(content: string, size = PIECE, overlap = OVERLAP): [from: number, to: number][] {
  const out: [number, number][] = [];
  for (let from = 0; ; ) {
    if (content.length - from <= size) return [...out, [from, content.length]];
    const newline = content.lastIndexOf('\n', from + size - 1);
    const to = newline >= from + overlap ? newline + 1 : from + size;
    out.push([from, to]);
    from = newline >= from + overlap ? to : to - overlap;
  }
}

async function lintPiece(content: string): Promise<SecretSpan[]> {
  const { messages } = await lintSource({
    source: { content, filePath: '/text.txt', ext: '.txt', contentType: 'text' },
    options: { config: CONFIG, noPhysicFilePath: true, maskSecrets: false },
  });
  return messages.map(({ range: [from, to], ruleId }) => ({
    from,
    to,
    rule: ruleId.split('rule-').at(-1) ?? 'secret',
  }));
}

const ADDRESS = 'database-connection-string';

/** The rule takes everything up to the next blank as the address, including the quote that ends it. */
function addressEnd(content: string, from: number, to: number): number {
  const quote = content.slice(from, to).search(/["'`<>\s]/);
  return quote > 0 ? from + quote : to;
}

/**
 * Some rules return a range that ends inside the secret (the AWS rule has its length, but starts at the name before
 * it).
 */
function ended(content: string, findings: readonly SecretSpan[]): SecretSpan[] {
  // A hostile text has thousands in one word, so its end is searched once.
  let last = { from: 0, end: -1 };
  return findings.map((one) => {
    if (one.rule === ADDRESS) return { ...one, to: addressEnd(content, one.from, one.to) };
    if (one.to < last.from || one.to > last.end) {
      TOKEN_REST.lastIndex = one.to;
      last = { from: one.to, end: one.to + (TOKEN_REST.exec(content)?.[0].length ?? 0) };
    }
    return { ...one, to: last.end };
  });
}

const TOKEN_REST = /[\w/+=.~-]*/y;
