/** `supervisor demo`: a throw-away repository, a task whose first attempt fails its gate, a crash, and the way on. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../../../os/files/package-root.ts';
import { git } from '../../../os/git/git.ts';
import { type CommandRun, EXIT } from '../command.ts';
import { run as log } from './log.ts';
import { run as runTask } from './run.ts';
import { run as verify } from './verify.ts';

export const run: CommandRun = async (context) => {
  const { out } = context;
  const dir = mkdtempSync(join(tmpdir(), 'supervisor-demo-'));
  const environment = { ...context.environment, stateDir: join(dir, 'state') };
  try {
    const repository = join(dir, 'repository');
    await makeRepository(repository);
    out.heading('1. A task, played by the scripted worker: its first attempt fails the tests gate, the second passes');
    const script = join(packageRoot(), 'templates', 'demo', 'script.yaml');
    const inside = { ...context, environment, dir: repository };
    const code = await runTask({ ...inside, args: ['make the greeting polite'], flags: { script } });
    if (code !== EXIT.done || out.json) return code;
    out.line();
    out.heading('2. Every fact is in the log');
    await log({ ...inside, args: [], flags: {} });
    out.line();
    out.heading('3. And nobody has changed it since');
    const proven = await verify({ ...inside, args: [], flags: {} });
    out.line();
    out.line('This was played: no model, no cost, nothing of yours touched; the demo removes itself.');
    out.line(
      'Next: in a repository of your own, `supervisor run --simulate "…"`, then `supervisor status` and `supervisor log`.',
    );
    return proven;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
};

async function makeRepository(dir: string): Promise<void> {
  await git(['init', '-q', '-b', 'main', dir], { dir: '/' });
  writeFileSync(join(dir, 'greet.txt'), 'hey you\n');
  await git(['add', '.'], { dir });
  await git(['-c', 'user.name=demo', '-c', 'user.email=demo@localhost', 'commit', '-q', '-m', 'a greeting'], { dir });
}
