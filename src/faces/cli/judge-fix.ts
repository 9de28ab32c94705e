/** `judge --fix`: makes a task that repairs what was rejected, after a question. */
import { fixTask } from '../../mind/judgement/fix-task.ts';
import type { Judgement } from '../../mind/judgement/judgement.ts';
import { ownGitDir, readRepository } from '../../os/git/repository.ts';
import { branchNamed, commitNamed } from '../../os/git/revisions.ts';
import { type CommandContext, EXIT, UsageError } from './command.ts';
import { canAsk, confirm } from './confirm.ts';

/** A task builds on a branch, so the judged commit has to be the tip of one. */
export async function branchToFix({ dir, args }: CommandContext): Promise<string> {
  const { top, branch, head } = await readRepository(dir);
  const gitDir = await ownGitDir(top);
  const [asked] = args;
  if (asked === undefined)
    throw new UsageError(
      '--fix needs a commit: a worker does not see what is not committed. Commit it, then `supervisor judge HEAD --fix`',
    );
  const end = asked.split(/\.{2,3}/).at(-1) || 'HEAD';
  if ((await branchNamed(gitDir, end)) !== null) return end;
  if (branch !== null && (await commitNamed(gitDir, end)) === head) return branch;
  throw new UsageError(`--fix builds on a branch: judge a branch, or HEAD; ${end} is the end of none`);
}

export async function fix(context: CommandContext, judgement: Judgement, onto: string): Promise<number> {
  const { out, flags } = context;
  const words = fixTask(judgement);
  out.line();
  out.heading(`The task, on branch ${onto}:`);
  for (const line of words.split('\n')) out.line(`  ${line}`, 'plain', 2);
  out.line();
  if (flags['yes'] !== true) {
    if (!canAsk(out.json)) {
      out.error('not_asked', 'there is no terminal to ask on: --yes starts this task');
      return EXIT.waiting;
    }
    if (!(await confirm('Start it?'))) return EXIT.failed;
  }
  const { run } = await import('./commands/run.ts');
  const red = judgement.gates.some(({ status, proves }) => status === 'fail' && proves === null);
  const own = { onto, network: flags['network'], ...(red ? { 'fix-base': true } : {}) };
  return run({ ...context, args: [words], flags: own });
}
