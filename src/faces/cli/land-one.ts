/** Lands one task for a person at the terminal: what happens on the way, one question at most, and how it ended. */

import type { Loaded } from '../../app/config/files.ts';
import { type LandProgress, land } from '../../app/land.ts';
import type { Opened } from '../../app/open.ts';
import type { ProjectAt } from '../../app/open-store.ts';
import { type TaskView, viewTask } from '../../app/task-view.ts';
import type { TaskId } from '../../kernel/ids.ts';
import { LANDING_MODES, type LandingMode } from '../../mind/config/git-config.ts';
import { redText } from '../../mind/domain/task.ts';
import { gateText } from '../../mind/feedback/gate-text.ts';
import { type CommandContext, EXIT, text, UsageError } from './command.ts';
import { canAsk, confirm } from './confirm.ts';
import { Heartbeat, type Silence } from './silence.ts';

type Landing = {
  readonly context: CommandContext;
  readonly project: ProjectAt;
  readonly opened: Opened;
  readonly loaded: Pick<Loaded, 'limits' | 'settings'>;
  /** The first signal takes the task out of the queue; a second one ends the process. */
  readonly stop: AbortSignal;
  readonly silence: Silence;
};

export type LandEnd = {
  readonly task: TaskId;
  readonly exit: number;
  readonly landed: { readonly onto: string; readonly commit: string; readonly red: object | null } | null;
  /** Why it did not land; empty where it did. */
  readonly code: string;
  readonly message: string;
};

export async function landOne(
  { context, project, opened, loaded, stop, silence }: Landing,
  task: TaskId,
): Promise<LandEnd> {
  const { environment, out, flags } = context;
  const view = await viewTask(opened.store, project.id, task);
  const as = modeOf(flags['as'], loaded.settings);
  const tryLand = async (moveCheckout: boolean) => {
    using progress = progressOn(out, silence);
    return await land({
      environment,
      project,
      opened,
      limits: loaded.limits,
      view,
      onto: text(flags['onto']) ?? null,
      unverified: flags['unverified'] === true,
      unstable: flags['unstable'] === true,
      moveCheckout,
      as,
      progress,
      stops: { pause: stop, stop: NEVER },
    });
  };
  const refused = { task, landed: null };
  if (loaded.settings.git?.dry_run_preview === true && flags['yes'] !== true) {
    silence.end();
    preview(out, view, { onto: text(flags['onto']) ?? view.task.onto, as });
    if (!canAsk(out.json)) return { ...refused, exit: EXIT.waiting, code: 'confirm', message: CONFIRM };
    if (!(await confirm('Land it?')))
      return { ...refused, exit: EXIT.waiting, code: 'confirm', message: 'nothing was landed' };
  }
  let landed = await tryLand(flags['yes'] === true);
  silence.end();
  if (landed.type === 'checked_out' && canAsk(out.json)) {
    const question = `${landed.onto} is checked out in ${landed.path} and clean. Move it there too?`;
    if (await confirm(question)) landed = await tryLand(true);
  }
  if (landed.type === 'checked_out')
    return { ...refused, exit: EXIT.waiting, code: 'checked_out', message: landed.reason };
  if (landed.type === 'rejected')
    return { ...refused, exit: EXITS[landed.code] ?? EXIT.failed, code: landed.code, message: landed.message };
  const { onto, commit, red } = landed;
  out.line(`${onto} is at ${commit.slice(0, 12)}: ${view.task.title}`, 'good');
  const told = { onto, commit, red: red.gates.length === 0 ? null : red };
  return { task, landed: told, exit: EXIT.done, code: '', message: '' };
}

const CONFIRM =
  'nothing was landed: `git.dry_run_preview` wants a yes, and nobody can be asked here; --yes says it beforehand';

const HOW: Readonly<Record<LandingMode, string>> = {
  'fast-forward': 'moves forward',
  merge: 'gets a merge commit',
  squash: 'gets one commit',
};

/** What landing would do, for somebody who wants to see it first. */
function preview(
  out: CommandContext['out'],
  { task }: TaskView,
  { onto, as }: { readonly onto: string; readonly as: LandingMode },
): void {
  out.heading('What would be landed');
  out.entry('  task', `${task.id}: ${task.title}`);
  out.entry('  commit', `${task.closed?.commit?.slice(0, 12) ?? 'none'} on ${task.closed?.branch ?? 'no branch'}`);
  out.entry('  branch', `${onto} ${HOW[as]}; where it has gone on, the gates run on the result first`);
  out.entry('  read it', `supervisor diff ${task.id}`);
}

function modeOf(flag: CommandContext['flags'][string], { git }: Loaded['settings']): LandingMode {
  const said = text(flag);
  const mode = LANDING_MODES.find((one) => one === said);
  if (said !== undefined && mode === undefined) throw new UsageError(`--as ${said}: say ${LANDING_MODES.join(', ')}`);
  return mode ?? git?.landing ?? 'fast-forward';
}

const EXITS: Readonly<Record<string, number>> = {
  not_ready: EXIT.notReady,
  bad_branch: EXIT.notReady,
  gate_error: EXIT.notReady,
  unstable: EXIT.waiting,
  needs_approval: EXIT.waiting,
  line_stopped: EXIT.escalated,
  interrupted: EXIT.interrupted,
};

const NEVER = new AbortController().signal;

/** Tells what happens, and from time to time what goes on, as long as nothing else is told. */
function progressOn(out: CommandContext['out'], silence: Silence): LandProgress & Disposable {
  let goesOn: string | null = null;
  const heartbeat = new Heartbeat(() => goesOn !== null && out.aside(goesOn));
  const told = () => {
    silence.end();
    heartbeat.said();
  };
  return {
    red: ({ gates, tests }) => {
      told();
      for (const gate of gates) out.line(redText(gate), 'note');
      for (const name of tests) out.entry('  red', name, 'note');
    },
    integrating: (head, gates) => {
      told();
      // Not "run again": a gate that has seen this tree before is not run.
      const checked = gates === 0 ? 'no gate checks it there' : 'its gates check the result';
      out.line(`the line has moved to ${head.slice(0, 12)}: the change is put on top, and ${checked}`);
      if (gates > 0) goesOn = 'its gates are still at work';
    },
    following: () => {
      told();
      out.line('another process drives this project: it lands the task', 'note');
      goesOn = 'still waiting for the other process to land the task';
    },
    rechecking: (on, gates) => {
      told();
      const where = on === 'tip' ? 'on the branch without the change' : 'on the same tree again, not from the cache';
      out.line(`red: ${gates.join(', ')} run${gates.length === 1 ? 's' : ''} once more, ${where}`, 'note');
    },
    gate: (found) => {
      told();
      tellGate(out, found);
    },
    [Symbol.dispose]: () => heartbeat[Symbol.dispose](),
  };
}

function tellGate(
  out: CommandContext['out'],
  { gate, status, evidence, excused, cached }: Parameters<LandProgress['gate']>[0],
): void {
  const said = excused > 0 ? redText({ gate, count: excused }).slice(gate.length + 2) : status;
  const tone = excused > 0 ? 'note' : status === 'pass' ? 'good' : 'bad';
  out.entry(`  ${gate}`, `${said}${cached ? ' (cached)' : ''}`, tone);
  if (status === 'pass') return;
  const told = gateText({ gate, status, text: evidence }, 1_500);
  for (const line of told.split('\n')) out.line(`  | ${line}`, 'note');
}
