/** The base of the scan: secretlint's recommended rules, kept up to date by others. */
import { setImmediate as breathe } from 'node:timers/promises';
import { lintSource } from '@secretlint/core';
import { secretLintProfiler } from '@secretlint/profiler';
import { creator as recommended, type rules } from '@secretlint/secretlint-rule-preset-recommend';
import type { Finding } from '../../mind/secrets/finding.ts';

/** Not this one of the recommended rules: with it, a text that says `secretlint-disable` keeps its secrets. */
const OBEYS_THE_TEXT = '@secretlint/secretlint-rule-filter-comments';

type Rule = (typeof rules)[number];

/**
 * The rule without its sentences about what it found, which nobody reads. It looks for one by a word of the text, and
 * `tskey-constructor-…` made it throw: of no text that came along was anything taken out.
 */
export function withoutWords(one: Rule): Rule {
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

// It keeps marks of every scan for ever: 39 MB per 1,000 tasks and two thirds of the time of a short scan (measured 2026-11).
secretLintProfiler.setEnabled(false);

/**
 * In pieces: its time grows with the square of what it finds, and it does not stop in between (1 MB of lines with a token
 * each: 18 s, 64 KB: 0.06 s, measured 2026-11). A block of lines may be cut; those of keys are found by our own rules.
 */
export async function lint(content: string): Promise<Finding[]> {
  const found: Finding[] = [];
  for (const [from, to] of pieces(content)) {
    if (from > 0) await breathe();
    for (const one of await lintPiece(content.slice(from, to)))
      found.push({ ...one, from: one.from + from, to: one.to + from });
  }
  return ended(content, found);
}

const PIECE = 1 << 16;
/** Where a line is longer than a piece, the next piece begins so far back: a token is whole in one of the two. */
const OVERLAP = 1 << 10;

/** Cut at the end of a line, if there is one. */
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

async function lintPiece(content: string): Promise<Finding[]> {
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

/** It takes all up to the next blank for the address, over the quote that ends it. */
function addressEnd(content: string, from: number, to: number): number {
  const quote = content.slice(from, to).search(/["'`<>\s]/);
  return quote > 0 ? from + quote : to;
}

/** Some rules give a range that ends inside the secret (that of AWS has its length, but begins at the name before it). */
function ended(content: string, findings: readonly Finding[]): Finding[] {
  // A hostile text has thousands in one word: its end is looked for once.
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
