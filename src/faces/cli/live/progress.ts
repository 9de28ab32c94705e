/** Shows a running task: a live block if the terminal can show one, else a line per event. */
import type { OtherTask, Progress } from '../../../app/drive.ts';
import { revive } from '../../../engine/loading.ts';
import type { ProcessIdentity, StoredEvent } from '../../../engine/ports/store.ts';
import { formatDuration } from '../../../kernel/duration.ts';
import { terminalLine } from '../../../kernel/terminal-text.ts';
import type { NewEvent } from '../../../mind/domain/events/index.ts';
import { eventText } from '../../../mind/protocol/event-text.ts';
import { liveLines } from '../../../mind/protocol/live-lines.ts';
import { type LiveStep, type LiveView, numbering, stepAtWork, watch } from '../../../mind/protocol/live-view.ts';
import { stillAtWork } from '../../../mind/protocol/still-at-work.ts';
import type { Output } from '../output.ts';
import { Heartbeat } from '../silence.ts';
import { Screen } from './screen.ts';

/** At most ten frames a second; the spinner turns at half that rate. */
const REDRAW_MS = 100;
const TICK_MS = 200;

type Watching = {
  readonly out: Output;
  readonly stream: string;
  /** The view before the first event. */
  readonly view: LiveView;
  readonly live: boolean;
  now(): number;
  /** What Ctrl-C does, in a few words. */
  readonly hint: string;
  /** The last output of a step's worker. */
  output(step: LiveStep): readonly string[];
};

export class TaskProgress implements Progress {
  readonly #watching: Watching;
  readonly #screen: Screen | null;
  /** Used if no live block shows that work goes on. */
  readonly #heartbeat: Heartbeat | null;
  readonly #began = performance.now();
  #view: LiveView;
  #timer: NodeJS.Timeout | undefined;
  #hint: string;
  #told = false;
  /** Tasks that were announced as driven here. */
  readonly #announced = new Set<string>();
  #staysFor: readonly OtherTask[] = [];
  /** Output that waits until the open question is answered; null if no question is open. */
  #held: (() => void)[] | null = null;

  constructor(watching: Watching) {
    this.#watching = watching;
    this.#view = watching.view;
    this.#hint = watching.hint;
    this.#screen = watching.live ? new Screen(process.stdout) : null;
    this.#heartbeat = this.#screen === null ? new Heartbeat(() => this.#tellWork()) : null;
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
        this.#say(() => this.#watching.out.entry(this.#elapsed, text, tone));
      }
    }
  }

  following(owner: ProcessIdentity | null): void {
    if (this.#told) return;
    this.#told = true;
    const text = `another supervisor (pid ${owner?.pid ?? 'unknown'}) works on this project: the task is handed to it; following`;
    this.#say(() => this.#watching.out.line(text, 'note'));
  }

  get busy(): boolean {
    return stepAtWork(this.#view) !== null;
  }

  waiting(text: string): void {
    this.#say(() => this.#watching.out.entry(this.#elapsed, text, 'note'));
  }

  /** Nothing else is printed during a question: it would end up in the answer. */
  async withTerminal(question: () => Promise<void>): Promise<void> {
    this.#held = [];
    this.#screen?.suspend();
    try {
      await question();
    } finally {
      const held = this.#held;
      this.#held = null;
      this.#screen?.resume();
      for (const write of held) this.#say(write);
    }
  }

  driving(others: readonly OtherTask[]): void {
    const news = others.filter(({ id }) => !this.#announced.has(id));
    for (const { id } of news) this.#announced.add(id);
    for (const other of news.slice(0, MOST_TOLD))
      this.#aside(`also works on ${nameOf(other)}, which is unfinished: \`supervisor pause ${other.id}\` stops it`);
    if (news.length > MOST_TOLD) this.#aside(`also works on ${news.length - MOST_TOLD} more unfinished tasks`);
  }

  staying(others: readonly OtherTask[]): void {
    this.#staysFor = others;
    this.#hint = 'finishing attempts of other tasks';
    this.#aside(`stays until attempts of other tasks end: ${others.slice(0, MOST_TOLD).map(nameOf).join(', ')}`);
    this.#aside(ENDING_COSTS);
  }

  pausing(): void {
    this.#hint = 'pausing …';
    if (this.#staysFor.length > 0) this.#aside(ENDING_COSTS);
    else this.#aside('pausing this task …');
  }

  stopping(signal: string): void {
    this.#hint = 'stopping …';
    this.#aside(`${signal === 'SIGINT' ? 'Ctrl-C' : signal}: stopping; Ctrl-C once more stops at once`);
  }

  /** Called before the final report. */
  close(): void {
    clearInterval(this.#timer);
    this.#heartbeat?.[Symbol.dispose]();
    process.stdout.off('resize', this.#draw);
    this.#screen?.close();
  }

  get #elapsed(): string {
    return formatDuration(performance.now() - this.#began).padStart(9);
  }

  #tellWork(): void {
    const text = stillAtWork(this.#view);
    if (text !== null && this.#held === null) this.#watching.out.aside(`${this.#elapsed} ${text}`);
  }

  #aside(text: string): void {
    this.#say(() => this.#watching.out.aside(text));
  }

  #say(write: () => void): void {
    this.#heartbeat?.said();
    if (this.#held !== null) this.#held.push(write);
    else if (this.#screen === null) write();
    else this.#screen.above(write);
  }

  readonly #draw = () => {
    const screen = this.#screen;
    if (screen === null) return;
    const now = this.#watching.now();
    const step = stepAtWork(this.#view);
    const lines = liveLines(this.#view, {
      now,
      width: screen.columns,
      height: screen.rows,
      tick: Math.floor(now / TICK_MS),
      hint: this.#hint,
      output: step === null ? [] : this.#watching.output(step),
    });
    screen.draw(lines);
  };
}

const MOST_TOLD = 3;
const ENDING_COSTS = 'Ctrl-C again ends this process: an attempt that is cut starts again later, and costs again';

const nameOf = ({ id, title }: OtherTask): string => `${id} (${terminalLine(title, 60)})`;

/**
 * Whether a reader will want to find this event above the block; others appear in the block while they matter, and in
 * the log.
 */
function isKept({ type }: NewEvent): boolean {
  return [
    'gate.reported',
    'attempt.settled',
    'outcome.refused',
    'task.reopened',
    'task.base_answered',
    'task.paused',
    'task.resumed',
  ].includes(type);
}
