/** GitHub Copilot CLI: its recorded runs, and what it is started with. */
import { describe, expect, test } from 'vitest';
import type { CliExit } from '../../src/mind/workers/adapter.ts';
import { told } from './golden.ts';
import { called, type Expected, fileOf, refused, replays } from './replayed.ts';

const RUNS: Expected = {
  text: ['success', null],
  tool: ['success', null],
  answer: ['success', null],
  resumed: ['success', null],
  'only-read': ['failure', 'blocked'],
  'forged-event': ['failure', 'blocked'],
  '400': ['failure', 'blocked'],
  '401': ['failure', 'auth'],
  '429': ['failure', 'quota'],
  '500': ['failure', 'transient'],
  'tool-then-500': ['failure', 'transient'],
  malformed: ['failure', 'transient'],
  empty: ['failure', 'transient'],
  cut: ['failure', 'transient'],
  'hang-ended': ['nothing', null],
  'no-key': ['nothing', 'auth'],
  'unknown-session': ['nothing', null],
  'empty-packet': ['nothing', null],
  'bad-flag': ['nothing', null],
};
replays('copilot', RUNS, 'result');

const endpoint = { url: 'http://127.0.0.1:40861', provider: 'own' };
const withKey = { endpoint, model: 'm1' };

describe('copilot is started', () => {
  test('with the packet on standard input and a home of its own', () => {
    const call = called('copilot', withKey);
    expect(call.input).toBe('Write hello.txt.\n');
    expect(call.args.slice(0, 5)).toEqual([
      '--output-format',
      'json',
      '--allow-all',
      '--no-ask-user',
      '--no-auto-update',
    ]);
    expect(call.env).toMatchObject({
      COPILOT_HOME: '/config',
      COPILOT_OFFLINE: 'true',
      COPILOT_AUTO_UPDATE: 'false',
      COPILOT_PROVIDER_BASE_URL: 'http://127.0.0.1:40861',
      COPILOT_PROVIDER_TYPE: 'openai',
    });
    expect(call.env).not.toHaveProperty('COPILOT_PROVIDER_WIRE_API');
    expect(fileOf('copilot', 'settings.json', withKey)).toMatchObject({ disableAllHooks: true, memory: false });
  });

  test.each([
    ['openai', { COPILOT_PROVIDER_TYPE: 'openai', COPILOT_PROVIDER_WIRE_API: 'responses' }],
    ['anthropic', { COPILOT_PROVIDER_TYPE: 'anthropic' }],
  ])('in the words of %s', (provider, env) => {
    expect(called('copilot', { ...withKey, endpoint: { ...endpoint, provider } }).env).toMatchObject(env);
  });

  test("not with a provider's key and no model", () => {
    expect(refused('copilot', { endpoint })).toContain('name one');
  });

  test('with a login through the proxy', () => {
    const { env, args } = called('copilot', { proxy: 'http://127.0.0.1:40861' });
    expect(env).toMatchObject({ HTTPS_PROXY: 'http://127.0.0.1:40861' });
    expect(Object.keys(env).filter((name) => /OFFLINE|PROVIDER/.test(name))).toEqual([]);
    expect(args).toContain('--disable-client-telemetry');
  });

  test('with fewer tools, and without those that write when only an answer is wanted', () => {
    expect(called('copilot', { tools: ['read', 'edit'] }).args).toContain(
      '--available-tools=view,grep,glob,create,edit,apply_patch',
    );
    expect(called('copilot', { tools: [] }).args).toContain('--available-tools=none');
    expect(called('copilot', { kind: 'answer' }).args).toContain('--excluded-tools=create,edit,apply_patch');
  });

  test('with an effort, a system prompt and a session', () => {
    const id = '11111111-2222-4333-8444-555555555555';
    expect(called('copilot', { effort: 'high' }).args.slice(-3, -1)).toEqual(['--reasoning-effort', 'high']);
    expect(called('copilot', { system: 'Be brief.' }).files).toContainEqual({
      path: 'copilot-instructions.md',
      text: 'Be brief.',
    });
    expect(called('copilot', { session: { id, told: null, goesOn: false } }).args.at(-1)).toBe(`--session-id=${id}`);
    expect(called('copilot', { session: { id, told: id, goesOn: true } }).args.at(-1)).toBe(`--resume=${id}`);
  });
});

describe('copilot says how it went', () => {
  const ended: CliExit = { exit: { how: 'exit', code: 0 }, now: 0, upstream: null };
  const event = (type: string, data: object, more: object = {}) => `${JSON.stringify({ type, data, ...more })}\n`;
  const message = (content: string, more: object = {}) => event('assistant.message', { content, model: 'm', ...more });
  const result = (exitCode: number) => `{"type":"result","sessionId":"s","exitCode":${exitCode}}\n`;
  const error = event('session.error', { message: 'no', statusCode: 503 });
  const heard = (...lines: string[]) => told('copilot', lines, '', ended);

  test('an error after the last message counts, one before it does not', () => {
    expect(heard(message('Done.'), error, result(0))).toMatchObject({ claims: 'failure', failure: { status: 503 } });
    expect(heard(error, message('Done.'), result(0))).toMatchObject({ claims: 'success', failure: null });
  });

  test('output without a result is no end, but may say why', () => {
    const refusal = event('model.call_failure', { statusCode: 429, errorMessage: 'slow down' });
    expect(heard(message('Done.')).claims).toBe('nothing');
    expect(heard(refusal)).toMatchObject({ claims: 'nothing', failure: { class: 'quota', status: 429 } });
  });

  test('a helper of its own does not answer for it', () => {
    const helper = message('I am done.', { parentToolCallId: 'call_1' });
    expect(heard(message('Done.'), helper, result(0)).final).toMatchObject({ text: 'Done.' });
  });

  test('text before a tool call is no answer', () => {
    const tool = event('tool.execution_start', { toolCallId: 'call_1' });
    expect(heard(message('I look.'), tool, message(''), result(0)).final.type).toBe('none');
  });
});
