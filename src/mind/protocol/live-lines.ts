/**
 * A live view as lines for a terminal: never wider or taller than requested, and harmless whatever text it contains.
 */
import { formatDuration } from '../../kernel/duration.ts';
import { terminalText } from '../../kernel/terminal-text.ts';
import { cutToWidth, textWidth } from '../../kernel/text-width.ts';
import { redText } from '../domain/task.ts';
import type { Tone } from './event-text.ts';
import { type LiveGate, type LiveStep, type LiveView, lastAttempt, stepAtWork } from './live-view.ts';

/** A piece of a line and its style; the face chooses the colours. */
export type StyledText = { readonly text: string; readonly look: Tone | 'dim' | 'strong' };
export type LiveLine = readonly StyledText[];

export type Frame = {
  readonly now: number;
  readonly width: number;
  readonly height: number;
  /** Counts up; moves the spinner. */
  readonly tick: number;
  /** The last output of the running worker: each line with its mark, `| `, `! ` or `# `. */
  readonly output: readonly string[];
  readonly hint: string;
};

const SPINNER = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const MAX_OUTPUT = 6;

/** What to drop first if there is no room: the larger number. */
const RANK = { work: 0, title: 1, gates: 2, step: 3, output: 4, feedback: 5, hint: 6 } as const;
type RankedLine = { readonly rank: number; readonly line: LiveLine };

export function liveLines(view: LiveView, frame: Frame): LiveLine[] {
  const { height, output } = frame;
  const lines: RankedLine[] = [{ rank: RANK.title, line: titleLine(view, frame) }];
  // The steps get half of the room; those that do not fit are counted.
  const { shown, done, waiting } = choose(view, Math.max(1, Math.floor(height / 2)));
  if (done > 0) lines.push({ rank: RANK.step, line: [dim(` ✓ ${count(done, 'step')} done`)] });
  const column = Math.min(24, Math.max(0, ...shown.map(({ id }) => id.length)));
  for (const step of shown) lines.push(...stepLines(step, { frame, column }));
  if (waiting > 0) lines.push({ rank: RANK.step, line: [dim(` · ${count(waiting, 'more step')} to come`)] });
  if (view.applying)
    lines.push({ rank: RANK.work, line: [plain(` ${spinner(frame)} the candidate is put on its branch`)] });
  if (stepAtWork(view) !== null)
    for (const text of worthShowing(output)) lines.push({ rank: RANK.output, line: [dim(`   ${text}`)] });
  lines.push({ rank: RANK.hint, line: [dim(` ${frame.hint}`)] });
  return fitHeight(lines, height).map((line) => fitWidth(line, frame.width));
}

function titleLine({ title, began }: LiveView, { now, width }: Frame): LiveLine {
  const elapsed = began === null ? '' : `  ${seconds(now - began)}`;
  // A long title is cut to leave room for the duration.
  return [strong(cutToWidth(harmless(title), Math.max(0, width - elapsed.length))), dim(elapsed)];
}

function stepLines(step: LiveStep, { frame, column }: { frame: Frame; column: number }): RankedLine[] {
  const { state, gates, feedback } = step;
  const head = ` ${mark(step, frame)} ${harmless(step.id).padEnd(column)}  `;
  const atWork = state === 'working' || state === 'checking';
  const lines: RankedLine[] = [
    {
      rank: atWork ? RANK.work : RANK.step,
      line: [
        { text: head, look: state === 'done' ? 'good' : state === 'failed' ? 'bad' : atWork ? 'strong' : 'dim' },
        dim(details(step, frame.now)),
      ],
    },
  ];
  if (gates.length > 0 && state !== 'working') lines.push({ rank: RANK.gates, line: gateSpans(gates, frame) });
  if (feedback !== null && state !== 'done')
    lines.push({ rank: RANK.feedback, line: [dim(`     was told: ${feedback}`)] });
  return lines;
}

function details(step: LiveStep, now: number): string {
  const { attempt, cli, state, until, quota, started, spentMs } = step;
  const took = spentMs + (started === null ? 0 : Math.max(0, now - started));
  const last = lastAttempt(step);
  const numbered = attempt === 0 ? [] : [`attempt ${attempt}${last === null ? '' : ` of ${last}`}`];
  switch (state) {
    case 'waiting':
      return '';
    case 'asking':
      return 'waits for a person';
    case 'ready':
      if (quota) return [...numbered, `waits for the quota of ${cli ?? 'its CLI'}, or for another CLI`].join(' · ');
      return [...numbered, attempt === 0 ? 'waits for its turn' : 'the next one waits for its turn'].join(' · ');
    case 'parked':
      return [...numbered, `goes on in ${seconds((until ?? now) - now)}`].join(' · ');
    case 'working':
    case 'checking':
      return [...numbered, state === 'working' ? (cli ?? '') : 'gates', seconds(now - (started ?? now))].join(' · ');
    case 'done':
      return [count(attempt, 'attempt'), formatDuration(took)].join(' · ');
    case 'failed':
      return [...numbered, formatDuration(took)].join(' · ');
  }
}

function mark({ state }: LiveStep, frame: Frame): string {
  if (state === 'done') return '✓';
  if (state === 'failed') return '✗';
  return state === 'working' || state === 'checking' ? spinner(frame) : '·';
}

function gateSpans(gates: readonly LiveGate[], frame: Frame): StyledText[] {
  const spans = gates.map(({ name, status, ms, excused = 0 }): StyledText => {
    const time = ms === null ? '' : ` ${formatDuration(ms)}`;
    if (status === 'running') return dim(`  ${name} …`);
    if (excused > 0) return { text: `  ${redText({ gate: name, count: excused })}${time}`, look: 'note' };
    if (status === 'pass') return { text: `  ${name} ✓${time}`, look: 'good' };
    return { text: `  ${name} ✗${status === 'error' ? ' could not run' : ''}${time}`, look: 'bad' };
  });
  const width = spans.reduce((sum, { text }) => sum + textWidth(harmless(text)), 3);
  if (width <= frame.width) return [plain('   '), ...spans];
  // Too many for one line, which is cut: failures come first.
  const order = { bad: 0, note: 0, dim: 1, good: 2 } as Readonly<Record<string, number>>;
  return [plain('   '), ...spans.toSorted((a, b) => (order[a.look] ?? 1) - (order[b.look] ?? 1))];
}

const worthShowing = (output: readonly string[]): readonly string[] =>
  output.filter((text) => /^[|!#] .*\S/.test(text)).slice(-MAX_OUTPUT);

/** The steps worth a line: running ones, then the last finished ones, then the next. */
function choose(view: LiveView, room: number): { shown: LiveStep[]; done: number; waiting: number } {
  const all = [...view.steps.values()].filter(({ aside, state }) => !aside || state !== 'waiting');
  if (all.length <= room) return { shown: all, done: 0, waiting: 0 };
  const of = (...states: LiveStep['state'][]) => all.filter(({ state }) => states.includes(state));
  const wanted = [
    ...of('working', 'checking', 'failed', 'parked', 'ready'),
    ...of('done').slice(-1),
    ...of('waiting').slice(0, room),
    ...of('done').reverse().slice(1),
  ].slice(0, room);
  const kept = new Set(wanted);
  const hidden = all.filter((step) => !kept.has(step));
  const done = hidden.filter(({ state }) => state === 'done').length;
  return { shown: all.filter((step) => kept.has(step)), done, waiting: hidden.length - done };
}

function fitHeight(lines: readonly RankedLine[], height: number): LiveLine[] {
  const kept = lines.map((one, at) => ({ ...one, at }));
  // Among equal ranks the first line is dropped: new output and next steps matter most.
  while (kept.length > Math.max(0, height)) {
    const worst = Math.max(...kept.map(({ rank }) => rank));
    kept.splice(
      kept.findIndex(({ rank }) => rank === worst),
      1,
    );
  }
  return kept.map(({ line }) => line);
}

function fitWidth(line: LiveLine, width: number): LiveLine {
  const fitted: StyledText[] = [];
  let left = width;
  for (const { text, look } of line) {
    const clean = harmless(text);
    const cut = cutToWidth(clean, left);
    if (cut !== '') fitted.push({ text: cut, look });
    left -= textWidth(cut);
    if (cut !== clean) break;
  }
  return fitted;
}

/** On one line and without anything that acts; terminals differ in how wide they draw a broken surrogate. */
const harmless = (text: string): string => terminalText(text.toWellFormed().replaceAll(/[\t\n]/g, '  '));

const dim = (text: string): StyledText => ({ text, look: 'dim' });
const plain = (text: string): StyledText => ({ text, look: 'plain' });
const strong = (text: string): StyledText => ({ text, look: 'strong' });
const spinner = ({ tick }: Frame): string => SPINNER[tick % SPINNER.length] ?? '·';
const count = (n: number, what: string): string => `${n} ${what}${n === 1 ? '' : 's'}`;

/** Whole seconds: running tenths are restless. */
function seconds(ms: number): string {
  return ms < 60_000 ? `${Math.max(0, Math.floor(ms / 1_000))} s` : formatDuration(ms);
}
