/** given(what happened).when(a command).then(the facts that follow): tests of the mind, without doubles and without a clock. */
import * as v from 'valibot';
import { expect } from 'vitest';
import type { Rejection } from '../../src/kernel/result.ts';
import { authority } from '../../src/mind/approvals/authority.ts';
import { type Decision, decide } from '../../src/mind/decisions/decide.ts';
import { type ActorKind, command as commandSchema, type Envelope } from '../../src/mind/domain/commands.ts';
import { EVENTS, type NewEvent } from '../../src/mind/domain/events/index.ts';
import { EMPTY_PROJECT, type Project } from '../../src/mind/domain/project.ts';
import { streamKind } from '../../src/mind/domain/stream-name.ts';
import { evolve } from '../../src/mind/domain/streams.ts';

/** The time of every command that says no other: a Thursday, noon UTC. */
export const NOON = Date.UTC(2026, 0, 15, 12);

/** A command as a sender writes it: ids are plain strings and defaults may be left out. */
export type Input = v.InferInput<typeof commandSchema>;

type Circumstances = {
  readonly by?: ActorKind;
  /** The name of the sender. */
  readonly name?: string;
  readonly at?: number;
  readonly dice?: number;
  readonly id?: string;
};
/** A command under circumstances of its own. */
export type Sent = Circumstances & { readonly send: Input };

type Declared = (typeof EVENTS)[number];
/** An expected event; its time is that of the command. */
export type Fact = { readonly stream: string; readonly type: string; readonly data: unknown };

export function fact<T extends Declared['type']>(
  stream: string,
  type: T,
  data: v.InferInput<Extract<Declared, { type: T }>['schema']>,
): Fact {
  return { stream, type, data };
}

export function given(...past: readonly (Input | Sent | NewEvent)[]) {
  let project = EMPTY_PROJECT;
  let sent = 0;
  const next = (input: Input | Sent): Envelope => {
    sent += 1;
    return envelope(input, `c-${sent}`);
  };
  for (const one of past) {
    if ('data' in one) {
      project = follow(project, one);
      continue;
    }
    const decision = judge(project, next(one));
    if (decision.type === 'rejected')
      throw new Error(`given ${JSON.stringify(one)}, which is rejected: ${decision.message}`);
    project = decision.events.reduce(follow, project);
  }
  return {
    project,
    when(input: Input | Sent) {
      const asked = next(input);
      const decision = judge(project, asked);
      const after = decision.type === 'decided' ? decision.events.reduce(follow, project) : project;
      return {
        project: after,
        decision,
        // biome-ignore lint/suspicious/noThenProperty: the word that such tests use; nobody awaits it
        then(expected: Rejection | readonly Fact[]): void {
          const time = asked.at;
          const whole =
            'type' in expected ? expected : { type: 'decided', events: expected.map((one) => ({ ...one, time })) };
          const { project: told, ...said } = { project: after, ...decision };
          expect(said).toEqual(whole);
          // What decide says comes after the events is what they fold to.
          expect(JSON.stringify(told)).toBe(JSON.stringify(after));
        },
      };
    },
  };
}

/** The command with its circumstances; facts are told by a hand, everything else is sent by the operator. */
export function envelope(input: Input | Sent, id: string): Envelope {
  const sent = 'send' in input ? input : { send: input };
  const command = v.parse(commandSchema, sent.send);
  const usual = authority('operator', command.type, 'MANUAL') === 'do' ? 'operator' : 'hand';
  return {
    id: sent.id ?? id,
    actor: { kind: sent.by ?? usual, name: sent.name ?? '' },
    at: sent.at ?? NOON,
    dice: sent.dice ?? 0.5,
    command,
  };
}

/** Decides, and holds every event to its declaration. */
export function judge(project: Project, asked: Envelope): Decision {
  const decision = decide(project, asked);
  if (decision.type === 'decided') for (const event of decision.events) expectDeclared(event);
  return decision;
}

/** Evolves, and sees to it that the event says the same after it was stored. */
export function follow(project: Project, event: NewEvent): Project {
  const after = evolve(project, event);
  expect(evolve(project, JSON.parse(JSON.stringify(event)) as NewEvent)).toEqual(after);
  return after;
}

const byType: ReadonlyMap<string, Declared> = new Map(EVENTS.map((declared) => [declared.type, declared]));

function expectDeclared({ type, stream, data }: NewEvent): void {
  const declared = byType.get(type);
  expect(declared?.stream, `${type} on ${stream}`).toBe(streamKind(stream));
  // Parsing drops what is not declared: equality says that nothing undeclared is stored either.
  expect(v.parse(declared?.schema as v.GenericSchema, data)).toEqual(data);
}
