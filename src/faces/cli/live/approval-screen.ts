/** Draws open questions on a terminal, reads keys, and sends each answer at once. */

import type { Environment } from '../../../app/config/environment.ts';
import { sendCommand } from '../../../app/drive.ts';
import type { OpenedProject } from '../../../app/open.ts';
import type { ProjectAt } from '../../../app/open-store.ts';
import { viewTask } from '../../../app/task-view.ts';
import type { StepId, TaskId } from '../../../kernel/ids.ts';
import type { CommandOf } from '../../../mind/domain/commands.ts';
import { approvalLines } from '../../../mind/screens/approval-lines.ts';
import {
  type ApprovalAnswer,
  type ApprovalQuestion,
  type Approvals,
  approvalsOf,
  press,
} from '../../../mind/screens/approvals.ts';
import { Keys } from '../../../mind/screens/keys.ts';
import { guardTerminal } from '../../../os/process/terminal-guard.ts';
import type { Output } from '../output.ts';
import { signAnswer } from '../sign-answer.ts';
import { onStop } from '../signals.ts';
import { Screen } from './screen.ts';

type ScreenContext = {
  readonly environment: Environment;
  readonly project: ProjectAt;
  readonly opened: OpenedProject;
  readonly out: Output;
  /** The operator's checkout. */
  readonly top: string;
};

/** Marks around pasted text, which distinguish it from typed keys. */
const [MARK_PASTES, NO_MARKS] = ['\u001b[?2004h', '\u001b[?2004l'];
const SHOW_CURSOR = '\u001b[?25h';

/** Returns how many questions remain open. */
export async function answerOnScreen(place: ScreenContext, asks: readonly ApprovalQuestion[]): Promise<number> {
  const { stdin, stdout } = process;
  const stop = onStop(() => {});
  const guard = await guardTerminal(`${NO_MARKS}${SHOW_CURSOR}`);
  const screen = new Screen(stdout);
  const restore = () => {
    stdin.setRawMode(false);
    stdout.write(NO_MARKS);
  };
  process.on('exit', restore);
  stdin.setRawMode(true).setEncoding('utf8').resume();
  stdout.write(MARK_PASTES);
  guard.armed();
  let state = approvalsOf(asks);
  let answered = 0;
  const draw = () => screen.draw(approvalLines(state, { width: screen.columns, height: screen.rows }));
  stdout.on('resize', draw);
  try {
    draw();
    const keys = new Keys();
    const typed: string[] = [];
    for await (const chunk of chunksOf(typed, stop.signal)) {
      const key = keys.read(chunk);
      if (key === null) continue;
      state = press(state, key);
      for (const answer of state.answers) if (await send(place, state, answer, screen, stop.signal)) answered += 1;
      draw();
      // Keys typed before the next question was visible do not answer it.
      if (state.answers.length > 0) typed.length = 0;
      if (state.mode.name === 'done') break;
    }
  } finally {
    stdout.off('resize', draw);
    screen.close();
    process.off('exit', restore);
    restore();
    guard.release();
    stdin.pause();
    stop.release();
  }
  const left = asks.length - answered;
  place.out.line(
    `${answered} of ${asks.length} answered${left === 0 ? '' : `, ${left} still wait`}`,
    left === 0 ? 'good' : 'note',
  );
  const { owner, expired } = await place.opened.store.lease(place.project.id);
  if (answered > 0 && (owner === null || expired))
    place.out.line(
      'no process works on this project now: `supervisor resume TASK` goes on with what you answered',
      'note',
    );
  return left;
}

/** Typed input as it arrives; ends when the process is stopped. */
async function* chunksOf(waiting: string[], signal: AbortSignal): AsyncGenerator<string> {
  let wake = () => {};
  const take = (chunk: string | Buffer) => {
    waiting.push(String(chunk));
    wake();
  };
  const end = () => wake();
  process.stdin.on('data', take);
  process.stdin.on('end', end);
  signal.addEventListener('abort', end);
  try {
    while (!signal.aborted && !process.stdin.readableEnded) {
      const chunk = waiting.shift();
      if (chunk !== undefined) yield chunk;
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  } finally {
    process.stdin.off('data', take);
    process.stdin.off('end', end);
    signal.removeEventListener('abort', end);
  }
}

/** The result stays visible above the screen. */
async function send(
  { environment, project, opened, out, top }: ScreenContext,
  { asks }: Approvals,
  { ask: n, decision, reason }: ApprovalAnswer,
  screen: Screen,
  signal: AbortSignal,
): Promise<boolean> {
  const ask = asks[n];
  if (ask === undefined) return false;
  const { task, step, about } = ask;
  const answered: CommandOf<'step.answer'> = {
    type: 'step.answer',
    task: task as TaskId,
    step: step as StepId,
    decision,
    reason,
    ...(about === null ? {} : { about }),
  };
  const view = await viewTask(opened.store, project.id, answered.task);
  const command = await signAnswer({ environment }, { project: project.id, top, view }, answered, { by: 'nobody' });
  const rejection = 'code' in command ? command : await sendCommand({ environment, project, opened, signal, command });
  const what = decision === 'APPROVE' ? 'approved' : 'rejected';
  screen.above(() =>
    rejection === null
      ? out.line(`${what}: ${task} ${step}`, decision === 'APPROVE' ? 'good' : 'note')
      : out.line(`not ${what}: ${task} ${step}: ${rejection.message}`, 'bad'),
  );
  return rejection === null;
}
