/** Lines that are skipped by their beginning, for speed: the result is the same as if all of them were parsed. */
import { expect, test } from 'vitest';
import { typeAtStart } from '../../src/mind/workers/adapters/listener.ts';
import { allGolden, told } from './golden.ts';

/** The same events with their type at the end, where nobody can skip by it. */
const parsedAll = (stdout: string): string =>
  stdout
    .split('\n')
    .map((line) => {
      try {
        const { type, ...rest } = JSON.parse(line) as Record<string, unknown>;
        return JSON.stringify({ '': 0, ...rest, type });
      } catch {
        return line;
      }
    })
    .join('\n');

test('every recorded run says the same when no line of it can be skipped', () => {
  let skippable = 0;
  for (const { cli, name, stdout, stderr, ended } of allGolden()) {
    const all = parsedAll(stdout);
    expect(all.split('\n').filter((line) => typeAtStart(line) !== null)).toEqual([]);
    skippable += stdout.split('\n').filter((line) => typeAtStart(line) !== null).length;
    expect(told(cli, [all], stderr, ended), `${cli}/${name}`).toEqual(told(cli, [stdout], stderr, ended));
  }
  expect(skippable).toBeGreaterThan(500);
});

test('a type is known by the beginning only when it is spelled out', () => {
  expect(typeAtStart('{"type":"result","status":"success"}')).toBe('result');
  for (const line of [
    '{"type":"re\\u0073ult"}',
    '{ "type":"result"}',
    '{"status":1,"type":"result"}',
    '{"type":7}',
    '{"type":"result',
    `{"type":"${'x'.repeat(100)}"}`,
  ])
    expect(typeAtStart(line), line).toBeNull();
});

test('half a line of a tool takes back what was said, and makes no success', () => {
  const lines: Readonly<Record<string, readonly [said: string, tool: string, end: string]>> = {
    gemini: [
      '{"type":"message","role":"assistant","content":"Done.","delta":true}',
      '{"type":"tool_use","tool_name":"wri',
      '{"type":"result","status":"success"}',
    ],
    cursor: [
      '{"type":"assistant","message":{"content":[{"type":"text","text":"Done."}]}}',
      '{"type":"tool_call","subtype":"star',
      '{"type":"result","subtype":"success","is_error":false,"result":""}',
    ],
    acp: ['{"type":"text","text":"Done."}', '{"type":"tool","id":"t', '{"type":"result","stop":"end_turn"}'],
  };
  const ended = { exit: { how: 'exit', code: 0 }, now: 0, upstream: null } as const;
  for (const [cli, [said, tool, end]] of Object.entries(lines)) {
    expect(told(cli, [`${said}\n${end}\n`], '', ended), cli).toMatchObject({
      final: { type: 'text', text: 'Done.' },
      claims: 'success',
    });
    expect(told(cli, [`${said}\n${tool}\n${end}\n`], '', ended).final.type, cli).toBe('none');
    expect(told(cli, [`${said}\n${tool}${end}\n`], '', ended).claims, cli).toBe('nothing');
  }
});
