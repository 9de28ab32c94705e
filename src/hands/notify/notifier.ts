/**
 * Notifies a person by desktop, webhook, Slack, ntfy or their own command. Best effort, at most once, bounded in time
 * and size. An address is resolved once, judged, and used as judged; redirections are not followed.
 */
import http, { type RequestOptions } from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { SecureContext } from 'node:tls';
import type { Hands } from '../../engine/ports/hands.ts';
import type { AppLog } from '../../engine/ports/surroundings.ts';
import { type Channel, type PostedChannel, quietMinutes } from '../../mind/config/notify-config.ts';
import { type Notice, noticeOf } from '../../mind/protocol/notice.ts';
import { run } from '../../os/process/run.ts';

type NotifierOptions = {
  readonly log: AppLog;
  /** Read for each message, because the person may have changed them. */
  readonly channels: () => readonly Channel[];
  readonly env: (name: string) => string | undefined;
  /** Variables for programs that act for the person. */
  readonly variables: () => Readonly<Record<string, string>>;
  /** Resolves a host once and judges its addresses; `failed`: the name could not be resolved. */
  readonly find: (
    host: string,
    allowPrivate: boolean,
  ) => Promise<{ readonly lookup: LookupFunction } | { readonly reason: string; readonly failed: boolean }>;
  /** The certificates that the machine trusts. */
  readonly trusted: () => SecureContext;
  /** The machine's own clock. */
  readonly now?: () => Date;
  readonly timeoutMs?: number;
};

const TIMEOUT_MS = 10_000;
/** Only the status of an answer is used; this bounds the rest. */
const MAX_ANSWER = 4_096;

export function notifier(options: NotifierOptions): Hands['notifier'] {
  return {
    async run({ task }, work) {
      const notice = noticeOf(task, work);
      options.log('info', notice.asks ? 'a person is asked' : 'a task has ended', { task, status: work.status });
      const channels = channelsNow(options);
      if (channels === null) return { result: 'written to the application log; failed: your config cannot be read' };
      // Other channels were notified at once.
      const due = work.digest === undefined ? channels : channels.filter(({ quiet }) => quiet !== undefined);
      const told = await Promise.all(due.map((one) => tell(one, notice, options)));
      const result = ['written to the application log', ...told.map(({ kind, said }) => `${kind}: ${said}`)].join('; ');
      const waits = Math.max(0, ...told.map(({ quietMs = 0 }) => quietMs));
      const isToldOnce = work.digest !== undefined && told.some(({ quietMs, isDue }) => isDue && quietMs === undefined);
      return waits === 0 || isToldOnce ? { result } : { result, quiet_ms: waits };
    },
  };
}

/** Returns null if the config is broken. The error may quote a secret line, so it is dropped. */
function channelsNow({ channels }: NotifierOptions): readonly Channel[] | null {
  try {
    return channels();
  } catch {
    return null;
  }
}

type ChannelMessage = {
  readonly kind: Channel['kind'];
  readonly said: string;
  /** The person wants such messages on this channel. */
  readonly isDue: boolean;
  /** Absent outside quiet hours. */
  readonly quietMs?: number;
};

async function tell(channel: Channel, notice: Notice, options: NotifierOptions): Promise<ChannelMessage> {
  const { kind, on, quiet } = channel;
  if (on === 'asks' && !notice.asks) return { kind, said: 'not asked for', isDue: false };
  const quietMs = quietMsAt(quiet, (options.now ?? (() => new Date()))());
  if (quietMs > 0) return { kind, said: `held in quiet hours (${quiet})`, isDue: true, quietMs };
  return { kind, said: await sent(channel, notice, options), isDue: true };
}

/** Milliseconds until the last quiet minute ends; 0 outside quiet hours. */
function quietMsAt(quiet: string | undefined, now: Date): number {
  const minutes = quietMinutes(quiet, now.getHours() * 60 + now.getMinutes());
  return minutes === 0 ? 0 : minutes * 60_000 - now.getSeconds() * 1_000 - now.getMilliseconds();
}

async function sent(channel: Channel, notice: Notice, options: NotifierOptions): Promise<string> {
  try {
    if (channel.kind === 'desktop') return await onDesktop(notice, options);
    if (channel.kind === 'command') return await byCommand(channel.command, notice, options);
    return await post(channel, notice, options);
  } catch (error) {
    // The address may be the secret, so the error's text is dropped.
    const { name, code = name } = error as NodeJS.ErrnoException;
    return code === 'ABORT_ERR' ? 'failed (no answer in time)' : `failed (${code})`;
  }
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

/** Escapes the three special characters of Slack: a title must not ping people. */
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
  // One deadline for everything: a name server may be silent, too.
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
    // The name is not resolved again: the connection goes to the judged address.
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
    // Also without an error or an answer: switching to another protocol is neither.
    asked.on('close', () => reject(errorOf('ECONNRESET')));
    asked.end(body);
  });
}

function statusText(status: number): string {
  if (status >= 200 && status < 300) return 'sent';
  if (status >= 300 && status < 400) return `refused: it redirects (${status}), which is not followed`;
  return `failed (status ${status})`;
}
