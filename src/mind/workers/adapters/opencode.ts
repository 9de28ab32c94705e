/**
 * opencode. Measured on 1.18.33: it has no final event, so a run succeeded if its last step ended with `stop` and no
 * error followed. Its own retries (5, up to 75 s) cannot be configured. An empty reply, for some providers also one
 * that is no JSON, makes it ask for ever, five times a second, whatever its limit of steps is: our wall time and the
 * proxy's limit of requests end that.
 */
import type { Adapter, CliExit, CliFailure, CliRequest, CliResult, Listener, Provider, Tool } from '../adapter.ts';
import { Spoken } from './answer-pieces.ts';
import { callWith, proxyEnv } from './calling.ts';
import { failure, failureOf, knownFailure } from './failure.ts';
import { costOf, numberAt, sumOf, textAt, tokensAt } from './fields.ts';
import { GOOGLE } from './gemini.ts';
import { type EventsHeard, eventListener, typeAtStart } from './listener.ts';
import { OwnSession } from './own-session.ts';
import { ANTHROPIC, NO_KEY, OPENAI, OPENAI_CALLS } from './providers.ts';

const OPENROUTER: Provider = {
  name: 'openrouter',
  keys: [{ variable: 'OPENROUTER_API_KEY', header: 'authorization', prefix: 'Bearer ' }],
  upstream: 'https://openrouter.ai/api/v1',
  upstreamVariable: null,
  calls: OPENAI_CALLS,
};

/** What its clients put between our base and the call: their base includes the version, ours only the host. */
const PATHS: Readonly<Record<string, string>> = { anthropic: '/v1', google: '/v1beta', openai: '', openrouter: '' };

/** `edit` covers everything that writes files there. */
const PERMISSIONS: Readonly<Record<Tool, readonly string[]>> = {
  read: ['read', 'glob', 'grep', 'list'],
  edit: ['edit'],
  shell: ['bash'],
  web: ['webfetch', 'websearch'],
};

export const opencode: Adapter = {
  name: 'opencode',
  programs: ['opencode'],
  install: 'npm install -g opencode-ai@1.18.33',
  tested: { from: '1.18.33', below: '1.19.0' },
  can: {
    kinds: ['change', 'answer'],
    model: true,
    effort: true,
    systemPrompt: true,
    tools: true,
    schema: false,
    sessions: true,
    usage: 'cost',
  },
  providers: [ANTHROPIC, OPENAI, GOOGLE, OPENROUTER],
  login: {
    files: [{ home: '.local/share/opencode/auth.json', variable: null, inside: 'data/opencode/auth.json' }],
    // Without hosts that renew a login: a renewal in a copy would end the operator's own.
    hosts: [
      'api.anthropic.com:443',
      'api.openai.com:443',
      'chatgpt.com:443',
      'generativelanguage.googleapis.com:443',
      'openrouter.ai:443',
      'opencode.ai:443',
      'api.github.com:443',
      'api.githubcopilot.com:443',
    ],
  },
  instructions: ['AGENTS.md'],

  call(ask) {
    if (ask.session?.goesOn && ask.session.told === null) {
      return { type: 'refused', message: 'opencode gives a session its name, and this one has none to go on with' };
    }
    const model = modelOf(ask);
    const { configDir } = ask;
    return callWith({
      args: [
        ...['run', '--format', 'json', '--auto'],
        ...(model === null ? [] : ['--model', `${model.provider}${model.name}`]),
        ...(ask.effort === null ? [] : ['--variant', ask.effort]),
        ...(ask.session?.goesOn && ask.session.told !== null ? ['--session', ask.session.told] : []),
        ...ask.command,
      ],
      input: ask.packet,
      env: {
        XDG_CONFIG_HOME: `${configDir}/config`,
        XDG_DATA_HOME: `${configDir}/data`,
        XDG_STATE_HOME: `${configDir}/state`,
        XDG_CACHE_HOME: `${configDir}/cache`,
        OPENCODE_CONFIG_CONTENT: JSON.stringify(configOf(ask, model?.name ?? null)),
        // The repository under work does not decide where models are, what is allowed and which plugins run.
        OPENCODE_DISABLE_PROJECT_CONFIG: '1',
        OPENCODE_DISABLE_AUTOUPDATE: '1',
        OPENCODE_DISABLE_MODELS_FETCH: '1',
        OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
        TMPDIR: ask.tempDir,
        ...proxyEnv(ask),
      },
      files: ask.system === null ? [] : [{ path: SYSTEM, text: ask.system }],
      ...(ask.session?.goesOn && ask.session.told !== null ? { session: ask.session.told } : {}),
    });
  },

  listen,
};

const SYSTEM = 'system.md';

/** As `provider/name`; the provider is the one that has the key. */
function modelOf({ model, endpoint }: CliRequest): { provider: string; name: string } | null {
  if (model === null) return null;
  if (endpoint === null) return { provider: '', name: model };
  const provider = `${endpoint.provider}/`;
  return { provider, name: model.startsWith(provider) ? model.slice(provider.length) : model };
}

const configOf = (ask: CliRequest, model: string | null) => ({
  autoupdate: false,
  share: 'disabled',
  snapshot: false,
  // It would ask a second model for the title of the session.
  agent: { title: { disable: true } },
  // Its own search for the tree's instructions is off with the rest of the tree's config.
  instructions: [...(ask.system === null ? [] : [`${ask.configDir}/${SYSTEM}`]), `${ask.cwd}/AGENTS.md`],
  permission: permissionsOf(ask),
  ...(ask.endpoint === null
    ? {}
    : {
        enabled_providers: [ask.endpoint.provider],
        provider: {
          [ask.endpoint.provider]: {
            options: { baseURL: `${ask.endpoint.url}${PATHS[ask.endpoint.provider] ?? ''}`, apiKey: NO_KEY },
            // A model that is not in its list would be refused.
            ...(model === null ? {} : { models: { [model]: {} } }),
          },
        },
      }),
});

/** The last match counts. */
const permissionsOf = ({ tools, kind }: CliRequest): Record<string, string> => ({
  ...(tools === null ? {} : { '*': 'deny' }),
  ...Object.fromEntries((tools ?? []).flatMap((tool) => PERMISSIONS[tool]).map((name) => [name, 'allow'])),
  ...(kind === 'answer' ? { edit: 'deny' } : {}),
});

type StepUsage = { readonly in: number | null; readonly out: number | null; readonly usd: number | null };

function listen(chosen?: string): Listener {
  const spoken = new Spoken();
  const own = new OwnSession('sessionID', chosen);
  let reason: string | null = null;
  let error: unknown = null;
  let used: StepUsage = { in: null, out: null, usd: null };
  return eventListener({
    // Outputs of tools, which may be long.
    skip: (line) => own.isKnown && typeAtStart(line) === 'tool_use',
    event: (event) => {
      if (!own.owns(textAt(event, 'sessionID'))) return;
      switch (textAt(event, 'type')) {
        case 'step_start':
          spoken.restart();
          reason = null;
          return;
        case 'text':
          spoken.add(textAt(event, 'part', 'text') ?? '');
          spoken.add('\n');
          return;
        case 'step_finish':
          reason = textAt(event, 'part', 'reason');
          error = null;
          used = added(used, event);
          return;
        case 'error':
          error = event;
          return;
        default:
      }
    },
    tell: (ended, heard) => ({
      final: spoken.final(heard.malformed),
      ...endOf(reason, error, ended, heard),
      // It reports zero for unknown.
      cost: costOf({ in: used.in || null, out: used.out || null, usd: used.usd }),
      // It does not say which model answered.
      model: null,
      ...own.told,
    }),
  });
}

function added(before: StepUsage, event: unknown): StepUsage {
  const tokens = (...path: string[]) => tokensAt(event, 'part', 'tokens', ...path);
  const usd = numberAt(event, 'part', 'cost');
  return {
    in: sumOf([before.in, tokens('input'), tokens('cache', 'read'), tokens('cache', 'write')]),
    out: sumOf([before.out, tokens('output'), tokens('reasoning')]),
    // It also reports zero for a model whose price it does not know.
    usd: usd === null || usd <= 0 ? before.usd : (before.usd ?? 0) + usd,
  };
}

function endOf(
  reason: string | null,
  error: unknown,
  ended: CliExit,
  heard: EventsHeard,
): Pick<CliResult, 'claims' | 'failure'> {
  if (error !== null) return { claims: 'failure', failure: errorOf(error, ended) };
  switch (reason) {
    case 'stop':
      return { claims: 'success', failure: null };
    case 'length':
      return { claims: 'failure', failure: failure('invalid', 'the model stopped at the limit of its length') };
    case 'content-filter':
      return { claims: 'failure', failure: failure('blocked', "the model's provider filtered its answer") };
    default:
      return { claims: 'nothing', failure: knownFailure(null, heard.stderr || heard.plain, ended) };
  }
}

function errorOf(error: unknown, ended: CliExit): CliFailure {
  const name = textAt(error, 'error', 'name');
  const text = textAt(error, 'error', 'data', 'message') ?? name ?? '';
  if (name === 'ProviderAuthError') return failure('auth', text);
  if (name === 'ProviderModelNotFoundError') return failure('blocked', text);
  return failureOf(numberAt(error, 'error', 'data', 'statusCode'), text, ended);
}
