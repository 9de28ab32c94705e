/** A file name as git prints it in diffs: plain, or quoted like a C string, with one escape for each byte. */
export function unquotedName(name: string): string | null {
  if (!name.startsWith('"')) return name;
  if (!name.endsWith('"') || name.length < 2) return null;
  const bytes: number[] = [];
  for (const [all, code] of name.slice(1, -1).matchAll(/\\([0-7]{3}|[abtnvfr"\\])|[^\\]/gsu)) {
    if (code === undefined) bytes.push(...new TextEncoder().encode(all));
    else bytes.push(code.length === 3 ? Number.parseInt(code, 8) & 0xff : (C_ESCAPES[code] ?? code.charCodeAt(0)));
  }
  return new TextDecoder().decode(new Uint8Array(bytes));
}

const C_ESCAPES: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 };
