/** The screen of questions as lines that fit a terminal of any size. */

import { terminalLine } from '../../kernel/terminal-text.ts';
import { cutToWidth } from '../../kernel/text-width.ts';
import { wrapWords } from '../../kernel/wrap-words.ts';
import type { LiveLine, StyledText } from '../protocol/live-lines.ts';
import type { ApprovalQuestion, Approvals } from './approvals.ts';

const KEYS = '[A]pprove  [R]eject  [D]iff  [C]omment  [S]kip  [B]atch  [Q]uit';
const DIFF_KEYS = 'arrows and page keys move  [D] back';

type Size = { readonly width: number; readonly height: number };

export function approvalLines(state: Approvals, { width, height }: Size): LiveLine[] {
  const ask = state.asks[state.at];
  if (ask === undefined || state.mode.name === 'done') return [];
  const foot = footOf(state, width);
  const room = Math.max(1, height - foot.length);
  const body = bodyOf(state, ask, { width, height: room });
  return [...body.slice(0, room), ...foot].map((line) => fitted(line, width));
}

function bodyOf(state: Approvals, ask: ApprovalQuestion, size: Size): LiveLine[] {
  const { mode } = state;
  if (mode.name === 'diff') return diffLines(ask, mode.top, size.height);
  return mode.name === 'word' && isBatch(mode) ? batchLines(state, mode, size) : askLines(state, ask, size);
}

type WordMode = Extract<Approvals['mode'], { name: 'word' }>;
const isBatch = ({ word }: WordMode): boolean => word !== 'approve';

/** Everything that one word approves: people approve only what they have seen. */
function batchLines({ asks }: Approvals, { for: chosen, top }: WordMode, { width, height }: Size): LiveLine[] {
  const shown = chosen.slice(top, top + Math.max(1, height - 2));
  const last = top + shown.length;
  return [
    say(`One word approves all of these (${top + 1} to ${last} of ${chosen.length}, arrows move)`, 'strong'),
    ...shown.flatMap((n) => {
      const ask = asks[n];
      if (ask === undefined) return [];
      const [risk, look] = riskOf(ask);
      const good = ask.checks.every((check) => check.good) ? '' : ', ✗ a check is not good';
      const size = `${ask.files.length} file${ask.files.length === 1 ? '' : 's'}`;
      return [
        say(`  ${ask.task} ${risk}, ${size}${good}: ${terminalLine(ask.title, width)}`, good === '' ? look : 'bad'),
      ];
    }),
  ];
}

const riskOf = ({ level }: ApprovalQuestion): readonly [string, StyledText['look']] =>
  level === null ? ['not measured', 'dim'] : RISK[level];

const say = (text: string, look: StyledText['look'] = 'plain'): LiveLine => [{ text, look }];

const fitted = (line: LiveLine, width: number): LiveLine => {
  const text = line.map(({ text: piece }) => piece).join('');
  const cut = cutToWidth(text, width);
  return cut === text ? line : say(cut, line[0]?.look ?? 'plain');
};

const RISK: Readonly<Record<NonNullable<ApprovalQuestion['level']>, readonly [string, StyledText['look']]>> = {
  low_risk: ['LOW', 'good'],
  medium_risk: ['MEDIUM', 'note'],
  high_risk: ['HIGH', 'bad'],
  critical: ['CRITICAL', 'bad'],
};

function askLines(state: Approvals, ask: ApprovalQuestion, { width, height }: Size): LiveLine[] {
  const open = state.asks.length - state.over.size;
  const [risk, look] = riskOf(ask);
  const why = ask.reason.replace(/^(?:low_risk|medium_risk|high_risk|critical): /, '');
  const head: LiveLine[] = [
    say(`Approval required (${state.at + 1} of ${state.asks.length}, ${open} open)`, 'strong'),
    say(`Task  ${ask.task}: ${terminalLine(ask.title, width)}`),
    say(`Step  ${ask.step}${ask.about === null ? '' : `, about ${ask.about.slice(0, 12)}`}`, 'dim'),
    ...wrapped(ask.text, width),
    [
      { text: 'Risk  ', look: 'plain' },
      { text: risk, look },
      { text: why === '' ? '' : ` (${why})`, look: 'plain' },
    ],
  ];
  const comments = (state.comments[state.at] ?? []).map((text) => say(`  " ${text}`, 'note'));
  const checks = ask.checks.map(({ name, good, text }) =>
    say(`  ${good ? '✓' : '✗'} ${name}: ${text}`, good ? 'good' : 'bad'),
  );
  const left = height - head.length - checks.length - comments.length;
  return [
    ...head,
    ...(ask.files.length === 0 || left < 2 ? [] : [say('Changes'), ...fileLines(ask.files, left - 2)]),
    ...(checks.length === 0 ? [] : [say('Checks and reviews'), ...checks]),
    ...comments,
  ];
}

function fileLines(files: ApprovalQuestion['files'], room: number): LiveLine[] {
  const shown = files.length <= room ? files : files.slice(0, Math.max(0, room - 1));
  const more = files.length - shown.length;
  return [
    ...shown.map(({ path, added, removed }) => {
      const size = added === null || removed === null ? 'binary' : `+${added}/-${removed}`;
      return say(`  ${terminalLine(path, 200)} (${size})`);
    }),
    ...(more > 0 ? [say(`  and ${more} more: [D] shows all`, 'dim')] : []),
  ];
}

function diffLines({ diff }: ApprovalQuestion, top: number, room: number): LiveLine[] {
  return diff.slice(top, top + room).map((line) => {
    const look = line.startsWith('@@')
      ? 'note'
      : line.startsWith('+')
        ? 'good'
        : line.startsWith('-')
          ? 'bad'
          : 'plain';
    return say(terminalLine(line, 1_000), look);
  });
}

function footOf({ mode, asks, at, said }: Approvals, width: number): LiveLine[] {
  const note = said === '' ? [] : wrapped(said, width, 'note');
  switch (mode.name) {
    case 'word': {
      const what = isBatch(mode) ? 'all of them' : 'this change';
      return [
        ...note,
        ...wrapped(`To approve ${what}, type: ${mode.word} (Esc goes back)`, width, 'strong'),
        say(`> ${mode.typed}`),
      ];
    }
    case 'reason':
      return [
        ...note,
        ...wrapped('What is wrong? The worker is told. (Enter sends it, Esc goes back)', width, 'strong'),
        tail(mode.typed, width),
      ];
    case 'comment':
      return [
        ...note,
        ...wrapped('Comment, such as src/a.ts:12 what about null? (Enter, Esc)', width, 'strong'),
        tail(mode.typed, width),
      ];
    case 'diff': {
      const count = asks[at]?.diff.length ?? 0;
      return [...note, say(`line ${mode.top + 1} of ${count}  ${DIFF_KEYS}`, 'strong')];
    }
    default:
      return [...note, ...wrapped(KEYS, width, 'strong')];
  }
}

/** Keeps the end of the typed text visible. */
const tail = (typed: string, width: number): LiveLine => say(`> ${[...typed].slice(-(width - 3)).join('')}`);

const wrapped = (text: string, width: number, look: StyledText['look'] = 'plain'): LiveLine[] =>
  wrapWords(terminalLine(text, 600), width)
    .split('\n')
    .map((line) => say(line, look));
