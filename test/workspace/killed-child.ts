/** A whole change in a process of its own, so that it can be killed anywhere in it: `node killed-child.ts REPO STATE NAME`. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { WorkspaceError } from '../../src/engine/ports/workspace.ts';
import { GitWorkspaces } from '../../src/hands/workspace/workspaces.ts';
import type { ProjectId } from '../../src/kernel/ids.ts';

const [repo = '', stateDir = '', name = ''] = process.argv.slice(2);
const workspaces = new GitWorkspaces({
  stateDir,
  project: 'demo' as ProjectId,
  commonDir: join(repo, '.git'),
  lockWaitMs: 500,
});

async function change(): Promise<string> {
  const workspace = await workspaces.make(name, { base: 'main', tree: null });
  for (let n = 0; n < 20; n += 1) writeFileSync(join(workspace.tree, `new-${n}`), `${name} ${n}\n`);
  const captured = await workspace.capture();
  if (captured.type !== 'candidate') throw new Error(JSON.stringify(captured));
  const { candidate } = captured;
  const done = await workspaces.publish({ branch: `ai/${name}`, candidate, message: name, time: 1_790_000_000_000 });
  return done.type === 'published' ? done.commit : done.type;
}

/** As the engine does with an error that may pass. */
async function patiently(tries: number): Promise<string> {
  try {
    return await change();
  } catch (error) {
    if (!(error instanceof WorkspaceError && error.code === 'locked') || tries === 0) throw error;
    return patiently(tries - 1);
  }
}

console.log('begin');
console.log(await patiently(200));
await workspaces.close();
