/** Which turn of a scenario answers a request. */
import type { ModelRequest } from './model-request.ts';
import type { Scenario, Turn } from './scenario.ts';

/** How many requests each turn has answered, by its index. */
type RequestCounts = readonly number[];

type NextTurn = { readonly turn: Turn /** `index` is null after the last one. */; readonly index: number | null };

export function nextTurn(scenario: Scenario, played: RequestCounts, asked: ModelRequest): NextTurn {
  const fits = scenario.turns.map((turn, index) => ({ turn, index })).filter(({ turn }) => isFor(turn, asked));
  const next = scenario.per === 'server' ? unplayed(fits, played) : after(fits, asked.answered);
  const last = fits.at(-1)?.turn;
  if (next !== undefined) return next;
  if (scenario.end !== undefined || last === undefined || callsTool(last))
    return { turn: says(scenario.end), index: null };
  return { turn: last, index: null };
}

type FittingTurn = { readonly turn: Turn; readonly index: number };

const unplayed = (fits: readonly FittingTurn[], played: RequestCounts): FittingTurn | undefined =>
  fits.find(({ turn, index }) => (played[index] ?? 0) < turn.times);

/** A refusal leaves nothing in a history: it is repeated until another turn answers. */
function after(fits: readonly FittingTurn[], answered: number): FittingTurn | undefined {
  let left = answered;
  return fits.find(({ turn }) => {
    left -= turn.times;
    return left < 0;
  });
}

function isFor({ for: { key, model, protocol } }: Turn, asked: ModelRequest): boolean {
  return (
    (key === undefined || key === asked.key) &&
    (model === undefined || model === asked.model) &&
    (protocol === undefined || protocol === asked.protocol)
  );
}

const callsTool = ({ write, run, call }: Turn): boolean => (write ?? run ?? call) !== undefined;
const says = (text = 'Done.'): Turn => ({ text, headers: {}, delay: 0, times: 1, for: {} });
