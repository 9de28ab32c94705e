/**
 * Keeps a state directory with graphs in the middle of their way: `node test/replay/record-graph-store.ts VERSION`, once
 * before a release, never over an old one. As record-store.ts does, for plans, people, votes, commits and landings.
 */
import { cpSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Result, World } from '../support/cli.ts';
import { GRAPH_STORES } from './restore-store.ts';

const version = process.argv[2] ?? '';
const out = join(GRAPH_STORES, version);
if (version === '' || existsSync(out)) throw new Error(`name a version that is not recorded yet: ${version}`);

using world = new World();
world.commit({ 'a.txt': 'one\n', 'b.txt': 'two\n' });
const GATE = ['--gate', 'tests=! grep -rqx broken a.txt'];
const says = (answer: object) => ({ says: `\`\`\`json\n${JSON.stringify(answer)}\n\`\`\`` });
const PLAN = says({
  status: 'COMPLETE',
  phases: [{ name: 'p', components: [{ name: 'c', files: ['a.txt'], acceptance: ['it says so'] }] }],
  estimated_components: 1,
});
const NO = says({
  status: 'CHANGES_REQUESTED',
  issues: [{ severity: 'high', file: 'a.txt', line: 1, message: 'say more' }],
});
const PLANNED = {
  ...{ name: 'planned', version: 1 },
  steps: [
    { id: 'plan', kind: 'answer', role: 'planner' },
    { id: 'agree', kind: 'human', about: 'plan', on_reject: 'plan' },
    { id: 'implement', kind: 'change', role: 'implementer' },
    { id: 'review', review: ['reviewer', 'security_auditor'], on_reject: 'implement' },
    { id: 'save', kind: 'commit' },
    { id: 'look', kind: 'human', on_reject: 'implement' },
  ],
};
const LOOKED = {
  ...{ name: 'looked', version: 1 },
  steps: [
    { id: 'implement', kind: 'change', role: 'implementer' },
    { id: 'look', kind: 'human', on_reject: 'implement' },
  ],
};
const planned = world.file('planned.yaml', JSON.stringify(PLANNED));
const looked = world.file('looked.yaml', JSON.stringify(LOOKED));

let scripts = 0;
const args = (text: string, workflow: string, steps: object): string[] => {
  const script = world.file(`script-${scripts++}.yaml`, JSON.stringify({ steps }));
  return ['run', text, '--workflow', workflow, '--script', script, ...GATE, '--json'];
};
async function expectCode(wanted: number | null, done: Promise<Result>): Promise<Result> {
  const result = await done;
  if (result.code !== wanted)
    throw new Error(`ended with ${result.code} instead of ${wanted}: ${result.stderr}${result.stdout}`);
  return result;
}
const taskOf = ({ stdout }: Result): string => (JSON.parse(stdout) as { task_id: string }).task_id;
const plan = [PLAN, PLAN];
const write = (text: string) => ({ files: { 'a.txt': text } });

// Through all of it: the plan is sent back once, the change is sent back by a review and by a person.
const whole = args('all of it', planned, {
  plan,
  implement: [write('first\n'), write('first, and more\n'), write('third\n')],
  'review-reviewer': [NO, {}, {}],
});
const first = taskOf(await expectCode(3, world.run(whole)));
await expectCode(3, world.run(['reject', first, 'agree', '--reason', 'plan less']));
await expectCode(3, world.run(['approve', first, 'agree']));
await expectCode(3, world.run(['reject', first, 'look', '--reason', 'shorter']));
await expectCode(0, world.run(['approve', first, 'look']));
await expectCode(0, world.run(['land', first, '--yes']));

// Two that wait for a person: about a plan, and about a change.
await expectCode(3, world.run(args('a plan waits', planned, { plan, implement: [write('of the plan\n')] })));
await expectCode(3, world.run(args('a change waits', looked, { implement: [{ files: { 'c.txt': 'c\n' } }] })));

// One was approved, and the branch went on in its file: its landing waits for a person.
const moved = taskOf(
  await expectCode(
    3,
    world.run(args('a landing waits', looked, { implement: [{ files: { 'b.txt': 'two\nand three\n' } }] })),
  ),
);
await expectCode(0, world.run(['approve', moved, 'look']));
world.commit({ 'b.txt': 'zero\n\n\n\ntwo\n' }, 'meanwhile');
await world.run(['land', moved, '--yes']);

// Killed between the commit of a step and its branch.
const killed = taskOf(
  await expectCode(
    3,
    world.run(args('die in a commit', planned, { plan, implement: [{ files: { 'd.txt': 'd\n' } }] })),
  ),
);
await expectCode(null, world.run(['approve', killed, 'agree'], { SUPERVISOR_FAILPOINT: 'publish.committed#1' }));

mkdirSync(join(out, 'anchors'), { recursive: true });
const log = new DatabaseSync(join(world.state, 'log.db'));
log.exec(`VACUUM INTO '${join(out, 'log.db')}'`);
log.close();
cpSync(join(world.state, 'anchors'), join(out, 'anchors'), { recursive: true });
world.git('bundle', 'create', join(out, 'repository.bundle'), '--all');
