/**
 * `supervisor demo`: a throw-away repository with a failing test, a worker that gets it wrong once, and the way to a
 * commit.
 */
import { chmodSync, cpSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { packageRoot } from '../../../os/files/package-root.ts';
import { git } from '../../../os/git/git.ts';
import { findProgram } from '../../../os/machine/tool-chains.ts';
import { type CommandContext, type CommandRun, EXIT } from '../command.ts';
import { run as runTask } from './run.ts';
import { run as verify } from './verify.ts';

const TASK = 'make the greeting polite, also for a stranger';

export const run: CommandRun = async (context) => {
  const { out, environment } = context;
  const dir = mkdtempSync(join(tmpdir(), 'supervisor-demo-'));
  // The sandbox's user has to pass through this directory.
  chmodSync(dir, 0o711);
  const inside: CommandContext = {
    ...context,
    args: [TASK],
    hints: false,
    flags: { script: join(packageRoot(), 'templates', 'demo', 'script.yaml'), gate: 'tests=node --test' },
    environment: {
      ...environment,
      stateDir: join(dir, 'state'),
      userConfig: join(dir, 'no-config.yaml'),
      // The tests of the demo run on the Node that runs Supervisor.
      path: [dirname(process.execPath), environment.path].join(delimiter),
    },
    dir: join(dir, 'repository'),
  };
  await makeRepository(inside.dir);
  out.line(`A small repository was made in ${inside.dir}. Its test fails.`);
  out.line('A scripted worker gets the task. It is no model, but all else is real: workspace, sandbox, gate, commit.');
  out.line();
  const code = await runTask(inside);
  if (out.json) return code;
  if (code !== EXIT.done) {
    out.line(`the demo did not end well; what it left is in ${dir}`, 'bad');
    return code;
  }
  const [branch = ''] = (
    await git(['branch', '--list', '--format=%(refname:short)', 'ai/*'], { dir: inside.dir })
  ).split('\n');
  out.line();
  out.heading('What it made, and only on that branch:');
  out.line(await git(['diff', '--no-ext-diff', '--no-textconv', `main..${branch}`], { dir: inside.dir }));
  out.line();
  out.heading('The record, and the check that it is unchanged:');
  const proven = await verify({ ...inside, args: [], flags: {} });
  // In a checkout the program is not on PATH.
  const program =
    findProgram('supervisor', environment.path) === null ? join(packageRoot(), 'bin/supervisor') : 'supervisor';
  const command = `SUPERVISOR_HOME=${inside.environment.stateDir} ${program}`;
  out.line();
  out.heading('What next');
  out.entry('  all events   ', `${command} log --project ${inside.dir}`);
  out.entry('  the task     ', `${command} show ${/t-[^-]+/.exec(branch)?.[0]} --project ${inside.dir}`);
  out.entry('  throw it away', `rm -rf ${dir}`);
  out.entry('  for real     ', `in a repository of yours: ${program} init, then ${program} run "…"`);
  return proven;
};

async function makeRepository(dir: string): Promise<void> {
  await git(['init', '-q', '-b', 'main', dir], { dir: '/' });
  cpSync(join(packageRoot(), 'templates', 'demo', 'repository'), dir, { recursive: true });
  await git(['add', '.'], { dir });
  await git(['-c', 'user.name=demo', '-c', 'user.email=demo@localhost', 'commit', '-q', '-m', 'a greeting'], { dir });
}
