/**
 * Tells a person by desktop, webhook, Slack, ntfy or a command of theirs. Best effort, at most once, bounded in time and
 * size. An address is looked up once, judged, and used as it was judged; a redirection is not followed.
 */
import http, { type RequestOptions } from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { SecureContext } from 'node:tls';
import type { Hands } from '../../engine/ports/hands.ts';
import type { AppLog } from '../../engine/ports/surroundings.ts';
import { type Channel, isQuiet, type PostedChannel } from '../../mind/config/notify-config.ts';
import { type Notice, noticeOf } from '../../mind/protocol/notice.ts';
import { run } from '../../os/process/run.ts';

type NotifierOptions = {
  readonly log: AppLog;
  /** Read for each message: the person may have changed them. */
  readonly channels: () => readonly Channel[];
  readonly env: (name: string) => string | undefined;
  /** For programs that act for the person. */
  readonly variables: () => Readonly<Record<string, string>>;
  /** Looks a host up once and judges where it leads; `failed`: the name could not be looked up. */
  readonly find: (
    host: string,
    allowPrivate: boolean,
  ) => Promise<{ readonly lookup: LookupFunction } | { readonly reason: string; readonly failed: boolean }>;
  /** Whom the machine trusts. */
  readonly trusted: () => SecureContext;
  /** Minutes since midnight, by the machine's own clock. */
  readonly minute?: () => number;
  readonly timeoutMs?: number;
};

const TIMEOUT_MS = 10_000;
/** Of an answer nothing is used but its status. */
const MAX_ANSWER = 4_096;

export function notifier(options: NotifierOptions): Hands['notifier'] {
  return {
    async run({ task }, work) {
      const notice = noticeOf(task, work);
      options.log('info', notice.asks ? 'a person is asked' : 'a task has ended', { task, status: work.status });
      const channels = channelsNow(options);
      if (channels === null) return { result: 'written to the application log; failed: your config cannot be read' };
      const told = await Promise.all(channels.map(async (one) => `${one.kind}: ${await tell(one, notice, options)}`));
      return { result: ['written to the application log', ...told].join('; ') };
    },
  };
}

/** Null: the config is broken. What is wrong with it may quote a secret line of it, so nothing of the error is kept. */
function channelsNow({ channels }: NotifierOptions): readonly Channel[] | null {
  try {
    return channels();
  } catch {
    return null;
  }
}

async function tell(channel: Channel, notice: Notice, options: NotifierOptions): Promise<string> {
  const { minute = minuteNow } = options;
  if (channel.on === 'asks' && !notice.asks) return 'not asked for';
  if (isQuiet(channel.quiet, minute())) return `quiet hours (${channel.quiet})`;
  try {
    if (channel.kind === 'desktop') return await onDesktop(notice, options);
    if (channel.kind === 'command') return await byCommand(channel.command, notice, options);
    return await post(channel, notice, options);
  } catch (error) {
    // The address may be the secret: nothing of the error's text is kept.
    const { name, code = name } = error as NodeJS.ErrnoException;
    return code === 'ABORT_ERR' ? 'failed (no answer in time)' : `failed (${code})`;
  }
}

function minuteNow(): number {
  const now = new Date();
  return now.getHours() * 60 + now.getMinutes();
}

async function onDesktop({ title, text }: Notice, { variables, timeoutMs = TIMEOUT_MS }: NotifierOptions) {
  const { code, ended } = await run('notify-send', ['--app-name=supervisor', '--', title, text], {
    env: variables(),
    timeoutMs,
  });
  if (ended === 'missing') return 'notify-send is not installed';
  return code === 0 ? 'sent' : 'there is no desktop to show it';
}

async function byCommand(
  [program = '', ...args]: readonly string[],
  notice: Notice,
  { variables, timeoutMs = TIMEOUT_MS }: NotifierOptions,
) {
  const input = `${JSON.stringify(notice)}\n`;
  const { code, ended } = await run(program, args, { env: variables(), input, timeoutMs });
  if (ended !== 'exit') return `failed (${ended})`;
  return code === 0 ? 'sent' : `failed (exit code ${code})`;
}

type Message = { readonly body: string; readonly headers: Readonly<Record<string, string>> };

function messageFor(kind: PostedChannel['kind'], notice: Notice): Message {
  const json = { 'content-type': 'application/json' };
  if (kind === 'webhook') return { body: JSON.stringify(notice), headers: json };
  if (kind === 'slack') return { body: JSON.stringify({ text: slackText(notice) }), headers: json };
  const headers = { title: notice.title, priority: notice.asks ? 'high' : 'default', 'content-type': 'text/plain' };
  return { body: notice.text, headers };
}

/** Its three letters that mean something are written as Slack wants them: a title must ping nobody. */
const slackText = ({ text, about }: Notice): string =>
  [text, ...(about === null ? [] : [about])]
    .join('\n')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');

async function post(channel: PostedChannel, notice: Notice, options: NotifierOptions): Promise<string> {
  const { env, find, trusted, timeoutMs = TIMEOUT_MS } = options;
  const address = channel.url ?? env(channel.url_env ?? '');
  if (address === undefined) return `failed: the variable ${channel.url_env} is not set`;
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) return 'refused: it is no http or https address';
  if (url.username !== '' || url.password !== '') return 'refused: name and password do not belong into the address';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  // One deadline for all of it: a server of names may be silent, too.
  const signal = AbortSignal.timeout(timeoutMs);
  const found = await Promise.race([find(host, channel.private), lateBy(signal)]);
  if ('reason' in found) return found.failed ? 'failed: its name could not be resolved' : `refused: ${found.reason}`;
  const { body, headers } = messageFor(channel.kind, notice);
  const token = channel.token_env === undefined ? undefined : env(channel.token_env);
  return request(url, body, {
    method: 'POST',
    headers: {
      ...headers,
      'content-length': Buffer.byteLength(body),
      'user-agent': 'supervisor',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    // Nobody looks the name up again: the connection goes to what was judged.
    lookup: found.lookup,
    agent: false,
    signal,
    ...(url.protocol === 'https:'
      ? { secureContext: trusted(), ...(isIP(host) === 0 ? { servername: host } : {}) }
      : {}),
  });
}

const lateBy = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(errorOf('ABORT_ERR')), { once: true });
  });

const errorOf = (code: string): Error => Object.assign(new Error(code), { code });

function request(url: URL, body: string, options: RequestOptions): Promise<string> {
  const { request: ask } = url.protocol === 'https:' ? https : http;
  return new Promise((resolve, reject) => {
    const asked = ask(url, options, (response) => {
      const { statusCode: status = 0 } = response;
      let size = 0;
      const end = () => {
        resolve(statusText(status));
        response.destroy();
      };
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > MAX_ANSWER) end();
      });
      response.on('end', end);
      response.on('error', reject);
    });
    asked.on('error', reject);
    // Also without an error or an answer: a switch to another protocol is neither.
    asked.on('close', () => reject(errorOf('ECONNRESET')));
    asked.end(body);
  });
}

function statusText(status: number): string {
  if (status >= 200 && status < 300) return 'sent';
  if (status >= 300 && status < 400) return `refused: it redirects (${status}), which is not followed`;
  return `failed (status ${status})`;
}
