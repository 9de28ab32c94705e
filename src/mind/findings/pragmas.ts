/** Finds comments that exclude lines from coverage, lint, types or security checks. */
import { isCode } from '../code/languages.ts';
import { type FindingRule, type Hit, quoted } from './rule.ts';
import { REVERT } from './task-words.ts';

const PRAGMA =
  /\b(?:istanbul|c8|v8|node:coverage)\s{1,3}(?:ignore|disable)\b|#\s{0,3}pragma:?\s{0,3}no (?:cover|branch)|\beslint-disable\w*|\bbiome-ignore(?:-all|-start)?\b|\b(?:prettier|oxlint|tslint|jshint|jscs|stylelint|deno-lint|rslint)[-:]?\s{0,1}(?:ignore|disable)|@ts-(?:ignore|nocheck|expect-error)\b|#\s{0,3}noqa\b|#\s{0,3}type:\s{0,3}ignore\b|#\s{0,3}pyright:\s{0,3}ignore|#\s{0,3}(?:pylint|ruff|mypy|flake8|isort|fmt):\s{0,3}(?:disable|skip|noqa|off|ignore-errors)|#\s{0,3}nosec\b|\/\/\s{0,3}nolint\b|\/\/\s{0,3}#nosec\b|\blint:(?:file-)?ignore\b|#!?\[allow\(|@SuppressWarnings\b|\bNOSONAR\b|\bnosemgrep\b|\bgitleaks:allow\b|#\[(?:coverage\(off\)|cfg\(not\(tarpaulin)/;
/** A line without any of these words is none of them. */
const MAY_SWITCH_OFF =
  /ignore|disable|pragma|@ts-|noqa|pylint|ruff|mypy|flake8|isort|fmt:|nosec|nolint|\[allow|SuppressW|NOSONAR|nosemgrep|gitleaks|coverage\(|tarpaulin/;
/** Every check of a tool, in a whole file. */
const BLANKET =
  /\/\*\s{0,3}eslint-disable\s{0,3}\*\/|@ts-nocheck\b|\bbiome-ignore-all\s{1,3}lint\s{0,3}:|#\s{0,3}(?:ruff|flake8):\s{0,3}noqa\s{0,3}$|#\s{0,3}mypy:\s{0,3}ignore-errors|#\s{0,3}pylint:\s{0,3}(?:disable=all|skip-file)|#!\[allow\([^)\]]{0,80}\b(?:warnings|clippy::all)\b/;
const ASKED =
  /\b(?:disabl\w*|ignor\w*|suppress\w*|silenc\w*|allow\w*|nocheck|noqa|nolint|turn\w* off|switch\w* off|exempt\w*|opt\w* out|generated|vendor\w*)\b/i;
/** Pragmas for a whole file, or for everything below. */
const WIDE =
  /\bignore (?:file|start)\b|eslint-disable(?!-(?:next-)?line)|@ts-nocheck|biome-ignore-all|#\s{0,3}(?:ruff|flake8|mypy):\s{0,3}(?:noqa|ignore-errors)|#!\[allow|lint:file-ignore|\/\*\s{0,3}eslint-disable/;

export const pragmas: FindingRule = ({ files, words }) => {
  const asked = words.asks(ASKED) || words.asks(REVERT);
  return files.flatMap((file): Hit[] => {
    if (!isCode(file.path) || file.file.after === null) return [];
    const isPragma = ({ text }: { readonly text: string }) =>
      MAY_SWITCH_OFF.test(text) && PRAGMA.test(text.slice(0, 2_000));
    const fresh = file.added.filter(isPragma);
    const more = fresh.length - file.removed.filter(isPragma).length;
    return fresh.slice(0, Math.max(0, more)).map((added) => {
      const { line, text } = added;
      const message = `A check is switched off here (${quoted(PRAGMA.exec(text.slice(0, 2_000))?.[0] ?? text)}): fix what it reports instead`;
      const isBlanket = BLANKET.test(text.slice(0, 2_000));
      // New files may be copied from elsewhere, or made by a tool.
      // A pattern that looks for such comments is none.
      const isAlone = /^\s*(?:#!\[.*)?$/.test(file.codeOf(added));
      const blocks = isBlanket && isAlone && !asked && !file.isTest && file.file.before !== null;
      const severity = blocks ? 'high' : isBlanket || WIDE.test(text.slice(0, 2_000)) ? 'medium' : 'low';
      return { rule: 'check-switched-off', severity, path: file.path, line, message, blocks };
    });
  });
};
