/**
 * Gemini CLI. Measured on 0.61.0: our settings are the user's; those of the work tree are ignored. System settings
 * would override all, but are refused unless root owns them. So a policy restricts the tools, and policies given as
 * arguments override others. Without a model it first asks a small one which to use. Its exit code after a refused call
 * is the HTTP status, of which Linux keeps the lower eight bits.
 */
import { type Cost, UNKNOWN_COST } from '../../domain/values.ts';
import type { Adapter, CliExit, CliFailure, CliRequest, CliResult, Listener, Provider, Tool } from '../adapter.ts';
import { Spoken } from './answer-pieces.ts';
import { callWith, proxyEnv } from './calling.ts';
import { failure, failureOf, knownFailure } from './failure.ts';
import { atLeast, costOf, textAt, tokensAt } from './fields.ts';
import { type EventsHeard, eventListener, typeAtStart } from './listener.ts';
import { OwnSession } from './own-session.ts';
import { NO_KEY } from './providers.ts';

export const GOOGLE: Provider = {
  name: 'google',
  keys: [
    { variable: 'GEMINI_API_KEY', header: 'x-goog-api-key', prefix: '' },
    { variable: 'GOOGLE_API_KEY', header: 'x-goog-api-key', prefix: '' },
  ],
  upstream: 'https://generativelanguage.googleapis.com',
  upstreamVariable: 'GOOGLE_GEMINI_BASE_URL',
  calls: [
    { method: 'POST', path: '/v1beta/models/*:generateContent' },
    { method: 'POST', path: '/v1beta/models/*:streamGenerateContent' },
    { method: 'POST', path: '/v1beta/models/*:countTokens' },
    { method: 'POST', path: '/v1beta/models/*:embedContent' },
    { method: 'GET', path: '/v1beta/models' },
    { method: 'GET', path: '/v1beta/models/*' },
  ],
};

const TOOLS: Readonly<Record<Tool, readonly string[]>> = {
  read: ['list_directory', 'read_file', 'read_many_files', 'grep_search', 'glob'],
  edit: ['replace', 'write_file'],
  shell: ['run_shell_command', 'list_background_processes', 'read_background_output'],
  web: ['web_fetch', 'google_web_search'],
};

/** Model families take it in different units; a budget is in tokens. */
const BUDGETS = { low: 1024, medium: 8192, high: 24_576 } as const;
const LEVELS = { low: 'LOW', medium: 'MEDIUM', high: 'HIGH' } as const;

export const gemini: Adapter = {
  name: 'gemini',
  programs: ['gemini'],
  install: 'npm install -g @google/gemini-cli@0.61.0',
  tested: { from: '0.61.0', below: '0.62.0' },
  can: {
    kinds: ['change', 'answer'],
    model: true,
    effort: true,
    systemPrompt: true,
    tools: true,
    schema: false,
    sessions: true,
    usage: 'tokens',
  },
  providers: [GOOGLE],
  login: {
    files: [{ home: '.gemini/oauth_creds.json', variable: 'GEMINI_CLI_HOME', inside: '.gemini/oauth_creds.json' }],
    hosts: ['cloudcode-pa.googleapis.com:443', 'oauth2.googleapis.com:443', 'www.googleapis.com:443'],
  },
  instructions: ['GEMINI.md', 'AGENTS.md'],

  call(ask) {
    if (ask.effort !== null && ask.model === null) {
      return { type: 'refused', message: 'Gemini takes an effort only for a model that is named: name one as well' };
    }
    const policy = policyOf(ask);
    return callWith({
      args: [
        ...['--output-format', 'stream-json', '--yolo', '--skip-trust'],
        ...(policy === '' ? [] : ['--admin-policy', `${ask.configDir}/${POLICY}`]),
        ...(ask.model === null ? [] : ['--model', ask.model]),
        ...[ask.session?.goesOn ? '--resume' : '--session-id', sessionId(ask)],
        ...ask.command,
      ],
      input: ask.packet,
      env: {
        GEMINI_CLI_HOME: ask.configDir,
        // One process instead of two: the first would take signals and pass none on.
        GEMINI_CLI_NO_RELAUNCH: 'true',
        GEMINI_TELEMETRY_ENABLED: 'false',
        TMPDIR: ask.tempDir,
        ...(ask.endpoint === null ? {} : { GEMINI_API_KEY: NO_KEY, GOOGLE_GEMINI_BASE_URL: ask.endpoint.url }),
        ...proxyEnv(ask),
      },
      files: [
        { path: SETTINGS, text: JSON.stringify(settingsOf(ask)) },
        ...(policy === '' ? [] : [{ path: POLICY, text: policy }]),
        // As its memory: GEMINI_SYSTEM_MD would replace its whole knowledge about its tools.
        ...(ask.system === null ? [] : [{ path: '.gemini/GEMINI.md', text: ask.system }]),
      ],
      session: sessionId(ask),
    });
  },

  listen,
};

const sessionId = ({ session, id }: CliRequest): string => session?.id ?? id;

const SETTINGS = '.gemini/settings.json';
const POLICY = 'supervisor-policy.toml';

/** Denied tools are not offered to the model at all. */
const policyOf = ({ tools, kind }: CliRequest): string =>
  [
    ...(tools === null
      ? []
      : [
          rule(['*'], 'deny', 1),
          rule(
            tools.flatMap((tool) => TOOLS[tool]),
            'allow',
            2,
          ),
        ]),
    ...(kind === 'answer' ? [rule(TOOLS.edit, 'deny', 3)] : []),
  ].join('\n');

const rule = (names: readonly string[], decision: 'allow' | 'deny', priority: number): string =>
  names.length === 0
    ? ''
    : `[[rule]]\ntoolName = ${JSON.stringify(names)}\ndecision = "${decision}"\npriority = ${priority}\n`;

const settingsOf = (ask: CliRequest) => ({
  // Without a type and with a base URL it chooses one that it then refuses.
  security: { auth: { selectedType: ask.endpoint === null ? 'oauth-personal' : 'gemini-api-key' } },
  privacy: { usageStatisticsEnabled: false },
  telemetry: { enabled: false },
  general: { maxAttempts: 1, retryFetchErrors: false, enableAutoUpdate: false, enableAutoUpdateNotification: false },
  context: { fileName: ['GEMINI.md', 'AGENTS.md'] },
  // Commands of the repository under work that would run around every tool.
  hooksConfig: { enabled: false },
  ...(ask.effort === null || ask.model === null
    ? {}
    : {
        modelConfigs: {
          customOverrides: [
            {
              match: { model: ask.model },
              modelConfig: { generateContentConfig: { thinkingConfig: thinking(ask.model, ask.effort) } },
            },
          ],
        },
      }),
});

const thinking = (model: string, effort: NonNullable<CliRequest['effort']>) =>
  /^gemini-(1|2)/.test(model) ? { thinkingBudget: BUDGETS[effort] } : { thinkingLevel: LEVELS[effort] };

function listen(chosen?: string): Listener {
  const spoken = new Spoken();
  // Named in its first line, and in no other.
  const own = new OwnSession('session_id', chosen);
  let cost = UNKNOWN_COST;
  let model: string | null = null;
  let notice = '';
  let result: unknown = null;
  return eventListener({
    skip: (line) => {
      switch (typeAtStart(line)) {
        case 'message':
          // It prints the packet back in full.
          return line.slice(0, 100).includes('"role":"user"');
        case 'tool_use':
        case 'tool_result':
          // After any such line, even a damaged one, earlier text is no longer the answer.
          spoken.restart();
          return true;
        default:
          return false;
      }
    },
    event: (event) => {
      switch (textAt(event, 'type')) {
        case 'init':
          if (own.owns(textAt(event, 'session_id'))) model = textAt(event, 'model') ?? model;
          return;
        case 'message':
          if (textAt(event, 'role') === 'assistant') spoken.add(textAt(event, 'content') ?? '');
          return;
        case 'tool_use':
        case 'tool_result':
          spoken.restart();
          return;
        case 'error':
          notice = textAt(event, 'message') ?? notice;
          return;
        case 'result':
          cost = atLeast(cost, costIn(event));
          // A failure is final: a tool's process could have written later lines.
          if (result === null || textAt(result, 'status') === 'success') result = event;
          return;
        default:
      }
    },
    tell: (ended, heard) => ({
      final: spoken.final(heard.malformed),
      ...endOf(result, notice, ended, heard),
      cost,
      model,
      ...own.told,
    }),
  });
}

/** It reports zero for unknown. */
const costIn = (result: unknown): Cost =>
  costOf({
    in: tokensAt(result, 'stats', 'input_tokens') || null,
    out: tokensAt(result, 'stats', 'output_tokens') || null,
  });

function endOf(
  result: unknown,
  notice: string,
  ended: CliExit,
  heard: EventsHeard,
): Pick<CliResult, 'claims' | 'failure'> {
  const status = textAt(result, 'status');
  if (status === 'success') return { claims: 'success', failure: null };
  if (status !== null) {
    const text = textAt(result, 'error', 'message') ?? notice;
    return { claims: 'failure', failure: byExit(ended, text) ?? failureOf(httpStatus(ended), text, ended) };
  }
  const text = lastWords(heard);
  return { claims: 'nothing', failure: byExit(ended, text) ?? knownFailure(httpStatus(ended), text, ended) };
}

/** Its own exit codes, which are no HTTP status. */
function byExit(ended: CliExit, text: string): CliFailure | null {
  if (ended.exit.how !== 'exit') return null;
  switch (ended.exit.code) {
    case 41:
      return failure('auth', text || 'it has no way to log in', null);
    case 42:
      return failure('blocked', text || 'it did not accept its input', null);
    case 53:
      return failure('blocked', text || 'it reached its limit of turns', null);
    case 55:
      return failure('blocked', text || 'it does not trust the directory', null);
    default:
      return null;
  }
}

const STATUSES = [400, 401, 402, 403, 404, 408, 409, 413, 422, 429, 500, 502, 503, 504, 529];

const httpStatus = ({ exit }: CliExit): number | null =>
  exit.how === 'exit' ? (STATUSES.find((status) => status % 256 === exit.code) ?? null) : null;

/** Its stderr starts with notices on every run and is full of stacks; the reason of a failure is at the end, in red. */
const lastWords = ({ stderr }: EventsHeard): string =>
  stderr
    .replaceAll(COLOUR, '')
    .split('\n')
    .filter((line) => line.trim() !== '' && !NOTICE.test(line))
    .slice(-3)
    .join('\n');

const COLOUR = new RegExp(`${String.fromCharCode(27)}\\[[\\d;]*m`, 'g');
const NOTICE =
  /^(?:\s+at |Warning: 256-color|YOLO mode is enabled|Ripgrep is not available|\[STARTUP\]|Loaded cached credentials)/;
