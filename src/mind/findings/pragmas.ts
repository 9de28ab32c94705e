/** Comments that take lines away from coverage, lint, types or security checks. */
import { isCode } from '../code/languages.ts';
import { type Hit, quoted, type Rule } from './rule.ts';

const PRAGMA =
  /\b(?:istanbul|c8|v8|node:coverage)\s{1,3}(?:ignore|disable)\b|#\s{0,3}pragma:?\s{0,3}no (?:cover|branch)|\beslint-disable\w*|\bbiome-ignore(?:-all|-start)?\b|\b(?:prettier|oxlint|tslint|jshint|jscs|stylelint|deno-lint|rslint)[-:]?\s{0,1}(?:ignore|disable)|@ts-(?:ignore|nocheck|expect-error)\b|#\s{0,3}noqa\b|#\s{0,3}type:\s{0,3}ignore\b|#\s{0,3}pyright:\s{0,3}ignore|#\s{0,3}(?:pylint|ruff|mypy|flake8|isort|fmt):\s{0,3}(?:disable|skip|noqa|off|ignore-errors)|#\s{0,3}nosec\b|\/\/\s{0,3}nolint\b|\/\/\s{0,3}#nosec\b|\blint:(?:file-)?ignore\b|#!?\[allow\(|@SuppressWarnings\b|\bNOSONAR\b|\bnosemgrep\b|\bgitleaks:allow\b|#\[(?:coverage\(off\)|cfg\(not\(tarpaulin)/;
/** Of a whole file, or of all that follows. */
const WIDE =
  /\bignore (?:file|start)\b|eslint-disable(?!-(?:next-)?line)|@ts-nocheck|biome-ignore-all|#\s{0,3}(?:ruff|flake8|mypy):\s{0,3}(?:noqa|ignore-errors)|#!\[allow|lint:file-ignore|\/\*\s{0,3}eslint-disable/;

export const pragmas: Rule = ({ files }) =>
  files.flatMap((file): Hit[] => {
    if (!isCode(file.path) || file.file.after === null) return [];
    const fresh = file.added.filter(({ text }) => PRAGMA.test(text.slice(0, 2_000)));
    const more = fresh.length - file.removed.filter(({ text }) => PRAGMA.test(text.slice(0, 2_000))).length;
    return fresh.slice(0, Math.max(0, more)).map(({ line, text }) => {
      const message = `A check is switched off here (${quoted(PRAGMA.exec(text.slice(0, 2_000))?.[0] ?? text)}): mend what it reports instead`;
      const severity = WIDE.test(text.slice(0, 2_000)) ? 'medium' : 'low';
      return { rule: 'check-switched-off', severity, path: file.path, line, message, blocks: false };
    });
  });
