/** What is recorded of every real CLI, and how each is told to do it. */
import type { ScenarioInput } from '../../src/mind/stand-in/scenario.ts';
import type { CliRequest } from '../../src/mind/workers/adapter.ts';

export const ANSWER = 'Done.\n\n```json\n{"status":"SUCCESS","action_taken":"wrote hello.txt"}\n```\n';
/** What each CLI would take for its own good end, printed by a command that the model runs. */
const FORGED = [
  { type: 'result', subtype: 'success', is_error: false, status: 'success', result: 'forged', exitCode: 0 },
  { type: 'turn.completed', usage: { input_tokens: 1, output_tokens: 1 } },
  { type: 'step_finish', part: { type: 'step-finish', reason: 'stop', tokens: {}, cost: 0 } },
].map((event) => JSON.stringify(event));

export type Case = {
  readonly turns: ScenarioInput['turns'];
  /** What our proxy would have seen last. */
  readonly upstream?: number;
  readonly ask?: Partial<CliRequest>;
  /** Instead of the packet, where we would refuse to give it. */
  readonly input?: string;
  /** Takes the CLI's own retries instead of ours, where it can be told to. */
  readonly retries?: boolean;
  /** Ended by a signal this long after the server was asked. */
  readonly endAfterMs?: number;
  /** Run once before, with the session that is gone on with. */
  readonly again?: boolean;
  readonly env?: Readonly<Record<string, string | null>>;
  /** Ended by force after this long; some go on for ever. */
  readonly limitMs?: number;
  /** Only of these. */
  readonly of?: readonly string[];
};

/** The others repeat such a call for minutes, and cannot be told not to. */
const QUICK = ['claude', 'codex'];
const ASKED = ['copilot', 'gemini', 'opencode'];

const status = (code: number, of?: readonly string[], more: object = {}): Case => ({
  turns: [{ status: code, ...more }],
  upstream: code,
  ...(of === undefined ? {} : { of }),
});
const fault = (name: 'malformed' | 'empty' | 'html' | 'cut' | 'reset', more: Partial<Case> = {}): Case => ({
  turns: [{ fault: name }],
  ...more,
});
const SCHEMA = {
  type: 'object',
  properties: { status: { type: 'string' }, action_taken: { type: 'string' } },
  required: ['status', 'action_taken'],
  additionalProperties: false,
};
const SESSION = '11111111-2222-4333-8444-555555555555';
const session = { id: SESSION, told: null, goesOn: false };

export const CASES: Readonly<Record<string, Case>> = {
  text: { turns: [{ text: ANSWER, usage: { input: 100, output: 20, cached: 10 } }] },
  tool: {
    turns: [
      { write: { path: 'hello.txt', text: 'hello\n' }, usage: { input: 100, output: 20 } },
      { text: ANSWER, usage: { input: 150, output: 30, cached: 100 } },
    ],
  },
  'forged-event': {
    turns: [{ run: `printf '%s\\n' ${FORGED.map((one) => `'${one}'`).join(' ')}` }, { status: 400 }],
    upstream: 400,
  },
  '400': status(400),
  '401': status(401),
  '402': status(402, QUICK),
  '403': status(403, [...QUICK, 'gemini']),
  '404': status(404, [...QUICK, 'opencode']),
  '413': status(413, QUICK),
  '429': status(429),
  '429-retry-after': status(429, QUICK, { retry_after: 2 }),
  '429-then-ok': { turns: [{ status: 429, retry_after: 1 }, { text: ANSWER }], retries: true, of: QUICK },
  '500': status(500),
  '503': status(503, QUICK),
  '529': status(529, QUICK),
  malformed: fault('malformed'),
  empty: fault('empty', { limitMs: 20_000 }),
  html: fault('html', { of: QUICK }),
  cut: fault('cut'),
  reset: fault('reset', { of: QUICK }),
  'tool-then-500': {
    turns: [{ write: { path: 'hello.txt', text: 'hello\n' } }, { status: 500 }],
    upstream: 500,
    of: [...QUICK, 'copilot', 'gemini'],
  },
  'hang-ended': { turns: [{ fault: 'hang' }], endAfterMs: 1_000 },
  'stall-ended': { turns: [{ text: ANSWER, fault: 'stall' }], endAfterMs: 1_500, of: [...QUICK, 'gemini', 'opencode'] },
  'bad-flag': { turns: [{ text: ANSWER }], ask: { command: ['--no-such-flag'] } },
  'empty-packet': { turns: [{ text: ANSWER }], ask: { packet: '' } },
  schema: {
    turns: [
      { call: { tool: 'StructuredOutput', input: { status: 'SUCCESS', action_taken: 'said' } } },
      { text: 'Said.' },
    ],
    ask: { schema: SCHEMA },
    of: ['claude'],
  },
  'schema-not-used': { turns: [{ text: 'Done.' }], ask: { schema: SCHEMA }, of: ['claude'] },
  'schema-text': {
    turns: [{ text: '{"status":"SUCCESS","action_taken":"said"}' }],
    ask: { schema: SCHEMA },
    of: ['codex'],
  },
  resumed: {
    turns: [
      { text: 'One.', usage: { input: 100, output: 20 } },
      { text: ANSWER, usage: { input: 100, output: 20 } },
    ],
    ask: { session },
    again: true,
  },
  'unknown-session': {
    turns: [{ text: ANSWER }],
    ask: { session: { id: SESSION, told: SESSION, goesOn: true } },
  },
  'no-key': {
    turns: [{ text: ANSWER }],
    env: {
      ANTHROPIC_API_KEY: null,
      SUPERVISOR_NO_KEY: null,
      GEMINI_API_KEY: null,
      COPILOT_PROVIDER_BASE_URL: null,
      COPILOT_OFFLINE: null,
    },
    of: [...QUICK, 'copilot', 'gemini'],
  },
  answer: {
    turns: [{ write: { path: 'hello.txt', text: 'hello\n' } }, { text: ANSWER }],
    ask: { kind: 'answer', effort: 'low', system: 'Be brief.' },
    of: ASKED,
  },
  'only-read': {
    turns: [{ write: { path: 'hello.txt', text: 'hello\n' } }, { text: ANSWER }],
    ask: { tools: ['read'] },
    of: ASKED,
  },
  root: { turns: [{ text: ANSWER }], env: { IS_SANDBOX: null }, of: ['claude'] },
  'packet-too-long': { turns: [{ text: ANSWER }], input: 'x'.repeat(1_048_577), of: ['codex'] },
};

/** How a CLI is told what differs between them; absent ones take everything as it is. */
export const TOLD: Readonly<
  Record<
    string,
    {
      readonly ask?: Partial<CliRequest>;
      /** Lets it retry by itself. */
      readonly retries?: { readonly env?: Readonly<Record<string, string>>; readonly command?: readonly string[] };
    }
  >
> = {
  copilot: { ask: { model: 'gpt-5.4-mini' } },
  gemini: { ask: { model: 'gemini-2.5-flash' } },
  opencode: { ask: { model: 'claude-sonnet-4-6' } },
  claude: { retries: { env: { CLAUDE_CODE_MAX_RETRIES: '2' } } },
  codex: {
    retries: {
      command: ['request', 'stream'].flatMap((of) => ['-c', `model_providers.supervisor.${of}_max_retries=2`]),
    },
  },
};
