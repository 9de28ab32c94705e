/**
 * A model behind OpenAI's chat completions, for answers: OpenRouter, Ollama, a private server. Our program
 * (src/inside/http.ts) asks it from inside the sandbox, without tools, so it can change nothing.
 */
import type { Adapter, CliExit, CliResult, Listener, Provider } from '../adapter.ts';
import { Spoken } from './answer-pieces.ts';
import { callWith } from './calling.ts';
import { failure, failureOf, knownFailure } from './failure.ts';
import { costOf, numberAt, textAt, tokensAt } from './fields.ts';
import { type EventsHeard, eventListener, jsonOf, withBlock } from './listener.ts';

/** No vendor's variable: the operator's key for one vendor must not go to another with the same protocol. */
const COMPATIBLE: Provider = {
  name: 'compatible',
  keys: [{ variable: 'SUPERVISOR_HTTP_API_KEY', header: 'authorization', prefix: 'Bearer ' }],
  upstream: 'http://127.0.0.1:11434/v1',
  upstreamVariable: null,
  calls: [{ method: 'POST', path: '/chat/completions' }],
};

export const http: Adapter = {
  name: 'http',
  programs: [],
  install: 'nothing has to be installed: give base_url and model in the config',
  tested: null,
  can: {
    kinds: ['answer'],
    files: false,
    model: true,
    effort: true,
    systemPrompt: true,
    tools: false,
    schema: true,
    sessions: false,
    usage: 'cost',
  },
  providers: [COMPATIBLE],
  login: null,

  call(ask) {
    if (ask.kind !== 'answer')
      return { type: 'refused', message: 'http only answers: it has no tools to change files with; name another CLI' };
    if (ask.endpoint === null || ask.model === null)
      return { type: 'refused', message: 'http needs base_url and model: the server and the model' };
    const body = {
      model: ask.model,
      ...(ask.effort === null ? {} : { reasoning_effort: ask.effort }),
      ...(ask.schema === null
        ? {}
        : { response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: ask.schema } } }),
    };
    const text = JSON.stringify(body);
    return callWith({
      args: [ask.endpoint.url, text, ...(ask.system === null ? [] : [ask.system])],
      input: ask.packet,
      env: { TMPDIR: ask.tempDir },
      files: [],
      named: new Map([
        ...(ask.schema === null ? [] : [[text, '(request)'] as const]),
        [ask.system ?? '', '(system prompt)'],
      ]),
    });
  },

  listen,
};

function listen(): Listener {
  const spoken = new Spoken();
  let last: unknown = null;
  return eventListener({
    event: (event) => {
      const type = textAt(event, 'type');
      if (type === 'text') spoken.add(textAt(event, 'text') ?? '');
      else if (type === 'result' || type === 'error') last = event;
    },
    tell: (ended, heard) => ({
      final: inBlock(spoken.final(heard.malformed)),
      ...endOf(last, ended, heard),
      cost: costOf({
        usd: numberAt(last, 'usage', 'cost'),
        in: tokensAt(last, 'usage', 'prompt_tokens'),
        out: tokensAt(last, 'usage', 'completion_tokens'),
      }),
      model: textAt(last, 'model'),
      session: null,
    }),
  });
}

/** A model held to a schema prints only JSON. */
function inBlock(final: CliResult['final']): CliResult['final'] {
  return final.type === 'text' ? { ...final, text: withBlock(final.text, jsonOf(final.text)) } : final;
}

function endOf(last: unknown, ended: CliExit, heard: EventsHeard): Pick<CliResult, 'claims' | 'failure'> {
  const finish = textAt(last, 'finish');
  if (textAt(last, 'type') === 'result' && finish === 'stop') return { claims: 'success', failure: null };
  if (finish === 'length')
    return { claims: 'failure', failure: failure('invalid', 'the answer was cut at the model’s limit') };
  if (finish !== null) return { claims: 'failure', failure: failure('blocked', `the model stopped: ${finish}`) };
  const text = textAt(last, 'message');
  if (text === null) return { claims: 'nothing', failure: knownFailure(null, heard.stderr, ended) };
  return { claims: 'failure', failure: failureOf(numberAt(last, 'status'), text, ended) };
}
