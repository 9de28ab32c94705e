/** Finds dangerous constructs in added lines. Hints with a place, not proofs: some uses are right. */
import { addedLines, type ChangedFile } from '../../changes/changed-file.ts';
import type { Severity } from '../../changes/finding.ts';
import { firstAdded, growth, LineNumbers, linesOf } from './changed-file.ts';
import { CODE, COMMENT, codePlaces, type Family, familyOf } from './code-places.ts';
import type { SecurityRule } from './rule.ts';
import { CODE_RULES } from './rules-code.ts';
import { INJECTION_RULES } from './rules-injection.ts';
import { SETUP_RULES } from './rules-setup.ts';
import { FindingList, MAX_FILES, MAX_TEXT, ownFinding, type SecurityFinding } from './security-finding.ts';

const RULES: readonly SecurityRule[] = [...CODE_RULES, ...INJECTION_RULES, ...SETUP_RULES];
/** How much text after a match is searched for the argument. */
const ARGUMENT = 1_200;

type SecurityHit = { readonly finding: SecurityFinding; readonly text: string };

/** A line that was only moved or indented, also from another changed file, is not new. */
export function dangerousFindings(files: readonly ChangedFile[]): readonly SecurityFinding[] {
  const seen = files.slice(0, MAX_FILES);
  const list = new FindingList();
  const hits = seen.flatMap(hitsIn);
  const grown = growth(seen, new Set(hits.map(({ text }) => text)));
  for (const { finding, text } of hits) if ((grown.get(text) ?? 0) > 0) list.add(finding);
  for (const { path, after } of seen) if (after !== null && after.length > MAX_TEXT) list.add(tooLarge(path));
  const [first] = files.slice(MAX_FILES);
  if (first !== undefined) list.add(tooMany(first.path, files.length - MAX_FILES));
  return list.all();
}

const tooLarge = (path: string): SecurityFinding =>
  ownFinding('file-not-checked', 'low', path, null, 'is larger than 1 MiB and was not checked: split it, or review it');
const tooMany = (path: string, count: number): SecurityFinding =>
  ownFinding(
    'files-not-checked',
    'high',
    path,
    null,
    `this file and ${count - 1} more were not checked, because the change touches more than ${MAX_FILES}: split the change`,
  );

function hitsIn(file: ChangedFile): SecurityHit[] {
  const family = familyOf(file.path);
  const text = file.after;
  if (family === null || text === null || text.length > MAX_TEXT) return [];
  const matches = [...matchesIn(family, text), ...(family === 'workflow' ? scriptInjections(text) : [])];
  if (matches.length === 0) return [];
  const added = new Set(addedLines(file).map(({ line }) => line));
  const lines = linesOf(text);
  const numbers = new LineNumbers(text);
  const said = new Set<string>();
  return matches.flatMap(({ at, end, rule, severity, message }) => {
    const from = numbers.at(at);
    const line = firstAdded(added, from, Math.max(from, numbers.at(end - 1)));
    if (line === null || said.has(`${rule}:${line}`)) return [];
    said.add(`${rule}:${line}`);
    return [
      {
        finding: ownFinding(rule, severity, file.path, line, `the line ${message}`),
        text: (lines[line - 1] ?? '').trim(),
      },
    ];
  });
}

type Match = {
  readonly at: number;
  readonly end: number;
  readonly rule: string;
  readonly severity: Severity;
  readonly message: string;
};

function matchesIn(family: Family, text: string): Match[] {
  let places: Uint8Array | undefined;
  const out: Match[] = [];
  for (const { rule, families, pattern, severity, message } of RULES) {
    if (!families.includes(family)) continue;
    for (const { index, 0: match } of text.matchAll(pattern)) {
      places ??= codePlaces(family, text);
      const end = index + match.length;
      if (places[index] !== CODE || places[end - 1] === COMMENT) continue;
      const after = text.slice(end, end + ARGUMENT);
      const found = typeof severity === 'string' ? severity : severity(match, after);
      if (found !== null) out.push({ at: index, end: endOfCall(match, after, end), rule, severity: found, message });
    }
  }
  return out;
}

/** Includes the argument that decided, if the match ends at an open bracket. */
function endOfCall(match: string, after: string, end: number): number {
  if (!/[(=,:]\s*$/.test(match)) return end;
  const argument = after.slice(0, 80).search(/\S/);
  return argument < 0 ? end : end + argument + 1;
}

/** Text that strangers can write: titles, bodies, names of branches and authors. */
const STRANGERS_TEXT =
  /\$\{\{[^}]{0,200}?\bgithub\.(?:head_ref|event\.(?:issue\.(?:title|body)|pull_request\.(?:title|body|head\.(?:ref|label|repo\.default_branch))|comment\.body|review\.body|review_comment\.body|discussion\.(?:title|body)|pages\b[^}]{0,40}page_name|head_commit\.(?:message|author\.(?:email|name))|commits\b[^}]{0,40}(?:message|author\.(?:email|name))|workflow_run\.head_(?:branch|commit\.message)))/g;

/**
 * In a `run:` or `script:` block such text becomes a part of the program before it starts. In `env:` it is only a
 * value.
 */
function scriptInjections(text: string): Match[] {
  const out: Match[] = [];
  let at = 0;
  /** The indentation of the current block's key. */
  let block: number | null = null;
  for (const line of text.split('\n')) {
    const indent = line.length - line.trimStart().length;
    if (block !== null && line.trim() !== '' && indent <= block) block = null;
    const [opened, dash = ''] = /^\s*(- )?\s*['"]?(?:run|script)['"]?\s*:/.exec(line) ?? [];
    if (block === null && opened !== undefined) block = indent + dash.length;
    if (block !== null) {
      for (const { index, 0: match } of line.matchAll(STRANGERS_TEXT))
        out.push({
          at: at + index,
          end: at + index + match.length,
          rule: 'workflow-injection',
          severity: 'high',
          message: 'puts text of strangers into a script: pass it in `env` and read the variable in quotes',
        });
    }
    at += line.length + 1;
  }
  return out;
}
