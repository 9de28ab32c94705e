/** How one task ends: by its gates, its answers, its paths and its reviews. */
import type { Scenarios, Stage } from './stage.ts';

const GATE = ['--gate', 'tests=grep -qx right a.txt'];
const WRONG = { files: { 'a.txt': 'wrong\n' } };
const RIGHT = { files: { 'a.txt': 'right\n' } };
const says = (answer: object) => ({ says: `\`\`\`json\n${JSON.stringify(answer)}\n\`\`\`` });

const begin = ({ world }: Stage, more: Readonly<Record<string, string>> = {}) =>
  world.commit({ 'a.txt': 'old\n', ...more }, 'begin');

/** One test that is red at the base. */
const RED_BASE = {
  'a.test.mjs': `import assert from 'node:assert';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
const a = readFileSync('a.txt', 'utf8');
test('is written', () => assert.notEqual(a, ''));
test('is right', () => assert.equal(a, 'right\\n'));
`,
};
const TAP = JSON.stringify({
  gates: [{ name: 'tests', command: 'node --test --test-reporter=tap a.test.mjs', ids: 'tap' }],
});

export const OUTCOMES: Scenarios = {
  'accepted at once': async (stage) => {
    begin(stage);
    await stage.task('make it right', { implement: [RIGHT] }, GATE);
  },

  'a red gate, then accepted': async (stage) => {
    begin(stage);
    await stage.task('make it right', { implement: [WRONG, RIGHT] }, GATE);
  },

  'attempts used up': async (stage) => {
    begin(stage);
    const wrong = ['wrong', 'more wrong', 'most wrong'].map((text) => ({ files: { 'a.txt': `${text}\n` } }));
    await stage.task('make it right', { implement: wrong }, GATE);
    await stage.run(['diff', await stage.taskId()]);
  },

  'a change that was sent back before': async (stage) => {
    begin(stage);
    await stage.task('make it right', { implement: [WRONG] }, GATE);
  },

  'a gate that cannot run': async (stage) => {
    begin(stage);
    await stage.task('make it right', { implement: [RIGHT] }, ['--gate', 'tests=./not-there']);
  },

  'accepted without gates, landed by a word more': async (stage) => {
    begin(stage);
    await stage.task('make it right', { implement: [RIGHT] }, ['--no-gates']);
    await stage.run(['land', '--yes']);
    await stage.run(['land', '--yes', '--unverified']);
  },

  'gates that only advise, and one that escalates': async (stage) => {
    begin(stage);
    const gates = [
      { name: 'style', command: 'false', blocking: false },
      { name: 'tests', command: 'grep -qx right a.txt' },
      { name: 'safety', command: 'test ! -e danger', on_fail: 'escalate' },
    ];
    stage.world.userConfig(JSON.stringify({ gates }));
    // Never two that end alike: a reason names them in the order in which they ended.
    await stage.task('make it right', { implement: [WRONG, RIGHT] }, ['--gate', 'style', '--gate', 'tests']);
    const danger = { files: { 'a.txt': 'right\n', danger: '!\n' } };
    await stage.task('be dangerous', { implement: [danger] }, ['--gate', 'tests', '--gate', 'safety']);
  },

  'reviewed and approved': async (stage) => {
    begin(stage);
    await stage.task('make it right', { implement: [WRONG, RIGHT], review: [{}] }, [...GATE, '--workflow', 'reviewed']);
  },

  'a review asks for changes': async (stage) => {
    begin(stage);
    const issues = [{ severity: 'high', file: 'a.txt', line: 1, message: 'say more' }];
    const review = [says({ status: 'CHANGES_REQUESTED', issues }), {}];
    const implement = [RIGHT, { files: { 'a.txt': 'right\n', 'b.txt': 'more\n' } }];
    await stage.task('make it right', { implement, review }, [...GATE, '--workflow', 'reviewed']);
  },

  'a review that cannot be read, then one that rejects': async (stage) => {
    begin(stage);
    const review = [{ says: 'looks good to me' }, says({ status: 'REJECTED', notes: 'not wanted' })];
    await stage.task('make it right', { implement: [RIGHT], review }, [...GATE, '--workflow', 'reviewed']);
  },

  'a second change step': async (stage) => {
    begin(stage);
    const steps = [
      { id: 'implement', kind: 'change', role: 'implementer' },
      { id: 'test', kind: 'change', role: 'test_engineer' },
    ];
    const workflow = stage.world.file('tested.yaml', JSON.stringify({ name: 'tested', version: 1, steps }));
    const plays = { implement: [RIGHT], test: [{ files: { 'test/a.test.txt': 'new\n' } }] };
    await stage.task('make it right', plays, [...GATE, '--workflow', workflow]);
  },

  'a question is answered': async (stage) => {
    begin(stage);
    const answer = says({ status: 'SUCCESS', notes: 'because it is old' });
    await stage.task('why is it so?', { answer: [{ says: 'I think.' }, answer] }, ['--workflow', 'ask']);
  },

  'an answer that cannot be read, then accepted': async (stage) => {
    begin(stage);
    const claims = says({ status: 'SUCCESS', action_taken: 'made it right', files_modified: ['a.txt'] });
    await stage.task(
      'make it right',
      {
        implement: [
          { ...RIGHT, says: 'done' },
          { ...RIGHT, ...claims },
        ],
      },
      GATE,
    );
  },

  'nothing was changed, then accepted': async (stage) => {
    begin(stage);
    await stage.task('make it right', { implement: [{}, RIGHT] }, GATE);
  },

  'a worker that crashes': async (stage) => {
    begin(stage);
    await stage.task('make it right', { implement: [{ ...RIGHT, exit: 3 }] }, GATE);
  },

  'a worker that asks, and is answered': async (stage) => {
    begin(stage);
    const asks = says({ status: 'BLOCKED', action_taken: 'nothing', blockers: ['which way?'] });
    await stage.task('make it right', { implement: [asks, RIGHT] }, GATE);
    await stage.run(['resume', await stage.taskId(), '--say', 'the right one']);
  },

  'a protected path, allowed later': async (stage) => {
    begin(stage, { 'test/a.test.js': 'old\n' });
    await stage.task('test it', { implement: [{ files: { 'test/a.test.js': 'new\n' } }] }, ['--gate', 'tests=true']);
    await stage.run(['resume', await stage.taskId(), '--allow', 'test/a.test.js']);
  },

  'a protected path, allowed from the start': async (stage) => {
    begin(stage, { 'test/a.test.js': 'old\n' });
    const implement = [{ files: { 'test/a.test.js': 'new\n' } }];
    await stage.task('test it', { implement }, ['--gate', 'tests=true', '--allow', 'test/a.test.js']);
  },

  'out of scope, then accepted': async (stage) => {
    begin(stage, { 'b.txt': 'two\n' });
    const implement = [{ files: { 'a.txt': 'right\n', 'b.txt': 'more\n' } }, RIGHT];
    await stage.task('make it right', { implement }, [...GATE, '--files', 'a.txt']);
  },

  'a link that leads outside': async (stage) => {
    begin(stage);
    await stage.task('link it', { implement: [{ run: 'ln -s /etc/passwd link' }, RIGHT] }, GATE);
  },

  'a red base is kept': async (stage) => {
    begin(stage, RED_BASE);
    stage.world.userConfig(TAP);
    await stage.task('write more', { implement: [{ files: { 'a.txt': 'more\n' } }] }, ['--keep-red']);
    await stage.run(['land', '--yes']);
  },

  'a red base is to be mended': async (stage) => {
    begin(stage, RED_BASE);
    stage.world.userConfig(TAP);
    await stage.task('make it right', { implement: [WRONG, RIGHT] }, ['--fix-base']);
  },
};
