/** Lands one task for a person at the terminal: shows progress, asks at most one question, and reports the result. */

import type { LoadedConfig } from '../../app/config/files.ts';
import { endsOf, type LandProgress, type LandResult, land, landCommand, lastEnd } from '../../app/land.ts';
import type { OpenedProject } from '../../app/open.ts';
import type { ProjectAt } from '../../app/open-store.ts';
import { type TaskView, viewTask } from '../../app/task-view.ts';
import type { TaskId } from '../../kernel/ids.ts';
import { LANDING_MODES, type LandingMode } from '../../mind/config/git-config.ts';
import { settingsHash } from '../../mind/config/project-config.ts';
import { redText } from '../../mind/domain/task.ts';
import { gateText } from '../../mind/feedback/gate-text.ts';
import { type CommandContext, EXIT, text, UsageError } from './command.ts';
import { canAsk, confirm } from './confirm.ts';
import { Heartbeat, type Silence } from './silence.ts';

export type LandContext = {
  readonly context: CommandContext;
  readonly project: ProjectAt;
  readonly opened: OpenedProject;
  readonly loaded: Pick<LoadedConfig, 'limits' | 'settings'>;
  /** The first signal takes the task out of the queue; the second one ends the process. */
  readonly stop: AbortSignal;
  readonly silence: Silence;
};

export type LandEnd = {
  readonly task: TaskId;
  readonly exit: number;
  readonly landed: { readonly onto: string; readonly commit: string; readonly red: object | null } | null;
  /** The code of the refusal; empty if it landed. */
  readonly code: string;
  readonly message: string;
};

/** What the flags and the configuration say of it. */
function askedFor({ context: { flags }, loaded }: LandContext, view: TaskView) {
  return {
    view,
    onto: text(flags['onto']) ?? null,
    unverified: flags['unverified'] === true,
    unstable: flags['unstable'] === true,
    moveCheckout: flags['yes'] === true,
    as: modeOf(flags['as'], loaded.settings),
    settings: settingsHash(loaded.settings),
  };
}

export const commandFor = (landing: LandContext, view: TaskView) => landCommand(askedFor(landing, view));

export const isPreviewed = ({ context: { flags }, loaded }: LandContext): boolean =>
  loaded.settings.git?.dry_run_preview === true && flags['yes'] !== true;

/** How it ended while another task was landed, here or by another process; null: it has not. `before`: how often it had ended then. */
export async function landedMeanwhile(landing: LandContext, task: TaskId, before: number): Promise<LandEnd | null> {
  const { opened, project, context } = landing;
  const view = await viewTask(opened.store, project.id, task);
  if (endsOf(view) === before) return null;
  const end = lastEnd(view, text(context.flags['onto']) ?? view.task.onto);
  // The person is asked, as for any other.
  return end.type === 'checked_out' && canAsk(context.out.json) ? null : tellEnd(context.out, view, end);
}

export async function landOne(landing: LandContext, task: TaskId): Promise<LandEnd> {
  const { context, project, opened, loaded, stop, silence } = landing;
  const { environment, out, flags } = context;
  const view = await viewTask(opened.store, project.id, task);
  const asked = askedFor(landing, view);
  const tryLand = async (moveCheckout: boolean) => {
    using progress = progressOn(out, silence);
    const stops = { pause: stop, stop: NEVER };
    return await land({ ...asked, environment, project, opened, limits: loaded.limits, moveCheckout, progress, stops });
  };
  const refused = { task, landed: null };
  if (isPreviewed(landing)) {
    silence.end();
    preview(out, view, { onto: asked.onto ?? view.task.onto, as: asked.as });
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
  return tellEnd(out, view, landed);
}

function tellEnd(out: CommandContext['out'], view: TaskView, landed: LandResult): LandEnd {
  const task = view.task.id;
  const refused = { task, landed: null };
  if (landed.type === 'checked_out')
    return { ...refused, exit: EXIT.waiting, code: 'checked_out', message: landed.reason };
  if (landed.type === 'rejected')
    return { ...refused, exit: EXITS[landed.code] ?? EXIT.failed, code: landed.code, message: landed.message };
  const { onto, commit, red } = landed;
  out.line(`${onto} is at ${commit.slice(0, 12)}: ${view.task.title}`, 'good');
  const told = { onto, commit, red: red.gates.length === 0 ? null : red };
  return { task, landed: told, exit: EXIT.done, code: '', message: '' };
}

const CONFIRM = 'nothing was landed: `git.dry_run_preview` asks first, and there is no terminal here: pass --yes';

const HOW: Readonly<Record<LandingMode, string>> = {
  'fast-forward': 'moves forward',
  merge: 'gets a merge commit',
  squash: 'gets one commit',
};

/** Shows what landing would do. */
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

function modeOf(flag: CommandContext['flags'][string], { git }: LoadedConfig['settings']): LandingMode {
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

/** Prints what happens, and a sign of life from time to time if nothing else is printed. */
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
    integrating: (head, gates, isSame) => {
      told();
      if (gates > 0) goesOn = 'its gates are still running';
      if (isSame) {
        out.line('the configuration is another one than it was accepted under: its gates check it again');
        return;
      }
      // Not "run again": a gate that has seen this tree before does not run.
      const checked = gates === 0 ? 'no gate checks it there' : 'its gates check the result';
      out.line(`the line has moved to ${head.slice(0, 12)}: the change is put on top, and ${checked}`);
    },
    together: (changes) => {
      told();
      out.line(changes === 1 ? 'it is tried alone' : `${changes} changes of the queue are checked together`, 'note');
    },
    following: () => {
      told();
      out.line('another process works on this project: it lands the task', 'note');
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
