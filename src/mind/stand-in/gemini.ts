/** Google's generateContent. */
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

/** The path gives model and mode, not the body. */
export function readGemini(
  body: unknown,
  { model, stream }: { readonly model: string; readonly stream: boolean },
): Omit<ModelRequest, 'protocol' | 'key'> {
  const { contents, tools, systemInstruction, generationConfig } = fields(body);
  const { responseJsonSchema, responseSchema } = fields(generationConfig);
  const offered = list(tools).flatMap((tool) => list(fields(tool)['functionDeclarations']).map(toolOf));
  const schema = responseJsonSchema ?? responseSchema;
  return {
    // A request for JSON without tools is a side request, such as the choice of a model.
    kind: offered.length === 0 && (schema !== undefined || isSidePrompt(textOf(systemInstruction))) ? 'side' : 'main',
    model,
    stream,
    tools: offered,
    answered: answersIn(list(contents), ({ role }) => role === 'model'),
    schema: schema === undefined ? null : schemaOf(schema),
  };
}

function toolOf(tool: unknown): OfferedTool {
  const { name, description, parameters, parametersJsonSchema } = fields(tool);
  return {
    name: string(name),
    takes: 'json',
    schema: schemaOf(parametersJsonSchema ?? parameters),
    description: string(description),
  };
}

export const gemini: Speech = {
  stream(reply) {
    const said = pieces(reply.text ?? '').map((text) => event(content(reply, [{ text }], null)));
    return [...said, event(content(reply, callParts(reply), 'STOP'))];
  },
  whole: (reply) =>
    content(reply, [...(reply.text === null ? [] : [{ text: reply.text }]), ...callParts(reply)], 'STOP'),
  refusal: ({ status, message, kind, retryAfter }) => ({
    error: {
      code: status,
      message,
      status: kind ?? STATES[status] ?? (status < 500 ? 'INVALID_ARGUMENT' : 'INTERNAL'),
      details:
        typeof retryAfter === 'number'
          ? [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${retryAfter}s` }]
          : [],
    },
  }),
};

const STATES: Readonly<Record<number, string>> = {
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
};

function content(reply: Reply, parts: readonly object[], finishReason: string | null): object {
  const { input, output, cached } = reply.usage;
  return {
    candidates: [
      {
        index: 0,
        content: { role: 'model', parts: parts.length === 0 ? [{ text: '' }] : parts },
        ...(finishReason === null ? {} : { finishReason }),
      },
    ],
    usageMetadata: {
      promptTokenCount: input,
      candidatesTokenCount: output,
      totalTokenCount: input + output,
      cachedContentTokenCount: cached,
    },
    modelVersion: reply.model,
    responseId: reply.id,
  };
}

function callParts({ id, call }: Reply): object[] {
  if (call === null) return [];
  const args = call.takes === 'free' ? { input: call.text } : call.input;
  return [{ functionCall: { id: `call_${id}`, name: call.tool, args } }];
}
