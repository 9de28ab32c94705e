/** What must hold of budgets: counted from the logs alone, by other code than the engine's. */

import type { StoredEvent } from '../../src/engine/ports/store.ts';
import { dayOf } from '../../src/mind/domain/host.ts';
import type { Task } from '../../src/mind/domain/task.ts';
import type { End, Finding, SeenEvent } from './check.ts';
import { attemptKey } from './hands.ts';
import type { History, Site } from './history.ts';
import { isSimulated, recount } from './recount.ts';
import { same } from './same.ts';

type Amount = { readonly microusd: number; readonly tokens: number };
const NONE: Amount = { microusd: 0, tokens: 0 };
const plus = (a: Amount, b: Amount): Amount => ({ microusd: a.microusd + b.microusd, tokens: a.tokens + b.tokens });

/** An attempt starts only when what is left of each budget, after all that is charged and reserved, covers it. */
export function budgetsAreNotOverdrawn({ history, site, event, before }: SeenEvent): Finding {
  if (event.type !== 'attempt.started' || event.data.kind === 'gate' || event.data.given !== undefined) return null;
  const task = before.tasks.get(taskIdOf(event.stream));
  // Playing costs nothing.
  if (task === undefined || isSimulated(task)) return null;
  const { budget } = before.board.limits;
  const { reserve, reserve_tokens = 0 } = event.data;
  const asked = { microusd: Math.max(1, reserve), tokens: Math.max(1, reserve_tokens) };
  const { reserved, reservedTokens } = recount(before);
  const held = plus(asked, { microusd: reserved, tokens: reservedTokens });
  const of = (key: string) => key.startsWith(`${task.id}/`);
  const own = [...site.charged].reduce((sum, [key, one]) => (of(key) ? plus(sum, one) : sum), NONE);
  const all = [...site.charged.values()].reduce(plus, NONE);
  const charges = hostCharges(history);
  const today = dayOf(event.time);
  const ofDay = charges.reduce((sum, charge) => (charge.day === today ? plus(sum, charge) : sum), NONE);
  // Once another process has seen a later day, this one is out of step and only the later day is known.
  const isKnown = !charges.some(({ day }) => day > today);
  const over = [
    ['task', plus(own, plus(asked, heldBy(task)))],
    ['project', plus(all, held)],
    ...(isKnown ? ([['day', plus(ofDay, held)]] as const) : []),
  ] as const;
  for (const [scope, need] of over) {
    const { [`${scope}_microusd` as const]: money, [`${scope}_tokens` as const]: tokens } = budget;
    if (money != null && need.microusd > money) return `${need.microusd} of ${money} (${scope})`;
    if (tokens != null && need.tokens > tokens) return `${need.tokens} tokens of ${tokens} (${scope})`;
  }
  return null;
}

/** By the attempts of one task that are under way. */
function heldBy(task: Task): Amount {
  return [...task.steps.values()].reduce((sum, { place }) => {
    const at = place.at === 'waiting' ? (place.held ?? place) : place;
    if (at.at !== 'working' && at.at !== 'checking') return sum;
    return plus(sum, { microusd: at.attempt.reserve, tokens: at.attempt.reserveTokens ?? 0 });
  }, NONE);
}

/** What an attempt has cost, or is estimated to have cost, is charged once. */
export function costsAreChargedOnce({ history, site, event }: SeenEvent): Finding {
  if (event.type !== 'board.charged') return null;
  const { task, step, token, microusd, tokens = 0, estimated } = event.data;
  const key = attemptKey(task, step, token);
  if (site.charged.has(key)) return `${key} is charged twice`;
  if (isSimulated(site.model.tasks.get(task))) return `${key} was only played and is charged`;
  if (estimated !== undefined) history.count('charge by estimate');
  site.charged.set(key, { microusd, tokens });
  return null;
}

/** Every known cost was charged to the board, and all charges of the last day are the host's. */
export function chargesAddUp({ history, site }: End): Finding {
  for (const event of site.events) {
    const finding = isCharged(site, event);
    if (finding !== null) return finding;
  }
  const spent = [...site.charged.values()].reduce(plus, NONE);
  const { board } = site.model;
  if (!same(spent, { microusd: board.spent, tokens: board.tokens ?? 0 }))
    return `the board says ${board.spent} and ${board.tokens} tokens, charged was ${JSON.stringify(spent)}`;
  const charges = hostCharges(history);
  const day =
    charges
      .map((charge) => charge.day)
      .sort()
      .at(-1) ?? '';
  const ofDay = charges.reduce((sum, charge) => (charge.day === day ? plus(sum, charge) : sum), NONE);
  const { host } = site.model;
  return same({ day, ...ofDay }, { day: host.day, microusd: host.spent, tokens: host.tokens ?? 0 })
    ? null
    : `the host says ${JSON.stringify(host)}, charged was ${JSON.stringify(ofDay)}`;
}

/** At least what it told, and exactly that where nothing was estimated. */
function isCharged(site: Site, { type, stream, data }: StoredEvent): Finding {
  if (type !== 'attempt.settled.2' && type !== 'attempt.produced.2') return null;
  const told = data as unknown as {
    readonly step: string;
    readonly token: number;
    readonly cost: { readonly microusd: number | null };
    readonly estimated?: Amount;
  };
  const key = attemptKey(taskIdOf(stream), told.step, told.token);
  const task = site.model.tasks.get(taskIdOf(stream));
  if (isSimulated(task) || told.cost.microusd === null || isByPerson(site, stream, told.token)) return null;
  const charged = site.charged.get(key)?.microusd;
  if (type === 'attempt.produced.2') {
    // Its end may charge more by estimate.
    if (task?.closed == null || (charged !== undefined && charged >= told.cost.microusd)) return null;
  } else if (charged === told.cost.microusd + (told.estimated?.microusd ?? 0)) return null;
  return `${key} cost ${told.cost.microusd}, charged was ${charged}`;
}

/** No model was asked, so nothing is charged. */
const isByPerson = (site: Site, stream: string, token: number): boolean =>
  site.events.some(
    (one) =>
      one.stream === stream &&
      one.type === 'attempt.started.2' &&
      same(one.data, { ...(one.data as object), token }) &&
      'given' in (one.data as object),
  );

const hostCharges = ({ hostEvents }: History): (Amount & { readonly day: string })[] =>
  hostEvents
    .filter(({ type }) => type === 'host.charged.1')
    .map(({ data }) => ({ ...NONE, ...(data as { day: string; microusd: number; tokens?: number }) }));

const taskIdOf = (stream: string): string => stream.slice('task/'.length);
