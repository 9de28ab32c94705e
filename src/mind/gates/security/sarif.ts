/** Reads SARIF 2.1.0, which most scanners can write. */
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

/** Kinds of results that report no defect. */
const NO_DEFECT: ReadonlySet<string> = new Set(['pass', 'notApplicable', 'informational']);

/**
 * A run counts only if every invocation was successful, no notification is an error, and `results` exists: without it
 * nothing was scanned. A finding that the source itself suppresses (`inSource`) still counts, because the candidate
 * wrote it; `newFindings` removes the base's own.
 */
export function readSarif(text: string, tool: string): ScanReport {
  const report = reportJson(text);
  if (typeof report === 'string') return unusable(report);
  if (!isRecord(report) || textAt(report, 'version') !== '2.1.0') return unusable('is no SARIF 2.1.0 report');
  const runs = listOf(report['runs']);
  if (runs === null || runs.length === 0) return unusable('has no run');
  const list = new FindingList();
  for (const run of runs) {
    const problem = isRecord(run) ? readRun(run, tool, list) : 'has a run that is no object';
    if (problem !== null) return unusable(problem);
  }
  return { type: 'findings', findings: list.all() };
}

function readRun(run: JsonObject, tool: string, list: FindingList): string | null {
  const problem = invocationProblem(run);
  if (problem !== null) return problem;
  const driver = recordAt(recordAt(run, 'tool'), 'driver');
  if (driver === null) return 'has a run without the name of its tool';
  const results = listOf(run['results']);
  if (results === null) return 'has a run without results: the scanner did not look';
  const rules = listOf(driver['rules']) ?? [];
  const byId = new Map(rules.filter(isRecord).map((rule) => [textAt(rule, 'id') ?? '', rule]));
  for (const result of results) {
    if (!isRecord(result)) return 'has a result that is no object';
    const finding = findingOf(result, rules, byId, tool);
    if (finding !== null) list.add(finding);
  }
  return null;
}

function invocationProblem(run: JsonObject): string | null {
  if (run['invocations'] === undefined) return null;
  const invocations = listOf(run['invocations']);
  if (invocations === null) return 'has invocations that are no list';
  for (const invocation of invocations) {
    if (!isRecord(invocation) || invocation['executionSuccessful'] !== true)
      return 'says that the scanner did not end successfully';
    for (const name of ['toolExecutionNotifications', 'toolConfigurationNotifications']) {
      const error = (listOf(invocation[name]) ?? []).find((one) => isRecord(one) && one['level'] === 'error');
      if (isRecord(error))
        return `says that the scanner had an error: ${foreignText(textAt(recordAt(error, 'message'), 'text') ?? 'unknown')}`;
    }
  }
  return null;
}

function findingOf(
  result: JsonObject,
  rules: readonly unknown[],
  byId: ReadonlyMap<string, JsonObject>,
  tool: string,
): SecurityFinding | null {
  const kind = textAt(result, 'kind') ?? 'fail';
  if (NO_DEFECT.has(kind) || result['baselineState'] === 'absent' || isSuppressed(result)) return null;
  const reference = recordAt(result, 'rule');
  const index = numberAt(result, 'ruleIndex') ?? numberAt(reference, 'index');
  const named = textAt(result, 'ruleId') ?? textAt(reference, 'id');
  const byIndex = index === null ? undefined : rules[index];
  const rule = isRecord(byIndex) ? byIndex : named === null ? undefined : byId.get(named);
  const id = named ?? (rule === undefined ? null : textAt(rule, 'id')) ?? 'unknown';
  const place = recordAt((listOf(result['locations']) ?? [])[0], 'physicalLocation');
  return {
    rule: foreignText(id),
    severity: severityOf(result, kind, rule),
    path: shownPath(relativePath(textAt(recordAt(place, 'artifactLocation'), 'uri') ?? '')),
    line: numberAt(recordAt(place, 'region'), 'startLine'),
    message: foreignText(messageOf(result, rule) ?? id),
    tool,
    lineHash: null,
  };
}

/** By a person or a policy outside the source, and neither rejected nor under review. */
function isSuppressed(result: JsonObject): boolean {
  return (listOf(result['suppressions']) ?? []).some(
    (one) => isRecord(one) && one['kind'] === 'external' && (one['status'] ?? 'accepted') === 'accepted',
  );
}

/** GitHub's `security-severity` is a CVSS score; without one the level decides, by default `warning`. */
function severityOf(result: JsonObject, kind: string, rule: JsonObject | undefined): Severity {
  if (kind !== 'fail') return 'low';
  const score =
    recordAt(rule, 'properties')?.['security-severity'] ?? recordAt(result, 'properties')?.['security-severity'];
  const byScore = severityOfScore(score);
  if (byScore !== null) return byScore;
  const level = textAt(result, 'level') ?? textAt(recordAt(rule, 'defaultConfiguration'), 'level') ?? 'warning';
  switch (level) {
    case 'error':
      return 'high';
    case 'note':
      return 'low';
    case 'none':
      return 'info';
    default:
      return 'medium';
  }
}

function messageOf(result: JsonObject, rule: JsonObject | undefined): string | null {
  const message = recordAt(result, 'message');
  const id = textAt(message, 'id');
  const template = id === null ? null : recordAt(recordAt(rule, 'messageStrings'), id);
  return textAt(message, 'text') ?? textAt(template, 'text') ?? textAt(recordAt(rule, 'shortDescription'), 'text');
}
