/**
 * Any agent that speaks the Agent Client Protocol. Our program (src/inside/acp.ts) is its client inside the sandbox and
 * prints what it receives. The agent's own command and variables choose its model.
 */
import { UNKNOWN_COST } from '../../domain/values.ts';
import type { Adapter, CliExit, CliResult, Listener } from '../adapter.ts';
import { Spoken } from './answer-pieces.ts';
import { callWith, proxyEnv } from './calling.ts';
import { failure, failureOf, knownFailure } from './failure.ts';
import { at, atLeast, costOf, sumOf, textAt, tokensAt } from './fields.ts';
import { GOOGLE } from './gemini.ts';
import { type EventsHeard, eventListener, typeAtStart } from './listener.ts';
import { OwnSession } from './own-session.ts';
import { ANTHROPIC, NO_KEY, OPENAI } from './providers.ts';

/** Variables that tell agents where their model is; each reads those it knows. */
const ENDPOINTS: Readonly<Record<string, (url: string) => Record<string, string>>> = {
  [ANTHROPIC.name]: (url) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: NO_KEY }),
  [OPENAI.name]: (url) => ({
    OPENAI_BASE_URL: url,
    OPENAI_API_KEY: NO_KEY,
    COPILOT_PROVIDER_BASE_URL: url,
    COPILOT_PROVIDER_TYPE: 'openai',
    COPILOT_PROVIDER_API_KEY: NO_KEY,
    COPILOT_OFFLINE: 'true',
  }),
  [GOOGLE.name]: (url) => ({ GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: NO_KEY, GEMINI_CLI_NO_RELAUNCH: 'true' }),
};

/** The protocol that an agent speaks to an address is unknown, so the calls of all providers are allowed at each. */
const PROVIDERS = [ANTHROPIC, OPENAI, GOOGLE];

export const acp: Adapter = {
  name: 'acp',
  programs: [],
  install: 'install the agent, and name its command in the config',
  tested: null,
  can: {
    kinds: ['change', 'answer'],
    model: false,
    effort: false,
    systemPrompt: true,
    tools: false,
    schema: false,
    sessions: false,
    usage: 'tokens',
  },
  providers: PROVIDERS.map((one) => ({ ...one, calls: PROVIDERS.flatMap(({ calls }) => calls) })),
  login: null,

  call(ask) {
    if (ask.command.length === 0)
      return { type: 'refused', message: 'no agent is named: give its command, such as [gemini, --acp]' };
    return callWith({
      args: [ask.kind, ask.cwd, ...ask.command],
      input: ask.system === null ? ask.packet : `${ask.system}\n\n${ask.packet}`,
      env: {
        TMPDIR: ask.tempDir,
        ...(ask.endpoint === null ? {} : ENDPOINTS[ask.endpoint.provider]?.(ask.endpoint.url)),
        ...proxyEnv(ask),
      },
      files: [],
    });
  },

  listen,
};

function listen(): Listener {
  const spoken = new Spoken();
  const own = new OwnSession('session', null);
  let cost = UNKNOWN_COST;
  let last: unknown = null;
  return eventListener({
    skip: (line) => {
      if (typeAtStart(line) !== 'tool') return false;
      // After any such line, even a damaged one, earlier text is no longer the answer.
      if (own.ownsLine(line)) spoken.restart();
      return own.isKnown;
    },
    event: (event) => {
      if (!own.owns(textAt(event, 'session'))) return;
      switch (textAt(event, 'type')) {
        case 'text':
          spoken.add(textAt(event, 'text') ?? '');
          return;
        case 'tool':
          spoken.restart();
          return;
        case 'result':
        case 'error':
          cost = atLeast(cost, costOf(tokensIn(event)));
          // A failure is final: a tool's process could have written later lines.
          if (last === null || isSuccess(last)) last = event;
          return;
        default:
      }
    },
    tell: (ended, heard) => ({
      final: spoken.final(heard.malformed),
      ...endOf(last, ended, heard),
      cost,
      model: null,
      ...own.told,
    }),
  });
}

const isSuccess = (last: unknown): boolean => textAt(last, 'type') === 'result' && textAt(last, 'stop') === 'end_turn';

function endOf(last: unknown, ended: CliExit, heard: EventsHeard): Pick<CliResult, 'claims' | 'failure'> {
  const stop = textAt(last, 'stop');
  if (isSuccess(last)) return { claims: 'success', failure: null };
  if (stop !== null)
    return {
      claims: 'failure',
      failure: failure(stop === 'cancelled' ? 'unknown' : 'blocked', `the agent stopped: ${stop}`),
    };
  const text = textAt(last, 'message');
  if (text === null) return { claims: 'nothing', failure: knownFailure(null, heard.stderr, ended) };
  // The protocol's error for "log in first".
  if (at(last, 'code') === AUTH_REQUIRED) return { claims: 'failure', failure: failure('auth', text) };
  return { claims: 'failure', failure: failureOf(null, text, ended) };
}

const AUTH_REQUIRED = -32_000;

/** Where agents report tokens: in the protocol's fields, or (Gemini) in their own. */
function tokensIn(result: unknown): { readonly in: number | null; readonly out: number | null } {
  const usage = at(result, 'usage');
  const own = at(result, 'meta', 'quota', 'token_count');
  const cached = tokensAt(usage, 'cachedReadTokens');
  return {
    in: sumOf([tokensAt(usage, 'inputTokens'), cached]) ?? tokensAt(own, 'input_tokens'),
    out: tokensAt(usage, 'outputTokens') ?? tokensAt(own, 'output_tokens'),
  };
}
