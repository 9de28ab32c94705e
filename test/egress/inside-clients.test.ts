/** Our own programs inside that speak with agents and models, in a real sandbox, and the adapters that read what they print. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { AttemptProxy } from '../../src/engine/ports/egress.ts';
import type { Mount } from '../../src/engine/ports/sandbox.ts';
import { insidePrograms } from '../../src/hands/egress/inside-programs.ts';
import type { Adapter, CliRequest } from '../../src/mind/workers/adapter.ts';
import { acp } from '../../src/mind/workers/adapters/acp.ts';
import { http } from '../../src/mind/workers/adapters/http.ts';
import { KEY } from './outside-server.ts';
import { Boxed } from './sandboxed-program.ts';

const AGENT = fileURLToPath(new URL('../fixtures/programs/acp', import.meta.url));
/** Beside our own, where the library is found. */
const AGENT_MOUNT: Mount = { from: AGENT, to: '/run/supervisor/agent' };
const AGENT_COMMAND = ['/run/supervisor/node', '/run/supervisor/agent/agent.ts'];

const asked = (ask: Partial<CliRequest>): CliRequest => ({
  ...{
    packet: 'do it',
    id: '11111111-2222-4333-8444-555555555555',
    kind: 'change',
    model: null,
    effort: null,
    system: null,
    tools: null,
    schema: null,
    session: null,
  },
  endpoint: { url: 'http://127.0.0.1:40861', provider: 'openai' },
  ...{ proxy: null, configDir: '/tmp/home/.cli', tempDir: '/tmp', cwd: '/workspace', command: [] },
  ...ask,
});

/** As the worker room does it: the adapter's command behind the bridge, its listener on the output. */
async function play(
  boxed: Boxed,
  adapter: Adapter,
  ask: Partial<CliRequest>,
  proxy: AttemptProxy | null,
  signal?: AbortSignal,
) {
  const call = adapter.call(asked(ask));
  if (call.type === 'refused') throw new Error(call.message);
  const listener = adapter.listen();
  const policy = boxed.policy(proxy);
  const [program, ...words] = insidePrograms().argv(adapter.name);
  const done = await boxed.run([program, ...words, ...call.args], proxy, {
    input: call.input,
    policy: { env: { ...policy.env, ...call.env }, readable: [...policy.readable, AGENT_MOUNT] },
    ...(signal === undefined ? {} : { signal }),
  });
  listener.add('stdout', done.stdout);
  listener.add('stderr', done.stderr);
  const exit = done.end.how === 'exit' ? { how: 'exit' as const, code: done.end.code } : { how: 'other' as const };
  return { ...done, told: listener.end({ exit, now: 0, upstream: proxy?.report().upstream ?? null }) };
}

test('acp: an agent writes a file after it was allowed to, and its model is asked over the route', async () => {
  await using boxed = await Boxed.start();
  const { outside } = boxed;
  await using proxy = await outside.open({ route: outside.route() });
  const { told, end, stdout, stderr } = await play(boxed, acp, { command: AGENT_COMMAND, packet: 'write' }, proxy);
  expect({ end, stderr }).toEqual({ end: { how: 'exit', code: 0 }, stderr: '' });
  expect(told).toEqual({
    final: { type: 'text', text: 'done: hello from outside', omitted: 0, malformed: 0 },
    ...{ claims: 'success', failure: null, model: null, session: 'session-1' },
    cost: { microusd: null, tokens_in: 11, tokens_out: 22 },
  });
  expect(readFileSync(join(boxed.tree, 'made.txt'), 'utf8')).toBe('made by the agent');
  expect(outside.heard[0]).toMatchObject({ url: '/base/model', headers: { 'x-api-key': KEY } });
  // It was told that nobody reads or writes files for it, nor runs commands.
  expect(stdout).toContain(String.raw`\"readTextFile\":false,\"writeTextFile\":false},\"terminal\":false`);
});

test('acp: for an answer a change is refused', async () => {
  await using boxed = await Boxed.start();
  const { told } = await play(boxed, acp, { command: AGENT_COMMAND, kind: 'answer', endpoint: null }, null);
  expect(told).toMatchObject({ claims: 'success', final: { text: 'refused: no model' } });
  expect(existsSync(join(boxed.tree, 'made.txt'))).toBe(false);
});

test.each([
  ['auth', { class: 'auth' }, 'failure'],
  ['quota', { class: 'quota', status: 429 }, 'failure'],
  ['die', {}, 'failure'],
])('acp: an agent that fails (%s)', async (packet, failure, claims) => {
  await using boxed = await Boxed.start();
  const { told, end } = await play(boxed, acp, { command: AGENT_COMMAND, packet }, null);
  expect(end).toEqual({ how: 'exit', code: 1 });
  expect(told).toMatchObject({ claims, failure });
});

test('acp: an agent that is not there, and one that is cancelled', async () => {
  await using boxed = await Boxed.start();
  const missing = await play(boxed, acp, { command: ['/nothing/there'] }, null);
  expect(missing.told).toMatchObject({ claims: 'failure', failure: { reason: expect.stringContaining('ENOENT') } });
  const call = acp.call(asked({ command: AGENT_COMMAND, packet: 'hang', endpoint: null }));
  if (call.type === 'refused') throw new Error(call.message);
  const stop = new AbortController();
  const policy = boxed.policy(null);
  const done = await boxed.run([...insidePrograms().argv('acp'), ...call.args] as [string], null, {
    input: call.input,
    policy: { readable: [...policy.readable, AGENT_MOUNT] },
    signal: stop.signal,
    onOutput: (text) => (text.includes('waiting') ? stop.abort() : null),
  });
  expect(done).toMatchObject({ end: { how: 'aborted' }, forced: false });
  expect(done.stdout).not.toContain('end_turn');
});

const event = (piece: object) => `data: ${JSON.stringify(piece)}\n\n`;
const QUESTION = { kind: 'answer', model: 'm1', packet: 'why?', system: 'be short' } as const;

test('http: a streamed answer, with usage, asked with a key that is not inside', async () => {
  await using boxed = await Boxed.start();
  const { outside } = boxed;
  await using proxy = await outside.open({ route: outside.route('/v1') });
  outside.answer = (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(event({ model: 'm1-2026', choices: [{ delta: { content: 'be' } }] }));
    response.write(event({ choices: [{ delta: { content: 'cause' }, finish_reason: 'stop' }] }));
    response.end(
      `${event({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 4, cost: 0.5 } })}data: [DONE]\n\n`,
    );
  };
  const { told, end, stderr } = await play(boxed, http, QUESTION, proxy);
  expect({ end, stderr }).toEqual({ end: { how: 'exit', code: 0 }, stderr: '' });
  expect(told).toEqual({
    final: { type: 'text', text: 'because', omitted: 0, malformed: 0 },
    ...{ claims: 'success', failure: null, model: 'm1-2026', session: null },
    cost: { microusd: 500_000, tokens_in: 3, tokens_out: 4 },
  });
  const [heard] = outside.heard;
  expect(heard).toMatchObject({ method: 'POST', url: '/v1/chat/completions', headers: { 'x-api-key': KEY } });
  expect(JSON.parse(heard?.body ?? '')).toMatchObject({
    ...{ model: 'm1', stream: true },
    messages: [
      { role: 'system', content: 'be short' },
      { role: 'user', content: 'why?' },
    ],
  });
});

test('http: what goes wrong is said as what it is', async () => {
  await using boxed = await Boxed.start();
  const { outside } = boxed;
  await using proxy = await outside.open({ route: outside.route('/v1') });
  const cases: [status: number, body: string, type: string, expected: object][] = [
    [401, '{"error":{"message":"Incorrect API key"}}', 'application/json', { class: 'auth', status: 401 }],
    [429, '{"error":{"message":"slow down"}}', 'application/json', { class: 'quota', status: 429 }],
    [500, 'oops', 'text/plain', { class: 'transient', status: 500 }],
    [200, '<html>', 'application/json', { class: expect.any(String) }],
    [200, 'data: {nonsense\n\n', 'text/event-stream', { class: 'transient' }],
    [200, event({ choices: [{ delta: { content: 'half' } }] }), 'text/event-stream', { class: 'transient' }],
    [200, event({ error: { message: 'overloaded' } }), 'text/event-stream', { class: 'transient' }],
    [
      200,
      event({ choices: [{ delta: { content: 'x' }, finish_reason: 'length' }] }),
      'text/event-stream',
      { class: 'invalid' },
    ],
  ];
  for (const [status, body, type, failure] of cases) {
    outside.answer = (_, response) => response.writeHead(status, { 'content-type': type }).end(body);
    const { told, end } = await play(boxed, http, QUESTION, proxy);
    expect(end, body).toEqual({ how: 'exit', code: 1 });
    expect(told, body).toMatchObject({ claims: 'failure', failure });
  }
  outside.answer = (_, response) =>
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ choices: [{ message: { content: '{"status":"ok"}' }, finish_reason: 'stop' }] }));
  const { told } = await play(boxed, http, QUESTION, proxy);
  expect(told).toMatchObject({ claims: 'success', final: { text: '```json\n{"status":"ok"}\n```\n' } });
});

test('requests that they cannot do are refused before anything starts', () => {
  expect(http.call(asked({ kind: 'change', model: 'm' }))).toMatchObject({ type: 'refused' });
  expect(http.call(asked({ kind: 'answer' }))).toMatchObject({ type: 'refused' });
  expect(acp.call(asked({}))).toMatchObject({ type: 'refused' });
});
