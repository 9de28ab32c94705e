/**
 * Checks findings of reviews that a rule can decide: a missing file, an unused or undefined name, a failing gate or
 * test. Gates ran on the reviewed change, so their results are looked up and not run again: no word of a model ever
 * reaches a command. A finding is checked only if its whole message is one such claim.
 */
import type { GateStatus, Measured } from '../domain/values.ts';
import { placeOf, plainPath, type ReviewFinding } from './review-findings.ts';

export type GateRan = Pick<Measured, 'tests'> & {
  readonly gate: string;
  readonly status: GateStatus;
  readonly excused: number;
  /** From the settings; null if it has none of its own. */
  readonly command: string | null;
};

export type ClaimFacts = {
  /** All paths of the reviewed tree. */
  readonly paths: ReadonlySet<string>;
  /** Texts of the files that findings name, from that tree. */
  readonly texts: ReadonlyMap<string, string | null>;
  /** The same without comments and the insides of strings; null for an unknown language. */
  readonly code: ReadonlyMap<string, string | null>;
  /** Gates that ran on that tree. */
  readonly gates: readonly GateRan[];
};

type CheckedClaim = { readonly is: 'confirmed' | 'refuted' | 'not checked'; readonly because: string };

const NOT_CHECKED: CheckedClaim = { is: 'not checked', because: '' };
const confirmed = (because: string): CheckedClaim => ({ is: 'confirmed', because });
const refuted = (because: string): CheckedClaim => ({ is: 'refuted', because });

/** A longer message makes more than one claim. */
const MAX_CLAIM = 300;
const NAME = '`([A-Za-z_$][\\w$]{0,99})(?:\\(\\))?`';
const FAILS = '(?:fails|failed|does not pass|is red)(?: (?:with|on|after) this change)?';
const MISSING_FILE =
  /^(?:the )?(?:file )?`?([\w@./-]{1,300}\.\w{1,12})`? (?:does not exist|doesn['’]t exist|is missing|was not (?:added|created))$/i;
const UNUSED = new RegExp(
  `^(?:the )?(?:function |method |variable |import |parameter |constant |class )?${NAME} is (?:never used|unused|not used|never called|dead code)$`,
  'i',
);
const UNDEFINED = new RegExp(
  `^(?:the )?(?:function |method |variable |constant |class )?${NAME} is (?:not defined|undefined|never defined|not declared)$`,
  'i',
);
const FAILING_TEST = new RegExp(`^(?:the )?test [\`"'](.{1,200})[\`"'] ${FAILS}$`, 'i');
const FAILING_GATE = new RegExp(`^(?:the )?(?:gate |command )?\`([^\`]{1,300})\` ${FAILS}$`, 'i');

/** The findings that count, without refuted ones; and the result for each, for the record. */
export function checkClaims(findings: readonly ReviewFinding[], facts: ClaimFacts) {
  const checked = findings.map((finding) => ({ finding, ...checkClaim(finding, facts) }));
  return {
    counted: checked.filter((one) => one.is !== 'refuted').map(({ finding }) => finding),
    refuted: checked.filter((one) => one.is === 'refuted').map((one) => `${claimText(one)}`),
    checked: checked.map(claimText),
  };
}

const claimText = ({ finding, is, because }: CheckedClaim & { readonly finding: ReviewFinding }): string =>
  `${is}${because === '' ? '' : ` (${because})`}: ${placeOf(finding)}`;

export function checkClaim(finding: ReviewFinding, facts: ClaimFacts): CheckedClaim {
  const message = finding.message.trim().replace(/\.$/, '');
  if (message.length > MAX_CLAIM) return NOT_CHECKED;
  const path = plainPath(finding.file ?? '');
  const said = (pattern: RegExp): string | undefined => pattern.exec(message)?.[1];
  const file = said(MISSING_FILE);
  if (file !== undefined) return missingFile(file, facts);
  const unused = said(UNUSED);
  if (unused !== undefined) return unusedName(unused, path, facts);
  const missing = said(UNDEFINED);
  if (missing !== undefined) return undefinedName(missing, path, facts);
  const test = said(FAILING_TEST);
  if (test !== undefined) return failingTest(test, path, facts);
  const gate = said(FAILING_GATE);
  return gate === undefined ? NOT_CHECKED : failingGate(gate, facts);
}

/** The whole path: a file of this name in another folder may not be the one that is meant. */
function missingFile(name: string, { paths }: ClaimFacts): CheckedClaim {
  const path = plainPath(name);
  if (paths.size === 0) return NOT_CHECKED;
  if (paths.has(path)) return refuted(`${path} is in the tree`);
  const isElsewhere = [...paths].some((one) => one.endsWith(`/${path}`));
  return isElsewhere ? NOT_CHECKED : confirmed(`${path} is not in the tree`);
}

/** Whether a line of code defines the name and does not only use it. */
function isDefinition(code: string, name: string): boolean {
  const word = `${name.replaceAll('$', '\\$')}(?![\\w$])`;
  return (
    new RegExp(`^\\s*(?:import|use)\\b.*(?<![\\w$])${word}|^\\s*from\\b.*\\bimport\\b.*(?<![\\w$])${word}`).test(
      code,
    ) ||
    new RegExp(
      `\\b(?:function|class|interface|type|enum|def|fn|func|struct|trait|static|const|let|var|mut)\\b\\s*\\*?\\s*${word}`,
    ).test(code) ||
    new RegExp(`\\b(?:const|let|var)\\s*[{[][^=]{0,300}(?<![\\w$])${word}`).test(code)
  );
}
const OFFERS = /\b(?:export|pub|public|__all__|module\.exports)\b/;
/** Whether the line gives the name to something else: to a parameter, or to what a loop or a handler takes. */
function isBound(code: string, name: string): boolean {
  const word = `(?<![\\w$])${name.replaceAll('$', '\\$')}(?![\\w$])`;
  return new RegExp(
    `\\b(?:function|def|fn|func)\\b[^{]*\\(.*${word}|\\([^()]*${word}[^()]*\\)[^=;{}]*=>|${word}\\s*=>|\\b(?:for|catch|except|with|lambda)\\b.*${word}|\\|[^|]*${word}[^|]*\\||^\\s*(?:async\\s+|static\\s+)*[\\w$#]+\\s*\\([^)]*${word}[^)]*\\)[^;]*\\{`,
  ).test(code);
}
/** Only names of the file itself mean the same everywhere in it. In Rust, modules inside of the file have names of their own. */
const isOfFile = (code: string, path: string): boolean => /^\S/.test(code) && !path.endsWith('.rs');

type NamedLine = { readonly code: string; readonly line: number; readonly defines: boolean };

/** Lines of code (from 1) that contain this name; null if the language is unknown. */
function linesWith(name: string, path: string, { code }: ClaimFacts): readonly NamedLine[] | null {
  const text = code.get(path) ?? null;
  if (text === null) return null;
  const word = new RegExp(`(?<![\\w$])${name.replaceAll('$', '\\$')}(?![\\w$])`);
  return text
    .split('\n')
    .map((one, n) => ({ code: one.slice(0, 2_000), line: n + 1 }))
    .filter((one) => word.test(one.code))
    .map((one) => ({ ...one, defines: isDefinition(one.code, name) }));
}

function unusedName(name: string, path: string, facts: ClaimFacts): CheckedClaim {
  const lines = linesWith(name, path, facts) ?? [];
  const [definition, another] = lines.filter(({ defines }) => defines);
  if (definition === undefined || another !== undefined) return NOT_CHECKED;
  if (lines.length === 1)
    return OFFERS.test(definition.code) || /^[A-Z]/.test(name)
      ? NOT_CHECKED
      : confirmed(`${path} names ${name} in line ${definition.line} alone`);
  const others = lines.filter((one) => one !== definition);
  if (!isOfFile(definition.code, path) || others.some(({ code }) => isBound(code, name))) return NOT_CHECKED;
  // An assignment, a member and a key of this name are no use of it.
  const use = new RegExp(`(?<![\\w$.])${name.replaceAll('$', '\\$')}(?![\\w$]|\\s*:(?!:)|\\s*=(?!=))`);
  const used = others.find(({ code }) => use.test(code));
  return used === undefined ? NOT_CHECKED : refuted(`${name} is used in line ${used.line} of ${path}`);
}

function undefinedName(name: string, path: string, facts: ClaimFacts): CheckedClaim {
  const found = linesWith(name, path, facts)?.find(({ code, defines }) => defines && isOfFile(code, path));
  return found === undefined ? NOT_CHECKED : refuted(`${name} is defined in line ${found.line} of ${path}`);
}

/** A test in the named file, although the gate ran every test and all of them passed. */
function failingTest(name: string, path: string, { gates, texts }: ClaimFacts): CheckedClaim {
  const text = texts.get(path) ?? null;
  const ran = gates.filter(({ tests }) => (tests?.run ?? 0) > 0);
  const red = ran.find(({ status }) => status === 'fail');
  if (text?.includes(name) !== true || ran.length === 0 || red !== undefined) return NOT_CHECKED;
  const all = ran.every(({ status, excused, tests }) => status === 'pass' && excused === 0 && isWhole(tests));
  const [{ gate } = { gate: '' }] = ran;
  return all ? refuted(`gate ${gate} ran on this change, and no test failed or was skipped`) : NOT_CHECKED;
}

const isWhole = (tests: GateRan['tests']): boolean => tests !== null && tests.failed === 0 && tests.skipped === 0;

function failingGate(named: string, { gates }: ClaimFacts): CheckedClaim {
  const meant = gates.filter(({ gate, command }) => gate === named || command === named);
  const [one] = meant;
  if (one === undefined || meant.length > 1 || one.status === 'error') return NOT_CHECKED;
  if (one.status === 'fail') return confirmed(`gate ${one.gate} failed on this change`);
  return one.excused > 0 ? NOT_CHECKED : refuted(`gate ${one.gate} ran on this change and passed`);
}
