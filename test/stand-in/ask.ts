/** A client of each protocol, as plain as it gets: for the tests of the stand-in. */
import type { Protocol } from '../../src/mind/stand-in/scenario.ts';

export type Asking = {
  readonly stream?: boolean;
  readonly model?: string;
  readonly key?: string;
  /** Tools that every protocol below can declare: name to the names of what it takes. */
  readonly tools?: Readonly<Record<string, readonly string[]>>;
  /** How many answers the history holds already. */
  readonly answered?: number;
  readonly system?: string;
  readonly signal?: AbortSignal;
};

export function ask(url: string, protocol: Protocol, asking: Asking = {}): Promise<Response> {
  const { path, headers, body } = FORMS[protocol]({ model: 'm', key: 'k', ...asking });
  return fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    ...(asking.signal === undefined ? {} : { signal: asking.signal }),
  });
}

/** The `data` of each event, parsed; `[DONE]` as it is. */
export function events(text: string): unknown[] {
  return text
    .split('\n\n')
    .filter((event) => event !== '')
    .map((event) => /^data: (.*)$/m.exec(event)?.[1] ?? `no data in ${event}`)
    .map((data) => (data === '[DONE]' ? data : JSON.parse(data)));
}

type Form = { readonly path: string; readonly headers: Record<string, string>; readonly body: object };
type Filled = Asking & { readonly model: string; readonly key: string };

const FORMS: Readonly<Record<Protocol, (asking: Filled) => Form>> = {
  anthropic: ({ model, key, stream = false, system, tools, answered }) => ({
    path: '/v1/messages',
    headers: { 'x-api-key': key },
    body: {
      ...{ model, stream, system, max_tokens: 1_000, messages: talk(answered) },
      tools: each(tools, (name, schema) => ({ name, input_schema: schema })),
    },
  }),
  responses: ({ model, key, stream = false, system, tools, answered }) => ({
    path: '/v1/responses',
    headers: { authorization: `Bearer ${key}` },
    body: {
      ...{ model, stream, instructions: system, input: talk(answered) },
      tools: each(tools, (name, parameters) => ({ type: 'function', name, parameters })),
    },
  }),
  chat: ({ model, key, stream = false, system, tools, answered }) => ({
    path: '/v1/chat/completions',
    headers: { authorization: `Bearer ${key}` },
    body: {
      ...{ model, stream },
      messages: [...(system === undefined ? [] : [{ role: 'system', content: system }]), ...talk(answered)],
      tools: each(tools, (name, parameters) => ({ type: 'function', function: { name, parameters } })),
    },
  }),
  gemini: ({ model, key, stream = false, system, tools, answered }) => ({
    path: `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    headers: { 'x-goog-api-key': key },
    body: {
      ...(system === undefined ? {} : { systemInstruction: { parts: [{ text: system }] } }),
      contents: talk(answered).map(({ role, content }) => ({
        role: role === 'assistant' ? 'model' : role,
        parts: [{ text: content }],
      })),
      tools: [{ functionDeclarations: each(tools, (name, parameters) => ({ name, parameters })) }],
    },
  }),
};

const talk = (answered = 0): { role: string; content: string }[] => [
  { role: 'user', content: 'hello' },
  ...Array.from({ length: answered }, () => [
    { role: 'assistant', content: 'an answer' },
    { role: 'user', content: 'more' },
  ]).flat(),
];

function each(tools: Asking['tools'], form: (name: string, schema: object) => object): object[] {
  return Object.entries(tools ?? {}).map(([name, takes]) => {
    const properties = Object.fromEntries(takes.map((one) => [one, { type: 'string' }]));
    return form(name, { type: 'object', properties, required: takes });
  });
}
