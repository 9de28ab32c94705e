/** A judgement as SARIF 2.1.0, which code hosts show beside the lines. */
import { sha256 } from '../../kernel/hash.ts';
import type { Severity } from '../changes/finding.ts';
import type { RuleFinding } from '../findings/index.ts';
import type { JudgedGate, Judgement } from './judgement.ts';
import { isDecisive } from './judgement-text.ts';

const SCHEMA = 'https://json.schemastore.org/sarif-2.1.0.json';
const LEVEL: Readonly<Record<Severity, 'error' | 'warning' | 'note'>> = {
  critical: 'error',
  high: 'error',
  medium: 'warning',
  low: 'note',
  info: 'note',
};

export function sarifOf(judgement: Judgement, version: string) {
  const { findings, gates, artifacts, decision, score, reasons } = judgement;
  const first = artifacts[0]?.path;
  const red = gates.filter(({ status }) => status === 'fail');
  const broken = gates.filter(({ status }) => status === 'error');
  const results = [...numbered(findings).map(resultOf), ...red.map((gate) => gateResult(gate, first))];
  const ids = [...new Set(results.map(({ ruleId }) => ruleId))].sort();
  return {
    $schema: SCHEMA,
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'Supervisor', version, rules: ids.map(ruleOf) } },
        columnKind: 'utf16CodeUnits',
        // A run with a gate that could not run is not successful, whatever its results are.
        invocations: [
          {
            executionSuccessful: !broken.some(({ blocking }) => blocking),
            toolExecutionNotifications: broken.map(({ name, ended, blocking }) => ({
              level: blocking ? 'error' : 'warning',
              descriptor: { id: `gate/${name}` },
              message: { text: `gate ${name}: ${ended}` },
            })),
          },
        ],
        results: results.map((result) => ({ ...result, ruleIndex: ids.indexOf(result.ruleId) })),
        properties: { decision, score, reasons },
      },
    ],
  };
}

/** Code hosts require all four texts. */
function ruleOf(id: string) {
  const gate = id.startsWith('gate/') ? id.slice('gate/'.length) : null;
  const text = gate === null ? id.replaceAll('-', ' ') : `gate ${gate} has to pass`;
  const said = { text };
  return { id, name: id, shortDescription: said, fullDescription: said, help: said };
}

type Numbered = { readonly finding: RuleFinding; readonly count: number };

/** If a file has the same finding twice, each gets its own fingerprint. */
function numbered(findings: readonly RuleFinding[]): Numbered[] {
  const seen = new Map<string, number>();
  return findings.map((finding) => {
    const key = `${finding.rule}\0${finding.path}\0${finding.message}`;
    const count = (seen.get(key) ?? 0) + 1;
    seen.set(key, count);
    return { finding, count };
  });
}

/** Without the line: a finding that only moved is the same one. */
function resultOf({ finding, count }: Numbered) {
  const { rule, severity, path, line, message } = finding;
  return {
    ruleId: rule,
    level: isDecisive(finding) ? ('error' as const) : LEVEL[severity],
    message: { text: message },
    locations: [locationOf(path, line)],
    partialFingerprints: { 'supervisorFinding/v1': sha256(`${rule}\0${path}\0${message}\0${count}`) },
  };
}

/** A gate concerns the whole change. Code hosts show only results with a place, so it gets the first file's. */
function gateResult({ name, ended, blocking }: JudgedGate, path: string | undefined) {
  return {
    ruleId: `gate/${name}`,
    level: blocking ? ('error' as const) : ('warning' as const),
    message: { text: `gate ${name} failed: ${ended}` },
    locations: path === undefined ? [] : [locationOf(path, null)],
    partialFingerprints: { 'supervisorFinding/v1': sha256(`gate\0${name}`) },
  };
}

function locationOf(path: string, line: number | null) {
  const artifactLocation = { uri: path.split('/').map(encodeURIComponent).join('/'), uriBaseId: '%SRCROOT%' };
  return { physicalLocation: { artifactLocation, region: { startLine: line ?? 1 } } };
}
