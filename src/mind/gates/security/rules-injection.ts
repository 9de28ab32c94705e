/** Text for a database or a browser that is assembled from variables. */
import type { Severity } from '../../changes/finding.ts';

import { isConstant, type SecurityRule } from './rule.ts';

const SQL = 'builds SQL out of a variable: use placeholders and pass the values beside them';
const HTML = 'puts text into the page as HTML: use `textContent`, or clean it first';

/**
 * SQL at the start of a text. In capitals, because "select one from the list" is a sentence; in lower case only right
 * after a database call.
 */
const STATEMENT =
  '(?:SELECT\\s[^`"\']{1,400}?\\sFROM\\s|INSERT\\s+INTO\\s|REPLACE\\s+INTO\\s|UPDATE\\s[^`"\']{1,120}?\\sSET\\s|DELETE\\s+FROM\\s|(?:DROP|TRUNCATE|ALTER)\\s+TABLE\\s)';
const SMALL = STATEMENT.replace(/[A-Z]{2,}/g, (word) => word.toLowerCase());
const CALL = '(?:query|execute|executemany|raw|prepare|exec|QueryRow|Query|Exec|execute_sql|rawQuery)';

/** A name in capitals is a constant, and a list of `?` consists of placeholders. */
const VARIABLE = '\\$\\{(?!\\s{0,4}[A-Z][A-Z0-9_.]{0,60}\\s{0,4}\\})(?![^}]{0,120}[\'"`]\\?)';
const CLEANED = /\b(?:DOMPurify|sanitiz\w{1,20}|escape\w{0,20}|purify|encodeHTML|he\.encode)\b/i;

/** A text with SQL in it, then the part that inserts a variable. */
const sqlText = (quote: string, rest: string): string =>
  `(?:${quote}\\s{0,40}${STATEMENT}|(?<=\\b${CALL}\\s{0,2}\\(\\s{0,40})${quote}\\s{0,40}${SMALL})${rest}`;
const joined = (operator: string): string =>
  ['"', "'"].map((quote) => sqlText(quote, `[^${quote}\\n]{0,400}${quote}\\s{0,40}${operator}`)).join('|');

/** A literal is harmless, and so is text that is escaped in the same statement. */
const unlessClean = (_match: string, after: string): Severity | null =>
  isConstant(after) || CLEANED.test(after.split(/[;\n]/, 1)[0] ?? '') ? null : 'high';

export const INJECTION_RULES: readonly SecurityRule[] = [
  {
    rule: 'sql-from-text',
    families: ['script'],
    // A tagged template (`sql`…``) turns its values into placeholders.
    pattern: new RegExp(
      `(?<![\\w$)\\]])(?:${sqlText('`', `[^\`]{0,600}?${VARIABLE}`)}|${joined('\\+(?!\\s{0,40}[\'"])')})`,
      'g',
    ),
    severity: 'high',
    message: SQL,
  },
  {
    rule: 'sql-from-text',
    families: ['python'],
    pattern: new RegExp(
      `\\b[rR]?[fF][rR]?(?:${['"{3}', "'{3}", '"', "'"].map((quote) => sqlText(quote, `${quote.length > 1 ? '[^]' : `[^${quote}\\n]`}{0,400}?\\{(?!\\s{0,4}[A-Z][A-Z0-9_.]{0,60}\\s{0,4}\\}|\\{)`)).join('|')})|${joined('(?:%\\s{0,20}[\\w(]|\\+\\s{0,20}\\w|\\.format\\s{0,4}\\()')}`,
      'g',
    ),
    severity: 'high',
    message: SQL,
  },
  {
    rule: 'sql-from-text',
    families: ['go'],
    pattern: new RegExp(
      `\\bfmt\\.(?:Sprintf|Fprintf|Appendf)\\s{0,4}\\(\\s{0,20}(?:\\w{1,30},\\s{0,4})?(?:${sqlText('"', '[^"\\n]{0,400}%[svq]')}|${sqlText('`', '[^`]{0,400}%[svq]')})|${joined('\\+(?!\\s{0,40}["`])')}|${sqlText('`', '[^`]{0,400}`\\s{0,40}\\+(?!\\s{0,40}["`])')}`,
      'g',
    ),
    severity: 'high',
    message: SQL,
  },
  {
    rule: 'sql-from-text',
    families: ['java'],
    pattern: new RegExp(
      `${joined('\\+(?!\\s{0,40}")')}|\\bString\\.format\\s{0,4}\\(\\s{0,20}${sqlText('"', '[^"\\n]{0,400}%s')}|\\$${sqlText('"', '[^"\\n]{0,400}\\{')}`,
      'g',
    ),
    severity: 'high',
    message: SQL,
  },
  {
    rule: 'sql-from-text',
    families: ['rust'],
    pattern: new RegExp(`\\bformat!\\s{0,4}\\(\\s{0,20}${sqlText('"', '[^"]{0,400}?\\{(?!\\{)')}`, 'g'),
    severity: 'high',
    message: SQL,
  },
  {
    rule: 'sql-from-text',
    families: ['ruby'],
    pattern: new RegExp(sqlText('"', '[^"]{0,400}?#\\{'), 'g'),
    severity: 'high',
    message: SQL,
  },
  {
    rule: 'sql-from-text',
    families: ['php'],
    pattern: new RegExp(`${sqlText('"', '[^"]{0,400}?\\$\\w')}|${joined('\\.\\s{0,20}\\$')}`, 'g'),
    severity: 'high',
    message: SQL,
  },
  {
    rule: 'html-from-text',
    families: ['script'],
    pattern: /\.(?:inner|outer)HTML\s{0,4}\+?=(?!=)/g,
    severity: unlessClean,
    message: HTML,
  },
  {
    rule: 'html-from-text',
    families: ['script'],
    pattern: /\binsertAdjacentHTML\s{0,4}\(\s{0,20}['"`]\w{6,12}['"`]\s{0,4},|(?<!\w)document\.write(?:ln)?\s{0,4}\(/g,
    severity: unlessClean,
    message: HTML,
  },
  {
    rule: 'html-from-text',
    families: ['script'],
    pattern: /\bdangerouslySetInnerHTML\s{0,4}=?\s{0,4}[:{]?\s{0,4}\{\s{0,4}__html\s{0,4}:/g,
    severity: (_match, after): Severity | null =>
      /^\s{0,4}(?:'[^'\n]{0,400}'|"[^"\n]{0,400}")\s{0,4}\}/.test(after) || CLEANED.test(after.split('}', 1)[0] ?? '')
        ? null
        : 'high',
    message: 'puts text into the page as HTML: render it as text, or clean it first',
  },
  {
    rule: 'html-from-text',
    families: ['go'],
    pattern: /\btemplate\.(?:HTML|JS|URL|CSS)\(/g,
    severity: unlessClean,
    message: 'switches the escaping of the template off: pass the text as it is',
  },
  {
    rule: 'html-from-text',
    families: ['python'],
    pattern: /(?<![\w.])(?:mark_safe|Markup)\s{0,4}\(/g,
    severity: unlessClean,
    message: 'switches the escaping of the template off: pass the text as it is',
  },
  {
    rule: 'html-from-text',
    families: ['php'],
    pattern:
      /\b(?:echo|print)\s{1,4}[^;\n]{0,100}?(?<!htmlspecialchars\(|htmlentities\()\$_(?:GET|POST|REQUEST|COOKIE)\b/g,
    severity: 'high',
    message: 'writes what a visitor sent into the page: wrap it in `htmlspecialchars`',
  },
];
