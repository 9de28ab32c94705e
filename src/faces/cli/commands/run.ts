/** `supervisor run "TEXT"`: runs one task now. */

import { missingFile } from '../../../app/check-files-flag.ts';
import { lookAt, unready } from '../../../app/clis.ts';
import { loadScript, loadSettings } from '../../../app/config/files.ts';
import { detachDriver } from '../../../app/detach.ts';
import { otherLimits, sendCommand } from '../../../app/drive.ts';
import { CliRefused } from '../../../app/not-ready.ts';
import { type OpenedProject, openEngineDeps } from '../../../app/open.ts';
import { locateProject, type ProjectAt } from '../../../app/open-store.ts';
import type { RealHands } from '../../../app/real-hands.ts';
import { type RequestContext, type RunRequest, requestOf } from '../../../app/request.ts';
import { findTools } from '../../../app/tools.ts';
import type { TaskId } from '../../../kernel/ids.ts';
import { nearest } from '../../../kernel/nearest.ts';
import { terminalLine } from '../../../kernel/terminal-text.ts';
import type { Settings } from '../../../mind/config/project-config.ts';
import type { Command, CommandOf } from '../../../mind/domain/commands.ts';
import { playedOnly } from '../../../mind/workers/script.ts';
import { clisIn, compileWorkflow } from '../../../mind/workflows/workflow.ts';
import { type Repository, readRepository } from '../../../os/git/repository.ts';
import { systemChance } from '../../../os/machine/clock.ts';
import { type CommandContext, type CommandRun, EXIT, list, text, texts, UsageError } from '../command.ts';
import { driveTask } from '../drive-task.ts';
import { limitsOf } from '../limit-flag.ts';
import { makeReady } from '../make-ready.ts';
import { tellRedBase } from '../red-base.ts';
import { ignoreHangup } from '../signals.ts';
import { READING, type Silence, tellSilence } from '../silence.ts';
import { taskText } from '../task-text.ts';

export const run: CommandRun = async (context) => {
  const { flags, environment, out } = context;
  const hangup = ignoreHangup();
  const asked = askedOf(context, await taskText(context));
  using silence = tellSilence(out, READING);
  const project = locateProject(context.dir);
  const repository = await readRepository(context.dir);
  const { settings, limits, told, workflows, approvals, notify, haltOnIncident } = loadSettings(
    environment,
    { id: project.id, top: repository.top },
    limitsOf(flags['limit']),
  );
  const workflow = workflows.forRun(text(flags['workflow']) ?? null, {
    maxSteps: limits.max_steps,
    gates: asked.noGates ? null : gateNames(asked, settings),
  });
  // Reads all templates once, to report mistakes before anything starts.
  if (!asked.simulate) told.templates();
  const task = systemChance.id('t') as TaskId;
  const tools = findTools(environment, project);
  // Installed CLIs that turned out not to work.
  const refused = new Map<string, string>();
  const left = new Set<string>();
  const ground: RequestContext = {
    repository,
    dir: context.dir,
    settings,
    limits,
    approvals,
    notify,
    haltOnIncident,
    workflow,
    roles: told.roles,
    strategy: told.strategy,
    unready: (cli: string) => refused.get(cli) ?? unready(cli, lookAt(cli, settings, environment, tools)),
    leftOut: (step: string, why: string) => {
      if (!left.has(step)) out.aside(`step ${step} is left out: ${why}`);
      left.add(step);
    },
  };
  tellPlayedOnly(context, asked);
  const first = tellUnplayed(context, asked, await requestOf(asked, ground, task));
  const missing = await missingFile(first.spec.files, { repository, base: first.base, line: first.onto });
  if (missing !== null) throw new UsageError(missing);
  const network = flags['network'] === true;
  const opened = await openEngineDeps(environment, project, {
    own: (one) => one === task,
    real: { loaded: () => ({ settings, told }), network, checkout: repository.top },
  });
  try {
    const { command, told: baseTold } = asked.simulate
      ? { command: first, told: new Set<string>() }
      : await tellRedBase(
          context,
          opened,
          await ready(context, await opened.real(), { asked, ground, refused, first, silence }),
        );
    await opened.store.openProject(project.id, { path: repository.top, root: repository.root });
    if (asked.cli === null && !asked.simulate)
      tellPassedOver(context, [...settings.defaultCli, ...refused.keys()], command, ground.unready);
    silence.end();
    out.entry('task', `${task}: ${terminalLine(asked.text, 100)}`);
    if (flags['detach'] === true) return await detach(context, project, opened, { command, task, dir: repository.top });
    return await driveTask({ context, project, opened, task, command, limits, baseTold });
  } finally {
    hangup.release();
    await opened.close();
  }
};

/** All gates that a workflow may name: those of the config and of the command line. */
function gateNames({ gates, simulate }: RunRequest, settings: Settings): string[] | null {
  if (simulate && settings.gates.length === 0) return null;
  return [...settings.gates.map(({ name }) => name), ...(gates ?? []).map((gate) => gate.split('=', 1)[0] as string)];
}

type Starting = {
  readonly asked: RunRequest;
  readonly ground: RequestContext;
  /** CLIs that turned out not to work, with the reason; this function adds to it. */
  readonly refused: Map<string, string>;
  readonly first: CommandOf<'task.create'>;
  /** Ended before other work prints its own messages. */
  readonly silence: Silence;
};

/** The request with working CLIs. If nobody chose them, one that does not work is replaced by the next. */
async function ready(context: CommandContext, real: RealHands, starting: Starting): Promise<CommandOf<'task.create'>> {
  const { asked, ground, refused, first } = starting;
  await tellUncommitted(context, real, ground.repository, first);
  starting.silence.end();
  for (let request = first; ; ) {
    const clis = clisIn(request.workflow);
    try {
      const gates = gatesOfConfig(request);
      await makeReady(context, real, { clis, base: request.base ?? '', unsafe: asked.unsafe, gates });
      return request;
    } catch (error) {
      if (!(error instanceof CliRefused) || asked.cli !== null || refused.has(error.cli)) throw error;
      refused.set(error.cli, error.message);
      request = await requestOf(asked, ground, first.task).catch(() => Promise.reject(error));
    }
  }
}

/** Only blocking gates; gates of the command line are the operator's own. */
function gatesOfConfig({ workflow, spec }: CommandOf<'task.create'>): string[] {
  const own = new Set((spec.gates ?? []).map(({ name }) => name));
  const named = workflow.steps.flatMap(({ gates = [] }) =>
    gates.flatMap((one) => (typeof one === 'string' ? [one] : one.blocking === false ? [] : [one.name])),
  );
  return named.filter((name) => !own.has(name));
}

/** A worker starts from a commit, so it does not see uncommitted changes. */
async function tellUncommitted(
  { out }: CommandContext,
  { workspaces }: RealHands,
  repository: Repository,
  { base, onto }: CommandOf<'task.create'>,
): Promise<void> {
  if (base === null || repository.head === null || (repository.branch ?? 'HEAD') !== onto) return;
  const files = (await workspaces.uncommitted(repository.top, repository.head)) ?? [];
  if (files.length === 0) return;
  const more = files.length > MOST_NAMED ? ` and ${files.length - MOST_NAMED} more` : '';
  out.aside(`not committed, so the worker does not see it: ${files.slice(0, MOST_NAMED).join(', ')}${more}`);
}

const MOST_NAMED = 10;

/** Warns that a script written for a simulation would do real work here. */
function tellPlayedOnly({ out }: CommandContext, { script, simulate }: RunRequest): void {
  const fields = script === null || simulate ? [] : playedOnly(script);
  if (fields.length === 0) return;
  const shown = fields.slice(0, MOST_NAMED).join(', ');
  const more = fields.length > MOST_NAMED ? ` and ${fields.length - MOST_NAMED} more` : '';
  const review = fields.some((field) => field.endsWith('.review'))
    ? ". A reviewer's answer is what it `says`: write a fenced JSON block with a `status`"
    : '';
  out.aside(`without --simulate these fields of the script mean nothing: ${shown}${more}${review}`);
}

/**
 * A script entry for a step that the workflow lacks is never played: the name is misspelt, or stands for several steps.
 */
function tellUnplayed<R extends CommandOf<'task.create'>>(
  { out }: CommandContext,
  { script }: RunRequest,
  request: R,
): R {
  const { workflow } = request;
  const known = [...compileWorkflow(workflow).steps.keys()];
  const named = script === null ? [] : Object.keys({ ...script.steps, ...script.people });
  for (const name of named.filter((one) => !known.includes(one)).slice(0, MOST_NAMED)) {
    const meant = nearest(name, known);
    const hint = meant === null ? `its steps are ${known.join(', ')}` : `did you mean ${meant}?`;
    out.aside(
      `the script plays step ${terminalLine(name, 60)}, which workflow ${workflow.name} does not have: ${hint}`,
    );
  }
  const joins = workflow.steps.filter(({ id, kind }) => kind === 'join' && script?.steps[id] !== undefined);
  for (const { id, needs = [] } of joins)
    out.aside(`the script plays step ${id}, which only weighs answers: play ${needs.join(', ')} instead`);
  return request;
}

/** Creates the task here, so that a refusal is printed; a separate process then drives it. */
async function detach(
  { environment, out, flags }: CommandContext,
  project: ProjectAt,
  opened: OpenedProject,
  start: { readonly command: Command; readonly task: TaskId; readonly dir: string },
): Promise<number> {
  const { command, task, dir } = start;
  const signal = new AbortController().signal;
  const { owner, expired } = await opened.store.lease(project.id);
  const rejection =
    flags['limit'] !== undefined && !expired
      ? otherLimits(owner)
      : await sendCommand({ environment, project, opened, signal, command });
  if (rejection !== null) {
    out.error(rejection.code, rejection.message);
    return EXIT.failed;
  }
  const limits = (texts(flags['limit']) ?? []).flatMap((one) => ['--limit', one]);
  const passed = [...(flags['network'] === true ? ['--network'] : []), ...limits];
  const driver = await detachDriver(environment, project, opened, { task, dir, flags: passed });
  out.value({ task_id: task, pid: driver.pid, log: driver.log });
  out.line(`working in the background (pid ${driver.pid}). Watch it: supervisor attach ${task}`);
  return EXIT.done;
}

/** Reports a CLI of the config that is skipped, with the reason. */
function tellPassedOver(
  { out }: CommandContext,
  chosen: readonly string[],
  { workflow }: Pick<CommandOf<'task.create'>, 'workflow'>,
  unready: (cli: string) => string | null,
): void {
  const taken = new Set(clisIn(workflow));
  for (const cli of new Set(chosen)) {
    const why = taken.has(cli) || cli === 'scripted' ? null : unready(cli);
    if (why !== null) out.aside(`skipped: ${why}`);
  }
}

/** Reads the command line only. */
function askedOf({ flags }: CommandContext, what: string): RunRequest {
  const noGates = flags['no-gates'] === true;
  const gates = texts(flags['gate']);
  if (noGates && gates !== null) throw new UsageError('--gate and --no-gates contradict each other');
  return {
    text: what,
    role: text(flags['role']) ?? null,
    cli: list(flags['cli']),
    files: list(flags['files']),
    gates,
    noGates,
    allow: list(flags['allow']),
    strategy: text(flags['strategy']) ?? null,
    onto: text(flags['onto']) ?? null,
    simulate: flags['simulate'] === true,
    script: flags['script'] === undefined ? null : loadScript(text(flags['script'])),
    unsafe: flags['unsafe-no-sandbox'] === true,
    redBase: redBaseOf(flags, noGates),
  };
}

function redBaseOf(flags: CommandContext['flags'], noGates: boolean): RunRequest['redBase'] {
  const [fix, keep] = [flags['fix-base'] === true, flags['keep-red'] === true];
  if (fix && keep) throw new UsageError('--fix-base and --keep-red contradict each other');
  if ((fix || keep) && noGates)
    throw new UsageError(`--no-gates runs no test: --${fix ? 'fix-base' : 'keep-red'} has no effect`);
  return fix ? 'fix' : keep ? 'keep' : null;
}
