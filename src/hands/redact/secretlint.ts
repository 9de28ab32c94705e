/** The base of the scan: secretlint's recommended rules, kept up to date by others. */
import { lintSource } from '@secretlint/core';
import { secretLintProfiler } from '@secretlint/profiler';
import { creator as recommended } from '@secretlint/secretlint-rule-preset-recommend';
import type { Finding } from '../../mind/secrets/finding.ts';

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

// It keeps marks of every scan for ever: 39 MB per 1,000 tasks and two thirds of the time of a short scan (measured 2026-11).
secretLintProfiler.setEnabled(false);

export async function lint(content: string): Promise<Finding[]> {
  const { messages } = await lintSource({
    source: { content, filePath: '/text.txt', ext: '.txt', contentType: 'text' },
    options: { config: CONFIG, noPhysicFilePath: true, maskSecrets: false },
  });
  return messages.map(({ range: [from, to], ruleId }) => {
    const rule = ruleId.split('rule-').at(-1) ?? 'secret';
    return { from, to: rule === ADDRESS ? addressEnd(content, from, to) : tokenEnd(content, to), rule };
  });
}

const ADDRESS = 'database-connection-string';

/** It takes all up to the next blank for the address, over the quote that ends it. */
function addressEnd(content: string, from: number, to: number): number {
  const quote = content.slice(from, to).search(/["'`<>\s]/);
  return quote > 0 ? from + quote : to;
}

/** Some rules give a range that ends inside the secret (that of AWS has its length, but begins at the name before it). */
function tokenEnd(content: string, to: number): number {
  TOKEN_REST.lastIndex = to;
  return to + (TOKEN_REST.exec(content)?.[0].length ?? 0);
}

const TOKEN_REST = /[\w/+=.~-]*/y;
