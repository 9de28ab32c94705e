/**
 * Cursor's CLI. It needs an account, so nothing here was measured: arguments, files and events follow its public
 * documentation (2026), and the tests' transcripts were written from it. Tolerant for that reason. It only talks to
 * Cursor's own servers, so its key cannot stay outside: its login is copied.
 */
import { type Cost, UNKNOWN_COST } from '../../domain/values.ts';
import type { Adapter, CliExit, CliRequest, CliResult, Listener, Tool } from '../adapter.ts';
import { Spoken } from './answer-pieces.ts';
import { callWith, proxyEnv } from './calling.ts';
import { failure, failureOf, knownFailure } from './failure.ts';
import { at, atLeast, costOf, sumOf, textAt, tokensAt } from './fields.ts';
import { type EventsHeard, eventListener, typeAtStart } from './listener.ts';
import { OwnSession } from './own-session.ts';

/** Its permissions; denied ones stay denied under `--force`. */
const DENIED: Readonly<Record<Tool, readonly string[]>> = {
  read: ['Read(**)'],
  edit: ['Write(**)'],
  shell: ['Shell(*)'],
  web: ['WebFetch(*)'],
};

export const cursor: Adapter = {
  name: 'cursor',
  programs: ['cursor-agent'],
  install: 'see https://cursor.com/docs/cli/installation',
  tested: null,
  can: {
    kinds: ['change', 'answer'],
    model: true,
    effort: false,
    systemPrompt: false,
    tools: true,
    schema: false,
    sessions: true,
    usage: 'none',
  },
  providers: [],
  login: {
    files: [{ home: '.config/cursor/auth.json', variable: null, inside: 'cursor/auth.json' }],
    hosts: ['api2.cursor.sh:443', 'api5.cursor.sh:443', 'agentn.api5.cursor.sh:443', 'agent.api5.cursor.sh:443'],
  },

  call(ask) {
    if (ask.session?.goesOn && ask.session.told === null) {
      return { type: 'refused', message: 'Cursor gives a session its name, and this one has none to go on with' };
    }
    const config = {
      version: 1,
      editor: { vimMode: false },
      permissions: { allow: [], deny: deniedBut(ask) },
      // Its usual HTTP/2 does not pass every proxy.
      network: { useHttp1ForAgent: true },
    };
    return callWith({
      args: [
        ...['--print', '--output-format', 'stream-json', '--force', '--trust', '--sandbox', 'disabled'],
        ...(ask.model === null ? [] : ['--model', ask.model]),
        ...(ask.session?.goesOn && ask.session.told !== null ? ['--resume', ask.session.told] : []),
        ...ask.command,
      ],
      input: ask.packet,
      env: {
        XDG_CONFIG_HOME: ask.configDir,
        CURSOR_CONFIG_DIR: `${ask.configDir}/cursor`,
        NO_OPEN_BROWSER: '1',
        NODE_USE_ENV_PROXY: '1',
        TMPDIR: ask.tempDir,
        ...proxyEnv(ask),
      },
      files: [{ path: 'cursor/cli-config.json', text: JSON.stringify(config) }],
      ...(ask.session?.goesOn && ask.session.told !== null ? { session: ask.session.told } : {}),
    });
  },

  listen,
};

const deniedBut = ({ tools, kind }: CliRequest): string[] =>
  (Object.keys(DENIED) as Tool[])
    .filter((tool) => (tools !== null && !tools.includes(tool)) || (kind === 'answer' && tool === 'edit'))
    .flatMap((tool) => DENIED[tool]);

function listen(chosen?: string): Listener {
  const spoken = new Spoken();
  const own = new OwnSession('session_id', chosen);
  let cost = UNKNOWN_COST;
  let model: string | null = null;
  let result: unknown = null;
  return eventListener({
    skip: (line) => {
      const type = typeAtStart(line);
      // After any such line, even a damaged one, earlier text is no longer the answer.
      if (type === 'tool_call' && own.ownsLine(line)) spoken.restart();
      return own.isKnown && (type === 'tool_call' || type === 'user' || type === 'thinking');
    },
    event: (event) => {
      if (!own.owns(textAt(event, 'session_id'))) return;
      switch (textAt(event, 'type')) {
        case 'system':
          model = textAt(event, 'model') ?? model;
          return;
        case 'assistant':
          for (const part of partsOf(event)) spoken.add(textAt(part, 'text') ?? '');
          return;
        case 'tool_call':
          spoken.restart();
          return;
        case 'result':
          cost = atLeast(cost, costIn(event));
          // A failure is final: a tool's process could have written later lines.
          if (result === null || isSuccess(result)) result = event;
          return;
        default:
      }
    },
    tell: (ended, heard) => {
      // According to the documentation all text, joined without line ends: used only if nothing else is there.
      if (spoken.isEmpty) spoken.add(textAt(result, 'result') ?? '');
      return {
        final: spoken.final(heard.malformed),
        ...endOf(result, ended, heard),
        cost,
        model,
        ...own.told,
      };
    },
  });
}

function costIn(result: unknown): Cost {
  const tokens = (name: string) => tokensAt(result, 'usage', name);
  return costOf({
    in: sumOf([tokens('inputTokens'), tokens('cacheReadTokens'), tokens('cacheWriteTokens')]),
    out: tokens('outputTokens'),
  });
}

const isSuccess = (result: unknown): boolean =>
  textAt(result, 'subtype') === 'success' && at(result, 'is_error') === false;

function partsOf(event: unknown): readonly unknown[] {
  const parts = at(event, 'message', 'content');
  return Array.isArray(parts) ? parts : [];
}

/** According to the documentation a failed run ends with an exit code, a line on stderr and no `result`. */
function endOf(result: unknown, ended: CliExit, heard: EventsHeard): Pick<CliResult, 'claims' | 'failure'> {
  if (result === null) {
    const text = heard.stderr.trim() === '' ? heard.plain : heard.stderr;
    return { claims: 'nothing', failure: knownFailure(null, text, ended) };
  }
  if (isSuccess(result)) return { claims: 'success', failure: null };
  const text = textAt(result, 'result') ?? textAt(result, 'error') ?? '';
  return {
    claims: 'failure',
    failure: text === '' ? failure('unknown', 'it reports a failure without a reason') : failureOf(null, text, ended),
  };
}
