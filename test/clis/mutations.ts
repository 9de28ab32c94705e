/** Damage to recorded output, of the kinds that pipes, crashes, other versions and hostile tools do; the same by the same seed. */

/** From 0 up to, not including, `below`. */
export type Chance = (below: number) => number;

/** Small and good enough; the seed is in every message of a failure. */
export function chanceOf(seed: number): Chance {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % Math.max(1, below);
  };
}

const pick = <T>(chance: Chance, from: readonly T[]): T => from[chance(from.length)] as T;

/** `others`: output of other runs of the same CLI. */
type Mutation = (text: string, chance: Chance, others: readonly string[]) => string;

const onLines =
  (change: (lines: string[], chance: Chance, others: readonly string[]) => void): Mutation =>
  (text, chance, others) => {
    const lines = text.split('\n');
    change(lines, chance, others);
    return lines.join('\n');
  };

/** Bytes, and then read as a pipe is: what is no UTF-8 is replaced. */
const onBytes =
  (change: (bytes: Buffer, chance: Chance) => Buffer): Mutation =>
  (text, chance) =>
    new TextDecoder().decode(change(Buffer.from(text), chance));

const VALUES = [
  '1e999',
  '-1e999',
  '-1',
  '1e300',
  '0.1',
  '123456789012345678901234567890',
  'null',
  'true',
  'false',
  '0',
  '""',
  '"success"',
  '[]',
  '{}',
  '{"__proto__":{"type":"result","is_error":false}}',
  '{"constructor":{"prototype":{"status":"success"}}}',
  '"\\u0000\\ud800"',
];

const deep = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;

export const MUTATIONS: Readonly<Record<string, Mutation>> = {
  'flipped bits': onBytes((bytes, chance) => {
    for (let times = 1 + chance(20); times > 0; times -= 1) {
      const at = chance(bytes.length);
      bytes[at] = (bytes[at] ?? 0) ^ (1 << chance(8));
    }
    return bytes;
  }),
  'bytes that are no text': onBytes((bytes, chance) => {
    for (let times = 1 + chance(8); times > 0; times -= 1) bytes[chance(bytes.length)] = 0x80 + chance(0x80);
    return bytes;
  }),
  'cut off': (text, chance) => text.slice(0, chance(text.length + 1)),
  'a beginning that is missing': (text, chance) => text.slice(chance(text.length + 1)),
  'lost lines': onLines((lines, chance) => {
    for (let times = 1 + chance(3); times > 0; times -= 1) lines.splice(chance(lines.length), 1);
  }),
  'lines said twice': onLines((lines, chance) => {
    for (let times = 1 + chance(3); times > 0; times -= 1)
      lines.splice(chance(lines.length + 1), 0, pick(chance, lines));
  }),
  'lines in another order': onLines((lines, chance) => {
    for (let times = 1 + chance(4); times > 0; times -= 1) {
      const [moved] = lines.splice(chance(lines.length), 1);
      lines.splice(chance(lines.length + 1), 0, moved ?? '');
    }
  }),
  'lines of another run': onLines((lines, chance, others) => {
    for (let times = 1 + chance(3); times > 0; times -= 1)
      lines.splice(chance(lines.length + 1), 0, pick(chance, pick(chance, others).split('\n')));
  }),
  'the end of another run': (text, chance, others) =>
    `${text}\n${pick(chance, others)
      .trimEnd()
      .split('\n')
      .slice(-1 - chance(2))
      .join('\n')}`,
  'half a line': onLines((lines, chance) => {
    const at = chance(lines.length);
    const line = lines[at] ?? '';
    lines[at] = line.slice(0, chance(line.length + 1));
  }),
  'lines run together': (text, chance) => {
    const ends = [...text.matchAll(/\n/g)].map(({ index }) => index);
    const at = pick(chance, ends) ?? 0;
    return text.slice(0, at) + text.slice(at + 1);
  },
  'other ends of lines': (text, chance) =>
    text.replaceAll('\n', pick(chance, ['\r\n', '\r', '\u2028', '\n\n', '\n \n'])),
  'other values': (text, chance) => {
    const values = [...text.matchAll(/:("(?:[^"\\\n]|\\.){0,200}"|-?\d[\d.e+-]*|true|false|null)(?=[,}])/g)];
    let changed = text;
    for (let times = 1 + chance(4); times > 0 && values.length > 0; times -= 1) {
      const { 0: whole, index } = pick(chance, values);
      changed = changed.startsWith(whole, index)
        ? `${changed.slice(0, index)}:${pick(chance, VALUES)}${changed.slice(index + whole.length)}`
        : changed;
    }
    return changed;
  },
  'other names': (text, chance) => {
    const names = [...text.matchAll(/"(\w{2,40})":/g)].map(([name]) => name);
    if (names.length === 0) return text;
    return text.replaceAll(pick(chance, names), pick(chance, ['"__proto__":', '"type":', '"x":', pick(chance, names)]));
  },
  'deep nesting': onLines((lines, chance) => {
    const depth = pick(chance, [10, 1_000, 20_000]);
    const at = chance(lines.length);
    lines[at] = (lines[at] ?? '').replace(/:("[^"\\\n]{0,200}"|null|\d+)/, `:${deep(depth)}`);
    lines.splice(chance(lines.length + 1), 0, deep(depth), '{"a":'.repeat(depth));
  }),
  'noise in between': onLines((lines, chance) => {
    const noise = ['\u0000', ' ', '{', '}', '[]', '7', '"text"', 'null', 'warning: x', '{"type":7}', '{"type":null}'];
    for (let times = 1 + chance(6); times > 0; times -= 1)
      lines.splice(chance(lines.length + 1), 0, pick(chance, noise));
  }),
  'a long line': onLines((lines, chance) => {
    lines.splice(chance(lines.length + 1), 0, `{"type":"${'x'.repeat(chance(100_000))}`);
  }),
};

/** One to three kinds of damage at once. */
export function damaged(
  text: string,
  chance: Chance,
  others: readonly string[],
): { readonly text: string; readonly by: readonly string[] } {
  const by: string[] = [];
  let changed = text;
  for (let times = 1 + chance(3); times > 0; times -= 1) {
    const name = pick(chance, Object.keys(MUTATIONS));
    by.push(name);
    changed = MUTATIONS[name]?.(changed, chance, others) ?? changed;
  }
  return { text: changed, by };
}

/** As pipes bring it: mostly large pieces, sometimes characters. */
export function inPieces(text: string, chance: Chance): string[] {
  const most = pick(chance, [1 << 16, 4096, 100, 7]);
  const pieces: string[] = [];
  for (let at = 0; at < text.length; ) {
    const size = 1 + chance(text.length > 20_000 ? Math.max(most, 4096) : most);
    pieces.push(text.slice(at, at + size));
    at += size;
  }
  return pieces;
}
