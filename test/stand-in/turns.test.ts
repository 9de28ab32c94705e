/** Which turn answers which request; what is beside a conversation takes none. */
import { describe, expect, test } from 'vitest';
import { StandIn } from '../../src/hands/stand-in/stand-in.ts';
import { PROTOCOLS, type ScenarioInput } from '../../src/mind/stand-in/scenario.ts';
import { type Asking, ask } from './ask.ts';

const TOOLS = { write: ['path', 'content'] };
const WRITE = { write: { path: 'a', text: 'A' } };

/** What a client of chat completions is told, one request after the other. */
async function told(scenario: ScenarioInput, ...asked: Asking[]): Promise<(string | number)[]> {
  await using server = new StandIn({ scenario });
  const { url } = await server.listen();
  const all: (string | number)[] = [];
  for (const one of asked) {
    const response = await ask(url, 'chat', { tools: TOOLS, ...one });
    if (!response.ok) all.push(response.status);
    else {
      const { choices } = (await response.json()) as { choices: [{ message: { content: string | null } }] };
      all.push(choices[0].message.content ?? 'a call');
    }
  }
  return all;
}

test('turns are played in their order, each as often as it says; the last repeats', async () => {
  const turns = [{ status: 429, times: 2 }, { text: 'one' }, { text: 'two' }];
  expect(await told({ turns }, {}, {}, {}, {}, {})).toEqual([429, 429, 'one', 'two', 'two']);
});

test('after the last turn it says its end; a call of a tool is not repeated unasked', async () => {
  expect(await told({ turns: [{ text: 'one' }], end: 'bye' }, {}, {})).toEqual(['one', 'bye']);
  expect(await told({ turns: [WRITE] }, {}, {}, {})).toEqual(['a call', 'Done.', 'Done.']);
  expect(await told({ turns: [{ ...WRITE, times: 2 }] }, {}, {}, {})).toEqual(['a call', 'a call', 'Done.']);
});

test('turns are tied to a key, a model or a protocol; others pass them by', async () => {
  const scenario: ScenarioInput = {
    turns: [
      { status: 429, for: { key: 'poor' } },
      { status: 401, for: { model: 'secret', protocol: 'chat' } },
      { status: 500, for: { protocol: 'gemini' } },
      { text: 'rich', for: { key: 'rich' } },
    ],
  };
  const asked: Asking[] = [{ key: 'poor' }, { key: 'rich' }, { key: 'poor' }, { model: 'secret' }, { key: 'nobody' }];
  expect(await told(scenario, ...asked)).toEqual([429, 'rich', 429, 401, 'Done.']);
});

test('per conversation, each run plays from the start, also when many come at once', async () => {
  const scenario: ScenarioInput = { per: 'conversation', turns: [WRITE, { text: 'two' }], end: 'over' };
  const asked = [{}, { answered: 1 }, { answered: 2 }, {}, {}, { answered: 1 }];
  expect(await told(scenario, ...asked)).toEqual(['a call', 'two', 'over', 'a call', 'a call', 'two']);
  // A refusal leaves nothing in the history, so it stays.
  expect(await told({ per: 'conversation', turns: [{ status: 500 }, { text: 'two' }] }, {}, {})).toEqual([500, 500]);
});

describe('beside the conversation', () => {
  const SCENARIO: ScenarioInput = { turns: [{ text: 'the first turn' }] };

  test.each(PROTOCOLS)('%s: a prompt for a title takes no turn', async (protocol) => {
    await using server = new StandIn({ scenario: SCENARIO });
    const { url } = await server.listen();
    const title = await ask(url, protocol, { system: 'You are a title generator. You output ONLY a title.' });
    expect(await title.text()).not.toContain('the first turn');
    // A request without tools is a main one all the same: that is what plain clients send.
    const main = await ask(url, protocol, { system: 'You are helpful.' });
    expect(await main.text()).toContain('the first turn');
    expect(server.requests.map(({ kind, turn }) => [kind, turn])).toEqual([
      ['side', null],
      ['main', 0],
    ]);
    expect(server.mainRequests).toHaveLength(1);
  });

  test('a request to Gemini for JSON without tools gets what the schema wants', async () => {
    await using server = new StandIn({ scenario: SCENARIO });
    const { url } = await server.listen();
    const properties = { reasoning: { type: 'string' }, model_choice: { type: 'string', enum: ['flash', 'pro'] } };
    const responseJsonSchema = { type: 'object', properties, required: ['reasoning', 'model_choice'] };
    const response = await fetch(`${url}/v1beta/models/lite:generateContent?key=in-the-query`, {
      method: 'POST',
      body: JSON.stringify({ contents: [], generationConfig: { responseJsonSchema } }),
    });
    const { candidates } = (await response.json()) as {
      candidates: [{ content: { parts: [{ text: string }] } }];
    };
    expect(JSON.parse(candidates[0].content.parts[0].text)).toEqual({ reasoning: 'stand-in', model_choice: 'flash' });
    expect(server.requests).toMatchObject([{ kind: 'side', key: 'in-the-query', turn: null }]);
  });

  test('a request for a single token only asks whether the key is good', async () => {
    await using server = new StandIn({ scenario: SCENARIO });
    const { url } = await server.listen();
    const body = JSON.stringify({ model: 'small', max_tokens: 1, messages: [{ role: 'user', content: 'quota' }] });
    expect((await fetch(`${url}/v1/messages`, { method: 'POST', body })).status).toBe(200);
    expect(server.requests).toMatchObject([{ kind: 'side', turn: null }]);
  });

  test.each([
    ['HEAD', '/', 200, ''],
    ['GET', '/', 200, ''],
    ['GET', '/v1/models', 200, '"object":"list"'],
    ['POST', '/v1/messages/count_tokens?beta=true', 200, '"input_tokens":100'],
    ['POST', '/v1beta/models/m:countTokens', 200, '"totalTokens":100'],
    ['GET', '/v1/responses', 426, 'only HTTP here'],
    ['GET', '/v1/elsewhere', 404, 'nothing here'],
    ['POST', '/elsewhere', 404, 'nothing here'],
    ['DELETE', '/v1/messages', 404, 'nothing here'],
  ])('%s %s is answered with %i and takes no turn', async (method, path, status, part) => {
    await using server = new StandIn({ scenario: SCENARIO });
    const { url } = await server.listen();
    const response = await fetch(`${url}${path}`, { method, ...(method === 'POST' ? { body: '{}' } : {}) });
    expect([response.status, await response.text()]).toEqual([status, expect.stringContaining(part)]);
    expect(server.requests).toMatchObject([{ kind: 'probe', turn: null, method }]);
    const main = await ask(url, 'chat');
    expect(await main.text()).toContain('the first turn');
  });
});
