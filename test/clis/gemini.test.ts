/** Gemini CLI: its recorded runs, and what it is started with. */
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
  '403': ['failure', 'auth'],
  '429': ['failure', 'quota'],
  '500': ['failure', 'transient'],
  'tool-then-500': ['failure', 'transient'],
  malformed: ['failure', 'transient'],
  empty: ['failure', 'transient'],
  cut: ['failure', 'transient'],
  'hang-ended': ['nothing', null],
  'stall-ended': ['nothing', null],
  'no-key': ['nothing', 'auth'],
  'unknown-session': ['nothing', 'blocked'],
  'empty-packet': ['nothing', 'blocked'],
  'bad-flag': ['nothing', null],
};
replays('gemini', RUNS, 'result');

const endpoint = { url: 'http://127.0.0.1:40861', provider: 'google' };
const SETTINGS = '.gemini/settings.json';

describe('gemini is started', () => {
  test('with the packet on standard input and a config of its own', () => {
    const call = called('gemini', { endpoint, model: 'gemini-2.5-flash' });
    expect(call.input).toBe('Write hello.txt.\n');
    expect(call.args).toEqual([
      '--output-format',
      'stream-json',
      '--yolo',
      '--skip-trust',
      '--model',
      'gemini-2.5-flash',
      '--session-id',
      '11111111-2222-4333-8444-555555555555',
    ]);
    expect(call.env).toMatchObject({
      GEMINI_CLI_HOME: '/config',
      GOOGLE_GEMINI_BASE_URL: 'http://127.0.0.1:40861',
      GEMINI_CLI_NO_RELAUNCH: 'true',
    });
    expect(fileOf('gemini', SETTINGS, { endpoint })).toMatchObject({
      security: { auth: { selectedType: 'gemini-api-key' } },
      privacy: { usageStatisticsEnabled: false },
      general: { maxAttempts: 1, enableAutoUpdate: false },
      hooksConfig: { enabled: false },
    });
  });

  test('with a login through the proxy', () => {
    const call = called('gemini', { proxy: 'http://127.0.0.1:40861' });
    expect(call.env).toMatchObject({ HTTPS_PROXY: 'http://127.0.0.1:40861' });
    expect(call.env).not.toHaveProperty('GEMINI_API_KEY');
    expect(fileOf('gemini', SETTINGS)).toMatchObject({ security: { auth: { selectedType: 'oauth-personal' } } });
  });

  test('with fewer tools, and without those that write when only an answer is wanted', () => {
    const policy = (more: Parameters<typeof called>[1]) => {
      const { files, args } = called('gemini', more);
      const text = files.find(({ path }) => path === 'supervisor-policy.toml')?.text ?? null;
      expect(args.includes('--admin-policy')).toBe(text !== null);
      return text === null
        ? null
        : [...text.matchAll(/toolName = (.*)\ndecision = "(.*)"/g)].map(([, ...rule]) => rule);
    };
    expect(policy({})).toBeNull();
    expect(policy({ tools: [] })).toEqual([['["*"]', 'deny']]);
    expect(policy({ tools: ['edit'] })).toEqual([
      ['["*"]', 'deny'],
      ['["replace","write_file"]', 'allow'],
    ]);
    expect(policy({ kind: 'answer' })).toEqual([['["replace","write_file"]', 'deny']]);
  });

  test.each([
    ['gemini-2.5-pro', { thinkingBudget: 1024 }],
    ['gemini-3-pro-preview', { thinkingLevel: 'LOW' }],
  ])('with an effort in the words of %s', (model, thinkingConfig) => {
    expect(fileOf('gemini', SETTINGS, { model, effort: 'low' })).toMatchObject({
      modelConfigs: {
        customOverrides: [{ match: { model }, modelConfig: { generateContentConfig: { thinkingConfig } } }],
      },
    });
  });

  test('not with an effort for a model that it picks itself', () => {
    expect(refused('gemini', { effort: 'low' })).toContain('name one');
  });

  test('with a system prompt beside its own, never in the tree', () => {
    expect(called('gemini', { system: 'Be brief.' }).files).toContainEqual({
      path: '.gemini/GEMINI.md',
      text: 'Be brief.',
    });
  });

  test('in a session that is new or goes on', () => {
    const id = '11111111-2222-4333-8444-555555555555';
    expect(called('gemini', { session: { id, told: null, goesOn: false } }).args.slice(-2)).toEqual([
      '--session-id',
      id,
    ]);
    expect(called('gemini', { session: { id, told: id, goesOn: true } }).args.slice(-2)).toEqual(['--resume', id]);
  });
});

describe("gemini's exit code", () => {
  const ended = (code: number): CliExit => ({ exit: { how: 'exit', code }, now: 0, upstream: null });
  test.each([
    [144, 400, 'blocked'],
    [145, 401, 'auth'],
    [147, 403, 'auth'],
    [173, 429, 'quota'],
    [244, 500, 'transient'],
    [247, 503, 'transient'],
    [17, 529, 'transient'],
  ])('%d is the status %d', (code, status, of) => {
    const line = '{"type":"result","status":"error","error":{"type":"unknown","message":""}}\n';
    expect(told('gemini', [line], '', ended(code)).failure).toMatchObject({ status, class: of });
    expect(told('gemini', [], '', ended(code))).toMatchObject({ claims: 'nothing', failure: { status, class: of } });
  });

  test.each([
    [41, 'auth'],
    [42, 'blocked'],
    [53, 'blocked'],
    [55, 'blocked'],
  ])('%d is its own', (code, of) => {
    expect(told('gemini', [], 'why\n', ended(code)).failure).toMatchObject({ class: of, reason: 'why', status: null });
  });

  test('is of no use alone: nothing said is no success', () => {
    expect(told('gemini', [], '', ended(0))).toMatchObject({ claims: 'nothing', failure: null });
  });
});
