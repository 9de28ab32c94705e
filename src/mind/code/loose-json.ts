/** JSON as people write it in config files: allows comments and extra commas, ignores everything else. */

export type Loose = Readonly<Record<string, unknown>>;

/** The object in the text, or null. */
export function looseJson(text: string): Loose | null {
  return asObject(parsed(text) ?? parsed(plain(text)));
}

export function asObject(value: unknown): Loose | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Loose) : null;
}

/** The strings of a list; a single one counts as a list. */
export function asTexts(value: unknown): readonly string[] {
  return (Array.isArray(value) ? value : [value]).filter((one) => typeof one === 'string');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Keeps strings; removes comments, and commas that nothing follows. */
function plain(text: string): string {
  const tokens = text.matchAll(/"(?:[^"\\\n]|\\.)*"?|\/\/[^\n]*|\/\*(?:[^*]|\*(?!\/))*(?:\*\/)?|,|[^",/]+|\//g);
  let out = '';
  let comma = false;
  for (const [token] of tokens) {
    if (token.startsWith('//') || token.startsWith('/*') || token === '\ufeff') continue;
    if (token === ',') {
      comma = true;
      continue;
    }
    const bare = token.replace('\ufeff', '').trimStart();
    if (bare === '') continue;
    if (comma && bare[0] !== '}' && bare[0] !== ']') out += ',';
    comma = false;
    out += bare;
  }
  return out;
}
