/** Colours and other terminal controls are taken out of text, and nothing else is. */
import { expect, test } from 'vitest';
import { withoutAnsi } from '../../src/kernel/ansi.ts';

const ESC = '\u001b';

test.each([
  ['a colour', `${ESC}[32mgreen${ESC}[0m`, 'green'],
  ['a colour of 24 bits', `${ESC}[38;2;1;2;3mx${ESC}[39m`, 'x'],
  ['colons between parameters', `${ESC}[4:3mx${ESC}[m`, 'x'],
  ['the 8-bit form', '\u009b1mbold\u009b0m', 'bold'],
  ['a cleared line', `${ESC}[2K${ESC}[1Gdone`, 'done'],
  ['a private mode', `${ESC}[?25lx${ESC}[?25h`, 'x'],
  ['tput sgr0', `x${ESC}(B${ESC}[m`, 'x'],
  ['a title that ends with BEL', `${ESC}]0;title\u0007x`, 'x'],
  ['a link', `${ESC}]8;;http://a${ESC}\\name${ESC}]8;;${ESC}\\`, 'name'],
  ['a title that is never closed hides its line only', `${ESC}]0;title\n{"a":1}`, '\n{"a":1}'],
  ['a fence in colours', `${ESC}[90m\`\`\`${ESC}[39m${ESC}[36mjson${ESC}[39m`, '```json'],
  ['a sequence that is cut off', `x${ESC}`, 'x'],
  ['a sequence that does not fit', `x${ESC}[1\ny`, 'x\ny'],
  ['brackets without a control', '[32m is no colour', '[32m is no colour'],
])('%s', (_, text, plain) => expect(withoutAnsi(text)).toBe(plain));

test('hostile text costs no more than its length', () => {
  for (const unit of [ESC, `${ESC}[`, `${ESC}]`, `${ESC}[0;`, '\u009b'])
    withoutAnsi(unit.repeat(2_000_000 / unit.length));
});
