/** What the next attempt is told: which gates are red, and the end of what they printed, in the room there is. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { evidenceParts, evidenceText, type GateFacts } from '../../src/mind/gates/evidence.ts';
import { gateFeedback } from '../../src/mind/gates/feedback.ts';

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

test('a red gate with its command, its end, what was found, and what it printed', () => {
  const findings = [
    { gate: 'syntax', status: 'pass', text: evidenceText(facts({ gate: 'syntax', status: 'pass', output: 'fine' })) },
    { gate: 'tests', status: 'fail', text: evidenceText(facts({})) },
  ] as const;
  expect(gateFeedback(findings, 10_000)).toBe(
    [
      'Passed: syntax.',
      '',
      'Gate tests failed.',
      'command: npm test',
      'ended: exit code 1',
      'baseline: nothing is excused: the base passes',
      'first line',
      'last line',
    ].join('\n'),
  );
});

test('an error is not blamed on the change', () => {
  const text = evidenceText(facts({ status: 'error', ended: 'could not run: no wall', output: '' }));
  const said = gateFeedback([{ gate: 'tests', status: 'error', text }], 1000);
  expect(said).toContain('Gate tests could not run; this says nothing about the change.');
  expect(said).toContain('no wall');
});

test('in little room the end of the output stays, for each red gate', () => {
  const long = (name: string) => `${'noise\n'.repeat(5000)}${name} summary: 1 failed\n`;
  const findings = ['a', 'b'].map((gate) => ({
    gate,
    status: 'fail' as const,
    text: evidenceText(facts({ gate, output: long(gate) })),
  }));
  const said = gateFeedback(findings, 1000);
  expect(said.length).toBeLessThanOrEqual(1000);
  for (const gate of ['a', 'b']) expect(said).toContain(`${gate} summary: 1 failed`);
  expect(said).toContain('[… earlier output left out …]');
});

test('feedback never outgrows its room, and evidence stays bounded and takes itself apart again, whatever was printed', () => {
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
        const findings = runs.map((run) => {
          const evidence = evidenceText(facts(run as Partial<GateFacts>));
          expect(evidence.length).toBeLessThan(200_000);
          expect(evidence.startsWith(`gate tests: ${run.status}\n`)).toBe(true);
          expect(evidence.isWellFormed()).toBe(true);
          expect(evidenceParts(evidence).head).toContain('from the cache: no');
          return { gate: 'tests', status: run.status, text: evidence } as const;
        });
        const said = gateFeedback(findings as never, room);
        expect(said.length).toBeLessThanOrEqual(room);
        expect(said.isWellFormed()).toBe(true);
      },
    ),
    { numRuns: 100 },
  );
});
