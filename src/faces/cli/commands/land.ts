/** `supervisor land TASK`: the operator's word that an accepted change may move a branch. */
import { loadSettings } from '../../../app/config/files.ts';
import { type LandProgress, land } from '../../../app/land.ts';
import { openEngineDeps } from '../../../app/open.ts';
import { locateProject } from '../../../app/open-store.ts';
import { chosenTask, NO_TASKS, viewTask } from '../../../app/task-view.ts';
import type { TaskId } from '../../../kernel/ids.ts';
import { redText } from '../../../mind/domain/task.ts';
import { gateFeedback } from '../../../mind/gates/feedback.ts';
import { readRepository } from '../../../os/git/repository.ts';
import { type CommandContext, type CommandRun, EXIT, text } from '../command.ts';
import { canAsk, confirm } from '../confirm.ts';
import { onStop } from '../signals.ts';
import { Heartbeat, type Silence, tellSilence } from '../silence.ts';

export const run: CommandRun = async ({ args, flags, out, environment, dir }) => {
  using silence = tellSilence(out, 'reading the repository and the branch …');
  const project = locateProject(dir);
  const loaded = loadSettings(environment, { id: project.id, top: (await readRepository(dir)).top });
  let own: TaskId | null = null;
  const opened = await openEngineDeps(environment, project, {
    own: () => own,
    real: { loaded: () => loaded },
  });
  const stop = onStop((name) => out.aside(`${name}: stopping`));
  try {
    const id = (await opened.store.knows(project.id)) ? await chosenTask(opened.store, project.id, args[0]) : NO_TASKS;
    if (typeof id !== 'string') {
      out.error(id.code, id.message);
      return EXIT.failed;
    }
    const view = await viewTask(opened.store, project.id, id);
    own = id;
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
        progress,
        // The first signal takes the task out of the queue; a second one ends the process.
        stops: { pause: stop.signal, stop: NEVER },
      });
    };
    let landed = await tryLand(flags['yes'] === true);
    silence.end();
    if (landed.type === 'checked_out' && canAsk(out.json)) {
      const question = `${landed.onto} is checked out in ${landed.path} and clean. Move it there too?`;
      if (await confirm(question)) landed = await tryLand(true);
    }
    if (landed.type === 'checked_out') {
      out.error('checked_out', landed.reason);
      return EXIT.waiting;
    }
    if (landed.type === 'rejected') {
      out.error(landed.code, landed.message);
      return EXITS[landed.code] ?? EXIT.failed;
    }
    const { onto, commit, red } = landed;
    out.value({ task_id: id, onto, commit, red: red.gates.length === 0 ? null : red });
    out.line(`${onto} is at ${commit.slice(0, 12)}: ${view.task.title}`, 'good');
    return EXIT.done;
  } finally {
    stop.release();
    await opened.close();
  }
};

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
  const told = gateFeedback([{ gate, status, text: evidence }], 1_500);
  for (const line of told.split('\n')) out.line(`  | ${line}`, 'note');
}
