/**
 * Records what no history holds yet: `node test/replay/record-missing.ts`, after an event type was added or got a new
 * version. For each such type it looks for a random history that reaches it (test/mind/histories.ts), leaves out every
 * move that is not needed for that, and keeps the rest as `VERSION-TYPE.json`. What is recorded already stays as it is.
 */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import type { Unplaced } from '../../src/engine/chain.ts';
import type { Json } from '../../src/kernel/json.ts';
import { type Decision, decide } from '../../src/mind/decisions/decide.ts';
import { actorText, type Envelope } from '../../src/mind/domain/commands.ts';
import { type NewEvent, storedType } from '../../src/mind/domain/events/index.ts';
import { EMPTY_PROJECT, type Project } from '../../src/mind/domain/project.ts';
import { taskOfStream } from '../../src/mind/domain/stream-name.ts';
import { type Move, moves, play } from '../mind/histories.ts';
import { landings } from '../mind/landing-samples.ts';
import { envelope, type Input, type Sent } from '../support/given.ts';
import { keep, placed, unrecorded } from './recorded.ts';

const LISTS = 3_000;

type Turn = { readonly asked: Envelope; readonly events: readonly NewEvent[]; readonly after: Project };

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};
/** For each stored type the shortest list of random moves whose last one brings it. */
const shortest = new Map<string, readonly Move[]>();
for (const list of fc.sample(moves, { numRuns: LISTS, seed: 1 })) {
  for (const { asked, events } of played(list)) {
    const upTo = list.slice(0, Number(asked.id.slice('c-'.length)) + 1);
    for (const type of events.map((event) => storedType(event.type)))
      if (upTo.length < (shortest.get(type)?.length ?? Number.POSITIVE_INFINITY)) shortest.set(type, upTo);
  }
}

// From the last on: what comes late in a task or a landing brings much of what comes before it along.
for (let missing = unrecorded(); missing.length > 0; missing = unrecorded()) {
  const type = missing.at(-1) ?? '';
  const turns = found(type);
  if (turns === null) {
    throw new Error(`${type} is in none of ${LISTS} random histories: let test/mind/histories.ts reach it`);
  }
  const name = `${version}-${type}`;
  keep(name, 'recorded by test/replay/record-missing.ts; never edited', placed(turns.flatMap(unplaced)));
  console.error(`${name}: ${turns.flatMap(({ events }) => events).length} events`);
}

/** A short history with such an event, by random moves or by the samples of landings. */
function found(type: string): readonly Turn[] | null {
  const random = shortest.get(type);
  if (random !== undefined) return played(shrunk(type, random));
  return (
    landings()
      .map(sent)
      .find((turns) => emits(type, turns)) ?? null
  );
}

function emits(type: string, turns: readonly Turn[]): boolean {
  return turns.some(({ events }) => events.some((event) => storedType(event.type) === type));
}

function played(list: readonly Move[]): Turn[] {
  return play(list).turns.map(({ asked, decision, after }) => turn(asked, decision, after));
}

function turn(asked: Envelope, decision: Decision, after: Project): Turn {
  return { asked, events: decision.type === 'decided' ? decision.events : [], after };
}

function sent(commands: readonly (Input | Sent)[]): Turn[] {
  let project = EMPTY_PROJECT;
  return commands.map((command, n) => {
    const asked = envelope(command, `c-${n}`);
    const decision = decide(project, asked);
    if (decision.type === 'decided') project = decision.project;
    return turn(asked, decision, project);
  });
}

/** Without the moves that the event does not need. */
function shrunk(type: string, list: readonly Move[]): readonly Move[] {
  let kept = list;
  for (let at = list.length - 1; at >= 0; at--) {
    const without = kept.toSpliced(at, 1);
    if (emits(type, played(without))) kept = without;
  }
  return kept;
}

/** Events as the engine hands them to the store. */
function unplaced({ asked, events, after }: Turn): Unplaced[] {
  return events.map(({ stream, type, data, time }) => {
    const task = taskOfStream(stream);
    return {
      stream,
      type: storedType(type),
      data: data as Json,
      actor: actorText(asked.actor),
      cause: asked.id,
      trace: (task === null ? undefined : after.tasks.get(task)?.trace) ?? asked.id,
      time,
    };
  });
}
