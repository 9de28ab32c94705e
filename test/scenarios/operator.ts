/** What a person does with tasks: stop them, go on, run several, trust, tidy, and mistype. */
import type { Scenarios, Stage } from './stage.ts';

const GATE = ['--gate', 'tests=grep -qx right a.txt'];
const RIGHT = { files: { 'a.txt': 'right\n' } };
/** Until somebody ends it. */
const ENDLESS = { run: 'echo at work; sleep 3600' };
const PLAYED = ['--simulate'];
const LONG = { after: '1h' };

const begin = ({ world }: Stage) => world.commit({ 'a.txt': 'old\n' }, 'begin');

export const OPERATOR: Scenarios = {
  'cancelled while it works': async (stage) => {
    begin(stage);
    const task = stage.start(stage.asked('make it right', { implement: [ENDLESS] }, GATE));
    await stage.printed('at work');
    await stage.run(['cancel', await stage.taskId(), '--reason', 'no longer needed']);
    await task.done;
    await stage.run(['resume', await stage.taskId()]);
  },

  'paused while it works, and resumed': async (stage) => {
    begin(stage);
    const task = stage.start(stage.asked('make it right', { implement: [ENDLESS, RIGHT] }, GATE));
    await stage.printed('at work');
    await stage.run(['pause', await stage.taskId(), '--reason', 'lunch']);
    await task.done;
    await stage.run(['status']);
    await stage.run(['resume', await stage.taskId()]);
  },

  'paused by Ctrl-C in the review, and resumed with a word more': async (stage) => {
    begin(stage);
    const flags = [...GATE, '--workflow', 'reviewed'];
    const task = stage.start(stage.asked('make it right', { implement: [RIGHT], review: [ENDLESS, {}] }, flags));
    await stage.printed('at work');
    task.kill('SIGINT');
    await task.done;
    await stage.run(['resume', await stage.taskId(), '--say', 'look twice']);
  },

  'killed while the worker works, and resumed': async (stage) => {
    begin(stage);
    const task = stage.start(stage.asked('make it right', { implement: [ENDLESS, RIGHT] }, GATE));
    await stage.printed('at work');
    task.kill('SIGKILL');
    await task.done;
    await stage.run(['status']);
    await stage.run(['resume', await stage.taskId()]);
  },

  'killed while it is committed, and resumed': async (stage) => {
    begin(stage);
    const steps = { implement: [RIGHT] };
    await stage.task('make it right', steps, GATE, { SUPERVISOR_FAILPOINT: 'publish.transferred#1' });
    await stage.run(['resume', await stage.taskId()]);
  },

  'killed between report and decision, and taken up by the next run': async (stage) => {
    const steps = { implement: [{}] };
    await stage.task('first', steps, PLAYED, { SUPERVISOR_FAILPOINT: 'effect.after worker.run#1' });
    await stage.task('second', steps, PLAYED);
    await stage.run(['resume', await stage.taskId()]);
  },

  'a second process hands its task in': async (stage) => {
    const first = stage.start(stage.asked('first', { implement: [LONG] }, PLAYED));
    await stage.event('attempt.started');
    await stage.task('second', { implement: [{}] }, PLAYED);
    await stage.run(['cancel', await stage.taskId()]);
    await first.done;
  },

  'two tasks want the same file': async (stage) => {
    begin(stage);
    const flags = [...PLAYED, '--files', 'a.txt'];
    const first = stage.start(stage.asked('first', { implement: [LONG] }, flags));
    await stage.event('attempt.started');
    const second = stage.start(stage.asked('second', { implement: [{}] }, flags));
    await stage.taskId(2);
    await stage.run(['show', await stage.taskId(2)]);
    await stage.run(['cancel', await stage.taskId(1)]);
    await first.done;
    await second.done;
  },

  'two tasks at once': async (stage) => {
    begin(stage);
    const first = stage.start(stage.asked('first', { implement: [ENDLESS, RIGHT] }, GATE));
    await stage.printed('at work');
    await stage.task('second', { implement: [RIGHT] }, GATE);
    await stage.run(['pause', await stage.taskId(1)]);
    await first.done;
    await stage.run(['resume', await stage.taskId(1)]);
  },

  'a task onto another branch': async (stage) => {
    begin(stage);
    stage.branch('release', { 'b.txt': 'two\n' });
    await stage.task('make it right', { implement: [RIGHT] }, [...GATE, '--onto', 'release']);
    await stage.run(['land']);
  },

  'without a sandbox': async (stage) => {
    begin(stage);
    await stage.task('make it right', { implement: [RIGHT] }, [...GATE, '--unsafe-no-sandbox']);
    await stage.run(['land', '--yes']);
  },

  'a config that nobody trusted': async (stage) => {
    begin(stage);
    const config = 'gates:\n  - {name: tests, command: "grep -qx right a.txt"}\n';
    stage.write({ '.supervisor/config.yaml': config });
    await stage.task('make it right', { implement: [RIGHT] });
    await stage.run(['trust']);
    await stage.run(['trust', '--yes']);
    await stage.task('make it right', { implement: [RIGHT] });
  },

  'a config that is wrong': async (stage) => {
    stage.world.userConfig('gates:\n  - name: tests\n    comand: make test\n');
    await stage.task('make it right', { implement: [RIGHT] });
    stage.world.userConfig('limits: {attempts: many}\n');
    await stage.run(['status']);
    await stage.task('make it right', { implement: [RIGHT] });
  },

  'what cannot be meant': async (stage) => {
    begin(stage);
    await stage.run(['run', 'x', '--fix-base', '--keep-red']);
    await stage.run(['run', 'x', '--workflow', 'revewed', '--simulate']);
    await stage.run(['run', 'x', '--cli', 'cluade', '--no-gates']);
    await stage.task('x', { implement: [RIGHT] }, [...GATE, '--files', 'not/there']);
    await stage.task('x', { implement: [RIGHT] });
    await stage.run(['resume', 't-none']);
    await stage.run(['status', '--project', '/']);
  },

  'tidied up': async (stage) => {
    begin(stage);
    await stage.task('make it right', { implement: [RIGHT] }, GATE);
    await stage.task('make it wrong', { implement: [{ files: { 'a.txt': 'wrong\n' } }] }, GATE);
    await stage.run(['gc', '--dry-run']);
    await stage.run(['gc']);
    await stage.run(['gc', '--all']);
    await stage.run(['verify', '--rebuild']);
  },
};
