/** The security gate: built-in rules for what a change adds, and installed scanners, compared with the base. */
import { testMatcher } from '../../mind/candidates/test-paths.ts';
import { type GateCheck, gateTimeout } from '../../mind/gates/kinds.ts';
import { dangerousFindings } from '../../mind/gates/security/dangerous.ts';
import { dependencyFindings } from '../../mind/gates/security/dependencies.ts';
import { newFindings, withLineHashes } from '../../mind/gates/security/new-findings.ts';
import { SCANNERS, type Scanner } from '../../mind/gates/security/scanners.ts';
import { secretFindings } from '../../mind/gates/security/secrets.ts';
import {
  countFindings,
  findingId,
  isCritical,
  type SecurityCheck,
  type SecurityFinding,
  securityScore,
} from '../../mind/gates/security/security-finding.ts';
import { findSecrets } from '../../mind/secrets/scan.ts';
import { changedTexts } from './change-texts.ts';
import { type CheckPart, type GateOn, NOT_RUN } from './check-part.ts';
import type { CheckRunResult } from './run-result.ts';
import type { CheckContext, GateRuns } from './runs.ts';

const MAX_SHOWN = 100;

export async function securityParts(runs: GateRuns, ground: GateOn): Promise<readonly CheckPart[]> {
  const files = await changedTexts(runs, ground.candidate);
  const secrets = files.map(({ after }) => (after === null ? [] : findSecrets(after)));
  const parts = [
    partOf('secret_scan', secretFindings(files, secrets, testMatcher(ground.settings.testPaths))),
    partOf('owasp_check', dangerousFindings(files)),
    partOf('dependency_audit', dependencyFindings(files).findings),
  ];
  const absent = await absentScanners(runs, ground);
  for (const scanner of SCANNERS.filter(({ name }) => !absent.has(name))) {
    const part = await scan(runs, ground, scanner);
    if (part !== null) parts.push(part);
  }
  return parts;
}

/** Only critical findings fail; all others lower the score. */
function partOf(check: SecurityCheck, findings: readonly SecurityFinding[], tool: string = check): CheckPart {
  const counts = countFindings(findings);
  const critical = findings.filter(({ severity }) => isCritical(check, severity));
  const lines = findings.map((one) => {
    const { severity, path, line, message } = one;
    // The id with which a person dismisses it.
    const id = critical.includes(one) ? ` [${findingId(one)}]` : '';
    return `${severity}: ${path}${line === null ? '' : `:${line}`}: ${message}${id}`;
  });
  const ended = findings.length === 0 ? 'found nothing' : `found ${findings.length}, the worst: ${lines[0] ?? ''}`;
  return {
    ...NOT_RUN,
    label: tool,
    weight: 1,
    status: critical.length > 0 ? 'fail' : 'pass',
    ended,
    score: securityScore(critical.length > 0 ? { ...counts, critical: Math.max(1, counts.critical) } : counts),
    findings: counts,
    blockedBy: critical.map((one) => ({ id: findingId(one), severity: one.severity })),
    output: lines.slice(0, MAX_SHOWN).join('\n'),
  };
}

const CHECK_OF: Readonly<Record<Scanner['name'], SecurityCheck>> = {
  gitleaks: 'secret_scan',
  semgrep: 'owasp_check',
  'osv-scanner': 'dependency_audit',
};

/** git's name for the tree without files, by the length of its ids. */
const EMPTY_TREES: Readonly<Record<number, string>> = {
  40: '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
  64: '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321',
};

/**
 * Asked in an empty tree: a checkout of 20,000 files takes seconds. A scanner counts as installed if the question could
 * not be asked, or if the candidate brings an environment of its own.
 */
async function absentScanners(runs: GateRuns, ground: GateOn): Promise<ReadonlySet<string>> {
  const { base, tree } = ground.candidate;
  const empty = EMPTY_TREES[base.length];
  if (empty === undefined || ground.renewed !== undefined) return new Set();
  // Asked again for each change: a person may install one while this process works.
  return runs.once(`absent scanners ${ground.key} ${tree}`, async () => {
    const names = SCANNERS.map(({ name }) => name).join(' ');
    const command = `for name in ${names}; do command -v $name >/dev/null || echo $name; done`;
    const check = checkOf(ground, { name: 'installed', command, exitCodes: [0], keeps: null });
    const { ran } = await runs.run({ ...ground, check, paths: [] }, 'g', { base, tree: empty });
    return new Set(ran.type === 'ended' && ran.status === 'pass' ? ran.output.split('\n') : []);
  });
}

/** The exit code of the wrapper if a scanner is not installed. */
const NOT_INSTALLED = 200;

/** What a scanner finds here and not at the base; null if it is not installed, or has nothing to scan. */
async function scan(runs: GateRuns, ground: GateOn, scanner: Scanner): Promise<CheckPart | null> {
  const { candidate } = ground;
  const { workspaces } = runs.options;
  const rules = scanner.rules.length === 0 ? null : await rulesAtBase(runs, candidate.base, scanner.rules);
  if (rules === undefined) return null;
  const checked: CheckContext = {
    ...ground,
    check: checkOf(ground, { ...scanner, command: scanCommand(scanner, rules), keeps: 'scan.json' }),
    paths: [],
  };
  const changed = (await runs.changes(candidate)).map(({ path }) => path);
  const restored = changed.filter((path) => rules !== null && (path === rules || path.startsWith(`${rules}/`)));
  const { base, tree } = candidate;
  const now = await runs.run(checked, 'g', { base, tree, ...(restored.length === 0 ? {} : { asInBase: restored }) });
  const found = readRun(now.ran, scanner);
  if (found.type === 'absent') return null;
  const before = readRun((await runs.base(checked)).ran, scanner);
  if (found.type === 'broken' || before.type === 'broken') {
    const problem = found.type === 'broken' ? found.problem : before.type === 'broken' ? before.problem : '';
    return { ...NOT_RUN, label: scanner.name, weight: 1, status: 'error', ended: `could not run: ${problem}` };
  }
  const paths = [...new Set(found.findings.map(({ path }) => path))];
  const hashed = async (findings: readonly SecurityFinding[], of: string) => {
    const texts = await workspaces.read(of, paths);
    const byPath = new Map(paths.map((path, n) => [path, texts[n] ?? null]));
    return withLineHashes(findings, (path) => byPath.get(path) ?? null);
  };
  const old = before.type === 'absent' ? [] : await hashed(before.findings, base);
  return partOf(CHECK_OF[scanner.name], newFindings(await hashed(found.findings, tree), old), scanner.name);
}

/** Takes the rules from the base: a candidate does not choose what is searched. `undefined` if there are none. */
async function rulesAtBase(runs: GateRuns, base: string, names: readonly string[]): Promise<string | undefined> {
  const paths = await runs.once(`paths ${base}`, () => runs.options.workspaces.paths(base));
  return names.find((name) => paths.some((path) => path === name || path.startsWith(`${name}/`)));
}

function scanCommand({ name, argv }: Scanner, rules: string | null): string {
  const words = argv.map((word) => {
    const put = word.replace('RULES', rules ?? '');
    return put.includes('REPORT') ? `"${put.replace('REPORT', '$REPORT_DIR/scan.json')}"` : `'${put}'`;
  });
  return `command -v ${name} >/dev/null || exit ${NOT_INSTALLED}; ${words.join(' ')}`;
}

function checkOf(
  { gate }: GateOn,
  { name, command, exitCodes, keeps }: Pick<GateCheck, 'exitCodes' | 'keeps'> & { name: string; command: string },
): GateCheck {
  return {
    label: `${gate.name}/${name}`,
    gate: gate.name,
    command,
    weight: 1,
    ids: undefined,
    report: undefined,
    keeps,
    exitCodes,
    appliesTo: [],
    each: false,
    timeoutMs: gateTimeout(gate),
  };
}

type ScanResult =
  | { readonly type: 'findings'; readonly findings: readonly SecurityFinding[] }
  | { readonly type: 'absent' }
  | { readonly type: 'broken'; readonly problem: string };

function readRun(ran: CheckRunResult, { read, nothingToScan, name }: Scanner): ScanResult {
  if (ran.type === 'error') return { type: 'broken', problem: `${name}: ${ran.problem}` };
  const code = Number(/^exit code (\d+)/.exec(ran.ended)?.[1] ?? -1);
  if (code === NOT_INSTALLED || nothingToScan.includes(code)) return { type: 'absent' };
  if (ran.status === 'fail') return { type: 'broken', problem: `${name} ended with ${ran.ended}` };
  const report = read(ran.kept ?? '');
  return report.type === 'unusable' ? { type: 'broken', problem: `its report ${report.problem}` } : report;
}
