/** `supervisor judge`: gates, findings and a verdict on a commit, a range, a branch, or uncommitted files. */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { lookAt, unready } from '../../../app/clis.ts';
import { type LoadedConfig, loadSettings } from '../../../app/config/files.ts';
import { clearLeftovers, judge } from '../../../app/judge/judge.ts';
import type { ReviewAsk } from '../../../app/judge/judge-reviews.ts';
import { findTarget, type JudgeTarget, NoTarget } from '../../../app/judge/judge-target.ts';
import { openEngineDeps } from '../../../app/open.ts';
import { locateProject, type ProjectAt } from '../../../app/open-store.ts';
import { checkClis, clisFor } from '../../../app/request.ts';
import { findTools } from '../../../app/tools.ts';
import { assertNever } from '../../../kernel/assert-never.ts';
import { nearest } from '../../../kernel/nearest.ts';
import type { GateConfig } from '../../../mind/gates/gate-config.ts';
import { judgementJson } from '../../../mind/judgement/json.ts';
import type { Judgement } from '../../../mind/judgement/judgement.ts';
import { junitOf } from '../../../mind/judgement/junit.ts';
import { sarifOf } from '../../../mind/judgement/sarif.ts';
import { ownGitDir, type Repository, readRepository } from '../../../os/git/repository.ts';
import { type CommandContext, type CommandRun, EXIT, list, text, texts, UsageError } from '../command.ts';
import { branchToFix, fix } from '../judge-fix.ts';
import { answerHook, isHook } from '../judge-hook.ts';
import { gateWords, printJudgement, tookWords } from '../judge-report.ts';
import { makeReady } from '../make-ready.ts';
import { onStop } from '../signals.ts';

export const run: CommandRun = async (context) => {
  const { out, flags } = context;
  if (isHook(context)) return answerHook(context, judgementOf);
  if (flags['fix'] === true && out.json)
    throw new UsageError('--fix and --json contradict each other: judge with --json, then `supervisor run --json`');
  const onto = flags['fix'] === true ? await branchToFix(context) : null;
  const reports = reportsAsked(context);
  const judgement = await judgementOf(context);
  if (judgement === null) return EXIT.interrupted;
  await writeReports(reports, judgement);
  out.value(judgementJson(judgement));
  printJudgement(out, judgement);
  return onto !== null && judgement.decision === 'REJECT' ? fix(context, judgement, onto) : exitOf(judgement);
};

type Reports = { readonly sarif: string | undefined; readonly junit: string | undefined };

/** Checked before anything runs: a mistyped path would waste a run of all gates. */
function reportsAsked({ flags }: CommandContext): Reports {
  const reports = { sarif: text(flags['sarif']), junit: text(flags['junit']) };
  for (const [name, file] of Object.entries(reports)) {
    if (file === undefined) continue;
    if (!statSync(dirname(file), { throwIfNoEntry: false })?.isDirectory())
      throw new UsageError(`--${name} ${file}: there is no directory ${dirname(file)}`);
    if (statSync(file, { throwIfNoEntry: false })?.isDirectory())
      throw new UsageError(`--${name} ${file}: is a directory`);
  }
  return reports;
}

async function writeReports({ sarif, junit }: Reports, judgement: Judgement): Promise<void> {
  if (sarif !== undefined) {
    const { packageVersion } = await import('../../../os/files/package-root.ts');
    writeFileSync(sarif, `${JSON.stringify(sarifOf(judgement, packageVersion()), null, 2)}\n`);
  }
  if (junit !== undefined) writeFileSync(junit, junitOf(judgement));
}

function exitOf({ decision }: Judgement): number {
  switch (decision) {
    case 'APPROVE':
      return EXIT.done;
    case 'REJECT':
      return EXIT.failed;
    case 'ESCALATE':
      return EXIT.escalated;
    default:
      return assertNever(decision, 'decision');
  }
}

/** Returns null if it was interrupted. */
async function judgementOf(context: CommandContext): Promise<Judgement | null> {
  const { environment, flags, out, dir } = context;
  const task = taskWords(context);
  const project = locateProject(dir);
  const repository = await readRepository(dir);
  const target = await targetOf(context, repository);
  const loaded = loadSettings(environment, { id: project.id, top: repository.top });
  const gates = gatesAsked(loaded.settings.gates, texts(flags['gate']));
  const reviews = reviewersAsked(context, project, loaded);
  const checkout = repository.top;
  const opened = await openEngineDeps(environment, project, {
    real: { loaded: () => loaded, network: flags['network'] === true, checkout },
  });
  const stop = onStop((name) => out.aside(`${name}: stopping`));
  try {
    const real = await opened.real();
    await clearLeftovers({ project, opened, real, environment });
    await makeReady(context, real, { clis: reviews.map(({ cli }) => cli), base: target.base, unsafe: false });
    const canary = flags['no-canary'] !== true;
    const judgement = await judge({
      environment,
      project,
      opened,
      real,
      checkout,
      settings: loaded.settings,
      target,
      gates,
      canary,
      reviews,
      wallMs: loaded.limits.wall_ms,
      task,
      progress: progressOf(context, target),
      signal: stop.signal,
    });
    return stop.signal.aborted ? null : judgement;
  } finally {
    stop.release();
    await opened.close();
  }
}

function progressOf({ out }: CommandContext, { name, base }: JudgeTarget): Parameters<typeof judge>[0]['progress'] {
  return {
    change: (changed) =>
      out.aside(
        `judging ${name}: ${changed.length} file${changed.length === 1 ? '' : 's'} against ${base.slice(0, 12)}`,
      ),
    findings: (found) => {
      const blocking = found.filter(({ blocks }) => blocks).length;
      if (found.length > 0)
        out.aside(`the diff: ${found.length} finding${found.length === 1 ? '' : 's'}, ${blocking} blocking`);
    },
    begins: (gate) => out.aside(`${gate} …`),
    review: ({ role, cli }) => out.aside(`${role.name} (${cli}) reads the change …`),
    ended: (gate) => out.aside(`${gate.name}: ${gateWords(gate)}${tookWords(gate)}`),
  };
}

async function targetOf({ args, flags }: CommandContext, repository: Repository): Promise<JudgeTarget> {
  try {
    const gitDir = await ownGitDir(repository.top);
    return await findTarget({ ...repository, gitDir }, args[0], text(flags['onto']) ?? null);
  } catch (error) {
    if (error instanceof NoTarget) throw new UsageError(error.message);
    throw error;
  }
}

function gatesAsked(all: readonly GateConfig[], names: readonly string[] | null): readonly GateConfig[] {
  if (all.length === 0)
    throw new UsageError(
      'no gate is configured, so nothing can be judged: name one in .supervisor/config.yaml (`supervisor init` suggests some)',
    );
  const known = all.map(({ name }) => name);
  const unknown = names?.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    const meant = nearest(unknown, known);
    throw new UsageError(
      `there is no gate ${unknown}${meant === null ? '' : `, did you mean ${meant}?`} (there are ${known.join(', ')})`,
    );
  }
  return names === null ? all : all.filter(({ name }) => names.includes(name));
}

/** Pairs each role with a CLI: the first that is ready and not taken by an earlier role. */
function reviewersAsked(
  { flags, environment }: CommandContext,
  project: ProjectAt,
  { settings, told }: LoadedConfig,
): readonly ReviewAsk[] {
  const asks: ReviewAsk[] = [];
  const tools = findTools(environment, project);
  const ready = (cli: string) => unready(cli, lookAt(cli, settings, environment, tools));
  for (const name of list(flags['review']) ?? []) {
    const role = told.roles.get(name);
    if (role.answer !== 'review' && role.answer !== 'security')
      throw new UsageError(
        `--review ${name}: this role does not judge a change (its file says \`answer: ${role.answer}\`)`,
      );
    const asked = { cli: list(flags['cli']), script: null, simulate: false };
    const clis = clisFor(role, asked, { settings, unready: ready });
    checkClis({ id: 'review' }, role, clis, asked, { settings });
    const cli = clis.find((one) => !asks.some((other) => other.cli === one)) ?? (clis[0] as string);
    asks.push({ role, cli });
  }
  return asks;
}

const MAX_TASK_BYTES = 400_000;

function taskWords({ flags }: CommandContext): string | null {
  const [words, file] = [text(flags['task']), text(flags['task-file'])];
  if (words !== undefined && file !== undefined)
    throw new UsageError('--task and --task-file contradict each other: give one of them');
  if (file === undefined) return words ?? null;
  const stat = statSync(file, { throwIfNoEntry: false });
  if (!stat?.isFile()) throw new UsageError(`--task-file ${file}: there is no such file`);
  if (stat.size > MAX_TASK_BYTES) throw new UsageError(`--task-file ${file}: is too long for a task`);
  return readFileSync(file, 'utf8').trim();
}
