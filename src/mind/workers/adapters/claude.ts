/** Claude Code. Measured with 2.1.197; "measured" in a comment here means that we saw it in a run. */
import type { Adapter, AdapterCall, CliRequest, Tool } from '../adapter.ts';
import { callWith, proxyEnv } from './calling.ts';
import { claudeListener } from './claude-events.ts';
import { ANTHROPIC, NO_KEY } from './providers.ts';

const TOOLS: Readonly<Record<Tool, readonly string[]>> = {
  read: ['Read', 'Glob', 'Grep'],
  edit: ['Edit', 'Write', 'NotebookEdit'],
  shell: ['Bash', 'TaskOutput', 'TaskStop'],
  web: ['WebFetch', 'WebSearch'],
};

/** These tools act later or elsewhere: a tree beside the one we check, a process that waits for a time of day. */
const NEVER = ['EnterWorktree', 'ExitWorktree', 'CronCreate', 'CronDelete', 'CronList', 'ScheduleWakeup'];

export const claude: Adapter = {
  name: 'claude',
  programs: ['claude'],
  install: 'npm install -g @anthropic-ai/claude-code@2.1.197',
  tested: { from: '2.1.197', below: '2.2.0' },
  // Measured with 1.0.3, 2.0.0 and 2.0.60; 2.1.0 passes its self-test.
  broken: { below: '2.0.61', why: 'which does not work: it has no option --no-session-persistence' },
  can: {
    kinds: ['change', 'answer'],
    model: true,
    effort: true,
    systemPrompt: true,
    tools: true,
    schema: true,
    sessions: true,
    usage: 'cost',
  },
  providers: [ANTHROPIC],
  login: {
    files: [{ home: '.claude/.credentials.json', variable: 'CLAUDE_CONFIG_DIR', inside: '.credentials.json' }],
    // Without the host that renews a login: a renewal in a copy would end the operator's own.
    hosts: ['api.anthropic.com:443'],
  },
  instructions: ['CLAUDE.md'],

  call,
  listen: claudeListener,
};

function call(ask: CliRequest): AdapterCall {
  const schema = ask.schema === null ? [] : ['--json-schema', JSON.stringify(ask.schema)];
  const args = [
    ...['-p', '--output-format', 'stream-json', '--verbose'],
    // Its own questions would get no answer; the sandbox is ours.
    '--dangerously-skip-permissions',
    '--strict-mcp-config',
    ...['--setting-sources', 'user,project', '--settings', settings(ask)],
    ...tools(ask),
    ...(ask.model === null ? [] : ['--model', ask.model]),
    ...(ask.effort === null ? [] : ['--effort', ask.effort]),
    ...(ask.system === null ? [] : ['--append-system-prompt-file', `${ask.configDir}/${SYSTEM}`]),
    ...session(ask),
    ...schema,
    ...ask.command,
  ];
  return callWith({
    args,
    input: ask.packet,
    env: {
      CLAUDE_CONFIG_DIR: ask.configDir,
      TMPDIR: ask.tempDir,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_TELEMETRY: '1',
      DISABLE_ERROR_REPORTING: '1',
      // Otherwise it waits as long as `retry-after` says, inside (measured): a used-up quota would look like a hang.
      CLAUDE_CODE_MAX_RETRIES: '0',
      // True, and needed if the sandbox's user is root, as in some containers.
      IS_SANDBOX: '1',
      ...(ask.endpoint === null ? {} : { ANTHROPIC_BASE_URL: ask.endpoint.url, ANTHROPIC_API_KEY: NO_KEY }),
      ...proxyEnv(ask),
    },
    files: ask.system === null ? [] : [{ path: SYSTEM, text: ask.system }],
    named: new Map(schema[1] === undefined ? [] : [[schema[1], '(schema)']]),
    session: sessionId(ask),
  });
}

const SYSTEM = 'supervisor-system.md';

/**
 * The project's CLAUDE.md is read, and its settings, but nothing that they could start or redirect (measured: a
 * project's settings run hooks and a key helper, and move the endpoint). These come last and win.
 */
const settings = ({ endpoint }: CliRequest): string =>
  JSON.stringify({
    disableAllHooks: true,
    apiKeyHelper: '',
    ...(endpoint === null ? {} : { env: { ANTHROPIC_BASE_URL: endpoint.url } }),
  });

function tools({ tools: only, kind }: CliRequest): string[] {
  const without = kind === 'answer' ? [...NEVER, ...TOOLS.edit] : NEVER;
  const names = only?.flatMap((one) => TOOLS[one]).filter((name) => !without.includes(name));
  return [...(names === undefined ? [] : ['--tools', names.join(',')]), '--disallowedTools', without.join(',')];
}

function session(ask: CliRequest): string[] {
  if (ask.session === null) return ['--no-session-persistence', '--session-id', sessionId(ask)];
  return [ask.session.goesOn ? '--resume' : '--session-id', sessionId(ask)];
}

/** A continued session keeps its id (measured). */
const sessionId = ({ session: of, id }: CliRequest): string => (of?.goesOn ? (of.told ?? of.id) : (of?.id ?? id));
