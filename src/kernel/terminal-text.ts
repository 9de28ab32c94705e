/** Makes foreign text safe for a terminal: no character that acts, hides or reorders text gets through. */

/**
 * Controls, format characters (bidi controls, tags, soft hyphen), characters that Unicode draws as nothing (fillers,
 * variation selectors), line and paragraph separators, noncharacters and lone surrogates. Properties instead of a list,
 * so that a newer Unicode brings its own.
 */
const HIDDEN = String.raw`[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}]`;

/**
 * The only allowed joiners and variation selectors: well-formed emoji such as a family or a red heart. Flags made of
 * tags are not: tags can spell any text.
 */
const PICTURE = String.raw`\p{Extended_Pictographic}[\u{1f3fb}-\u{1f3ff}]?`;
const EMOJI = String.raw`${PICTURE}[\ufe0e\ufe0f]?(?:\u200d${PICTURE}\ufe0f?)*|[0-9#*]\ufe0f\u20e3`;

const ANY_HIDDEN = new RegExp(HIDDEN, 'u');
const HIDDEN_OR_EMOJI = new RegExp(`(${HIDDEN})|${EMOJI}`, 'gu');

/** The first character that is invisible or acts; null if the text is what it looks like. */
export function hiddenCharacter(text: string): string | null {
  if (!ANY_HIDDEN.test(text)) return null;
  for (const [, hidden] of text.matchAll(HIDDEN_OR_EMOJI)) if (hidden !== undefined) return hidden;
  return null;
}

/** Shows each unsafe character as its code, so that nothing is hidden or acts. Tabs and line ends stay. */
export const terminalText = (text: string): string => escaped(text, codePoint);

/** The same value as JSON, with the unsafe characters of its strings escaped. */
export const terminalJson = (value: unknown, indent = 0): string =>
  escaped(JSON.stringify(value, null, indent), (char) => char.split('').map(codePoint).join(''));

/** The same on one line, cut to a width. */
export function terminalLine(text: string, width = 200): string {
  const line = terminalText(text.replaceAll(/\s+/g, ' ').trim());
  return line.length <= width ? line : `${line.slice(0, width - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

function escaped(text: string, show: (char: string) => string): string {
  if (!ANY_HIDDEN.test(text)) return text;
  return text.replaceAll(HIDDEN_OR_EMOJI, (whole, hidden: string | undefined) =>
    hidden === undefined || hidden === '\t' || hidden === '\n' ? whole : show(hidden),
  );
}

function codePoint(char: string): string {
  const code = (char.codePointAt(0) ?? 0).toString(16).padStart(4, '0');
  return code.length > 4 ? `\\u{${code}}` : `\\u${code}`;
}
