/** Anthropic's Messages. */
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
import { event, pieces, type Reply, type Speech } from './reply.ts';

export function readAnthropic(body: unknown): Omit<ModelRequest, 'protocol' | 'key'> {
  const { model, stream, system, messages, tools, max_tokens, output_config } = fields(body);
  // A request for one token tests the key and wants no answer.
  const probes = typeof max_tokens === 'number' && max_tokens <= 1;
  const offered = list(tools).map(toolOf);
  const schema = fields(fields(output_config)['format'])['schema'];
  return {
    kind: probes || (offered.length === 0 && isSidePrompt(textOf(system))) ? 'side' : 'main',
    model: string(model),
    stream: stream === true,
    tools: offered,
    answered: answersIn(list(messages), ({ role }) => role === 'assistant'),
    schema: schema === undefined ? null : schemaOf(schema),
  };
}

function toolOf(tool: unknown): OfferedTool {
  const { name, description, input_schema } = fields(tool);
  return { name: string(name), takes: 'json', schema: schemaOf(input_schema), description: string(description) };
}

export const anthropic: Speech = {
  stream(reply) {
    const usage = usageOf(reply);
    const start = { ...message(reply), content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } };
    const end = { delta: { stop_reason: stopReason(reply), stop_sequence: null }, usage };
    return [
      event({ type: 'message_start', message: start }, 'message_start'),
      ...content(reply).flatMap((block, index) => [
        named('content_block_start', { index, content_block: begun(block) }),
        ...deltas(block).map((delta) => named('content_block_delta', { index, delta })),
        named('content_block_stop', { index }),
      ]),
      named('message_delta', end),
      named('message_stop', {}),
    ];
  },
  whole: message,
  refusal: ({ status, message: text, kind }) => ({
    type: 'error',
    error: { type: kind ?? KINDS[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error'), message: text },
  }),
};

const KINDS: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

const named = (type: string, data: object): string => event({ type, ...data }, type);

function message(reply: Reply): object {
  return {
    id: `msg_${reply.id}`,
    type: 'message',
    role: 'assistant',
    model: reply.model,
    content: content(reply),
    stop_reason: stopReason(reply),
    stop_sequence: null,
    usage: usageOf(reply),
  };
}

type ContentBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: object };

function content({ id, text, call }: Reply): ContentBlock[] {
  const input = call?.takes === 'free' ? { input: call.text } : (call?.input ?? {});
  return [
    ...(text === null ? [] : [{ type: 'text' as const, text }]),
    ...(call === null ? [] : [{ type: 'tool_use' as const, id: `toolu_${id}`, name: call.tool, input }]),
  ];
}

const begun = (block: ContentBlock): ContentBlock =>
  block.type === 'text' ? { ...block, text: '' } : { ...block, input: {} };

const deltas = (block: ContentBlock): object[] =>
  block.type === 'text'
    ? pieces(block.text).map((text) => ({ type: 'text_delta', text }))
    : pieces(JSON.stringify(block.input)).map((partial_json) => ({ type: 'input_json_delta', partial_json }));

const stopReason = ({ call }: Reply): string => (call === null ? 'end_turn' : 'tool_use');

/** Here the cached ones are not part of the input. */
const usageOf = ({ usage: { input, output, cached } }: Reply): object => ({
  input_tokens: Math.max(0, input - cached),
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: cached,
  output_tokens: output,
});
