/** OpenAI's Responses. */
import {
  answersIn,
  fields,
  isSidePrompt,
  list,
  type ModelRequest,
  type OfferedTool,
  schemaOf,
  string,
  textOf,
} from './model-request.ts';
import { openAiRefusal } from './openai-refusal.ts';
import { event, pieces, type Reply, type Speech } from './reply.ts';

export function readResponses(body: unknown): Omit<ModelRequest, 'protocol' | 'key'> {
  const { model, stream, instructions, input, tools, text } = fields(body);
  const items = list(input).map(fields);
  // Some models get their tools as an item of the history.
  const more = items.filter(({ type }) => type === 'additional_tools').flatMap((item) => list(item['tools']));
  const offered = [...list(tools), ...more].flatMap(toolsOf);
  const schema = fields(fields(text)['format'])['schema'];
  return {
    kind: offered.length === 0 && isSidePrompt(textOf(instructions)) ? 'side' : 'main',
    model: string(model),
    stream: stream === true,
    tools: offered,
    answered: answersIn(items, isAnswer),
    schema: schema === undefined ? null : schemaOf(schema),
  };
}

const isAnswer = ({ type, role }: Readonly<Record<string, unknown>>): boolean =>
  role === 'assistant' || type === 'function_call' || type === 'custom_tool_call' || type === 'reasoning';

/** A tool, or those of a namespace. */
function toolsOf(tool: unknown): OfferedTool[] {
  const { type, name, description, parameters, tools } = fields(tool);
  if (type === 'function' || type === 'custom')
    return [
      {
        name: string(name),
        takes: type === 'custom' ? 'free' : 'json',
        schema: schemaOf(parameters),
        description: string(description),
      },
    ];
  return list(tools).flatMap(toolsOf);
}

export const responses: Speech = {
  stream(reply) {
    const whole = response(reply);
    let sequence_number = 0;
    const named = (type: string, data: object): string =>
      event({ type, sequence_number: sequence_number++, ...data }, type);
    const begun = { ...whole, status: 'in_progress', output: [], usage: null };
    return [
      named('response.created', { response: begun }),
      named('response.in_progress', { response: begun }),
      ...output(reply).flatMap((item, output_index) => [
        named('response.output_item.added', {
          output_index,
          item: { ...item, status: 'in_progress', ...emptied(item) },
        }),
        ...deltas(item).map(({ type, data }) => named(type, { item_id: item.id, output_index, ...data })),
        named('response.output_item.done', { output_index, item }),
      ]),
      named('response.completed', { response: whole }),
    ];
  },
  whole: response,
  refusal: openAiRefusal,
};

function response(reply: Reply): object {
  const { input, output: out, cached } = reply.usage;
  return {
    id: `resp_${reply.id}`,
    object: 'response',
    created_at: reply.created,
    status: 'completed',
    error: null,
    incomplete_details: null,
    model: reply.model,
    output: output(reply),
    parallel_tool_calls: false,
    usage: {
      input_tokens: input,
      input_tokens_details: { cached_tokens: cached },
      output_tokens: out,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: input + out,
    },
  };
}

type OutputItem = { readonly id: string; readonly type: string; readonly said: string };
type Delta = { readonly type: string; readonly data: object };

function output({ id, text, call }: Reply): OutputItem[] {
  const said = text === null ? [] : [messageItem(id, text)];
  return call === null ? said : [...said, callItem(id, call)];
}

const messageItem = (id: string, text: string) =>
  hidden(text, {
    id: `msg_${id}`,
    type: 'message',
    status: 'completed',
    role: 'assistant',
    content: [{ type: 'output_text', text, annotations: [] }],
  });

function callItem(id: string, call: NonNullable<Reply['call']>) {
  const common = { status: 'completed', call_id: `call_${id}`, name: call.tool };
  if (call.takes === 'free')
    return hidden(call.text, { id: `ctc_${id}`, type: 'custom_tool_call', ...common, input: call.text });
  const text = JSON.stringify(call.input);
  return hidden(text, { id: `fc_${id}`, type: 'function_call', ...common, arguments: text });
}

/** Its text, for the deltas; not sent itself. */
const hidden = <T extends object>(said: string, item: T): T & { readonly said: string } =>
  Object.defineProperty(item, 'said', { value: said, enumerable: false }) as T & { readonly said: string };

const emptied = ({ type }: OutputItem): object =>
  type === 'message' ? { content: [] } : type === 'function_call' ? { arguments: '' } : { input: '' };

function deltas({ type, said }: OutputItem): Delta[] {
  if (type === 'message') {
    const at = { content_index: 0 };
    const part = (text: string) => ({ ...at, part: { type: 'output_text', text, annotations: [] } });
    return [
      { type: 'response.content_part.added', data: part('') },
      ...pieces(said).map((delta) => ({ type: 'response.output_text.delta', data: { ...at, delta } })),
      { type: 'response.output_text.done', data: { ...at, text: said } },
      { type: 'response.content_part.done', data: part(said) },
    ];
  }
  const [name, field] =
    type === 'function_call' ? ['function_call_arguments', 'arguments'] : ['custom_tool_call_input', 'input'];
  return [
    ...pieces(said).map((delta) => ({ type: `response.${name}.delta`, data: { delta } })),
    { type: `response.${name}.done`, data: { [field as string]: said } },
  ];
}
