/**
 * Removes secrets from every text before it is written or sent: secretlint's recommended rules, our own rules on top,
 * and the operator's known values.
 */
import { setImmediate as breathe } from 'node:timers/promises';
import type { Redact } from '../../engine/ports/surroundings.ts';
import { AllowList, type SecretsConfig } from '../../mind/secrets/allow.ts';
import { isIdentifier } from '../../mind/secrets/harmless.ts';
import { KnownValues } from '../../mind/secrets/known-values.ts';
import { findSecrets } from '../../mind/secrets/scan.ts';
import { besideMarks, merged, type SecretSpan } from '../../mind/secrets/secret-span.ts';
import { isExampleLogin } from '../../mind/secrets/shapes.ts';
import { mayHold } from './may-hold.ts';

type RedactorOptions = {
  /** Values that are secret whatever they look like; masked in base64, hex and URL form too. */
  readonly known?: readonly string[];
  /** What looks like a secret but is none. */
  readonly allow?: SecretsConfig['allow'];
};

/** A separate line between texts: no match of a rule crosses it. */
const SEPARATOR = '\n\u0000\u0000\n';

type QueuedText = {
  readonly texts: readonly string[];
  readonly paths: readonly string[] | undefined;
  readonly resolve: (clean: readonly string[]) => void;
  readonly reject: (error: unknown) => void;
};

/**
 * A scan of secretlint costs about 0.07 ms however short the text (measured 2026-11), so texts that arrive in the same
 * turn of the event loop share one.
 */
export function createRedactor(options: RedactorOptions = {}): Redact {
  const known = new KnownValues(options.known ?? []);
  const allowed = new AllowList(options.allow);
  let waiting: QueuedText[] = [];
  const flush = async () => {
    const batch = waiting;
    waiting = [];
    try {
      const asked = batch.flatMap(({ texts, paths }) => texts.map((text, n) => ({ text, path: paths?.[n] })));
      const clean = await cleaned(asked, known, allowed);
      let next = 0;
      for (const { texts, resolve } of batch) {
        resolve(clean.slice(next, next + texts.length));
        next += texts.length;
      }
    } catch (error) {
      // A text that could not be redacted is not written: its caller gets the error.
      for (const { reject } of batch) reject(error);
    }
  };
  return (texts, paths) =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(flush);
      waiting.push({ texts, paths, resolve, reject });
    });
}

type TextToRedact = { readonly text: string; readonly path: string | undefined };
/** A text that still has secrets after this many rounds was built to never end. */
const MOST_ROUNDS = 5;

/**
 * A changed text is scanned again: parts that were far apart are adjacent now, and redacting a clean text must not
 * change it.
 */
async function cleaned(asked: readonly TextToRedact[], known: KnownValues, allowed: AllowList): Promise<string[]> {
  const texts = asked.map(({ text }) => text);
  let open = [...texts.keys()];
  for (let round = 0; open.length > 0 && round < MOST_ROUNDS; round++) {
    const found = await findAll(open.map((n) => texts[n] ?? ''));
    open = open.filter((n, place) => {
      const text = texts[n] ?? '';
      const left = allowed.left(text, found[place] ?? [], asked[n]?.path);
      // Known values are added last: no exception lets them through.
      texts[n] = cut(text, merged([...known.findings(text), ...left]));
      return texts[n] !== text;
    });
  }
  return texts;
}

/** After this many characters other work gets a turn. */
const TURN = 1 << 18;

/**
 * Finds secrets in each text, in order and without overlaps. Our own rules run first: their matches are hidden from
 * secretlint, whose time grows with the square of its matches.
 */
export async function findAll(texts: readonly string[]): Promise<readonly SecretSpan[][]> {
  const ours: SecretSpan[][] = [];
  const rest: string[] = [];
  const open: number[] = [];
  let searched = 0;
  for (const [n, text] of texts.entries()) {
    if (searched > TURN) {
      await breathe();
      searched = 0;
    }
    const found = findSecrets(text);
    const left = without(text, found);
    ours.push(found);
    rest.push(left);
    if (mayHold(left)) open.push(n);
    searched += text.length;
  }
  const linted = await linting(open.map((n) => rest[n] ?? ''));
  const theirs = new Map(open.map((n, place) => [n, linted[place] ?? []]));
  return rest.map((text, n) => besideMarks(text, merged([...(theirs.get(n) ?? []), ...(ours[n] ?? [])])));
}

/** No longer than one scan (`secretlint.ts`). */
const GROUP = 1 << 16;

/**
 * Runs secretlint on each text. A text is never cut because of its neighbours, so cached results are valid wherever it
 * occurs again.
 */
async function linting(texts: readonly string[]): Promise<SecretSpan[][]> {
  if (texts.length === 0) return [];
  const { lint } = await import('./secretlint.ts');
  const found: SecretSpan[][] = [];
  for (let from = 0, to = 0; from < texts.length; from = to) {
    let size = texts[to++]?.length ?? 0;
    for (; to < texts.length; to++) {
      size += SEPARATOR.length + (texts[to]?.length ?? 0);
      if (size > GROUP) break;
    }
    if (from > 0) await breathe();
    const group = texts.slice(from, to);
    found.push(...apart(group, merged(await lint(group.join(SEPARATOR)))));
  }
  return found;
}

/** Splits by position and not at the separator: a text may contain one. */
function apart(texts: readonly string[], linted: readonly SecretSpan[]): SecretSpan[][] {
  let start = 0;
  let next = 0;
  return texts.map((text) => {
    const inside: SecretSpan[] = [];
    while ((linted[next]?.to ?? Number.POSITIVE_INFINITY) <= start) next++;
    for (let at = next; (linted[at]?.from ?? Number.POSITIVE_INFINITY) < start + text.length; at++) {
      const { from = 0, to = 0, rule = '' } = linted[at] ?? {};
      const own = { from: Math.max(0, from - start), to: Math.min(to - start, text.length), rule };
      if (own.from < own.to && !isExample(text, own)) inside.push(own);
    }
    start += text.length + SEPARATOR.length;
    return inside;
  });
}

/** The same text with stars for matches, so that positions stay the same. */
function without(text: string, findings: readonly SecretSpan[]): string {
  if (findings.length === 0) return text;
  let rest = '';
  let end = 0;
  for (const { from, to } of findings) {
    rest += text.slice(end, from) + '*'.repeat(to - from);
    end = to;
  }
  return rest + text.slice(end);
}

/**
 * 11 of its 11 hits in django's files were `http://user:pass@example.com` (2026-11). An address whose password our own
 * rules have redacted is such an example too, and the login and host stay readable. Also, names of functions may start
 * like a token: `npm_urls_allow_default_registry` has its length.
 */
function isExample(text: string, { from, to, rule }: SecretSpan): boolean {
  const found = text.slice(from, to);
  if (isIdentifier(found)) return true;
  // `mongodb://<user>:<password>@…` is cut at the first bracket, where no login is left.
  const isAddress = rule === 'database-connection-string';
  return (isAddress && !found.includes('@')) || ((isAddress || rule === 'basicauth') && isExampleLogin(found));
}

function cut(text: string, findings: readonly SecretSpan[]): string {
  if (findings.length === 0) return text;
  let clean = '';
  let end = 0;
  for (const finding of findings) {
    const from = Math.max(isLow(text, finding.from) ? finding.from - 1 : finding.from, end);
    clean += `${text.slice(end, from)}[redacted:${finding.rule}]`;
    end = isLow(text, finding.to) ? finding.to + 1 : finding.to;
  }
  return clean + text.slice(end);
}

/** Whether the position is inside a surrogate pair. */
function isLow(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  const before = text.charCodeAt(at - 1);
  return code >= 0xdc00 && code <= 0xdfff && before >= 0xd800 && before <= 0xdbff;
}
