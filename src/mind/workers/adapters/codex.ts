/** OpenAI Codex. Measured with 0.166.0; "measured" in a comment here means that we saw it in a run. */
import type { Adapter, AdapterCall, CliRequest } from '../adapter.ts';
import { callWith, proxyEnv } from './calling.ts';
import { codexListener } from './codex-events.ts';
import { NO_KEY, OPENAI } from './providers.ts';

export const codex: Adapter = {
  name: 'codex',
  programs: ['codex'],
  beside: ['codex-code-mode-host'],
  install: 'npm install -g @openai/codex@0.166.0',
  tested: { from: '0.166.0', below: '0.167.0' },
  can: {
    kinds: ['change', 'answer'],
    model: true,
    effort: true,
    systemPrompt: true,
    // Its shell does everything, including reading.
    tools: false,
    schema: true,
    sessions: true,
    cumulative: true,
    usage: 'tokens',
  },
  providers: [OPENAI],
  login: {
    files: [{ home: '.codex/auth.json', variable: 'CODEX_HOME', inside: 'auth.json' }],
    // The first for an account, the second for a login with a key. Without the host that renews a login: a renewal in a
    // copy would end the operator's own.
    hosts: ['chatgpt.com:443', 'api.openai.com:443'],
  },
  instructions: ['AGENTS.md'],

  call,
  listen: codexListener,
};

/** The most characters of input (measured: `input_too_large`). */
const MAX_INPUT = 1_048_576;

function call(ask: CliRequest): AdapterCall {
  if (ask.packet.length > MAX_INPUT && [...ask.packet].length > MAX_INPUT)
    return { type: 'refused', message: `the packet has more than ${MAX_INPUT} characters, which codex does not take` };
  if (ask.session?.goesOn === true && ask.session.told === null)
    return { type: 'refused', message: 'codex names its sessions itself, and has not named this one: begin a new one' };
  const schema = ask.schema !== null && isStrict(ask.schema) ? JSON.stringify(ask.schema) : null;
  return callWith({
    args: [
      ...['exec', '--json', '--skip-git-repo-check'],
      // Its own sandbox cannot be made inside ours.
      '--dangerously-bypass-approvals-and-sandbox',
      ...['plugins', 'apps', 'hooks', 'unbounded_connection_retries'].flatMap((one) => ['--disable', one]),
      ...config(ask).flatMap((one) => ['-c', one]),
      ...(ask.model === null ? [] : ['--model', ask.model]),
      ...(schema === null ? [] : ['--output-schema', `${ask.configDir}/${SCHEMA}`]),
      ...(ask.session === null ? ['--ephemeral'] : []),
      ...ask.command,
      ...(ask.session?.goesOn === true ? ['resume', ask.session.told ?? ''] : []),
      // The packet is on standard input.
      '-',
    ],
    input: ask.packet,
    env: {
      CODEX_HOME: ask.configDir,
      TMPDIR: ask.tempDir,
      ...(ask.endpoint === null ? {} : { [KEY]: NO_KEY }),
      ...proxyEnv(ask),
    },
    files: [
      // In a file: it is too long for an argument.
      { path: 'config.toml', text: ask.system === null ? '' : `developer_instructions = ${toml(ask.system)}\n` },
      ...(schema === null ? [] : [{ path: SCHEMA, text: schema }]),
    ],
    ...(ask.session?.goesOn === true && ask.session.told !== null ? { session: ask.session.told } : {}),
  });
}

const SCHEMA = 'supervisor-schema.json';
const KEY = 'SUPERVISOR_NO_KEY';

/** Arguments, because they override a project's own `.codex/config.toml`. */
function config({ endpoint, effort }: CliRequest): string[] {
  const where = endpoint === null ? 'requires_openai_auth=true' : `base_url=${toml(endpoint.url)},env_key=${toml(KEY)}`;
  return [
    'analytics.enabled=false',
    'check_for_update_on_startup=false',
    // A provider of our own, for a login too: retries of the built-in one cannot be limited (measured), and it waits as
    // long as `retry-after` says, inside, where a used-up quota would look like a hang.
    'model_provider="supervisor"',
    `model_providers.supervisor={name="OpenAI",${where},wire_api="responses",supports_websockets=false,request_max_retries=0,stream_max_retries=0}`,
    ...(effort === null ? [] : [`model_reasoning_effort=${toml(effort)}`]),
  ];
}

/** TOML strings are JSON strings, except for these. */
const toml = (text: string): string => JSON.stringify(text.toWellFormed()).replaceAll('\u007f', '\\u007f');

/**
 * Whether a JSON Schema is strict enough for OpenAI's structured output: every object closed, every property required.
 * Others give an error, so they are not sent; the packet describes the shape as well.
 */
function isStrict(schema: unknown, depth = 0): boolean {
  if (schema === null || typeof schema !== 'object') return true;
  if (depth > MAX_DEPTH) return false;
  if (Array.isArray(schema)) return schema.every((one) => isStrict(one, depth + 1));
  const { type, properties, required, additionalProperties } = schema as Record<string, unknown>;
  if (type === 'object') {
    if (additionalProperties !== false || properties === null || typeof properties !== 'object') return false;
    const names = Object.keys(properties);
    if (!Array.isArray(required) || !names.every((name) => required.includes(name))) return false;
  }
  return Object.values(schema).every((one) => isStrict(one, depth + 1));
}

const MAX_DEPTH = 50;
