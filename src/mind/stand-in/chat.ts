/** OpenAI's chat completions, which most local and routed servers speak. */
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

export function readChat(body: unknown): Omit<ModelRequest, 'protocol' | 'key'> {
  const { model, stream, messages, tools, response_format } = fields(body);
  const history = list(messages).map(fields);
  const system = history
    .filter(({ role }) => role === 'system' || role === 'developer')
    .map(textOf)
    .join('\n');
  const offered = list(tools).map(toolOf);
  const schema = fields(fields(response_format)['json_schema'])['schema'];
  return {
    kind: offered.length === 0 && isSidePrompt(system) ? 'side' : 'main',
    model: string(model),
    stream: stream === true,
    tools: offered,
    answered: answersIn(history, ({ role }) => role === 'assistant'),
    schema: schema === undefined ? null : schemaOf(schema),
  };
}

function toolOf(tool: unknown): OfferedTool {
  const { type, custom, function: json } = fields(tool);
  const { name, description, parameters } = fields(json ?? custom);
  return {
    name: string(name),
    takes: type === 'custom' ? 'free' : 'json',
    schema: schemaOf(parameters),
    description: string(description),
  };
}

export const chat: Speech = {
  stream(reply) {
    const { text, call } = reply;
    const calls = call === null ? [] : [toolCall(reply, call)];
    return [
      chunk(reply, { role: 'assistant', content: '' }),
      ...pieces(text ?? '').map((content) => chunk(reply, { content })),
      ...calls.map((one) => chunk(reply, { tool_calls: [{ index: 0, ...one }] })),
      chunk(reply, {}, finishReason(reply)),
      event({ ...chunkBase(reply), choices: [], usage: usageOf(reply) }),
      'data: [DONE]\n\n',
    ];
  },
  whole: (reply) => ({
    ...base(reply),
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: reply.text,
          ...(reply.call === null ? {} : { tool_calls: [toolCall(reply, reply.call)] }),
        },
        finish_reason: finishReason(reply),
      },
    ],
    usage: usageOf(reply),
  }),
  refusal: openAiRefusal,
};

const base = ({ id, created, model }: Reply) => ({ id: `chatcmpl-${id}`, created, model });
const chunkBase = (reply: Reply) => ({ ...base(reply), object: 'chat.completion.chunk' });

const chunk = (reply: Reply, delta: object, finish_reason: string | null = null): string =>
  event({ ...chunkBase(reply), choices: [{ index: 0, delta, finish_reason }] });

const finishReason = ({ call }: Reply): string => (call === null ? 'stop' : 'tool_calls');

const toolCall = ({ id }: Reply, call: NonNullable<Reply['call']>): object =>
  call.takes === 'free'
    ? { id: `call_${id}`, type: 'custom', custom: { name: call.tool, input: call.text } }
    : { id: `call_${id}`, type: 'function', function: { name: call.tool, arguments: JSON.stringify(call.input) } };

const usageOf = ({ usage: { input, output, cached } }: Reply): object => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output,
  prompt_tokens_details: { cached_tokens: cached },
});
