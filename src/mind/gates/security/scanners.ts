/** The scanners that the security gate runs if they are installed, and the readers of their reports. */
import type { Severity } from '../../changes/finding.ts';
import {
  isRecord,
  type JsonObject,
  listOf,
  numberAt,
  recordAt,
  relativePath,
  reportJson,
  type ScanReport,
  severityOfScore,
  textAt,
  unusable,
} from './report.ts';
import { FindingList, foreignText, type SecurityFinding, shownPath } from './security-finding.ts';

export type Scanner = {
  readonly name: 'gitleaks' | 'semgrep' | 'osv-scanner';
  /** `REPORT` stands for the path of the report, `RULES` for the first of `rules` that the base has. */
  readonly argv: readonly string[];
  /** Exit codes of a completed run, with or without findings. The report says which. */
  readonly exitCodes: readonly number[];
  /** Exit codes that mean: nothing here concerns this scanner. No report is written. */
  readonly nothingToScan: readonly number[];
  /** Files with its rules in the project; it does not run if the base has none of them. Empty: it brings its own. */
  readonly rules: readonly string[];
  readonly read: (text: string) => ScanReport;
};

export const SCANNERS: readonly Scanner[] = [
  {
    name: 'gitleaks',
    // By default 1 means "leaks or an error", so leaks get a separate code. Comments of the candidate excuse nothing.
    argv: [
      ...['gitleaks', 'dir', '.', '--report-format=json', '--report-path=REPORT', '--exit-code=9', '--redact'],
      ...['--ignore-gitleaks-allow', '--no-banner', '--no-color'],
    ],
    exitCodes: [0, 9],
    nothingToScan: [],
    rules: [],
    read: readGitleaks,
  },
  {
    name: 'semgrep',
    // Rules of the registry would need the network.
    argv: [
      ...['semgrep', 'scan', '--json', '--output=REPORT', '--config=RULES', '--metrics=off', '--disable-nosem'],
      ...['--disable-version-check', '--no-git-ignore', '.'],
    ],
    exitCodes: [0, 1],
    nothingToScan: [],
    rules: ['.semgrep.yml', '.semgrep.yaml', '.semgrep', 'semgrep.yml'],
    read: readSemgrep,
  },
  {
    name: 'osv-scanner',
    argv: ['osv-scanner', 'scan', 'source', '--recursive', '--offline', '--format=json', '--output-file=REPORT', '.'],
    exitCodes: [0, 1],
    nothingToScan: [128],
    rules: [],
    read: readOsv,
  },
];

/** A list of leaks. Every leak is critical, whatever its rule. */
export function readGitleaks(text: string): ScanReport {
  const report = reportJson(text);
  if (typeof report === 'string') return unusable(report);
  const leaks = listOf(report);
  if (leaks === null) return unusable('is no list of leaks');
  const list = new FindingList();
  for (const leak of leaks) {
    const [rule, file] = [textAt(leak, 'RuleID'), textAt(leak, 'File')];
    if (rule === null || rule === '' || file === null) return unusable('has a leak without its rule or its file');
    const message = `found what looks like a secret (${foreignText(rule)}): remove it, and replace the secret at its issuer`;
    const [path, line] = [shownPath(relativePath(file)), numberAt(leak, 'StartLine')];
    list.add({ rule: foreignText(rule), severity: 'critical', path, line, message, tool: 'gitleaks', lineHash: null });
  }
  return { type: 'findings', findings: list.all() };
}

const SEMGREP_SEVERITIES: ReadonlyMap<string, Severity> = new Map([
  ['CRITICAL', 'critical'],
  ['ERROR', 'high'],
  ['HIGH', 'high'],
  ['WARNING', 'medium'],
  ['MEDIUM', 'medium'],
  ['INFO', 'low'],
  ['LOW', 'low'],
  ['EXPERIMENT', 'info'],
  ['INVENTORY', 'info'],
]);

/** An error makes the report unusable; a partly parsed file is a low finding. */
export function readSemgrep(text: string): ScanReport {
  const report = reportJson(text);
  if (typeof report === 'string') return unusable(report);
  const [results, errors] = isRecord(report) ? [listOf(report['results']), listOf(report['errors'])] : [null, null];
  if (results === null || errors === null) return unusable('lacks the results or the errors of Semgrep');
  const scanned = listOf(recordAt(report, 'paths')?.['scanned']);
  if (scanned === null || scanned.length === 0) return unusable('says that Semgrep looked at no file');
  const list = new FindingList();
  for (const error of errors) {
    const level = textAt(error, 'level');
    const said = foreignText(textAt(error, 'message') ?? 'unknown');
    if (level !== 'warn' && level !== 'info') return unusable(`says that Semgrep had an error: ${said}`);
    if (level === 'warn')
      list.add(semgrepFinding('partly-scanned', 'low', error, null, `could not be read whole: ${said}`));
  }
  for (const result of results) {
    const [rule, extra] = [textAt(result, 'check_id'), recordAt(result, 'extra')];
    const severity = textAt(extra, 'severity');
    if (rule === null || textAt(result, 'path') === null || severity === null)
      return unusable('has a result without its rule, path or severity');
    const line = numberAt(recordAt(result, 'start'), 'line');
    const message = textAt(extra, 'message') ?? rule;
    list.add(semgrepFinding(rule, SEMGREP_SEVERITIES.get(severity.toUpperCase()) ?? 'medium', result, line, message));
  }
  return { type: 'findings', findings: list.all() };
}

function semgrepFinding(
  rule: string,
  severity: Severity,
  from: unknown,
  line: number | null,
  message: string,
): SecurityFinding {
  const path = shownPath(relativePath(textAt(from, 'path') ?? ''));
  return {
    rule: foreignText(rule),
    severity,
    path,
    line,
    message: foreignText(message),
    tool: 'semgrep',
    lineHash: null,
  };
}

/** Aliases of the same vulnerability are one group, and one finding. */
export function readOsv(text: string): ScanReport {
  const report = reportJson(text);
  if (typeof report === 'string') return unusable(report);
  const sources = isRecord(report) ? listOf(report['results']) : null;
  if (sources === null) return unusable('has no results: the scanner did not look');
  const list = new FindingList();
  for (const source of sources) {
    const packages = isRecord(source) ? listOf(source['packages']) : null;
    const path = textAt(recordAt(source, 'source'), 'path');
    if (packages === null || path === null) return unusable('has a source without its path or its packages');
    for (const one of packages) {
      if (!isRecord(one) || recordAt(one, 'package') === null) return unusable('has a package without its name');
      for (const finding of osvFindings(one, shownPath(relativePath(path)))) list.add(finding);
    }
  }
  return { type: 'findings', findings: list.all() };
}

const OSV_WORDS: ReadonlyMap<string, Severity> = new Map([
  ['CRITICAL', 'critical'],
  ['HIGH', 'high'],
  ['MODERATE', 'medium'],
  ['MEDIUM', 'medium'],
  ['LOW', 'low'],
]);

function osvFindings(one: JsonObject, path: string): SecurityFinding[] {
  const vulnerabilities = (listOf(one['vulnerabilities']) ?? []).filter(isRecord);
  const byId = new Map(vulnerabilities.map((entry) => [textAt(entry, 'id') ?? '', entry]));
  const groups = (listOf(one['groups']) ?? []).filter(isRecord);
  const grouped = new Set(groups.flatMap(idsOf));
  // A vulnerability without a group counts on its own.
  const alone = vulnerabilities
    .filter((entry) => !grouped.has(textAt(entry, 'id') ?? ''))
    .map((entry): JsonObject => ({ ids: [textAt(entry, 'id') ?? 'unknown'] }));
  const [name, version] = [textAt(one['package'], 'name') ?? 'unknown', textAt(one['package'], 'version') ?? ''];
  return [...groups, ...alone].map((group) => {
    const ids = idsOf(group);
    const entries = ids.flatMap((id): JsonObject[] => [byId.get(id)].filter((entry) => entry !== undefined));
    const known = osvSeverity(group, ids, entries);
    const summary = entries.map((entry) => textAt(entry, 'summary')).find((said) => said !== null) ?? 'no summary';
    const doubt = known === null ? ' (its severity is unknown)' : '';
    return {
      rule: foreignText(ids[0] ?? 'unknown'),
      severity: known ?? 'medium',
      path,
      line: null,
      message: foreignText(`${name} ${version} is vulnerable${doubt}: ${summary}; take a version that is not`),
      tool: 'osv-scanner',
      lineHash: null,
    };
  });
}

const idsOf = (group: JsonObject): string[] => (listOf(group['ids']) ?? []).filter((id) => typeof id === 'string');

/** Returns null if unknown. `MAL-` marks malicious packages. */
function osvSeverity(group: JsonObject, ids: readonly string[], entries: readonly JsonObject[]): Severity | null {
  if (ids.some((id) => id.startsWith('MAL-'))) return 'critical';
  const words = entries.map((entry) => textAt(recordAt(entry, 'database_specific'), 'severity')?.toUpperCase() ?? '');
  return severityOfScore(group['max_severity']) ?? words.flatMap((word) => OSV_WORDS.get(word) ?? [])[0] ?? null;
}
