/** What follows from each way an attempt can end, played: no worker is needed to see it. */
import type { Scenarios, Stage, Steps } from './stage.ts';

const CHAIN = ['--cli', 'claude,codex'];
const played = (stage: Stage, steps: Steps, ...flags: string[]) =>
  stage.task('play it', steps, ['--simulate', ...flags]);
const workflow = ({ world }: Stage, steps: object[], more: object = {}): string =>
  world.file('graph.yaml', JSON.stringify({ name: 'graph', version: 1, ...more, steps }));

export const PLAYED: Scenarios = {
  'simulated, with costs': (stage) => {
    const implement = [{ gates: { tests: 'fail' }, cost_usd: 0.01 }, { cost_usd: 0.02 }];
    return played(stage, { implement }, '--gate', 'tests=true');
  },

  'a transient error, then accepted': async (stage) => {
    stage.world.userConfig('limits: {backoff: aggressive}\n');
    await played(stage, { implement: [{ outcome: 'transient', reason: 'no route' }, {}] });
  },

  'a quota is waited for': async (stage) => {
    await played(stage, { implement: [{ outcome: 'quota', resets: '1s' }, {}] });
  },

  'a quota that lasts passes the step on': async (stage) => {
    await played(stage, { implement: [{ outcome: 'quota', resets: '1h' }, {}] }, ...CHAIN);
    await stage.run(['reset', 'claude']);
  },

  'crashes pass the step on, until the attempts are used up': async (stage) => {
    await played(stage, { implement: [{ outcome: 'crash' }] }, ...CHAIN);
    await stage.run(['resume', await stage.taskId()]);
    await stage.run(['reset', 'implementer/claude']);
  },

  'another CLI goes on': async (stage) => {
    await played(stage, { implement: [{ outcome: 'crash' }, { outcome: 'crash' }, {}] }, '--cli', 'claude');
    await stage.run(['resume', await stage.taskId(), '--cli', 'codex']);
  },

  'a login is missing': (stage) => played(stage, { implement: [{ outcome: 'auth' }] }, ...CHAIN),

  'an attempt of an unknown end': (stage) =>
    played(stage, { implement: [{ outcome: 'unknown', reason: 'nobody knows' }] }),

  'somebody is told': async (stage) => {
    const script = stage.script({ notify: true, steps: { implement: [{}] } });
    await stage.run(['run', 'tell me', '--simulate', '--script', script]);
  },

  'two steps after one, and one that needs both': async (stage) => {
    // One at a time: beside each other, either could end first.
    stage.world.userConfig('limits: {slots: {total: 1}}\n');
    const steps = [
      { id: 'implement', kind: 'change', gates: ['tests'] },
      { id: 'style', kind: 'answer', role: 'reviewer' },
      { id: 'safety', kind: 'answer', role: 'security_auditor', needs: ['implement'] },
      { id: 'sum', kind: 'answer', role: 'tech_lead', needs: ['style', 'safety'] },
    ];
    const flags = ['--workflow', workflow(stage, steps), '--gate', 'tests=true'];
    await played(stage, { implement: [{}], style: [{}], safety: [{ outcome: 'invalid' }, {}], sum: [{}] }, ...flags);
  },

  'a failed step lets those beside it end': async (stage) => {
    const steps = [
      { id: 'slow', kind: 'answer', role: 'reviewer' },
      { id: 'bad', kind: 'answer', role: 'security_auditor', needs: [], attempts: 1 },
      { id: 'sum', kind: 'answer', role: 'tech_lead', needs: ['slow', 'bad'] },
    ];
    const flags = ['--workflow', workflow(stage, steps, { on_exhausted: 'escalate' })];
    await played(stage, { slow: [{ after: '2s' }], bad: [{ outcome: 'invalid' }] }, ...flags);
  },

  'a workflow that blocks when attempts are used up': async (stage) => {
    const steps = [{ id: 'implement', kind: 'change', attempts: 2 }];
    const flags = ['--workflow', workflow(stage, steps, { on_exhausted: 'block' })];
    await played(stage, { implement: [{ outcome: 'invalid' }] }, ...flags);
  },
};
