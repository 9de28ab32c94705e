import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { messagesOf, messagesPage } from '../../tools/messages.ts';

it('the page of all messages is up to date', () => {
  const page = readFileSync('docs/reference/messages.md', 'utf8');
  // Not compared as a whole: the difference of two pages of 5,000 lines is slow to print and hard to read.
  const now = messagesPage().split('\n');
  const kept = page.split('\n');
  const differing = now.findIndex((line, n) => line !== kept[n]);
  expect(
    now.length === kept.length ? (now[differing] ?? null) : `${now.length} lines, the page has ${kept.length}`,
    'docs/reference/messages.md is out of date: run `node tools/messages.ts`',
  ).toBeNull();
});

it.each([
  ["say('the task is gone now')", ['the task is gone now']],
  ['say(`task ${task.id} is ${words(state)} for good`)', ['task {id} is {words} for good']],
  ["say(`it ended: ${ok ? 'it ran to its end' : 'no'}`)", ['it ran to its end']],
  ["say('one half of it, ' + 'and the other')", ['one half of it, and the other']],
  ["import x from 'not a real module name'", []],
  ["type A = 'a sentence of a type'", []],
  ["db.prepare('SELECT name FROM the table')", []],
  ["run('git rebase --continue')", []],
  ["new Set('all the words of a list'.split(' '))", []],
  [`x = '${'png jpg '.repeat(10)}'`, []],
  ["assertNever(one, 'kind of a gate')", []],
  ["a = { 'a key of more words': 1, b: 'one more value here' }", ['one more value here']],
])('of %s these are messages: %j', (source, messages) => {
  expect(messagesOf(source)).toEqual(messages);
});
