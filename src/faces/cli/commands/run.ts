/** `supervisor run "TEXT"`: one task now. */
import { lookAt, unready } from '../../../app/clis.ts';
import { loadScript, loadSettings, loadWorkflow } from '../../../app/config/files.ts';
import { openEngineDeps } from '../../../app/open.ts';
import { locateProject } from '../../../app/open-store.ts';
import { realHands } from '../../../app/real.ts';
import { type Asked, requestOf } from '../../../app/request.ts';
import { findTools } from '../../../app/tools.ts';
import type { Store } from '../../../engine/ports/store.ts';
import type { ProjectId, TaskId } from '../../../kernel/ids.ts';
import { terminalLine } from '../../../kernel/terminal-text.ts';
import type { CommandOf } from '../../../mind/domain/commands.ts';
import type { TaskSummary } from '../../../mind/protocol/task-summary.ts';
import { readRepository } from '../../../os/git/repository.ts';
import { systemChance } from '../../../os/machine/clock.ts';
import { type CommandContext, type CommandRun, list, text, texts, UsageError } from '../command.ts';
import { driveTask } from '../drive-task.ts';
import { makeReady } from '../make-ready.ts';

export const run: CommandRun = async (context) => {
  const { flags, environment, out } = context;
  const asked = askedOf(context);
  const project = locateProject(context.dir);
  const repository = await readRepository(context.dir);
  const { settings, limits, told, project: files } = loadSettings(environment, { id: project.id, top: repository.top });
  const { definition } = loadWorkflow(text(flags['workflow']) ?? 'default', limits, files);
  // Read here once for all attempts: a mistake in them is told before anything is started.
  if (!asked.simulate) told.templates();
  const task = systemChance.id('t') as TaskId;
  const tools = findTools(environment, project);
  const ground = {
    ...{ repository, settings, limits, workflow: definition, roles: told.roles },
    unready: (cli: string) => unready(cli, lookAt(cli, settings, environment, tools)),
  };
  const command = await requestOf(asked, ground, task);
  const network = flags['network'] === true;
  const opened = await openEngineDeps(environment, project, {
    own: () => task,
    real: realHands({ environment, project, loaded: () => ({ settings, told }), network, checkout: repository.top }),
  });
  try {
    if (!asked.simulate) {
      const clis = command.workflow.steps.flatMap((step) => step.cli ?? []);
      await makeReady(context, await opened.real(), { clis, base: command.base ?? '', unsafe: asked.unsafe });
    }
    await opened.store.openProject(project.id, { path: repository.top, root: repository.root });
    if (asked.cli === null && !asked.simulate) tellPassedOver(context, settings.defaultCli, command, ground.unready);
    await tellUnfinished(context, opened.store, project.id);
    out.entry('task', `${task}: ${terminalLine(asked.text, 100)}`);
    return await driveTask({ context, project, opened, task, command, limits });
  } finally {
    await opened.close();
  }
};

/** Whoever has the lease drives all tasks: one that was stopped goes on too, and somebody pays for it. */
async function tellUnfinished({ out }: CommandContext, store: Store, project: ProjectId): Promise<void> {
  if ((await store.lease(project)).owner !== null) return;
  const rows = await store.streams(project, 'task/');
  const open = rows.map((row) => row.summary as unknown as TaskSummary).filter(({ status }) => UNFINISHED.has(status));
  for (const { task_id, title } of open.slice(0, MOST_TOLD))
    out.aside(
      `also goes on with ${task_id} (${terminalLine(title, 60)}), which was not finished: \`supervisor cancel ${task_id}\` stops it`,
    );
  if (open.length > MOST_TOLD) out.aside(`and with ${open.length - MOST_TOLD} more`);
}

const UNFINISHED = new Set(['queued', 'running', 'waiting']);
const MOST_TOLD = 3;

/** A choice of the config that is not followed is told, with the reason. */
function tellPassedOver(
  { out }: CommandContext,
  chosen: readonly string[],
  { workflow }: Pick<CommandOf<'task.create'>, 'workflow'>,
  unready: (cli: string) => string | null,
): void {
  const taken = new Set(workflow.steps.flatMap((step) => step.cli ?? []));
  for (const cli of chosen) {
    const why = taken.has(cli) || cli === 'scripted' ? null : unready(cli);
    if (why !== null) out.aside(`passed over: ${why}`);
  }
}

/** The command line alone: nothing is looked at yet. */
function askedOf({ args, flags }: CommandContext): Asked {
  const what = (args[0] ?? '').trim();
  if (what === '') throw new UsageError('TEXT is empty: say what is to be done');
  if (what.length > 100_000) throw new UsageError(`TEXT has ${what.length} characters, at most 100000 are allowed`);
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
    onto: text(flags['onto']) ?? null,
    simulate: flags['simulate'] === true,
    script: flags['script'] === undefined ? null : loadScript(text(flags['script'])),
    unsafe: flags['unsafe-no-sandbox'] === true,
  };
}
