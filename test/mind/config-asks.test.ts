/** What a person is shown before trusting a project's config: everything in it that runs, is let in, or is bound. */
import * as v from 'valibot';
import { expect, test } from 'vitest';
import { asksOf } from '../../src/mind/config/asks.ts';
import { config } from '../../src/mind/config/project-config.ts';
import { workflow } from '../../src/mind/workflows/step.ts';

const full = v.parse(config, {
  gates: [
    { name: 'tests', command: 'npm test\nrm -rf x', timeout: '1m' },
    { name: 'lint', command: ['biome', 'ci'], blocking: false, on_fail: 'escalate' },
  ],
  environment: {
    prepare: 'npm ci',
    key: ['package-lock.json'],
    outputs: ['node_modules'],
    env: { TZ: 'UTC' },
    services: [{ name: 'db', command: 'postgres', ready: 'pg_isready', env: { PGPORT: '1' } }],
  },
  clis: { acme: { command: ['acme', '-x'], env: ['ACME_TOKEN', 'OTHER'] } },
  default_cli: ['acme'],
  tests: { paths: ['test/'] },
  protect: ['src/api.ts'],
  limits: { wall: '5m', attempts: 2, slots: { total: 1 } },
  sandbox: { worker: { memory: '1GiB' } },
  egress: { worker: ['docs.example'] },
  git: { author: 'Ana <ana@example.com>' },
  packs: ['web'],
  knowledge: { paths: ['docs/agents/'] },
  workflow: { template: 'default' },
});
const steps = [{ id: 'implement', kind: 'change' }];
const flow = { definition: v.parse(workflow, { name: 'default', version: 1, steps }) };

const composed = {
  definition: v.parse(workflow, {
    name: 'default',
    version: 1,
    steps: [...steps, { id: 'e2e', kind: 'gate', gates: ['e2e'] }, { id: 'docs', kind: 'gate' }],
  }),
  choices: new Map([['docs', [{ kind: 'lint' }, { name: 'docs', optional: true }]]]),
  commands: [{ name: 'e2e', command: 'npm run e2e' }],
};

test('every part of a config is shown', () => {
  const user = v.parse(config, { gates: [{ name: 'tests', command: 'mine' }], clis: { acme: { command: ['mine'] } } });
  const asks = asksOf({
    config: full,
    workflows: new Map([['default', flow]]),
    composed,
    roles: [{ name: 'trader', text: 'builds on implementer', note: null }],
    texts: [{ kind: 'templates', name: 'implement', text: 'Do it.\n' }],
    others: ['notes.txt'],
    user,
    shipped: ['default'],
  });
  expect(asks.map(({ kind, name, text, note }) => [kind, name, text, note])).toEqual([
    ['gate', 'tests', 'npm test\nrm -rf x', 'at most 1 m 0 s, in place of your own gate of this name'],
    ['gate', 'lint', '["biome","ci"]', 'at most 5 m 0 s, does not block, escalates'],
    ['prepare', '', 'npm ci', null],
    ['environment', 'key', 'package-lock.json', null],
    ['environment', 'outputs', 'node_modules', null],
    ['environment', 'TZ', 'UTC', 'set for all of it'],
    ['service', 'db', 'postgres', null],
    ['service', 'db ready', 'pg_isready', null],
    ['service', 'db PGPORT', '1', null],
    ['cli', 'acme', '["acme","-x"]', 'in place of your own CLI of this name'],
    ['cli', 'acme is given', 'ACME_TOKEN, OTHER', 'from your environment: it may read these values'],
    ['cli', 'default', 'acme', null],
    ['tests', 'paths', 'test/', null],
    ['protect', 'paths', 'src/api.ts', null],
    ['limits', 'slots.total', '1', null],
    ['limits', 'attempts', '2', null],
    ['limits', 'wall', '5 m 0 s', null],
    ['egress', 'worker', '["docs.example"]', 'only what your own file allows too'],
    ['limits', 'sandbox worker', '{"memory":1073741824}', null],
    ['git', 'author', 'Ana <ana@example.com>', null],
    ['role', 'packs', 'web', null],
    ['context', 'knowledge', 'docs/agents/', null],
    ['workflow', 'default', 'implement (change); gates: all; cli: the default', 'in place of the shipped one'],
    [
      'workflow',
      'default',
      'implement (change); gates: all; cli: the default\ne2e (gate); gates: e2e\ndocs (gate); gates: all of kind lint, docs if there is one',
      'the workflow of a run that names none',
    ],
    ['gate', 'e2e', 'npm run e2e', 'at step e2e of workflow default only'],
    ['role', 'trader', 'builds on implementer', null],
    ['template', 'implement', 'Do it.', null],
    ['file', 'notes.txt', 'not read by this version', null],
  ]);
});

test('a key that the schema gets later must be shown too', () => {
  // A project that says something of these is refused before it is shown.
  const personal = new Set(['secrets', 'notify', 'on_incident', 'allowed_signers']);
  const shown = Object.keys(config.entries).filter((key) => !personal.has(key));
  expect(shown.sort()).toEqual(Object.keys(full).sort());
});

test('an empty config asks for nothing', () => {
  expect(
    asksOf({
      config: {},
      workflows: new Map(),
      composed: null,
      roles: [],
      texts: [],
      others: [],
      user: {},
      shipped: [],
    }),
  ).toEqual([]);
});

test('a workflow shows for each step which gates it leaves out or makes harmless, who does it, and how often', () => {
  const definition = v.parse(workflow, {
    name: 'quick',
    version: 1,
    steps: [
      { id: 'plan', kind: 'answer', cli: ['acme', 'other'] },
      { id: 'all', kind: 'change', attempts: 7 },
      { id: 'none', kind: 'change', gates: [] },
      { id: 'some', kind: 'change', gates: ['tests'] },
      {
        id: 'weak',
        kind: 'change',
        gates: [
          { name: 'tests', blocking: false, on_fail: 'retry' },
          { name: 'lint', blocking: true, on_fail: 'escalate' },
          'own',
        ],
      },
    ],
  });
  const [ask] = asksOf({
    config: { gates: full.gates },
    workflows: new Map([['quick', { definition }]]),
    composed: null,
    roles: [],
    texts: [],
    others: [],
    user: v.parse(config, { gates: [{ name: 'own', command: 'x' }] }),
    shipped: [],
  }).filter(({ kind }) => kind === 'workflow');
  expect(ask?.text.split('\n')).toEqual([
    'plan (answer); gates: none; cli: acme, other',
    'all (change); gates: all; cli: the default; attempts: 7',
    'none (change); gates: none, without tests, lint, own; cli: the default',
    'some (change); gates: tests, without lint, own; cli: the default',
    'weak (change); gates: tests (does not block, retries), lint (blocks, escalates), own; cli: the default',
  ]);
});
