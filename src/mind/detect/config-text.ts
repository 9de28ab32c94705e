/** A suggestion as a commented config file. Texts from the repository come in only as quoted words or one-line comments. */
import { terminalText } from '../../kernel/terminal-text.ts';
import type { Suggestion } from './detect.ts';

export function configText({ gates, environment, notes }: Suggestion): string {
  return [
    '# How Supervisor works on this repository. Every key is explained in docs/reference/config.md of Supervisor.',
    '# After a change, `supervisor trust` accepts the new content; until then nothing runs.',
    '',
    '# Checks that Supervisor runs on what a worker has made, in a sandbox without network. All must pass.',
    ...(gates.length > 0 ? ['gates:', ...gates.flatMap(gateLines)] : NO_GATE),
    '',
    '# What the checks need installed: prepared once per content of the key files, then mounted read-only.',
    ...(environment === null ? NO_ENVIRONMENT : environmentLines(environment)),
    ...(notes.length === 0 ? [] : ['', ...notes.map((note) => comment(`Note: ${note}`))]),
    '',
    ...MORE,
    '',
  ].join('\n');
}

function gateLines({ name, command, ids, reason }: Suggestion['gates'][number]): string[] {
  return [
    comment(reason, '  '),
    `  - name: ${name}`,
    `    command: ${quoted(command)}`,
    ...(ids === null ? [] : [`    ids: ${ids}`]),
  ];
}

function environmentLines({ prepare, key, outputs, env, reason }: NonNullable<Suggestion['environment']>): string[] {
  const pairs = Object.entries(env).map(([name, value]) => `${name}: ${quoted(value)}`);
  return [
    comment(reason),
    'environment:',
    `  prepare: ${quoted(prepare)}`,
    `  key: [${key.map(quoted).join(', ')}]`,
    `  outputs: [${outputs.map(quoted).join(', ')}]`,
    ...(pairs.length === 0 ? [] : [`  env: {${pairs.join(', ')}}`]),
  ];
}

const NO_GATE = [
  '# Nothing here says how this repository is tested: name a gate, or `supervisor run` will refuse to work. Such as:',
  'gates: []',
  '# gates:',
  '#   - name: tests',
  '#     command: "make test"',
  '#     timeout: 5m',
];

const NO_ENVIRONMENT = [
  '# environment:',
  '#   prepare: "npm ci --ignore-scripts --no-audit --no-fund"',
  '#   key: [package.json, package-lock.json]',
  '#   outputs: [node_modules]',
];

const MORE = [
  '# Existing tests, which no task may change without a grant. Without this list, the usual places are meant.',
  '# tests:',
  '#   paths: [qa/, "*_check.py"]',
  '# Further paths that no task may change without a grant.',
  '# protect: [src/api/public.ts]',
  '# At most what the person who runs it has allowed.',
  '# limits:',
  '#   attempts: 3',
  '#   wall: 30m',
];

/** A JSON text is a YAML text in double quotes. */
const quoted = (text: string): string => JSON.stringify(text);

const comment = (text: string, indent = ''): string => `${indent}# ${terminalText(text).replaceAll(/\s+/g, ' ')}`;
