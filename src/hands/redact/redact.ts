/**
 * Takes secrets out of every text before it is written or sent: secretlint's recommended rules as a base, own rules on
 * top, and the values that the operator is known to have.
 */
import { setImmediate as breathe } from 'node:timers/promises';
import type { Redact } from '../../engine/ports/surroundings.ts';
import { AllowList, type SecretsConfig } from '../../mind/secrets/allow.ts';
import { besideMarks, type Finding, merged } from '../../mind/secrets/finding.ts';
import { isIdentifier } from '../../mind/secrets/harmless.ts';
import { KnownValues } from '../../mind/secrets/known-values.ts';
import { findSecrets } from '../../mind/secrets/scan.ts';
import { isExampleLogin } from '../../mind/secrets/shapes.ts';
import { mayHold } from './may-hold.ts';

type RedactorOptions = {
  /** Values that are secret whatever they look like; masked in base64, hex and URL form too. */
  readonly known?: readonly string[];
  /** What looks like a secret and is none. */
  readonly allow?: SecretsConfig['allow'];
};

/** A line of its own between texts: no rule's match runs across it. */
const SEPARATOR = '\n\u0000\u0000\n';

type Waiting = {
  readonly texts: readonly string[];
  readonly paths: readonly string[] | undefined;
  readonly resolve: (clean: readonly string[]) => void;
  readonly reject: (error: unknown) => void;
};

/**
 * One scan of secretlint costs about 0.07 ms however short the text (measured 2026-11), so texts that arrive in the same
 * turn of the event loop share one.
 */
export function createRedactor(options: RedactorOptions = {}): Redact {
  const known = new KnownValues(options.known ?? []);
  const allowed = new AllowList(options.allow);
  let waiting: Waiting[] = [];
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
      // What could not be cleaned is not written: whoever asked hears of it.
      for (const { reject } of batch) reject(error);
    }
  };
  return (texts, paths) =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(flush);
      waiting.push({ texts, paths, resolve, reject });
    });
}

type Asked = { readonly text: string; readonly path: string | undefined };
/** What is left after so many rounds was made to have no end. */
const MOST_ROUNDS = 5;

/**
 * A text from which something was taken is looked at again: what stood far apart is near now, and what is clean has to
 * stay as it is when it is cleaned once more.
 */
async function cleaned(asked: readonly Asked[], known: KnownValues, allowed: AllowList): Promise<string[]> {
  const texts = asked.map(({ text }) => text);
  let open = [...texts.keys()];
  for (let round = 0; open.length > 0 && round < MOST_ROUNDS; round++) {
    const found = await findAll(open.map((n) => texts[n] ?? ''));
    open = open.filter((n, place) => {
      const text = texts[n] ?? '';
      const left = allowed.left(text, found[place] ?? [], asked[n]?.path);
      // Known values come on top: nothing on the list lets them through.
      texts[n] = cut(text, merged([...known.findings(text), ...left]));
      return texts[n] !== text;
    });
  }
  return texts;
}

/** So many characters are searched before others get a turn. */
const TURN = 1 << 18;

/**
 * For each text what looks like a secret in it, in order and without overlaps. Our own rules come first: what they find
 * is hidden from secretlint, whose time grows with the square of what it finds.
 */
export async function findAll(texts: readonly string[]): Promise<readonly Finding[][]> {
  const ours: Finding[][] = [];
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

/** No longer than what is looked through at once (`secretlint.ts`). */
const GROUP = 1 << 16;

/**
 * For each text what secretlint finds in it. A text is never cut because of what it came with: what is remembered of it is
 * true wherever it comes again.
 */
async function linting(texts: readonly string[]): Promise<Finding[][]> {
  if (texts.length === 0) return [];
  const { lint } = await import('./secretlint.ts');
  const found: Finding[][] = [];
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

/** By place, not by splitting at the separator: a text may hold one itself. */
function apart(texts: readonly string[], linted: readonly Finding[]): Finding[][] {
  let start = 0;
  let next = 0;
  return texts.map((text) => {
    const inside: Finding[] = [];
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

/** The same text with stars in place of what was found: every other place stays where it is. */
function without(text: string, findings: readonly Finding[]): string {
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
 * 11 of its 11 hits in django's files were `http://user:pass@example.com` (2026-11). An address of which our own rules
 * have the password already is such an example too: who logs in, and where, stays readable. And names of functions may
 * begin like a token: `npm_urls_allow_default_registry` has its length.
 */
function isExample(text: string, { from, to, rule }: Finding): boolean {
  const found = text.slice(from, to);
  if (isIdentifier(found)) return true;
  // `mongodb://<user>:<password>@…` is cut at the first bracket, where no login is left.
  const isAddress = rule === 'database-connection-string';
  return (isAddress && !found.includes('@')) || ((isAddress || rule === 'basicauth') && isExampleLogin(found));
}

function cut(text: string, findings: readonly Finding[]): string {
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

/** Whether the place is in the middle of a character of two halves. */
function isLow(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  const before = text.charCodeAt(at - 1);
  return code >= 0xdc00 && code <= 0xdfff && before >= 0xd800 && before <= 0xdbff;
}
