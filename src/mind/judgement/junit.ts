/** A judgement as JUnit XML for continuous integration: each gate and each finding is a test case. */
import { assertNever } from '../../kernel/assert-never.ts';
import type { RuleFinding } from '../findings/index.ts';
import type { JudgedGate, Judgement } from './judgement.ts';
import { findingLine, isDecisive, placeOf } from './judgement-text.ts';

type Case = {
  readonly name: string;
  readonly ms: number;
  readonly type: 'passed' | 'failure' | 'error' | 'skipped';
  readonly message: string;
  readonly text: string;
};

export function junitOf({ gates, findings, reasons, decision, ms }: Judgement): string {
  const suites = [
    suite('gates', gates.map(gateCase)),
    suite('findings', findings.map(findingCase)),
    suite('verdict', [verdictCase(decision, reasons)]),
  ];
  const count = (pick: (one: WrittenSuite) => number) => suites.reduce((all, one) => all + pick(one), 0);
  const totals = `tests="${count((one) => one.tests)}" failures="${count((one) => one.failures)}" errors="${count((one) => one.errors)}" skipped="${count((one) => one.skipped)}"`;
  const body = suites.map(({ xml }) => xml).join('');
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="supervisor judge" ${totals} time="${seconds(ms)}">\n${body}</testsuites>\n`;
}

type WrittenSuite = Readonly<Record<'tests' | 'failures' | 'errors' | 'skipped', number>> & { readonly xml: string };

function suite(name: string, cases: readonly Case[]): WrittenSuite {
  const count = (type: Case['type']) => cases.filter((one) => one.type === type).length;
  const counts = { tests: cases.length, failures: count('failure'), errors: count('error'), skipped: count('skipped') };
  const attributes = Object.entries(counts).map(([key, n]) => `${key}="${n}"`);
  const time = seconds(cases.reduce((all, one) => all + one.ms, 0));
  const body = cases.map((one) => caseXml(name, one)).join('');
  return {
    ...counts,
    xml: `  <testsuite name="${name}" ${attributes.join(' ')} time="${time}">\n${body}  </testsuite>\n`,
  };
}

function gateCase({ name, status, blocking, ended, text, ms }: JudgedGate): Case {
  const about = { name, ms: ms ?? 0, message: ended, text };
  switch (status) {
    case 'pass':
      return { ...about, type: 'passed', message: '', text: '' };
    case 'fail':
      return { ...about, type: blocking ? 'failure' : 'skipped' };
    case 'error':
      return { ...about, type: blocking ? 'error' : 'skipped' };
    case 'skipped':
      return { ...about, type: 'skipped' };
    default:
      return assertNever(status, 'gate status');
  }
}

/** A warning does not fail a build; it is there to be read. */
function findingCase(finding: RuleFinding): Case {
  return {
    name: `${finding.rule} ${placeOf(finding)}`,
    ms: 0,
    type: isDecisive(finding) ? 'failure' : 'skipped',
    message: finding.message,
    text: findingLine(finding),
  };
}

function verdictCase(decision: Judgement['decision'], reasons: readonly string[]): Case {
  const type = decision === 'APPROVE' ? 'passed' : decision === 'REJECT' ? 'failure' : 'error';
  return { name: decision, ms: 0, type, message: reasons[0] ?? '', text: reasons.join('\n') };
}

function caseXml(suiteName: string, { name, ms, type, message, text }: Case): string {
  const head = `    <testcase classname="${suiteName}" name="${attribute(name)}" time="${seconds(ms)}"`;
  if (type === 'passed') return `${head}/>\n`;
  const body =
    type === 'skipped'
      ? `<skipped message="${attribute(message)}"/>`
      : `<${type} message="${attribute(message)}">${escaped(text)}</${type}>`;
  return `${head}>${body}</testcase>\n`;
}

const seconds = (ms: number): string => (ms / 1000).toFixed(3);

/** XML 1.0 cannot represent most control characters. */
const escaped = (text: string): string =>
  text
    .toWellFormed()
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');

/** A parser reads a line break in an attribute as a blank. */
const attribute = (text: string): string => escaped(text).replace(/[\n\t\r]/g, (one) => `&#${one.charCodeAt(0)};`);
