/** Which answers of other steps a worker gets: those that it asks for, and the plans of all steps before it. */
import { expect, test } from 'vitest';
import { wantedBy } from '../../src/mind/domain/effects.ts';
import { given, type Input } from '../support/given.ts';
import { create, ended, grant, workflow } from './samples.ts';

const hash = (letter: string): string => letter.repeat(64);
const flow = workflow([
  { id: 'plan', kind: 'answer' },
  { id: 'facts', kind: 'answer' },
  { id: 'check', kind: 'answer' },
  { id: 'build', needs: ['check'], inputs: ['facts'], config: { tdd: true }, context_scope: 'component_only' },
]);

test('needs and inputs are asked for; what lies further back is there too, and nothing that does not come before', () => {
  const past: Input[] = [create('t-1', { workflow: flow }), grant];
  const answered: Input[] = [
    ended(1, 'ok', { step: 'plan', candidate: null, answer: hash('a') }),
    grant,
    ended(2, 'ok', { step: 'facts', candidate: null, answer: hash('b') }),
    grant,
    ended(3, 'ok', { step: 'check', candidate: null, answer: hash('d') }),
    grant,
  ];
  const { effects } = wantedBy(given(...past, ...answered).project, 'task/t-1');
  expect(effects.map(({ work }) => work)).toMatchObject([
    {
      kind: 'worker.run',
      config: { tdd: true },
      contextScope: 'component_only',
      before: [
        { step: 'plan', role: 'plan', answer: hash('a'), asked: false },
        { step: 'facts', role: 'facts', answer: hash('b'), asked: true },
        { step: 'check', role: 'check', answer: hash('d'), asked: true },
      ],
    },
  ]);
});
