/** Parses the output of `codex exec --json`. */
import { type Cost, UNKNOWN_COST } from '../../domain/values.ts';
import type { CliExit, CliFailure, Listener } from '../adapter.ts';
import { finalText, noText } from '../final-text.ts';
import { failureOf, knownFailure, type Setup, setupFailure } from './failure.ts';
import { at, atLeast, costOf, textAt, tokensAt } from './fields.ts';
import { type EventsHeard, eventListener, jsonOf, typeAtStart, withBlock } from './listener.ts';
import { OwnSession } from './own-session.ts';

export function codexListener(chosen?: string): Listener {
  // Named in its first line, and in no other.
  const own = new OwnSession('thread_id', chosen);
  let text: string | null = null;
  let completed: unknown = null;
  let cost: Cost = UNKNOWN_COST;
  /** A failure is final: a tool's process could have written later lines. */
  let failed: string | null = null;

  return eventListener({
    skip: (line) => {
      const type = typeAtStart(line);
      if (type === null || !type.startsWith('item.')) return false;
      // The session continues: an earlier end was not the end.
      completed = null;
      return type !== 'item.completed' || isOtherItem(line);
    },
    event: (event) => {
      const type = textAt(event, 'type');
      if (type === 'thread.started') own.owns(textAt(event, 'thread_id'));
      else if (type === 'turn.failed') failed ??= textAt(event, 'error', 'message') ?? '';
      else if (type === 'turn.completed') {
        completed = event;
        cost = atLeast(cost, costIn(event));
      } else if (type === 'turn.started' || type === 'error' || type?.startsWith('item.') === true) {
        completed = null;
        if (type === 'item.completed' && at(event, 'item', 'type') === 'agent_message')
          text = textAt(event, 'item', 'text') ?? text;
      }
    },
    tell: (ended, heard) => {
      const final =
        text === null ? noText('it said nothing') : finalText(withBlock(text, jsonOf(text)), heard.malformed);
      const rest = { final, cost, model: null, ...own.told };
      if (failed !== null) return { ...rest, claims: 'failure', failure: whyFailed(failed, ended) };
      if (completed === null) return { ...rest, claims: 'nothing', failure: whyNothing(heard, ended) };
      return { ...rest, claims: 'success', failure: null };
    },
  });
}

/** From the start of the line, which holds the item's type; true only if certain. */
function isOtherItem(line: string): boolean {
  const start = line.slice(0, 200);
  const item = /^\{"type":"item\.completed","item":\{"id":"[^"\\]*","type":"([^"\\]*)"/.exec(start);
  return item !== null && item[1] !== 'agent_message';
}

/** The tokens of the whole thread, over all its runs (measured). Codex reports no price. */
const costIn = (event: unknown): Cost =>
  costOf({ in: tokensAt(event, 'usage', 'input_tokens'), out: tokensAt(event, 'usage', 'output_tokens') });

const whyFailed = (message: string, ended: CliExit): CliFailure =>
  setupFailure(SETUP, message) ?? failureOf(null, message, ended);

function whyNothing({ stderr, plain }: EventsHeard, ended: CliExit): CliFailure | null {
  // Its message explains only an end of its own; a run that was ended may have printed anything before.
  const words = ended.exit.how === 'exit' && ended.exit.code !== 0 ? `${plain}\n${stderr}`.trim() : '';
  return setupFailure(SETUP, words) ?? knownFailure(null, words, ended);
}

/** Messages of a CLI that never reached a model call. */
const SETUP: readonly Setup[] = [
  {
    words:
      /unexpected argument|invalid value .{0,200} for|unrecognized subcommand|Error loading config|Unknown feature flag/i,
    class: 'wrong_version',
    fix: 'this version has other options: install a tested one, and check the arguments that the config adds',
  },
  { words: /no rollout found|thread\/resume failed/, class: 'unknown', fix: 'begin a session of its own' },
  { words: /input_too_large|exceeds the maximum length/, class: 'blocked', fix: 'the packet has to be shorter' },
  { words: /No prompt provided/, class: 'blocked', fix: 'the packet is empty' },
  { words: /Missing environment variable/, class: 'auth', fix: 'no key was given to it' },
  { words: /read-only file system|\(os error 30\)/i, class: 'blocked', fix: 'its config directory has to be writable' },
];
