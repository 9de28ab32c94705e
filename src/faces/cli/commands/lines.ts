/**
 * `supervisor lines [BRANCH]`: the landing queue of each branch, what each task in it waits for, and what landed last.
 */
import { readLines } from '../../../app/lines.ts';
import { locateProject, openToRead } from '../../../app/open-store.ts';
import type { TaskId } from '../../../kernel/ids.ts';
import { companionsOf, type Landing, type Line } from '../../../mind/domain/line.ts';
import { type CommandRun, EXIT, text } from '../command.ts';
import type { Output } from '../output.ts';

/** How many of the tasks that left the queue are shown. */
const RECENT = 5;

export const run: CommandRun = async ({ args, out, environment, dir }) => {
  const project = locateProject(dir);
  const store = await openToRead(environment, project);
  try {
    const wanted = text(args[0]);
    const all = store === null ? [] : await readLines(store, project.id);
    const lines = all.filter(({ name }) => wanted === undefined || name === wanted);
    if (wanted !== undefined && lines.length === 0) {
      out.error(
        'unknown_line',
        `nothing has landed on ${wanted} yet, and nothing waits to: \`supervisor lines\` lists all`,
      );
      return EXIT.failed;
    }
    out.value({ lines: lines.map(reported) });
    if (lines.length === 0) out.line('no branch has a landing queue yet: `supervisor land TASK` puts a task into one');
    for (const line of lines) print(out, line);
    return EXIT.done;
  } finally {
    await store?.close();
  }
};

function reported({ name, head, stopped: red, queue, past }: Line) {
  const stopped = red ?? null;
  return {
    name,
    head,
    state: stateOf({ stopped, queue }),
    stopped,
    queue: queue.map((landing, n) => ({
      task_id: landing.task,
      state: placeText(queue, n),
      waits_for: waitsFor(queue, n, stopped !== null),
      since: landing.since,
    })),
    past: past
      .slice(-RECENT)
      .reverse()
      .map(({ task, commit, code, at }) => ({ task_id: task, state: pastText(commit, code), commit, at })),
  };
}

const stateOf = ({ stopped, queue }: { readonly stopped: unknown; readonly queue: readonly Landing[] }): string =>
  stopped !== null ? 'stopped' : queue.length === 0 ? 'idle' : 'landing';

/** In the words of a queue. */
function placeText(queue: readonly Landing[], index: number): string {
  const place = queue[index]?.place;
  if (place === undefined) return 'waiting';
  if (index > 0) return isInBatch(queue, index) ? placeText(queue, 0) : 'waiting';
  switch (place.at) {
    case 'moving':
      return place.candidate === null ? 'waiting' : 'landing';
    case 'integrating':
      return 'integrating';
    case 'gating':
    case 'rechecking':
      return 'gating';
  }
}

const isInBatch = (queue: readonly Landing[], index: number): boolean =>
  index > 0 && companionsOf({ queue }).includes(queue[index]?.task as TaskId);

function waitsFor(queue: readonly Landing[], index: number, isStopped: boolean): string {
  if (isStopped) return 'a person: the branch is red by itself';
  const landing = queue[index];
  if (landing !== undefined && isInBatch(queue, index))
    return `its batch, with task ${queue[0]?.task ?? ''}: ${waitsFor(queue, 0, false)}`;
  if (index > 0 || landing === undefined) return `task ${queue[index - 1]?.task ?? ''} before it`;
  const { place } = landing;
  switch (place.at) {
    case 'moving':
      return 'the branch to be moved';
    case 'integrating':
      return 'its change to be put on top of the branch';
    case 'gating':
    case 'rechecking': {
      const done = new Set(place.evidence.map(({ gate }) => gate));
      const open = place.gates.filter((gate) => !done.has(gate)).join(', ');
      if (place.at === 'gating') return `gate ${open} on the integrated tree`;
      return `gate ${open} once more, ${place.on === 'tip' ? 'on the branch without it' : 'on the same tree'}`;
    }
  }
}

/** How a task left the queue; `gate_failed` is worded as the queue saw it. */
function pastText(commit: string | null, code: string | null): string {
  if (commit !== null) return 'landed';
  return code === 'gate_failed' || code === null ? 'failed' : code;
}

function print(out: Output, line: Line): void {
  const { name, head, queue, past } = line;
  const { state, stopped } = reported(line);
  out.heading(`${name}${head === null ? '' : ` at ${head.slice(0, 12)}`}: ${state}`);
  if (stopped !== null)
    out.entry('  stopped', `red by itself at ${stopped.head.slice(0, 12)} (gate ${stopped.gates.join(', ')})`, 'bad');
  for (const [n, landing] of queue.entries())
    out.entry(`  ${landing.task}`, `${placeText(queue, n)}: waits for ${waitsFor(queue, n, stopped !== null)}`);
  for (const { task, commit, code } of past.slice(-RECENT).reverse())
    out.entry(
      `  ${task}`,
      `${pastText(commit, code)}${commit === null ? '' : ` as ${commit.slice(0, 12)}`}`,
      commit === null ? 'note' : 'good',
    );
}
