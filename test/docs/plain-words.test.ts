/** Words that a reader stumbles over stay out of comments, messages and documents. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

/** A text is scanned line by line; each rule names what it caught. */
type Rule = { readonly name: string; readonly pattern: RegExp };

const CANNOT: Rule = { name: 'cannot is one word', pattern: /\bcan not\b(?! only)/i };
const COMMENT: Rule = {
  name: 'a comment is a sentence with a subject and a verb',
  pattern:
    /(?:^|[\s;{(,])(?:\/\/|\/?\*{1,2}) (?:Of|Whoever|Who|Whose|So many|So much|Null:|What is|What was|Where nobody)(?![\w'])/,
};
const SANDBOX: Rule = {
  name: 'say sandbox and proxy, not wall and door',
  pattern:
    /\b(?:behind|through|around|in|inside|outside|build|builds|leave|leaves|of|the|a|its) (?:a |the |its )?(?:wall|door)s?\b(?! (?:clock|time))/i,
};

/** Recorded stories keep the words of their time; benchmarks speak of the clock on the wall. */
const HISTORY = /^(?:docs\/decisions\/|docs\/benchmarks\.md|test\/replay\/|CHANGELOG\.md|VOCABULARY\.md)/;

const source = filesBelow('src', /\.ts$/);
const pages = [
  ...filesBelow('docs', /\.md$/),
  ...filesBelow('templates', /\.(?:liquid|ya?ml|md)$/),
  ...filesBelow('schemas', /\.json$/),
  ...['AGENTS.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'README.md'],
].filter((path) => !HISTORY.test(path));

describe('plain words', () => {
  it('in the source', () => {
    expect(source.length).toBeGreaterThan(500);
    expect(caught(source, [CANNOT, COMMENT, SANDBOX])).toEqual([]);
  });

  it('in documents, templates and schemas', () => {
    expect(pages.length).toBeGreaterThan(100);
    expect(caught(pages, [CANNOT, SANDBOX])).toEqual([]);
  });

  it.each([
    ['  // It can not be read.', CANNOT],
    ["say('the file Can not be read')", CANNOT],
    ['/** Of the whole packet. */', COMMENT],
    ['  /** Null: nobody said. */', COMMENT],
    [' * Whoever asks is told.', COMMENT],
    ['const a = 1; // Who made it.', COMMENT],
    ['/** What is left of it. */', COMMENT],
    ['/** Whose keys count. */', COMMENT],
    ['  // So many are shown.', COMMENT],
    ['No gate checked it behind a wall.', SANDBOX],
    ['Calls go through the door, where the key is put on.', SANDBOX],
  ])('catches %j', (line, rule) => {
    expect(line).toMatch(rule.pattern);
  });

  it.each([
    ['It can not only read, but write.', CANNOT],
    ['/** The offset of a match. */', COMMENT],
    ['/** Returns null: there is none. */', COMMENT],
    ['/** Whole lines only. */', COMMENT],
    ['/** What an attempt used. */', COMMENT],
    ['The wall clock may jump.', SANDBOX],
    ['`limits.wall` bounds one attempt, the wall time of it.', SANDBOX],
  ])('lets %j be', (line, rule) => {
    expect(line).not.toMatch(rule.pattern);
  });
});

function caught(files: readonly string[], rules: readonly Rule[]): string[] {
  return files.flatMap((path) =>
    readFileSync(path, 'utf8')
      .split('\n')
      .flatMap((line, n) =>
        rules
          .filter(({ pattern }) => pattern.test(line))
          .map(({ name }) => `${path}:${n + 1}: ${name}: ${line.trim()}`),
      ),
  );
}

function filesBelow(folder: string, name: RegExp): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => name.test(path))
    .map((path) => join(folder, path))
    .sort();
}
