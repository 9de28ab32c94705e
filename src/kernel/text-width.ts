/** How many terminal cells a text takes. Never too few: where terminals differ, the larger number counts. */

/** Drawn over the character before them. A variation selector may widen that one, so it counts as a cell. */
const COMBINING = /^(?!\ufe0f)[\p{Mn}\p{Me}]$/u;

/** East Asian wide and full-width blocks, pictographs, and characters that are emoji by themselves. */
const WIDE =
  /^[\u1100-\u115f\u2329\u232a\u2630-\u2637\u268a-\u268f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18dff}\u{1aff0}-\u{1b2ff}\u{1d300}-\u{1d37f}\u{1f000}-\u{1faff}\u{20000}-\u{3fffd}\p{Emoji_Presentation}]$/u;

export function textWidth(text: string): number {
  let width = 0;
  for (const char of text) width += charWidth(char);
  return width;
}

/** The start of a text that fits, with `…` at its end if something is left out. */
export function cutToWidth(text: string, width: number): string {
  let used = 0;
  let count = 0;
  let kept = 0;
  let at = 0;
  for (const char of text) {
    used += charWidth(char);
    count += 1;
    // A heap of combining characters takes no cell but still costs the terminal; no language needs as many.
    if (used > width || count > 4 * width) return width < 1 ? '' : `${text.slice(0, kept)}…`;
    at += char.length;
    if (used < width) kept = at;
  }
  return text;
}

function charWidth(char: string): number {
  if (char < '\u0300') return 1;
  if (COMBINING.test(char)) return 0;
  return WIDE.test(char) ? 2 : 1;
}
