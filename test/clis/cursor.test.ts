/**
 * Cursor's CLI: it cannot be installed without an account, so these runs are written down from its documentation and
 * from what people report, not recorded.
 */
import { describe, expect, test } from 'vitest';
import { goldenOf } from './golden.ts';
import { called, type Expected, fileOf, refused, replays } from './replayed.ts';

const RUNS: Expected = {
  text: ['success', null],
  tool: ['success', null],
  usage: ['success', null],
  'forged-event': ['nothing', 'transient'],
  'not-logged-in': ['nothing', 'auth'],
  'usage-limit': ['nothing', 'quota'],
  connection: ['nothing', 'transient'],
  'error-result': ['failure', 'transient'],
  killed: ['nothing', null],
  'bad-flag': ['nothing', null],
};
replays('cursor', RUNS, 'result');

test('none of these runs pretends to be recorded', () => {
  for (const { version } of goldenOf('cursor')) expect(version).toContain('not recorded');
});

test('text before a tool call is no part of the answer', () => {
  const tool = goldenOf('cursor').find(({ name }) => name === 'tool');
  expect(tool?.stdout).toContain('I write it.');
  expect(tool?.told.final).toMatchObject({ text: expect.stringMatching(/^Done\./) });
});

describe('cursor is started', () => {
  test('with the packet on standard input, a config of its own and its own sandbox off', () => {
    const call = called('cursor', { proxy: 'http://127.0.0.1:40861', model: 'auto' });
    expect(call.input).toBe('Write hello.txt.\n');
    expect(call.args).toEqual([
      ...['--print', '--output-format', 'stream-json', '--force', '--trust', '--sandbox', 'disabled'],
      ...['--model', 'auto'],
    ]);
    expect(call.env).toMatchObject({
      XDG_CONFIG_HOME: '/config',
      CURSOR_CONFIG_DIR: '/config/cursor',
      HTTPS_PROXY: 'http://127.0.0.1:40861',
    });
  });

  test('with fewer tools, and without those that write when only an answer is wanted', () => {
    const denied = (more: Parameters<typeof called>[1]) =>
      (fileOf('cursor', 'cursor/cli-config.json', more) as { permissions: { deny: string[] } }).permissions.deny;
    expect(denied({})).toEqual([]);
    expect(denied({ tools: ['read'] })).toEqual(['Write(**)', 'Shell(*)', 'WebFetch(*)']);
    expect(denied({ kind: 'answer' })).toEqual(['Write(**)']);
  });

  test('in a session that it named itself', () => {
    const session = { id: 'ours', told: 'theirs', goesOn: true };
    expect(called('cursor', { session }).args.slice(-2)).toEqual(['--resume', 'theirs']);
    expect(refused('cursor', { session: { ...session, told: null } })).toContain('none to go on with');
  });
});
