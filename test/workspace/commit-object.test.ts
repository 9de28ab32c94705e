/** Commits are the bytes that git itself would write, and git takes the pack that holds one. */
import { execFileSync } from 'node:child_process';
import { afterEach, expect, test } from 'vitest';
import { commitBytes, commitId, packOf } from '../../src/hands/workspace/commit-object.ts';
import { type World, world } from './repository.ts';

let w: World;
afterEach(() => w.end());

const MESSAGES = [
  ...['x', 'Say hello\n\nTask: t-1 "quoted" $(x) \u00e9 \u{1F600}', '', '\n\n  indented\r\n', 'lone \ud800 half'],
  // Around the sizes at which the length takes one byte more.
  ...[1, 14, 15, 16, 1800, 1900, 300_000].map((length) => 'm'.repeat(length)),
];

test.each(['sha1', 'sha256'])('with %s the id is that of `git commit-tree`, and the pack is taken', (format) => {
  w = world(undefined, [`--object-format=${format}`]);
  const [parent, tree] = w.git('rev-parse', 'HEAD', 'HEAD^{tree}').split('\n') as [string, string];
  const time = 1_790_000_000_999;
  const date = `@${Math.floor(time / 1000)} +0000`;
  const who = 'Supervisor <supervisor@localhost>';
  const git = (args: readonly string[], input: string | Uint8Array) =>
    execFileSync('git', ['-C', w.repo, ...args], {
      input,
      encoding: 'utf8',
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: '/nonexistent',
        ...{ GIT_AUTHOR_NAME: 'Supervisor', GIT_AUTHOR_EMAIL: 'supervisor@localhost', GIT_AUTHOR_DATE: date },
        ...{ GIT_COMMITTER_NAME: 'Supervisor', GIT_COMMITTER_EMAIL: 'supervisor@localhost', GIT_COMMITTER_DATE: date },
      },
    }).trim();
  for (const message of MESSAGES) {
    const bytes = commitBytes({ tree, parents: [parent], author: who, committer: who, time, message });
    const id = commitId(bytes, tree);
    git(['index-pack', '--stdin', '--strict'], packOf(bytes, tree));
    expect(git(['cat-file', '-t', id], '')).toBe('commit');
    expect(git(['commit-tree', '-p', parent, tree], `${message.trimEnd()}\n`)).toBe(id);
  }
  w.git('fsck', '--strict');
});

test('git refuses the pack when the tree of the commit is not there', () => {
  w = world();
  const parent = w.git('rev-parse', 'HEAD');
  const bytes = commitBytes({
    tree: '1'.repeat(40),
    parents: [parent],
    author: 'a <b>',
    committer: 'a <b>',
    time: 0,
    message: 'm',
  });
  const take = () =>
    execFileSync('git', ['-C', w.repo, 'index-pack', '--stdin', '--strict'], {
      input: packOf(bytes, parent),
      stdio: 'pipe',
    });
  expect(take).toThrow('did not receive expected object');
});

test('a message that git would cut is refused', () => {
  w = world({});
  const id = '1'.repeat(40);
  expect(() =>
    commitBytes({ tree: id, parents: [id], author: 'a <b>', committer: 'a <b>', time: 0, message: 'a\0b' }),
  ).toThrow('no NUL byte');
});
