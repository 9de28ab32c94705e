/** Workers that colour their output, as many CLIs do also without a terminal, are read as if they did not. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CHANGE, GOOD, Room } from './room.ts';

let room: Room;
beforeAll(() => {
  room = new Room();
});
afterAll(() => room.end());

/** A real program that colours everything it says: headings, the fence, its language, each line of the answer. */
const COLOURED = `
const { styleText } = require('node:util');
const paint = (style, text) => styleText(style, text, { validateStream: false });
process.stdout.write('\\u001b]0;worker\\u0007\\u001b[?25l');
process.stdout.write('thinking\\r\\u001b[2K');
console.log(paint(['bold', 'green'], 'All is well.'));
process.stdout.write('rendering\\r');
console.log(paint('gray', '\`\`\`') + paint('cyan', 'json'));
for (const line of JSON.stringify(${JSON.stringify(GOOD)}, null, 2).split('\\n')) console.log(paint('yellow', line));
console.log(paint('gray', '\`\`\`') + '\\u001b(B\\u001b[m');
process.stdout.write('\\u001b[?25h');
`;

test('a coloured fence is a fence: one attempt, the answer is read', async () => {
  const { report, answer } = await room.work(`${CHANGE}\nnode -e '${COLOURED.replaceAll("'", `'"'"'`)}'`);
  // The control: it was coloured indeed, and the answer is kept as it was said.
  expect(answer).toContain('\u001b[90m```\u001b[39m\u001b[36mjson');
  expect(report).toMatchObject({ class: 'ok', reason: '', said: { status: 'SUCCESS' } });
  expect(room.file(report, 'src/b.txt')).toBe('changed');
});
