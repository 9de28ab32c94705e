/** Makes a workspace without holding any lease, says so, and stays at it: `node busy-child.ts REPO STATE NAME`. */
import { join } from 'node:path';
import { GitWorkspaces } from '../../src/hands/workspace/workspaces.ts';
import type { ProjectId } from '../../src/kernel/ids.ts';

const [repo = '', stateDir = '', name = ''] = process.argv.slice(2);
const workspaces = new GitWorkspaces({ stateDir, project: 'demo' as ProjectId, commonDir: join(repo, '.git') });
const { tree } = await workspaces.make(name, { base: 'main', tree: null });
console.log(tree);
setInterval(() => {}, 60_000);
