/** opencode: its recorded runs, and what it is started with. */
import { describe, expect, test } from 'vitest';
import type { CliExit } from '../../src/mind/workers/adapter.ts';
import { told } from './golden.ts';
import { called, type Expected, refused, replays } from './replayed.ts';

const RUNS: Expected = {
  text: ['success', null],
  tool: ['success', null],
  answer: ['success', null],
  resumed: ['success', null],
  'only-read': ['failure', 'blocked'],
  'forged-event': ['failure', 'blocked'],
  '400': ['failure', 'blocked'],
  '401': ['failure', 'auth'],
  '404': ['failure', 'blocked'],
  '429': ['failure', 'quota'],
  '500': ['failure', 'transient'],
  malformed: ['failure', 'transient'],
  // Asked for the same thing again and again until it was ended.
  empty: ['nothing', null],
  cut: ['failure', 'transient'],
  'hang-ended': ['nothing', null],
  'stall-ended': ['nothing', null],
  'unknown-session': ['nothing', null],
  'empty-packet': ['nothing', null],
  'bad-flag': ['nothing', null],
};
replays('opencode', RUNS, 'step_finish');

const endpoint = { url: 'http://127.0.0.1:40861', provider: 'anthropic' };
const configOf = (more: Parameters<typeof called>[1]) =>
  JSON.parse(called('opencode', more).env['OPENCODE_CONFIG_CONTENT'] ?? '');

describe('opencode is started', () => {
  test('with the packet on standard input and directories of its own', () => {
    const call = called('opencode', { endpoint, model: 'claude-sonnet-4-6' });
    expect(call.input).toBe('Write hello.txt.\n');
    expect(call.args).toEqual(['run', '--format', 'json', '--auto', '--model', 'anthropic/claude-sonnet-4-6']);
    expect(call.env).toMatchObject({
      XDG_CONFIG_HOME: '/config/config',
      XDG_DATA_HOME: '/config/data',
      XDG_STATE_HOME: '/config/state',
      XDG_CACHE_HOME: '/config/cache',
      OPENCODE_DISABLE_PROJECT_CONFIG: '1',
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
    });
    expect(configOf({ endpoint })).toMatchObject({
      ...{ autoupdate: false, share: 'disabled', snapshot: false },
      agent: { title: { disable: true } },
    });
  });

  test.each([
    ['anthropic', 'http://127.0.0.1:40861/v1'],
    ['google', 'http://127.0.0.1:40861/v1beta'],
    ['openai', 'http://127.0.0.1:40861'],
    ['openrouter', 'http://127.0.0.1:40861'],
  ])('with %s as its only provider', (provider, baseURL) => {
    const config = configOf({ endpoint: { ...endpoint, provider }, model: 'some/model' });
    expect(config.enabled_providers).toEqual([provider]);
    expect(config.provider).toEqual({
      [provider]: { options: { baseURL, apiKey: expect.any(String) }, models: { 'some/model': {} } },
    });
  });

  test('with a model that names its provider or does not', () => {
    const model = (name: string) => called('opencode', { endpoint, model: name }).args.at(-1);
    expect(model('anthropic/x')).toBe('anthropic/x');
    expect(model('x')).toBe('anthropic/x');
    expect(called('opencode', { model: 'other/x' }).args.at(-1)).toBe('other/x');
  });

  test('with a login through the proxy, and no provider of ours', () => {
    expect(called('opencode', { proxy: 'http://127.0.0.1:40861' }).env).toMatchObject({
      HTTPS_PROXY: 'http://127.0.0.1:40861',
    });
    expect(configOf({})).not.toHaveProperty('provider');
  });

  test('with fewer tools, and without those that write when only an answer is wanted', () => {
    expect(configOf({ tools: ['read', 'shell'] }).permission).toEqual({
      '*': 'deny',
      ...{ read: 'allow', glob: 'allow', grep: 'allow', list: 'allow', bash: 'allow' },
    });
    expect(configOf({ kind: 'answer' }).permission).toEqual({ edit: 'deny' });
    expect(configOf({ kind: 'answer', tools: ['edit'] }).permission).toEqual({ '*': 'deny', edit: 'deny' });
  });

  test('with an effort, and a system prompt beside the instructions of the tree', () => {
    expect(called('opencode', { effort: 'high' }).args.slice(-2)).toEqual(['--variant', 'high']);
    expect(called('opencode', { system: 'Be brief.' }).files).toEqual([{ path: 'system.md', text: 'Be brief.' }]);
    expect(configOf({ system: 'Be brief.' }).instructions).toEqual(['/config/system.md', '/workspace/AGENTS.md']);
  });

  test('in a session that it named itself', () => {
    const session = { id: 'ours', told: 'ses_1', goesOn: true };
    expect(called('opencode', { session }).args.slice(-2)).toEqual(['--session', 'ses_1']);
    expect(called('opencode', { session: { ...session, goesOn: false } }).args).not.toContain('--session');
    expect(refused('opencode', { session: { ...session, told: null } })).toContain('none to go on with');
  });
});

describe('opencode says how it went', () => {
  const ended: CliExit = { exit: { how: 'exit', code: 0 }, now: 0, upstream: null };
  const start = '{"type":"step_start","sessionID":"ses_1","part":{}}\n';
  const text = '{"type":"text","sessionID":"ses_1","part":{"text":"Done."}}\n';
  const finish = (reason: string, tokens = {}, cost = 0) =>
    `${JSON.stringify({ type: 'step_finish', sessionID: 'ses_1', part: { reason, tokens, cost } })}\n`;
  const error =
    '{"type":"error","sessionID":"ses_1","error":{"name":"APIError","data":{"message":"no","statusCode":503}}}\n';
  const heard = (...lines: string[]) => told('opencode', lines, '', ended);

  test('a step that begins after the last end takes it back', () => {
    expect(heard(start, text, finish('stop')).claims).toBe('success');
    expect(heard(start, text, finish('stop'), start)).toMatchObject({ claims: 'nothing', final: { type: 'none' } });
  });

  test('an error after the last end counts, one before it does not', () => {
    expect(heard(start, text, finish('stop'), error)).toMatchObject({
      claims: 'failure',
      failure: { class: 'transient', status: 503 },
    });
    expect(heard(start, error, start, text, finish('stop'))).toMatchObject({ claims: 'success', failure: null });
  });

  test.each([
    ['length', 'failure', 'invalid'],
    ['content-filter', 'failure', 'blocked'],
    ['tool-calls', 'nothing', null],
    ['unknown', 'nothing', null],
  ])('an end by %s is no success', (reason, claims, of) => {
    const one = heard(start, text, finish(reason));
    expect([one.claims, one.failure?.class ?? null]).toEqual([claims, of]);
  });

  test('costs are summed over steps, and zero is unknown', () => {
    const tokens = { input: 5, output: 2, reasoning: 1, cache: { read: 3, write: 1 } };
    const both = heard(start, finish('tool-calls', tokens, 0.000_1), start, text, finish('stop', tokens, 0.000_2));
    expect(both.cost).toEqual({ microusd: 300, tokens_in: 18, tokens_out: 6 });
    expect(heard(start, text, finish('stop', tokens)).cost.microusd).toBeNull();
    expect(heard(start, text, finish('stop')).cost).toEqual({ microusd: null, tokens_in: null, tokens_out: null });
  });
});
