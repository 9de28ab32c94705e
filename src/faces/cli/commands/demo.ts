/** `supervisor demo`: a throw-away repository, a task whose first attempt fails its gate, a kill -9 in the middle, and the way on. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { locateProject, openToRead } from '../../../app/open-store.ts';
import { packageRoot } from '../../../os/files/package-root.ts';
import { git } from '../../../os/git/git.ts';
import { run as runProgram } from '../../../os/process/run.ts';
import { type CommandContext, type CommandRun, EXIT } from '../command.ts';
import { run as log } from './log.ts';
import { run as resume } from './resume.ts';
import { run as verify } from './verify.ts';

/** Where the demo's process is killed: the second attempt has ended, and nothing of it is written down yet. */
const FAILPOINT = 'effect.after worker.run#2';

export const run: CommandRun = async (context) => {
  const { out } = context;
  const dir = mkdtempSync(join(tmpdir(), 'supervisor-demo-'));
  const inside = {
    ...context,
    environment: { ...context.environment, stateDir: join(dir, 'state') },
    dir: join(dir, 'repository'),
  };
  const script = join(packageRoot(), 'templates', 'demo', 'script.yaml');
  try {
    await makeRepository(inside.dir);
    out.heading(
      '1. A task, played by the scripted worker. Its first attempt fails the tests gate. Then the process is killed.',
    );
    const killed = await runKilled(inside, script);
    out.line(killed.trimEnd());
    out.line('        ✗ kill -9, just before what the second attempt did was written down', 'bad');
    out.line();
    out.heading('2. Nothing that was written is lost, and nothing half-written is there. It goes on:');
    const task = await onlyTask(inside);
    const code = await resume({ ...inside, args: [task], flags: { script } });
    if (code !== EXIT.done) return code;
    out.line();
    out.heading('3. Every fact is in the log');
    if (!out.json) await log({ ...inside, args: [], flags: {} });
    out.line();
    out.heading('4. And nobody has changed it since');
    const proven = out.json ? EXIT.done : await verify({ ...inside, args: [], flags: {} });
    out.line();
    out.line(
      'This was played, the prices too: no model was called, nothing of yours was touched, and the demo removes itself.',
    );
    out.line(
      'Next: in a repository of your own, `supervisor run --simulate "…"`, then `supervisor status` and `supervisor log`.',
    );
    return proven;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
};

/** The same command line in a process of its own, which dies at a failpoint as by kill -9; returns what it had printed. */
async function runKilled({ dir, environment }: CommandContext, script: string): Promise<string> {
  const entry = process.argv[1] ?? '';
  const args = [...process.execArgv, entry, 'run', 'make the greeting polite', '--script', script];
  const env = {
    HOME: dir,
    PATH: '/usr/local/bin:/usr/bin:/bin',
    SUPERVISOR_HOME: environment.stateDir,
    SUPERVISOR_FAILPOINT: FAILPOINT,
  };
  const { stdout, stderr, code } = await runProgram(process.execPath, args, { cwd: dir, env, timeoutMs: 60_000 });
  if (code !== null) throw new Error(`the demo's process was to be killed, but ended with ${code}: ${stderr}`);
  return stdout;
}

async function onlyTask({ environment, dir }: CommandContext): Promise<string> {
  const project = locateProject(dir);
  const store = await openToRead(environment, project);
  const [row] = (await store?.streams(project.id, 'task/')) ?? [];
  await store?.close();
  return row?.stream.slice('task/'.length) ?? '';
}

async function makeRepository(dir: string): Promise<void> {
  await git(['init', '-q', '-b', 'main', dir], { dir: '/' });
  writeFileSync(join(dir, 'greet.txt'), 'hey you\n');
  await git(['add', '.'], { dir });
  await git(['-c', 'user.name=demo', '-c', 'user.email=demo@localhost', 'commit', '-q', '-m', 'a greeting'], { dir });
}
