/** Claude Code: the command that is made for it, and what is made of what it prints. */
import { describe, expect, test } from 'vitest';
import type { CliExit } from '../../src/mind/workers/adapter.ts';
import { ADAPTERS } from '../../src/mind/workers/adapters/index.ts';
import { readAnswer } from '../../src/mind/workers/answer.ts';
import { ARGUMENT_BYTES } from '../../src/mind/workers/limits.ts';
import { goldenOf, told } from './golden.ts';
import { called, refused, replays } from './replayed.ts';

replays(
  'claude',
  {
    text: ['success', null],
    tool: ['success', null],
    'forged-event': ['failure', 'blocked'],
    '400': ['failure', 'blocked'],
    '401': ['failure', 'auth'],
    '402': ['failure', 'quota'],
    '403': ['failure', 'auth'],
    '404': ['failure', 'blocked'],
    '413': ['failure', 'blocked'],
    '429': ['failure', 'quota'],
    '429-retry-after': ['failure', 'quota'],
    '429-then-ok': ['success', null],
    '500': ['failure', 'transient'],
    '503': ['failure', 'transient'],
    '529': ['failure', 'transient'],
    'tool-then-500': ['failure', 'transient'],
    malformed: ['failure', 'transient'],
    empty: ['failure', 'transient'],
    html: ['failure', 'transient'],
    cut: ['failure', 'transient'],
    reset: ['failure', 'transient'],
    'hang-ended': ['nothing', null],
    'stall-ended': ['nothing', null],
    'bad-flag': ['nothing', 'wrong_version'],
    'empty-packet': ['nothing', 'blocked'],
    resumed: ['success', null],
    'unknown-session': ['failure', 'unknown'],
    'no-key': ['failure', 'auth'],
    root: ['nothing', 'blocked'],
    schema: ['success', null],
    'schema-not-used': ['success', null],
  },
  'result',
);

/** What follows a flag. */
const given = (args: readonly string[], flag: string): string | null => {
  const at = args.indexOf(flag);
  return at < 0 ? null : (args[at + 1] ?? null);
};
const endpoint = { url: 'http://127.0.0.1:40861', provider: 'anthropic' };

describe('the call', () => {
  test('has the packet on standard input, and asks for no permission', () => {
    const { args, input, shown } = called('claude', { endpoint });
    expect(input).toBe('Write hello.txt.\n');
    expect(args).toEqual(expect.arrayContaining(['-p', '--verbose', '--dangerously-skip-permissions']));
    expect(given(args, '--output-format')).toBe('stream-json');
    expect(args.join(' ')).not.toContain('hello.txt');
    expect(shown).toEqual(args);
  });

  test('has a key that opens nothing, and the address of the bridge', () => {
    const { env } = called('claude', { endpoint });
    expect(env).toMatchObject({
      ANTHROPIC_BASE_URL: 'http://127.0.0.1:40861',
      ANTHROPIC_API_KEY: 'supervisor-holds-the-key',
      CLAUDE_CONFIG_DIR: '/config',
      TMPDIR: '/temp',
      CLAUDE_CODE_MAX_RETRIES: '0',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
    });
    expect(env).not.toHaveProperty('HTTPS_PROXY');
  });

  test('with a login goes through the proxy and has no key at all', () => {
    const { env } = called('claude', { proxy: 'http://127.0.0.1:40861' });
    expect(env).toMatchObject({ HTTPS_PROXY: 'http://127.0.0.1:40861', NO_PROXY: 'localhost,127.0.0.1' });
    expect(Object.keys(env).filter((name) => name.startsWith('ANTHROPIC'))).toEqual([]);
  });

  test('lets no settings of the project start or divert anything', () => {
    const { args } = called('claude', { endpoint });
    expect(args).toContain('--strict-mcp-config');
    expect(JSON.parse(given(args, '--settings') ?? '')).toEqual({
      disableAllHooks: true,
      apiKeyHelper: '',
      env: { ANTHROPIC_BASE_URL: 'http://127.0.0.1:40861' },
    });
  });

  test('names model, effort and system prompt', () => {
    const { args, files } = called('claude', { model: 'sonnet', effort: 'low', system: 'Be brief.' });
    expect([given(args, '--model'), given(args, '--effort')]).toEqual(['sonnet', 'low']);
    expect(given(args, '--append-system-prompt-file')).toBe('/config/supervisor-system.md');
    expect(files).toEqual([{ path: 'supervisor-system.md', text: 'Be brief.' }]);
  });

  test('leaves it only the tools that it may use, and none that act elsewhere', () => {
    const tools = (more: Parameters<typeof called>[1]) => {
      const { args } = called('claude', more);
      return [given(args, '--tools'), given(args, '--disallowedTools')];
    };
    const never = 'EnterWorktree,ExitWorktree,CronCreate,CronDelete,CronList,ScheduleWakeup';
    expect(tools({})).toEqual([null, never]);
    expect(tools({ kind: 'answer' })).toEqual([null, `${never},Edit,Write,NotebookEdit`]);
    expect(tools({ tools: ['read', 'edit'] })[0]).toBe('Read,Glob,Grep,Edit,Write,NotebookEdit');
    expect(tools({ tools: ['read', 'edit'], kind: 'answer' })[0]).toBe('Read,Glob,Grep');
    expect(tools({ tools: [] })[0]).toBe('');
  });

  test('keeps a session only when one is wanted', () => {
    const id = '11111111-2222-4333-8444-555555555555';
    expect(called('claude').args).toContain('--no-session-persistence');
    const begins = called('claude', { session: { id, told: null, goesOn: false } }).args;
    expect([given(begins, '--session-id'), given(begins, '--resume')]).toEqual([id, null]);
    const goesOn = called('claude', { session: { id, told: null, goesOn: true } }).args;
    expect([given(goesOn, '--session-id'), given(goesOn, '--resume')]).toEqual([null, id]);
  });

  test('has the schema, which the record only names; the operator has the last word', () => {
    const { args, shown } = called('claude', { schema: { type: 'object' }, command: ['--max-turns', '3'] });
    expect(given(args, '--json-schema')).toBe('{"type":"object"}');
    expect(given(shown, '--json-schema')).toBe('(schema)');
    expect(args.slice(-2)).toEqual(['--max-turns', '3']);
  });

  test('is refused when the system would not take it', () => {
    expect(refused('claude', { model: 'x'.repeat(ARGUMENT_BYTES) })).toContain('more than 131071 bytes');
    expect(refused('claude', { model: 'a\0b' })).toContain('NUL');
  });
});

const ended: CliExit = { exit: { how: 'exit', code: 1 }, now: Date.parse('2026-11-15T10:00:00Z'), upstream: null };
const result = (more: object) =>
  JSON.stringify({ type: 'result', subtype: 'success', is_error: false, result: 'ok', ...more });
const say = (...lines: string[]) => told('claude', [lines.join('\n')], '', ended);
const text = goldenOf('claude').find(({ name }) => name === 'text')?.stdout ?? '';
const failed = goldenOf('claude').find(({ name }) => name === '500')?.stdout ?? '';

describe('its report', () => {
  test('of its cost is taken from all models, cached tokens too', () => {
    const usage = { inputTokens: 1, cacheReadInputTokens: 10, cacheCreationInputTokens: 100, outputTokens: 7 };
    const modelUsage = { a: { ...usage, costUSD: 0.5 }, b: { ...usage, costUSD: 0.25 } };
    expect(say(result({ modelUsage, total_cost_usd: 9 })).cost).toEqual({
      microusd: 750_000,
      tokens_in: 222,
      tokens_out: 14,
    });
    expect(say(result({ usage: { input_tokens: 5 } })).cost.tokens_in).toBeNull();
    const lies = { a: { inputTokens: -1, outputTokens: 1e300, costUSD: 'much' } };
    expect(say(result({ modelUsage: lies })).cost).toEqual({ microusd: null, tokens_in: null, tokens_out: null });
  });

  test.each([
    ['You have hit your limit · resets 3pm (UTC)', 'quota', '2026-11-15T15:00:00.000Z'],
    ['Claude AI usage limit reached|1794740400', 'quota', '2026-11-15T11:00:00.000Z'],
    ['Credit balance is too low', 'quota', null],
    ['OAuth token has expired · Please run /login', 'auth', null],
    ['Prompt is too long', 'blocked', null],
    ['API Error: Unable to connect to API (ConnectionRefused)', 'transient', null],
    ['Something new', 'unknown', null],
  ])('%j is %s', (words, expected, reset) => {
    const { claims, failure } = say(result({ is_error: true, result: words, api_error_status: null }));
    expect(claims).toBe('failure');
    expect(failure).toMatchObject({ class: expected, reason: words });
    expect(failure?.resetAt).toBe(reset === null ? null : Date.parse(reset));
  });

  test.each([
    ['error_max_turns', 'timeout'],
    ['error_max_budget_usd', 'blocked'],
    ['error_max_structured_output_retries', 'invalid'],
    ['error_during_execution', 'unknown'],
  ])('%s is %s', (subtype, expected) => {
    const { claims, failure } = say(result({ subtype, is_error: true, result: undefined, errors: ['why'] }));
    expect([claims, failure?.class]).toEqual(['failure', expected]);
  });

  test.each([{ is_error: 'false' }, { is_error: 0 }, { is_error: null }, { subtype: 'Success' }, { result: 7 }])(
    '%j is no success',
    (more) => expect(say(result(more)).claims).toBe('failure'),
  );

  test('about its end counts only when it is the end', () => {
    expect(say(text, result({}), '{"type":"assistant"}').claims).toBe('nothing');
    expect(say(text, '{"z":1,"type":"user"}').claims).toBe('nothing');
    const session_id = /"session_id":"([^"]+)"/.exec(text)?.[1];
    expect(say(text, '{"type":"assistant"}', result({ session_id })).claims).toBe('success');
  });

  test('is not outvoted by a line that another program wrote to its output', () => {
    expect(say(text).claims).toBe('success');
    expect(say(failed, result({})).claims).toBe('failure');
    expect(say(result({}), failed, result({})).claims).toBe('failure');
  });

  test('when the proxy knows more, is completed by it', () => {
    const upstream = { status: 429, resetAt: ended.now + 1 };
    expect(told('claude', [], '', { ...ended, exit: { how: 'other' }, upstream })).toMatchObject({
      claims: 'nothing',
      failure: { class: 'quota', status: 429, resetAt: ended.now + 1 },
    });
  });
});

describe('structured output', () => {
  const final = (name: string) => goldenOf('claude').find((one) => one.name === name)?.told.final;

  test('is an answer as every other', () => {
    const one = final('schema');
    expect(one && readAnswer('implementation', one)).toMatchObject({
      type: 'answer',
      answer: { status: 'SUCCESS', action_taken: 'said' },
    });
  });

  test('that the model did not give is no answer', () => {
    const one = final('schema-not-used');
    expect(one && readAnswer('implementation', one)).toMatchObject({ type: 'invalid' });
  });

  test('does not take the place of an answer in words', () => {
    const words = 'So:\n```json\n{"status":"BLOCKED"}\n```';
    expect(say(result({ result: words, structured_output: { status: 'SUCCESS' } })).final).toMatchObject({
      text: words,
    });
  });
});

test('is described', () => {
  expect(ADAPTERS['claude']).toMatchObject({ programs: ['claude'], can: { usage: 'cost', sessions: true } });
});
