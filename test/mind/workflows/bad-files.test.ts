/** Every way a workflow file can be wrong: one error, at the right line and column, with the word to write. */
import { describe, expect, test } from 'vitest';
import { problemText } from '../../../src/mind/fields/parse-file.ts';
import { readText } from '../../support/workflow-file.ts';
import { BAD_STEPS, type BadFile } from './bad-files.ts';
import { BAD_GRAPHS } from './bad-graphs.ts';

const BAD_FILES: readonly BadFile[] = [...BAD_STEPS, ...BAD_GRAPHS];
const MARK = '»';

/** Line and column of the mark, and the name of the file that holds it. */
function marked({ text, others = {} }: BadFile) {
  const all = Object.entries({ w: text, ...others });
  const [name, body] = all.find(([, one]) => one.includes(MARK)) ?? ['w', text];
  const before = body.slice(0, body.indexOf(MARK)).split('\n');
  return { file: `${name}.yaml`, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

const plain = (text: string): string => text.replace(MARK, '');

describe('a workflow file that is wrong', () => {
  test('there are at least 60 of them, all different', () => {
    expect(BAD_FILES.length).toBeGreaterThanOrEqual(60);
    expect(new Set(BAD_FILES.map(({ what }) => what)).size).toBe(BAD_FILES.length);
    expect(BAD_FILES.filter((bad) => ![bad.text, ...Object.values(bad.others ?? {})].join('').includes(MARK))).toEqual(
      [],
    );
  });

  test.each(BAD_FILES.map((bad) => [bad.what, bad] as const))('%s', (_, bad) => {
    const others = Object.fromEntries(Object.entries(bad.others ?? {}).map(([name, text]) => [name, plain(text)]));
    const { gates = null, maxSteps = 50 } = bad;
    const read = readText(plain(bad.text), { others, gates, maxSteps });
    if (read.type !== 'problem') throw new Error(`is taken: ${JSON.stringify(read.definition.steps)}`);
    const { file, line, column, message } = read;
    expect({ file, line, column, text: problemText(read) }).toEqual({
      ...marked(bad),
      text: expect.stringContaining(bad.says),
    });
    // One sentence or two that a person can act on, on one line.
    expect(message.length).toBeLessThan(400);
    expect(message).not.toContain('\n');
  });
});
