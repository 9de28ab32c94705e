/**
 * Renders a suggestion as a commented config file. Texts from the repository appear only as quoted words or one-line
 * comments.
 */
import { terminalText } from '../../kernel/terminal-text.ts';
import type { NamedGate, Suggestion } from './detect.ts';
import type { SuggestedEnvironment } from './repository-facts.ts';
import type { SuggestedService } from './services.ts';

export function configText({ packs, gates, ideas, environment, services, knowledge, notes }: Suggestion): string {
  return [
    '# How Supervisor works on this repository. Every key is explained in docs/reference/config.md of Supervisor.',
    '# After a change, `supervisor trust` accepts the new content; until then nothing runs.',
    '',
    ...packLines(packs),
    '',
    '# Checks that Supervisor runs on what a worker has made, in a sandbox without network. All that block must pass.',
    '# Repair a check that fails already (`supervisor check` shows it), or give it `blocking: false`.',
    ...(gates.length > 0 ? ['gates:', ...gates.flatMap((gate) => gateLines(gate))] : noGate(ideas)),
    ...(gates.length > 0 ? ideaLines(ideas) : []),
    '',
    '# What the checks need installed: prepared once per content of the key files, then mounted read-only.',
    ...(environment === null ? noEnvironment(services) : environmentLines(environment, services)),
    '',
    ...knowledgeLines(knowledge),
    ...(notes.length === 0 ? [] : ['', ...notes.map((note) => comment(`Note: ${note}`))]),
    '',
    ...MORE,
    '',
  ].join('\n');
}

function packLines(packs: Suggestion['packs']): string[] {
  const [used, others] = [packs.filter((pack) => pack.suggested), packs.filter((pack) => !pack.suggested)];
  return [
    '# Skill packs whose roles are of use here; `supervisor roles list` shows them first.',
    used.length === 0 ? '# packs:' : 'packs:',
    ...used.flatMap(({ name, roles, reason }) => [comment(`${reason}: ${roles.join(', ')}`, '  '), `  - ${name}`]),
    ...others.map(({ name, reason }) => `${used.length === 0 ? '#   -' : '  # -'} ${name} ${comment(reason)}`),
  ];
}

function gateLines({ name, kind, command, ids, report, reason, blocking }: NamedGate): string[] {
  return [
    comment(reason, '  '),
    `  - name: ${name}`,
    ...(kind === null ? [] : [`    kind: ${kind}`]),
    ...(command === null
      ? []
      : [`    command: ${quoted(report === undefined ? command : `${command} ${report.words}`)}`]),
    ...(ids === null ? [] : [`    ids: ${ids}`]),
    ...(report === undefined ? [] : [`    report: {format: ${report.format}, file: ${report.file}}`]),
    ...(blocking ? [] : ['    blocking: false # workers see its findings; without this line it must pass']),
  ];
}

/** Each line is commented out. */
function ideaLines(ideas: readonly NamedGate[]): string[] {
  if (ideas.length === 0) return [];
  return [
    '  # These could be checks too, if their tools are there (remove the #):',
    ...ideas.flatMap((gate) => gateLines(gate).map((line) => `  # ${line.slice(2)}`)),
  ];
}

function noGate(ideas: readonly NamedGate[]): string[] {
  const hint = ideas.find(({ name }) => name === 'tests');
  return [
    '# Nothing here says how this repository is tested: name a gate, or `supervisor run` will refuse to work. Such as:',
    'gates: []',
    '# gates:',
    ...(hint === undefined ? [] : [comment(hint.reason, '  ')]),
    '#   - name: tests',
    `#     command: ${quoted(hint?.command ?? 'make test')}`,
    '#     timeout: 5m',
    ...ideas.filter((gate) => gate !== hint).flatMap((gate) => gateLines(gate).map((line) => `# ${line}`)),
  ];
}

function environmentLines(
  { prepare, key, outputs, env, reason }: SuggestedEnvironment,
  services: readonly SuggestedService[],
): string[] {
  const pairs = Object.entries(env).map(([name, value]) => `${name}: ${quoted(value)}`);
  return [
    comment(reason),
    'environment:',
    `  prepare: ${quoted(prepare)}`,
    `  key: [${key.map(quoted).join(', ')}]`,
    `  outputs: [${outputs.map(quoted).join(', ')}]`,
    ...(pairs.length === 0 ? [] : [`  env: {${pairs.join(', ')}}`]),
    ...serviceLines(services).map((line) => `  # ${line}`),
  ];
}

function noEnvironment(services: readonly SuggestedService[]): string[] {
  if (services.length > 0) return ['# environment:', ...serviceLines(services).map((line) => `#   ${line}`)];
  return [
    '# environment:',
    '#   prepare: "npm ci --ignore-scripts --no-audit --no-fund"',
    '#   key: [package.json, package-lock.json]',
    '#   outputs: [node_modules]',
  ];
}

/** As they would appear below `environment`; the caller comments them out. */
function serviceLines(services: readonly SuggestedService[]): string[] {
  if (services.length === 0) return [];
  return [
    '# No container is started in a sandbox, but a program of this machine can be, beside each gate and without network.',
    '# If the tests need one, uncomment it; it has to be installed and on your PATH.',
    'services:',
    ...services.flatMap(({ name, kind, command, ready, reason }) => [
      comment(reason, '  '),
      `  - name: ${name}`,
      `    command: ${quoted(command ?? `how ${kind} is started on this machine, in the foreground`)}`,
      ...(ready === null ? [] : [`    ready: ${quoted(ready)}`]),
    ]),
  ];
}

function knowledgeLines({ read, more }: Suggestion['knowledge']): string[] {
  return [
    '# What every worker is told about this project: AGENTS.md, CLAUDE.md, GEMINI.md and docs/knowledge/.',
    ...(read.length === 0 ? ['# None of them is there yet.'] : [comment(`Found: ${listed(read)}`)]),
    '# More by:',
    '# knowledge:',
    `#   paths: [${(more.length === 0 ? ['docs/conventions.md'] : more).map(quoted).join(', ')}]`,
  ];
}

const MORE = [
  '# Existing tests, which no task may change without a grant. Without this list, the usual places apply.',
  '# tests:',
  '#   paths: [qa/, "*_check.py"]',
  '# Further paths that no task may change without a grant.',
  '# protect: [src/api/public.ts]',
  '# At most what the person who runs it has allowed.',
  '# limits:',
  '#   attempts: 3',
  '#   wall: 30m',
];

const MOST_LISTED = 8;
/** The first few of many. */
export const listed = (paths: readonly string[]): string =>
  paths.length <= MOST_LISTED
    ? paths.join(', ')
    : `${paths.slice(0, MOST_LISTED).join(', ')} and ${paths.length - MOST_LISTED} more`;

/** JSON strings are valid YAML; characters that act on a terminal become codes. */
const quoted = (text: string): string => terminalText(JSON.stringify(text));

const comment = (text: string, indent = ''): string => `${indent}# ${terminalText(text).replaceAll(/[^\S ]+/g, ' ')}`;
