/** Parses the output of Claude Code with `--output-format stream-json`. */
import { type Cost, UNKNOWN_COST } from '../../domain/values.ts';
import type { CliExit, CliFailure, Listener } from '../adapter.ts';
import { finalText, noText } from '../final-text.ts';
import { failure, failureOf, knownFailure, type Setup, setupFailure } from './failure.ts';
import { at, atLeast, costOf, numberAt, sumOf, textAt, tokensAt } from './fields.ts';
import { type EventsHeard, eventListener, typeAtStart, withBlock } from './listener.ts';
import { OwnSession } from './own-session.ts';

export function claudeListener(chosen?: string): Listener {
  const own = new OwnSession('session_id', chosen);
  let cost: Cost = UNKNOWN_COST;
  let model: string | null = null;
  let result: unknown = null;
  /** A failure is final: a tool's process could have written later lines. */
  let failed: unknown = null;

  return eventListener({
    skip: (line) => {
      if (!isTalk(typeAtStart(line))) return false;
      // The session continues: an earlier result was not the end.
      if (own.ownsLine(line)) result = null;
      return own.isKnown;
    },
    event: (event) => {
      const [type, id] = [textAt(event, 'type'), textAt(event, 'session_id')];
      const isOwn = own.owns(id);
      if (isTalk(type) && (isOwn || id === null)) result = null;
      if (!isOwn) return;
      if (type === 'system' && at(event, 'subtype') === 'init') {
        result = null;
        model = textAt(event, 'model') ?? model;
      } else if (type === 'result') {
        cost = atLeast(cost, costIn(event));
        if (isSuccess(event)) result = event;
        else failed ??= event;
      }
    },
    tell: (ended, heard) => {
      const rest = { cost, model, ...own.told };
      if (failed !== null) {
        const why = whyFailed(failed, heard, ended);
        return { final: noText(`it failed: ${why.reason}`), claims: 'failure', failure: why, ...rest };
      }
      if (result === null) {
        const why = whyNothing(heard, ended);
        return { final: noText('it did not report how it ended'), claims: 'nothing', failure: why, ...rest };
      }
      const text = withBlock(textAt(result, 'result') ?? '', at(result, 'structured_output'));
      return { final: finalText(text, heard.malformed), claims: 'success', failure: null, ...rest };
    },
  });
}

const isTalk = (type: string | null): boolean => type === 'assistant' || type === 'user';

/** Failed model calls have the subtype `success` too (measured): both fields must agree. */
const isSuccess = (event: unknown): boolean =>
  at(event, 'is_error') === false && at(event, 'subtype') === 'success' && textAt(event, 'result') !== null;

/** `usage` is zero after its non-streaming fallback (measured); `modelUsage` is not. */
function costIn(result: unknown): Cost {
  const usage = at(result, 'modelUsage');
  const models = usage !== null && typeof usage === 'object' ? Object.values(usage) : [];
  if (models.length === 0) return UNKNOWN_COST;
  const sum = (...keys: readonly string[]) => sumOf(models.flatMap((one) => keys.map((key) => tokensAt(one, key))));
  return costOf({
    usd: sumOf(models.map((one) => priceAt(one, 'costUSD'))) ?? priceAt(result, 'total_cost_usd'),
    in: sum('inputTokens', 'cacheReadInputTokens', 'cacheCreationInputTokens'),
    out: sum('outputTokens'),
  });
}

/** No single attempt costs more: budgets count this number. */
const MAX_USD = 1_000;

function priceAt(from: unknown, key: string): number | null {
  const price = numberAt(from, key);
  return price !== null && price >= 0 && price <= MAX_USD ? price : null;
}

function whyFailed(event: unknown, { stderr }: EventsHeard, ended: CliExit): CliFailure {
  const errors = at(event, 'errors');
  const said = Array.isArray(errors) ? errors.filter((one) => typeof one === 'string').join('; ') : '';
  const text = textAt(event, 'result') || said;
  switch (at(event, 'subtype')) {
    case 'error_max_turns':
      return failure('timeout', 'it used all the turns that --max-turns of its configured command leaves it');
    case 'error_max_budget_usd':
      return failure('blocked', 'it used all the money that --max-budget-usd of its configured command leaves it');
    case 'error_max_structured_output_retries':
      return failure('invalid', 'the model gave no answer that fits the schema, several times');
    default:
      return (
        setupFailure(SETUP, text || stderr) ?? failureOf(numberAt(event, 'api_error_status'), text || stderr, ended)
      );
  }
}

function whyNothing({ stderr, plain }: EventsHeard, ended: CliExit): CliFailure | null {
  // Its message explains only an end of its own; a run that was ended may have printed anything before.
  const words = ended.exit.how === 'exit' && ended.exit.code !== 0 ? `${plain}\n${stderr}`.trim() : '';
  return setupFailure(SETUP, words) ?? knownFailure(null, words, ended);
}

/** Messages of a CLI that never reached a model call. */
const SETUP: readonly Setup[] = [
  { words: /cannot be used with root/, class: 'blocked', fix: 'run the sandbox as another user than root' },
  {
    words: /unknown option|requires --verbose|argument missing|argument .{0,80} is invalid/i,
    class: 'wrong_version',
    fix: 'this version has other options: install a tested one, and check the arguments that the config adds',
  },
  { words: /No conversation found|is already in use/, class: 'unknown', fix: 'begin a session of its own' },
  { words: /Input must be provided/, class: 'blocked', fix: 'the packet is empty' },
  {
    words: /EROFS|read-only file system/i,
    class: 'blocked',
    fix: 'its config and temporary directory have to be writable',
  },
];
