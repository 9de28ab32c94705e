/**
 * GitHub Copilot CLI. Measured on 1.0.102, with a provider's key. The program that npm installs is a small loader:
 * after a signal the real one continues without it, so the real one is searched first. Its own retries (6 requests, up
 * to 58 s of 429) cannot be configured; our wall time and the proxy's limit of requests end them.
 */
import type { Adapter, CliExit, CliFailure, CliRequest, CliResult, Listener, Provider, Tool } from '../adapter.ts';
import { Spoken } from './answer-pieces.ts';
import { callWith, proxyEnv } from './calling.ts';
import { failure, failureOf, knownFailure } from './failure.ts';
import { costOf, numberAt, textAt } from './fields.ts';
import { type EventsHeard, eventListener, typeAtStart } from './listener.ts';
import { OwnSession } from './own-session.ts';
import { ANTHROPIC, NO_KEY, OPENAI, OPENAI_CALLS } from './providers.ts';

/** Any OpenAI-compatible server, through the variables that it documents. */
const COPILOT_OWN: Provider = {
  name: 'own',
  keys: [{ variable: 'COPILOT_PROVIDER_API_KEY', header: 'authorization', prefix: 'Bearer ' }],
  upstream: 'https://api.openai.com/v1',
  upstreamVariable: 'COPILOT_PROVIDER_BASE_URL',
  calls: OPENAI_CALLS,
};

/**
 * At its first start in a home it unpacks 237 MB into the cache (4.2 s instead of 1.5 s, measured 2026-11). We do this
 * once into a directory of ours, which is then mounted read-only under the same variable.
 */
const UNPACK = {
  variable: 'COPILOT_PKG_CACHE_HOME',
  args: ['--binary-version'],
  env: { COPILOT_SEA_EXTRACT_ONLY: '1' },
} as const;

const TOOLS: Readonly<Record<Tool, readonly string[]>> = {
  read: ['view', 'grep', 'glob'],
  edit: ['create', 'edit', 'apply_patch'],
  shell: ['bash', 'read_bash', 'stop_bash', 'list_bash'],
  web: ['web_fetch', 'web_search'],
};

export const copilot: Adapter = {
  name: 'copilot',
  programs: ['copilot-linux-x64', 'copilot-linux-arm64', 'copilot'],
  install: 'npm install -g @github/copilot@1.0.102',
  tested: { from: '1.0.102', below: '1.1.0' },
  can: {
    kinds: ['change', 'answer'],
    model: true,
    effort: true,
    systemPrompt: true,
    tools: true,
    schema: false,
    sessions: true,
    usage: 'none',
  },
  providers: [COPILOT_OWN, OPENAI, ANTHROPIC],
  login: {
    files: [{ home: '.copilot/config.json', variable: 'COPILOT_HOME', inside: 'config.json' }],
    hosts: [
      'api.github.com:443',
      'api.githubcopilot.com:443',
      'api.individual.githubcopilot.com:443',
      'api.business.githubcopilot.com:443',
      'api.enterprise.githubcopilot.com:443',
    ],
  },

  unpack: UNPACK,
  instructions: ['AGENTS.md', 'CLAUDE.md', 'GEMINI.md'],

  call(ask) {
    if (ask.endpoint !== null && ask.model === null) {
      return {
        type: 'refused',
        message: 'Copilot with the key of a provider has no model of its own: name one, as `model`',
      };
    }
    return callWith({
      args: [
        ...['--output-format', 'json', '--allow-all', '--no-ask-user', '--no-auto-update', '--no-color'],
        ...['--disable-builtin-mcps', '--disable-client-telemetry'],
        ...(ask.model === null ? [] : ['--model', ask.model]),
        ...(ask.effort === null ? [] : ['--reasoning-effort', ask.effort]),
        ...(ask.tools === null ? [] : [`--available-tools=${namesOf(ask.tools)}`]),
        ...(ask.kind === 'answer' ? [`--excluded-tools=${namesOf(['edit'])}`] : []),
        // It names its session only at the end, if tools have run, so we choose the id.
        `--${ask.session?.goesOn ? 'resume' : 'session-id'}=${sessionId(ask)}`,
        ...ask.command,
      ],
      input: ask.packet,
      env: {
        COPILOT_HOME: ask.configDir,
        COPILOT_AUTO_UPDATE: 'false',
        TMPDIR: ask.tempDir,
        ...endpointOf(ask),
        ...proxyEnv(ask),
      },
      files: [
        { path: 'settings.json', text: JSON.stringify(SETTINGS) },
        ...(ask.system === null ? [] : [{ path: 'copilot-instructions.md', text: ask.system }]),
      ],
      session: sessionId(ask),
    });
  },

  listen,
};

const sessionId = ({ session, id }: CliRequest): string => session?.id ?? id;

/** Hooks are commands of the repository under work that would run around every tool. */
const SETTINGS = { disableAllHooks: true, memory: false, autoUpdate: false, banner: 'never' };

/** With an empty list it would offer all of them. */
const namesOf = (tools: readonly Tool[]): string => tools.flatMap((tool) => TOOLS[tool]).join(',') || 'none';

function endpointOf({ endpoint }: CliRequest): Record<string, string> {
  if (endpoint === null) return {};
  return {
    // No login, no telemetry, no other server.
    COPILOT_OFFLINE: 'true',
    COPILOT_PROVIDER_BASE_URL: endpoint.url,
    COPILOT_PROVIDER_API_KEY: NO_KEY,
    COPILOT_PROVIDER_TYPE: endpoint.provider === 'anthropic' ? 'anthropic' : 'openai',
    // OpenAI requires the newer form for its newer models; other servers often have only the older one.
    ...(endpoint.provider === 'openai' ? { COPILOT_PROVIDER_WIRE_API: 'responses' } : {}),
  };
}

/** The others are most of its output. */
const WANTED: ReadonlySet<string> = new Set([
  'assistant.message',
  'tool.execution_start',
  'session.error',
  'model.call_failure',
  'result',
]);

function listen(chosen?: string): Listener {
  const spoken = new Spoken();
  const own = new OwnSession('sessionId', chosen);
  let model: string | null = null;
  let error: unknown = null;
  let refused: unknown = null;
  let result: unknown = null;
  return eventListener({
    skip: (line) => {
      const type = typeAtStart(line);
      return type !== null && !WANTED.has(type);
    },
    event: (event) => {
      switch (textAt(event, 'type')) {
        case 'assistant.message': {
          // The model's helper is not the one that answers.
          if (textAt(event, 'data', 'parentToolCallId') !== null) return;
          model = textAt(event, 'data', 'model') ?? model;
          spoken.restart();
          spoken.add(textAt(event, 'data', 'content') ?? '');
          error = null;
          refused = null;
          return;
        }
        case 'tool.execution_start':
          if (textAt(event, 'data', 'parentToolCallId') === null) spoken.restart();
          return;
        case 'session.error':
          error = event;
          return;
        case 'model.call_failure':
          refused = event;
          return;
        case 'result':
          // A failure is final: a tool's process could have written later lines.
          if (own.owns(textAt(event, 'sessionId')) && (result === null || numberAt(result, 'exitCode') === 0))
            result = event;
          return;
        default:
      }
    },
    tell: (ended, heard) => ({
      final: spoken.final(heard.malformed),
      ...endOf({ result, error, refused }, ended, heard),
      // It reports only credits.
      cost: costOf({}),
      model,
      ...own.told,
    }),
  });
}

type Last = { readonly result: unknown; readonly error: unknown; readonly refused: unknown };

function endOf(last: Last, ended: CliExit, heard: EventsHeard): Pick<CliResult, 'claims' | 'failure'> {
  const exitCode = numberAt(last.result, 'exitCode');
  if (last.error !== null) {
    const status = numberAt(last.error, 'data', 'statusCode') ?? numberAt(last.refused, 'data', 'statusCode');
    const text = textAt(last.error, 'data', 'message') ?? '';
    const why = failureOf(status, text, ended);
    return { claims: exitCode === null ? 'nothing' : 'failure', failure: unanswered(text, why) };
  }
  if (exitCode === 0) return { claims: 'success', failure: null };
  const status = numberAt(last.refused, 'data', 'statusCode');
  const text = textAt(last.refused, 'data', 'errorMessage') ?? heard.stderr;
  const known = knownFailure(status, text, ended);
  if (exitCode === null) return { claims: 'nothing', failure: known };
  return { claims: 'failure', failure: known ?? failure('unknown', text || `it says that it ended with ${exitCode}`) };
}

/** No reply, half of one, or none that parses: it prints this message, whatever the reason was. */
const unanswered = (text: string, why: CliFailure): CliFailure =>
  why.class === 'unknown' && text.startsWith('Failed to get response') ? { ...why, class: 'transient' } : why;
