/**
 * Keeps a state directory that this version wrote: `node test/replay/record-store.ts VERSION`, once before a release, never
 * over an old one. The real command line works on a repository; some tasks are over, two are left in the middle. The log,
 * its anchors and the repository are kept; the rest of a state directory is made anew when it is missing.
 */
import { cpSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { eventually, type Result, World } from '../support/cli.ts';

const version = process.argv[2] ?? '';
const out = fileURLToPath(new URL(`./stores/${version}/`, import.meta.url));
if (version === '' || existsSync(out)) throw new Error(`name a version that is not recorded yet: ${version}`);

using world = new World();
world.commit({ 'a.txt': 'one\n', 'b.txt': 'two\n' });
const GATE = ['--gate', 'tests=grep -qx right a.txt'];
const WRONG = { files: { 'a.txt': 'wrong\n' } };
const RIGHT = { files: { 'a.txt': 'right\n' } };
const ASKS = { says: '```json\n{"status": "BLOCKED", "action_taken": "none", "notes": "Which of the two?"}\n```' };

let scripts = 0;
const args = (text: string, steps: object, ...more: string[]): string[] => {
  const script = world.file(`script-${scripts++}.yaml`, JSON.stringify({ steps }));
  return ['run', text, '--script', script, ...GATE, ...more, '--json'];
};
async function expectCode(wanted: number | null, done: Promise<Result>): Promise<void> {
  const { code, stdout, stderr } = await done;
  if (code !== wanted) throw new Error(`ended with ${code} instead of ${wanted}: ${stderr}${stdout}`);
}

await expectCode(0, world.run(args('land this', { implement: [WRONG, RIGHT] })));
await expectCode(0, world.run(['land', '--yes']));
await expectCode(0, world.run(args('keep this on its branch', { implement: [{ files: { 'b.txt': 'more\n' } }] })));
await expectCode(1, world.run(args('fail', { implement: [WRONG] })));
// Long enough for a snapshot of its stream.
const long = `ask\n\n${'Think of it twice. '.repeat(1_800)}`;
await expectCode(4, world.run(args(long, { implement: [ASKS, { files: { 'c.txt': 'so\n' } }] })));

// Paused while the reviewer reads: the change is made and checked, its review is cut.
const read = args(
  'pause in the review',
  { implement: [WRONG, { files: { 'd.txt': 'd\n' } }], review: [{ run: 'sleep 600' }, {}] },
  ...['--workflow', 'reviewed'],
);
const reading = world.start(read);
const inReview = async () => {
  const events = await world.events();
  const [started] = events.filter(({ data }) => (data as { step?: string }).step === 'review');
  return started?.stream.slice('task/'.length) ?? null;
};
const paused = await eventually(inReview, 'the reviewer is at work');
await expectCode(0, world.run(['pause', paused, '--reason', 'lunch']));
await expectCode(3, reading.done);

// Killed between the commit and its branch: what is logged is the intent alone.
const killed = world.run(args('die while it is committed', { implement: [{ files: { 'e.txt': 'e\n' } }] }), {
  SUPERVISOR_FAILPOINT: 'publish.committed#1',
});
await expectCode(null, killed);

mkdirSync(join(out, 'anchors'), { recursive: true });
const log = new DatabaseSync(join(world.state, 'log.db'));
log.exec(`VACUUM INTO '${join(out, 'log.db')}'`);
log.close();
cpSync(join(world.state, 'anchors'), join(out, 'anchors'), { recursive: true });
world.git('bundle', 'create', join(out, 'repository.bundle'), '--all');
