/** What each protocol's answers look like, whole and as a stream; what they say is the same everywhere. */
import { describe, expect, test } from 'vitest';
import { StandIn } from '../../src/hands/stand-in/stand-in.ts';
import { PROTOCOLS, type Protocol, type ScenarioInput } from '../../src/mind/stand-in/scenario.ts';
import { type Asking, ask, events } from './ask.ts';

const USAGE = { input: 90, output: 7, cached: 30 };
const TEXT: ScenarioInput = { turns: [{ text: 'hello you', usage: USAGE }] };
const CALL: ScenarioInput = { turns: [{ text: 'I write.', write: { path: 'a.txt', text: 'A\n' }, usage: USAGE }] };
const TOOLS = { look: ['path'], write: ['path', 'content'] };

type Said = { readonly text: string; readonly calls: readonly (readonly [string, unknown])[]; readonly usage: unknown };

// biome-ignore lint/suspicious/noExplicitAny: foreign JSON, looked at as a client would
type Foreign = any;

const READ: Readonly<Record<Protocol, { whole(body: Foreign): Said; stream(all: Foreign[]): Said }>> = {
  anthropic: {
    whole: (body) => ({
      text: body.content.map((block: Foreign) => block.text ?? '').join(''),
      calls: body.content
        .filter((block: Foreign) => block.type === 'tool_use')
        .map(({ name, input }: Foreign) => [name, input]),
      usage: [body.usage.input_tokens, body.usage.output_tokens, body.usage.cache_read_input_tokens, body.stop_reason],
    }),
    stream(all) {
      expect([all[0].type, all.at(-1).type]).toEqual(['message_start', 'message_stop']);
      const starts = all.filter(({ type }) => type === 'content_block_start');
      const joined = (at: number, part: string) =>
        all.map(({ index, delta }) => (index === at ? (delta?.[part] ?? '') : '')).join('');
      const { usage, delta } = all.find(({ type }) => type === 'message_delta');
      return {
        text: starts.map(({ index }) => joined(index, 'text')).join(''),
        calls: starts
          .filter(({ content_block }) => content_block.type === 'tool_use')
          .map(({ index, content_block }) => [content_block.name, JSON.parse(joined(index, 'partial_json'))]),
        usage: [usage.input_tokens, usage.output_tokens, usage.cache_read_input_tokens, delta.stop_reason],
      };
    },
  },
  responses: {
    whole: (body) => ({
      text: body.output.map((item: Foreign) => item.content?.[0].text ?? '').join(''),
      calls: body.output
        .filter((item: Foreign) => item.type === 'function_call')
        .map((item: Foreign) => [item.name, JSON.parse(item.arguments)]),
      usage: [
        ...[body.usage.input_tokens, body.usage.output_tokens, body.usage.input_tokens_details.cached_tokens],
        body.status,
      ],
    }),
    stream(all) {
      const whole = READ.responses.whole(all.at(-1).response);
      const deltas = (type: string) => all.flatMap((one) => (one.type === type ? [one.delta] : [])).join('');
      expect(all.map(({ sequence_number }) => sequence_number)).toEqual(all.map((_, at) => at));
      expect(deltas('response.output_text.delta')).toBe(whole.text);
      const args = deltas('response.function_call_arguments.delta');
      expect(args === '' ? [] : [JSON.parse(args)]).toEqual(whole.calls.map(([, input]) => input));
      const done = all.filter(({ type }) => type === 'response.output_item.done').map(({ item }) => item);
      expect(done).toEqual(all.at(-1).response.output);
      return whole;
    },
  },
  chat: {
    whole: ({ choices: [{ message, finish_reason }], usage }) => ({
      text: message.content ?? '',
      calls: (message.tool_calls ?? []).map((one: Foreign) => [one.function.name, JSON.parse(one.function.arguments)]),
      usage: [
        ...[usage.prompt_tokens, usage.completion_tokens, usage.prompt_tokens_details.cached_tokens],
        finish_reason,
      ],
    }),
    stream(all) {
      expect(all.pop()).toBe('[DONE]');
      const choices = all.flatMap((chunk) => chunk.choices);
      const tool_calls = choices.flatMap(({ delta }) => delta.tool_calls ?? []);
      const message = { content: choices.map(({ delta }) => delta.content ?? '').join(''), tool_calls };
      const { finish_reason } = choices.at(-1);
      return READ.chat.whole({ choices: [{ message, finish_reason }], usage: all.at(-1).usage });
    },
  },
  gemini: {
    whole: ({ candidates: [{ content, finishReason }], usageMetadata: usage }) => ({
      text: content.parts.map(({ text = '' }) => text).join(''),
      calls: content.parts.flatMap(({ functionCall: call }: Foreign) => (call ? [[call.name, call.args]] : [])),
      usage: [...[usage.promptTokenCount, usage.candidatesTokenCount, usage.cachedContentTokenCount], finishReason],
    }),
    stream(all) {
      const parts = all.flatMap(({ candidates }) => candidates[0].content.parts);
      const last = all.at(-1);
      return READ.gemini.whole({ ...last, candidates: [{ ...last.candidates[0], content: { parts } }] });
    },
  },
};

/** Only here cached tokens are not part of the input, and only some say in other words that a tool is wanted. */
const ENDS: Readonly<Record<Protocol, { readonly input: number; readonly text: string; readonly call: string }>> = {
  anthropic: { input: 60, text: 'end_turn', call: 'tool_use' },
  responses: { input: 90, text: 'completed', call: 'completed' },
  chat: { input: 90, text: 'stop', call: 'tool_calls' },
  gemini: { input: 90, text: 'STOP', call: 'STOP' },
};

async function said(scenario: ScenarioInput, protocol: Protocol, asking: Asking): Promise<Said> {
  await using server = new StandIn({ scenario });
  const { url } = await server.listen();
  const response = await ask(url, protocol, asking);
  const body = await response.text();
  expect(response.status, body).toBe(200);
  expect(response.headers.get('content-type')).toContain(asking.stream ? 'text/event-stream' : 'application/json');
  return asking.stream ? READ[protocol].stream(events(body)) : READ[protocol].whole(JSON.parse(body));
}

describe.each(PROTOCOLS)('%s', (protocol) => {
  const { input, text, call } = ENDS[protocol];

  test.each([false, true])('says a text (stream: %s)', async (stream) => {
    expect(await said(TEXT, protocol, { stream })).toEqual({
      text: 'hello you',
      calls: [],
      usage: [input, 7, 30, text],
    });
  });

  test.each([false, true])('calls the offered tool that writes files (stream: %s)', async (stream) => {
    expect(await said(CALL, protocol, { stream, tools: TOOLS })).toEqual({
      text: 'I write.',
      calls: [['write', { path: 'a.txt', content: 'A\n' }]],
      usage: [input, 7, 30, call],
    });
  });

  test('says aloud when no offered tool can do it', async () => {
    await using server = new StandIn({ scenario: CALL });
    const { url } = await server.listen();
    const response = await ask(url, protocol, { tools: { look: ['path'] } });
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('(offered: look)')]);
  });

  test('keeps what came: key, model, tools, body', async () => {
    await using server = new StandIn({ scenario: TEXT });
    const { url } = await server.listen();
    await (await ask(url, protocol, { key: 'key-7', model: 'big', tools: TOOLS })).text();
    expect(server.requests).toMatchObject([
      { protocol, kind: 'main', key: 'key-7', model: 'big', stream: false, tools: ['look', 'write'], turn: 0 },
    ]);
    expect(JSON.stringify(server.requests[0]?.body)).toContain('hello');
    expect(server.requests[0]?.headers['content-type']).toBe('application/json');
  });
});
