/** Takes secrets out of every text before it is written: secretlint's recommended rules, its findings replaced. */
import { lintSource } from '@secretlint/core';
import { secretLintProfiler } from '@secretlint/profiler';
import { creator as recommended } from '@secretlint/secretlint-rule-preset-recommend';
import type { Redact } from '../../engine/ports/surroundings.ts';

/** Not this one of the recommended rules: with it, a text that says `secretlint-disable` keeps its secrets. */
const OBEYS_THE_TEXT = '@secretlint/secretlint-rule-filter-comments';

const rule: typeof recommended = {
  ...recommended,
  create(context, options) {
    const registerRule: typeof context.registerRule = (one, defaults) => {
      if (one.meta.id !== OBEYS_THE_TEXT) context.registerRule(one, defaults);
    };
    return recommended.create({ ...context, registerRule }, options);
  },
};
const CONFIG = { rules: [{ id: '@secretlint/secretlint-rule-preset-recommend', rule, options: {} }] };

/** A line of its own between texts: no rule's match runs across it. */
const SEPARATOR = '\n\u0000\u0000\n';

type Range = { readonly from: number; readonly to: number; readonly what: string };

/**
 * One scan costs about 0.07 ms however short the text (measured 2026-11), so texts that arrive in the same turn of the
 * event loop share one scan.
 */
export function createRedactor(): Redact {
  // It keeps marks of every scan for ever: 39 MB per 1,000 tasks and two thirds of the time of a short scan (measured 2026-11).
  secretLintProfiler.setEnabled(false);
  let waiting: {
    readonly texts: readonly string[];
    readonly resolve: (clean: readonly string[]) => void;
    readonly reject: (error: unknown) => void;
  }[] = [];
  const flush = async () => {
    const batch = waiting;
    waiting = [];
    try {
      const clean = await scan(batch.flatMap((one) => one.texts));
      let next = 0;
      for (const { texts, resolve } of batch) {
        resolve(clean.slice(next, next + texts.length));
        next += texts.length;
      }
    } catch (error) {
      // What could not be cleaned is not written: whoever asked hears of it.
      for (const { reject } of batch) reject(error);
    }
  };
  return (texts) =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(flush);
      waiting.push({ texts, resolve, reject });
    });
}

async function scan(texts: readonly string[]): Promise<readonly string[]> {
  const content = texts.join(SEPARATOR);
  const { messages } = await lintSource({
    source: { content, filePath: '/text.txt', ext: '.txt', contentType: 'text' },
    options: { config: CONFIG, noPhysicFilePath: true, maskSecrets: false },
  });
  if (messages.length === 0) return texts;
  const ranges = messages
    .map(({ range, ruleId }) => ({
      from: range[0],
      to: tokenEnd(content, range[1]),
      what: ruleId.split('rule-').at(-1) ?? 'secret',
    }))
    .sort((a, b) => a.from - b.from || b.to - a.to);
  // By place, not by splitting at the separator: a text may hold one itself.
  let start = 0;
  return texts.map((text) => {
    const clean = cut(text, start, ranges);
    start += text.length + SEPARATOR.length;
    return clean;
  });
}

/** Some rules give a range that ends inside the secret (that of AWS has its length, but begins at the name before it). */
function tokenEnd(content: string, to: number): number {
  TOKEN_REST.lastIndex = to;
  return to + (TOKEN_REST.exec(content)?.[0].length ?? 0);
}

const TOKEN_REST = /[\w/+=.~-]*/y;

/** `text` stands at `start` of what was scanned. */
function cut(text: string, start: number, ranges: readonly Range[]): string {
  let clean = '';
  let end = 0;
  for (const range of ranges) {
    const from = range.from - start;
    const to = Math.min(range.to - start, text.length);
    if (to <= end || from >= text.length) continue;
    clean += text.slice(end, Math.max(from, end));
    if (from >= end || end === 0) clean += `[redacted:${range.what}]`;
    end = to;
  }
  return clean + text.slice(end);
}
