/** Text from outside made harmless for a terminal: no escape, control or direction-changing character gets through. */

// C0 but tab and newline, DEL, C1, and the Unicode controls that reorder or hide text.
const UNSAFE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g;

/** Shows each unsafe character as its code, so that nothing is hidden and nothing acts. */
export function terminalText(text: string): string {
  return text.replaceAll(UNSAFE, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The same on one line, cut to a width. */
export function terminalLine(text: string, width = 200): string {
  const line = terminalText(text.replaceAll(/\s+/g, ' ').trim());
  return line.length <= width ? line : `${line.slice(0, width - 1)}…`;
}
