/** The feedback about gates: which are red, and the end of their output, within a budget. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { gateText } from '../../src/mind/feedback/gate-text.ts';
import { evidenceParts, evidenceText, type GateFacts } from '../../src/mind/gates/evidence.ts';

const facts = (over: Partial<GateFacts>): GateFacts => ({
  gate: 'tests',
  status: 'fail',
  command: 'npm test',
  ended: 'exit code 1',
  ms: 12,
  tree: 'a'.repeat(40),
  base: 'b'.repeat(40),
  environment: null,
  cached: null,
  notes: ['baseline: nothing is excused: the base passes'],
  output: 'first line\nlast line\n',
  ...over,
});

test('a red gate: what failed first and where, its command, its end, what was found, and what it printed', () => {
  const output = 'ok 1 - adds\nnot ok 2 - greets\n  location: /workspace/test/a.js:3:1\nlast line\n';
  expect(gateText({ gate: 'tests', status: 'fail', text: evidenceText(facts({ output })) }, 10_000)).toBe(
    [
      'Gate tests failed.',
      'at test/a.js:3',
      'not ok 2 - greets',
      'location: /workspace/test/a.js:3:1',
      'last line',
      'command: npm test',
      'ended: exit code 1',
      'baseline: nothing is excused: the base passes',
      ...output.trimEnd().split('\n'),
    ].join('\n'),
  );
});

test('an error is not blamed on the change', () => {
  const text = evidenceText(facts({ status: 'error', ended: 'could not run: no sandbox', output: '' }));
  const said = gateText({ gate: 'tests', status: 'error', text }, 1000);
  expect(said).toContain('Gate tests could not run; this says nothing about the change.');
  expect(said).toContain('no sandbox');
});

test('in little room the failure and the end of the output stay', () => {
  const long = `${'noise\n'.repeat(5000)}AssertionError: 1 is not 2\n${'noise\n'.repeat(5000)}summary: 1 failed\n`;
  const said = gateText({ gate: 'tests', status: 'fail', text: evidenceText(facts({ output: long })) }, 500);
  expect(said.length).toBeLessThanOrEqual(500);
  expect(said).toContain('AssertionError: 1 is not 2');
  expect(said).toContain('[… earlier output left out …]');
  expect(said).toContain('summary: 1 failed');
});

test('the text never outgrows its room, and evidence stays bounded and takes itself apart again, whatever was printed', () => {
  const text = fc.oneof(fc.string(), fc.string({ unit: 'binary' }));
  const flood = fc.tuple(fc.constantFrom('\u0007', 'x', '\ud800', '\n'), fc.nat(300_000));
  const output = fc.oneof(
    text,
    flood.map(([char, times]) => char.repeat(times)),
  );
  const status = fc.constantFrom('pass', 'fail', 'error');
  fc.assert(
    fc.property(
      fc.array(fc.record({ status, output, ended: text, notes: fc.array(text) }), { maxLength: 4 }),
      fc.nat(5_000),
      (runs, room) => {
        for (const run of runs) {
          const evidence = evidenceText(facts(run as Partial<GateFacts>));
          expect(evidence.length).toBeLessThan(200_000);
          expect(evidence.startsWith(`gate tests: ${run.status}\n`)).toBe(true);
          expect(evidence.isWellFormed()).toBe(true);
          expect(evidenceParts(evidence).head).toContain('from the cache: no');
          const said = gateText({ gate: 'tests', status: run.status as never, text: evidence }, room);
          expect(said.length).toBeLessThanOrEqual(room);
          expect(said.isWellFormed()).toBe(true);
        }
      },
    ),
    { numRuns: 100 },
  );
});
