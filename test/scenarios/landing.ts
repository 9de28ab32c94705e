/** `land`: what moves, what is checked again, what is refused. */
import type { Scenarios, Stage } from './stage.ts';

/** Green when the change is in, and nobody has broken b.txt. */
const GATE = ['--gate', 'tests=grep -qx right a.txt && ! grep -q broken b.txt'];
const RIGHT = { files: { 'a.txt': 'right\n' } };

async function accepted(stage: Stage): Promise<void> {
  stage.world.commit({ 'a.txt': 'one\n', 'b.txt': 'two\n' }, 'begin');
  await stage.task('make it right', { implement: [RIGHT] }, GATE);
}

export const LANDING: Scenarios = {
  'landed on a branch that is not checked out, once': async (stage) => {
    await accepted(stage);
    stage.world.git('branch', 'release', 'main');
    await stage.run(['land', '--onto', 'release']);
    await stage.run(['land', '--onto', 'release']);
    await stage.run(['land', '--onto', 'nowhere']);
  },

  'landed on a line that has moved': async (stage) => {
    await accepted(stage);
    stage.branch('moved', { 'c.txt': 'later\n' });
    await stage.run(['land', '--onto', 'moved']);
    await stage.run(['land', '--onto', 'moved']);
  },

  'a line that conflicts, and one on which the gate is red': async (stage) => {
    await accepted(stage);
    stage.branch('clash', { 'a.txt': 'mine\n' });
    stage.branch('red', { 'b.txt': 'broken\n' });
    await stage.run(['land', '--onto', 'clash']);
    await stage.run(['land', '--onto', 'red']);
  },

  'a checkout that is dirty, then clean': async (stage) => {
    await accepted(stage);
    stage.write({ 'b.txt': 'mine\n' });
    await stage.run(['land', '--yes']);
    stage.world.git('checkout', '-q', 'b.txt');
    await stage.run(['land']);
    await stage.run(['land', '--yes']);
  },

  'killed while it lands, and landed again': async (stage) => {
    await accepted(stage);
    stage.branch('moved', { 'c.txt': 'later\n' });
    await stage.run(['land', '--onto', 'moved'], { SUPERVISOR_FAILPOINT: 'publish.transferred#1' });
    await stage.run(['land', '--onto', 'moved']);
  },
};
