/** Codex: the command that is made for it, and what is made of what it prints. */
import { describe, expect, test } from 'vitest';
import type { CliExit } from '../../src/mind/workers/adapter.ts';
import { readAnswer } from '../../src/mind/workers/answer.ts';
import { goldenOf, told } from './golden.ts';
import { called, refused, replays } from './replayed.ts';

replays(
  'codex',
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
    'unknown-session': ['nothing', 'unknown'],
    'no-key': ['failure', 'auth'],
    'schema-text': ['success', null],
    'packet-too-long': ['nothing', 'blocked'],
  },
  'turn.completed',
);

const endpoint = { url: 'http://127.0.0.1:40861', provider: 'openai' };
const provider = (args: readonly string[]) => args.find((arg) => arg.startsWith('model_providers.'));
const strict = {
  type: 'object',
  properties: { status: { type: 'string' } },
  required: ['status'],
  additionalProperties: false,
};

describe('the call', () => {
  test('has the packet on standard input, and its own sandbox off', () => {
    const { args, input, env } = called('codex', { endpoint });
    expect(input).toBe('Write hello.txt.\n');
    expect(args.slice(0, 4)).toEqual([
      'exec',
      '--json',
      '--skip-git-repo-check',
      '--dangerously-bypass-approvals-and-sandbox',
    ]);
    expect(args.at(-1)).toBe('-');
    expect(env).toMatchObject({ CODEX_HOME: '/config', TMPDIR: '/temp' });
  });

  test('asks the bridge with a key that opens nothing, and leaves retries to us', () => {
    const { args, env } = called('codex', { endpoint });
    expect(provider(args)).toBe(
      'model_providers.supervisor={name="OpenAI",base_url="http://127.0.0.1:40861",env_key="SUPERVISOR_NO_KEY",wire_api="responses",supports_websockets=false,request_max_retries=0,stream_max_retries=0}',
    );
    expect(env).toMatchObject({ SUPERVISOR_NO_KEY: 'supervisor-holds-the-key' });
    expect(Object.keys(env).join()).not.toMatch(/OPENAI|PROXY/);
  });

  test('with a login goes through the proxy and has no key at all', () => {
    const { args, env } = called('codex', { proxy: 'http://127.0.0.1:40861' });
    expect(provider(args)).toContain('requires_openai_auth=true');
    expect(env).toMatchObject({ HTTPS_PROXY: 'http://127.0.0.1:40861' });
    expect(env).not.toHaveProperty('SUPERVISOR_NO_KEY');
  });

  test('speaks to no other server, and starts nothing that a project declares', () => {
    const { args } = called('codex', { endpoint });
    for (const words of ['--disable plugins', '--disable apps', '--disable hooks', '-c analytics.enabled=false'])
      expect(args.join(' ')).toContain(words);
  });

  test('names model and effort; the system prompt is a string of TOML, whatever is in it', () => {
    const { args, files } = called('codex', { model: 'gpt-x', effort: 'high', system: '"""\\\n\u007f\ud800é' });
    expect(args.join(' ')).toContain('--model gpt-x');
    expect(args).toContain('model_reasoning_effort="high"');
    expect(files).toEqual([
      { path: 'config.toml', text: 'developer_instructions = "\\"\\"\\"\\\\\\n\\u007f\ufffdé"\n' },
    ]);
  });

  test('has a schema only when the vendor would take it', () => {
    const { args, files } = called('codex', { schema: strict });
    expect(args.join(' ')).toContain('--output-schema /config/supervisor-schema.json');
    expect(files.at(-1)).toEqual({ path: 'supervisor-schema.json', text: JSON.stringify(strict) });
    for (const loose of [
      { ...strict, required: [] },
      { ...strict, additionalProperties: undefined },
      { type: 'object' },
      { ...strict, properties: { status: { type: 'object', properties: {}, required: [] } } },
    ])
      expect(called('codex', { schema: loose }).args.join(' ')).not.toContain('--output-schema');
  });

  test('goes on with a session by the name that codex gave it', () => {
    const id = '11111111-2222-4333-8444-555555555555';
    expect(called('codex').args).toContain('--ephemeral');
    const begins = called('codex', { session: { id, told: null, goesOn: false } }).args;
    expect([begins.includes('--ephemeral'), begins.includes('resume')]).toEqual([false, false]);
    const goesOn = called('codex', { session: { id, told: 'thread-1', goesOn: true }, command: ['--oss'] }).args;
    expect(goesOn.slice(-4)).toEqual(['--oss', 'resume', 'thread-1', '-']);
    expect(refused('codex', { session: { id, told: null, goesOn: true } })).toContain('begin a new one');
  });

  test('is refused for a packet that it would refuse itself', () => {
    expect(refused('codex', { packet: 'x'.repeat(1_048_577) })).toContain('1048576 characters');
    expect(called('codex', { packet: 'x'.repeat(1_048_576) }).type).toBe('call');
    // It counts characters, not halves of them.
    expect(called('codex', { packet: '😀'.repeat(1_048_576) }).type).toBe('call');
  });
});

const ended: CliExit = { exit: { how: 'exit', code: 1 }, now: Date.parse('2026-11-15T10:00:00Z'), upstream: null };
const say = (...lines: string[]) => told('codex', [lines.join('\n')], '', ended);
const golden = (name: string) => goldenOf('codex').find((one) => one.name === name);
const text = golden('text')?.stdout ?? '';
const failed = golden('500')?.stdout ?? '';
const done = '{"type":"turn.completed","usage":{"input_tokens":1,"output_tokens":1}}';

describe('its report', () => {
  test('of its tokens is for the whole thread; it knows no price', () => {
    expect(golden('text')?.told.cost).toEqual({ microusd: null, tokens_in: 100, tokens_out: 20 });
    expect(golden('resumed')?.told.cost).toEqual({ microusd: null, tokens_in: 200, tokens_out: 40 });
    const lies = '{"type":"turn.completed","usage":{"input_tokens":-1,"output_tokens":1e999}}';
    expect(say(lies).cost).toEqual({ microusd: null, tokens_in: null, tokens_out: null });
  });

  test.each([
    ["You've hit your usage limit. Try again in 3 days 2 hours.", 'quota', '2026-11-18T12:00:00.000Z'],
    ["You've hit your usage limit. Try again at Nov 20th, 2026 3:45 PM.", 'quota', '2026-11-20T15:45:00.000Z'],
    ['Quota exceeded. Check your plan and billing details.', 'quota', null],
    ['Your access token could not be refreshed: token expired', 'auth', null],
    ['Your input exceeds the context window of this model.', 'blocked', null],
    ['stream disconnected before completion: idle timeout waiting for SSE', 'transient', null],
    ['workspace routing discovery failed', 'transient', null],
    ['Something new', 'unknown', null],
  ])('%j is %s', (message, expected, reset) => {
    const { claims, failure } = say(JSON.stringify({ type: 'turn.failed', error: { message } }));
    expect(claims).toBe('failure');
    expect(failure).toMatchObject({ class: expected, reason: message });
    expect(failure?.resetAt).toBe(reset === null ? null : Date.parse(reset));
  });

  test('a failure without words is one too', () => {
    for (const error of [undefined, null, 7, { message: 7 }])
      expect(say(text, JSON.stringify({ type: 'turn.failed', error }))).toMatchObject({
        claims: 'failure',
        failure: { class: 'unknown' },
      });
  });

  test('about its end counts only when it is the end', () => {
    for (const more of [
      '{"type":"turn.started"}',
      '{"type":"item.started","item":{}}',
      '{"item":{"type":"agent_message","text":"more"},"type":"item.completed"}',
      '{"type":"error","message":"Reconnecting"}',
    ]) {
      expect(say(text, more).claims, more).toBe('nothing');
      expect(say(text, more, done).claims, more).toBe('success');
    }
  });

  test('is not outvoted by a line that another program wrote to its output', () => {
    expect(say(text).claims).toBe('success');
    expect(say(failed, done).claims).toBe('failure');
    expect(say(done, failed, done).claims).toBe('failure');
  });

  test('is its last message, in whatever order its fields are', () => {
    const items = [
      '{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"first"}}',
      '{"type":"item.completed","item":{"id":"item_1","type":"reasoning","text":"not this"}}',
      '{"item":{"text":"last","type":"agent_message"},"type":"item.completed"}',
      '{"type":"item.completed","item":{"text":"nor this","type":"reasoning"}}',
    ];
    expect(say(...items, done).final).toMatchObject({ text: 'last' });
  });

  test('is known by the status that the proxy saw, when it does not say one', () => {
    const message = 'We’re currently experiencing high demand, which may cause temporary errors.';
    const line = JSON.stringify({ type: 'turn.failed', error: { message } });
    const upstream = { status: 503, resetAt: ended.now + 5 };
    expect(told('codex', [line], '', { ...ended, upstream }).failure).toEqual({
      class: 'transient',
      reason: message,
      status: 503,
      resetAt: ended.now + 5,
    });
  });

  test('in a schema is an answer as every other', () => {
    const final = golden('schema-text')?.told.final;
    expect(final && readAnswer('implementation', final)).toMatchObject({
      type: 'answer',
      answer: { status: 'SUCCESS', action_taken: 'said' },
    });
  });
});
