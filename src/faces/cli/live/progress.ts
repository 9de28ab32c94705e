/** How a task is watched while it is driven: a live block on a terminal that can show one, else a line per event. */
import type { Progress } from '../../../app/drive.ts';
import { revive } from '../../../engine/loading.ts';
import type { Owner, StoredEvent } from '../../../engine/ports/store.ts';
import { formatDuration } from '../../../kernel/duration.ts';
import type { NewEvent } from '../../../mind/domain/events/index.ts';
import { eventText } from '../../../mind/protocol/event-text.ts';
import { liveLines } from '../../../mind/protocol/live-lines.ts';
import { type LiveStep, type LiveView, numbering, stepAtWork, watch } from '../../../mind/protocol/live-view.ts';
import type { Output } from '../output.ts';
import { Screen } from './screen.ts';

/** Ten pictures a second at most; the spinner turns at half of that. */
const REDRAW_MS = 100;
const TICK_MS = 200;

export type Watching = {
  readonly out: Output;
  readonly stream: string;
  /** What is known before the first event. */
  readonly view: LiveView;
  readonly live: boolean;
  now(): number;
  /** The end of what the worker of a step has printed. */
  output(step: LiveStep): readonly string[];
};

export class TaskProgress implements Progress {
  readonly #watching: Watching;
  readonly #screen: Screen | null;
  readonly #began = performance.now();
  #view: LiveView;
  #timer: NodeJS.Timeout | undefined;
  #hint = 'Ctrl-C stops; nothing is lost';
  #told = false;

  constructor(watching: Watching) {
    this.#watching = watching;
    this.#view = watching.view;
    this.#screen = watching.live ? new Screen(process.stdout) : null;
    if (this.#screen === null) return;
    this.#timer = setInterval(this.#draw, REDRAW_MS).unref();
    process.stdout.on('resize', this.#draw);
    this.#draw();
  }

  events(events: readonly StoredEvent[]): void {
    for (const stored of events) {
      if (stored.stream !== this.#watching.stream) continue;
      const event = revive(stored);
      this.#view = watch(this.#view, event);
      if (this.#screen === null || isKept(event)) {
        const { text, tone } = eventText(event, numbering(this.#view, event));
        const elapsed = formatDuration(performance.now() - this.#began).padStart(9);
        this.#say(() => this.#watching.out.entry(elapsed, text, tone));
      }
    }
  }

  following(owner: Owner | null): void {
    if (this.#told) return;
    this.#told = true;
    const text = `another supervisor (pid ${owner?.pid ?? 'unknown'}) works on this project: the task is handed to it; following`;
    this.#say(() => this.#watching.out.line(text, 'note'));
  }

  get busy(): boolean {
    return stepAtWork(this.#view) !== null;
  }

  waiting(text: string): void {
    const elapsed = formatDuration(performance.now() - this.#began).padStart(9);
    this.#say(() => this.#watching.out.entry(elapsed, text, 'note'));
  }

  finishing(attempts: number): void {
    const text = `done; ${attempts} effect(s) of other tasks are still under way and finish first (Ctrl-C hands them over)`;
    this.#say(() => this.#watching.out.line(text, 'note'));
  }

  stopping(signal: string): void {
    this.#hint = 'stopping …';
    this.#say(() => this.#watching.out.aside(`${signal}: stopping; once more stops at once`));
  }

  /** Before the report, or whatever else is said at the end. */
  close(): void {
    clearInterval(this.#timer);
    process.stdout.off('resize', this.#draw);
    this.#screen?.close();
  }

  #say(write: () => void): void {
    if (this.#screen === null) write();
    else this.#screen.above(write);
  }

  readonly #draw = () => {
    const screen = this.#screen;
    if (screen === null) return;
    const now = this.#watching.now();
    const step = stepAtWork(this.#view);
    const lines = liveLines(this.#view, {
      ...{ now, width: screen.columns, height: screen.rows, tick: Math.floor(now / TICK_MS), hint: this.#hint },
      output: step === null ? [] : this.#watching.output(step),
    });
    screen.draw(lines);
  };
}

/** What a reader wants to find again above the block; the rest is in the block while it matters, and in the log. */
function isKept({ type }: NewEvent): boolean {
  return ['gate.reported', 'attempt.settled', 'outcome.refused', 'task.reopened'].includes(type);
}
