/** Why a model call failed, from a CLI's message: one table for all CLIs. */
import { terminalLine } from '../../../kernel/terminal-text.ts';
import type { CliExit, CliFailure } from '../adapter.ts';
import { resetAtFrom } from './reset-at.ts';

type Class = CliFailure['class'];

/** Words that mean more than their status: an empty account is 400 at one vendor and 429 at another. */
const WORDS: readonly { readonly words: RegExp; readonly class: Class }[] = [
  {
    class: 'quota',
    words:
      /credit balance is too low|insufficient[_ ]quota|billing (?:hard )?limit|usage limit|(?:hit|reached|exceeded) (?:your|the) (?:\w+ )?(?:limit|quota)|quota (?:exceeded|exhausted)|exceeded your current quota|RESOURCE_EXHAUSTED|limit reached/i,
  },
  {
    class: 'auth',
    words:
      /not logged in|please run \/login|invalid (?:x-)?api[- ]key|invalid bearer token|incorrect api key|api key not (?:found|valid)|missing (?:bearer|api key)|oauth token (?:has )?(?:expired|been revoked)|authentication[_ ](?:error|failed|required)|token (?:has )?expired|no authentication|unauthori[sz]ed/i,
  },
  {
    class: 'blocked',
    words:
      /prompt is too long|input is too long|context[_ ](?:length|window)[_ ]?exceeded|maximum context length|exceeds? the context window|input_too_large|invalid_request_error|model[_ ]not[_ ]found|model .{0,80}does not exist/i,
  },
];

/** No answer came, or half of one: the same request may succeed later. */
const CONNECTION =
  /ECONN(?:RESET|REFUSED|ABORTED)|Connection(?:Refused|Reset|Closed)|unable to connect|ETIMEDOUT|EPIPE|EAI_AGAIN|ENOTFOUND|EHOSTUNREACH|ENETUNREACH|socket hang up|socket connection was closed|connection (?:to the api )?(?:was )?(?:lost|reset|closed|refused|error|failed)|stream (?:disconnected|closed|ended)|routing discovery failed|premature(?:ly)? (?:close|end)|fetch failed|network error|error sending request|empty or malformed|malformed|failed to parse|unexpected end of json|incomplete (?:json|response)|terminated|overloaded|high demand|server_error|internal server error|bad gateway|service unavailable|gateway time-?out|timed? ?out/i;

export function classOf(status: number): Class | null {
  if (status === 401 || status === 403) return 'auth';
  if (status === 402 || status === 429) return 'quota';
  if (status === 408 || status === 409 || status === 425 || (status >= 500 && status <= 599)) return 'transient';
  // A redirect that is not followed, and everything that would get the same answer again.
  return status >= 300 && status <= 499 ? 'blocked' : null;
}

/** As in `unexpected status 401 Unauthorized`, `API Error: 529 {…}`, `"code": 429`, `status code 500`. */
export function statusIn(text: string): number | null {
  const found =
    /\b(?:status(?:[ _]?code)?|http(?:\/\d(?:\.\d)?)?|api error|error code|code|error)["']?[:=]?\s*\(?([3-5]\d\d)\b/i.exec(
      text.slice(0, LOOKED_AT),
    );
  return found?.[1] === undefined ? null : Number(found[1]);
}

/** Returns null if neither the CLI nor the proxy names a cause. `status` is null if the CLI reports none. */
export function knownFailure(status: number | null, text: string, ended: CliExit): CliFailure | null {
  const words = text.slice(0, LOOKED_AT);
  const told = status ?? statusIn(words);
  const seen = ended.upstream?.status ?? null;
  const found =
    WORDS.find((one) => one.words.test(words))?.class ??
    (told === null ? null : classOf(told)) ??
    (CONNECTION.test(words) ? 'transient' : null) ??
    (seen === null ? null : classOf(seen));
  if (found === null || found === undefined) return null;
  const later = found === 'quota' || found === 'transient';
  return {
    class: found,
    reason: reasonOf(text, told ?? seen),
    status: told ?? seen,
    resetAt: later ? (resetAtFrom(words, ended.now) ?? ended.upstream?.resetAt ?? null) : null,
  };
}

/** For a CLI that reports a failure: never null. */
export const failureOf = (status: number | null, text: string, ended: CliExit): CliFailure =>
  knownFailure(status, text, ended) ?? failure('unknown', reasonOf(text, status), status);

export const failure = (of: Class, reason: string, status: number | null = null): CliFailure => ({
  class: of,
  reason: terminalLine(reason.slice(0, LOOKED_AT), MAX_REASON),
  status,
  resetAt: null,
});

/** A CLI's message before it reaches a model call, and what to do about it. */
export type Setup = { readonly words: RegExp; readonly class: Class; readonly fix: string };

export function setupFailure(table: readonly Setup[], text: string): CliFailure | null {
  const lines = text.slice(-LOOKED_AT).split('\n');
  for (const { words, class: of, fix } of table) {
    const line = lines.find((one) => words.test(one));
    if (line !== undefined) return failure(of, `${terminalLine(line, MAX_REASON / 2)} (${fix})`);
  }
  return null;
}

function reasonOf(text: string, status: number | null): string {
  const line = terminalLine(text.slice(0, LOOKED_AT), MAX_REASON);
  if (line !== '') return line;
  return status === null ? 'it reports a failure without a reason' : `the model's server answered ${status}`;
}

/** The patterns are linear, but a message may be a whole document. */
const LOOKED_AT = 4_000;
const MAX_REASON = 500;
