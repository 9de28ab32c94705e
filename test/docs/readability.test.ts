import { expect, test } from 'vitest';
import { drawn, measured, sentencesOf } from '../../tools/readability.ts';

test('sentences are those of the prose, without code, tables, headings and comments', () => {
  const page = [
    '# A heading of four words',
    '<!-- a comment of many words -->',
    'One sentence stands here. Another one with `a.code of words` in it!',
    '| a | table of many words |',
    '```sh\nsome code of many words\n```',
    '- an item of a list\n- [a link](x.md) of a list',
  ].join('\n\n');
  expect(sentencesOf(page)).toEqual([
    'One sentence stands here.',
    'Another one with `a.code of words` in it!',
    'an item of a list',
    'a link of a list',
  ]);
});

test('longer sentences and longer words are harder to read', () => {
  const easy = measured(['The cat sat on the mat.']);
  expect(easy).toMatchObject({ words: 6, mean: 6 });
  expect(measured(['The cat sat on the mat and the dog sat on the cat.']).flesch).toBeLessThan(easy.flesch);
  expect(measured(['Administrative organisations facilitate interoperability.']).flesch).toBeLessThan(0);
});

test('a seed draws the same sentences again, and none twice', () => {
  const all = Array.from({ length: 50 }, (_, n) => `sentence ${n}`);
  expect(drawn(all, 30, 24)).toEqual(drawn(all, 30, 24));
  expect(drawn(all, 30, 24)).not.toEqual(drawn(all, 30, 25));
  expect(new Set(drawn(all, 60, 7)).size).toBe(50);
});
