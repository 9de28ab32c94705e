/** Which turn of a scenario answers a request. */
import type { Asked } from './asked.ts';
import type { Scenario, Turn } from './scenario.ts';

/** How many requests each turn has answered, by its place. */
type Played = readonly number[];

type Next = { readonly turn: Turn /** Null: all were played. */; readonly index: number | null };

export function nextTurn(scenario: Scenario, played: Played, asked: Asked): Next {
  const fits = scenario.turns.map((turn, index) => ({ turn, index })).filter(({ turn }) => isFor(turn, asked));
  const next = scenario.per === 'server' ? unplayed(fits, played) : after(fits, asked.answered);
  const last = fits.at(-1)?.turn;
  if (next !== undefined) return next;
  if (scenario.end !== undefined || last === undefined || callsTool(last))
    return { turn: says(scenario.end), index: null };
  return { turn: last, index: null };
}

type Fit = { readonly turn: Turn; readonly index: number };

const unplayed = (fits: readonly Fit[], played: Played): Fit | undefined =>
  fits.find(({ turn, index }) => (played[index] ?? 0) < turn.times);

/** A refusal leaves nothing in a history: it is met again until somebody else answers. */
function after(fits: readonly Fit[], answered: number): Fit | undefined {
  let left = answered;
  return fits.find(({ turn }) => {
    left -= turn.times;
    return left < 0;
  });
}

function isFor({ for: { key, model, protocol } }: Turn, asked: Asked): boolean {
  return (
    (key === undefined || key === asked.key) &&
    (model === undefined || model === asked.model) &&
    (protocol === undefined || protocol === asked.protocol)
  );
}

const callsTool = ({ write, run, call }: Turn): boolean => (write ?? run ?? call) !== undefined;
const says = (text = 'Done.'): Turn => ({ text, headers: {}, delay: 0, times: 1, for: {} });
