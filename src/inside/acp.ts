/**
 * Speaks the Agent Client Protocol with an agent, inside the sandbox: one prompt, and its results as lines of JSON. The
 * sandbox around it is ours, so everything the agent wants is allowed, except changes if only an answer is wanted.
 * Arguments: the kind of the attempt, the work directory, then the agent's command. The packet comes on standard input.
 */
import { spawn } from 'node:child_process';
import { Readable, Writable } from 'node:stream';
import {
  type ActiveSession,
  type ClientContext,
  client,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';

const [kind = 'change', cwd = '/workspace', program = '', ...args] = process.argv.slice(2);
/** For an agent that does not end when it is asked to. */
const POLITE_MS = 2000;
/** A tool may print anything; only its name matters. */
const MAX_TITLE = 500;

const agent = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'], cwd });
agent.on('error', ({ message }) =>
  finish({ type: 'error', code: null, message: `the agent does not start: ${message}` }),
);
agent.stdin.on('error', () => {});

let session: ActiveSession | null = null;
let ended = false;
const stop = (context: ClientContext) => () => {
  if (session !== null) context.notify(methods.agent.session.cancel, { sessionId: session.sessionId }).catch(() => {});
  setTimeout(() => finish({ type: 'error', code: null, message: 'it was cancelled' }), POLITE_MS);
};

client({ name: 'supervisor' })
  .onRequest(methods.client.session.requestPermission, ({ params }) => permit(params))
  .connectWith(
    ndJsonStream(Writable.toWeb(agent.stdin), Readable.toWeb(agent.stdout) as ReadableStream<Uint8Array>),
    work,
  )
  .catch((error: unknown) => finish(failed(error)));

async function work(context: ClientContext): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, stop(context));
  const packet = await textOf(process.stdin);
  const { protocolVersion, agentInfo } = await context.request(methods.agent.initialize, {
    protocolVersion: PROTOCOL_VERSION,
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    clientInfo: { name: 'supervisor', version: '1' },
  });
  session = await context.buildSession({ cwd, mcpServers: [] }).start();
  const { name = null, version = null } = agentInfo ?? {};
  print({ type: 'init', protocol: protocolVersion, agent: name, version });
  const answered = session.prompt(packet);
  answered.catch(() => {});
  for (;;) {
    const message = await Promise.race([session.nextUpdate(), failing(answered)]);
    if (message.kind === 'stop') break;
    tell(message.update);
  }
  const response = await answered;
  const { usage = null } = response as { readonly usage?: unknown };
  finish({ type: 'result', stop: response.stopReason, usage, meta: response._meta ?? null });
}

/** Never resolves; rejects when the prompt does. */
const failing = (answered: Promise<unknown>): Promise<never> =>
  new Promise((_, reject) => {
    answered.catch(reject);
  });

function permit({ toolCall, options }: RequestPermissionRequest): RequestPermissionResponse {
  const writes = ['edit', 'delete', 'move'].includes(toolCall.kind ?? 'other');
  const wanted = kind === 'answer' && writes ? ['reject_once', 'reject_always'] : ['allow_once', 'allow_always'];
  const [option] = wanted.flatMap((one) => options.find((each) => each.kind === one) ?? []);
  print({
    type: 'permission',
    tool: cut(toolCall.title),
    kind: toolCall.kind ?? null,
    answer: option?.kind ?? 'cancelled',
  });
  if (option === undefined) return { outcome: { outcome: 'cancelled' } };
  return { outcome: { outcome: 'selected', optionId: option.optionId } };
}

function tell(update: SessionUpdate): void {
  switch (update.sessionUpdate) {
    case 'agent_message_chunk':
      if (update.content.type === 'text') print({ type: 'text', text: update.content.text });
      return;
    case 'tool_call':
    case 'tool_call_update':
      print({
        type: 'tool',
        id: update.toolCallId,
        tool: cut(update.title),
        kind: update.kind ?? null,
        status: update.status ?? null,
      });
      return;
    case 'usage_update':
      print({ type: 'usage', used: update.used, cost: update.cost ?? null });
      return;
    default:
  }
}

function failed(error: unknown): object {
  const {
    code = null,
    message = `${error}`,
    data = null,
  } = error as { code?: unknown; message?: string; data?: unknown };
  const details = data === null ? '' : ` ${typeof data === 'string' ? data : JSON.stringify(data)}`.slice(0, 2000);
  return { type: 'error', code, message: `${message}${details}` };
}

/** Prints the last event, once, and ends the agent. */
function finish(event: object): void {
  if (ended) return;
  ended = true;
  const good = 'stop' in event && event.stop === 'end_turn';
  process.stdout.write(lineOf(event), () => {
    agent.stdin.end();
    const leave = () => process.exit(good ? 0 : 1);
    agent.once('exit', leave);
    setTimeout(
      () => {
        agent.kill('SIGKILL');
        leave();
      },
      good ? POLITE_MS : 200,
    );
    if (agent.exitCode !== null || agent.pid === undefined) leave();
  });
}

const print = (event: object): void => void process.stdout.write(lineOf(event));

/** Each line names its session, so that a reader ignores others. */
const lineOf = (event: object): string => `${JSON.stringify({ ...event, session: session?.sessionId })}\n`;

const cut = (title: string | null | undefined): string | null => title?.slice(0, MAX_TITLE) ?? null;

async function textOf(stream: NodeJS.ReadStream): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}
