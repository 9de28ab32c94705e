/** The door: what comes in is cleaned of secrets before it is written anywhere, and parsed before it is decided. */
import * as v from 'valibot';
import type { Json } from '../kernel/json.ts';
import { mapStrings } from '../kernel/json.ts';
import { type Rejection, rejected } from '../kernel/result.ts';
import {
  type Actor,
  type ActorKind,
  actorKind,
  type Command,
  command as commandSchema,
} from '../mind/domain/commands.ts';
import type { Redact } from './ports/surroundings.ts';

/** The same command with secrets taken out of every string in it. */
export async function cleaned<C extends Command>(command: C, redact: Redact): Promise<C> {
  const texts: string[] = [];
  mapStrings(command, (text) => {
    texts.push(text);
    return text;
  });
  const clean = await redact(texts);
  let next = 0;
  return mapStrings(command, () => clean[next++] ?? '');
}

/** Whether a hand's report carries words of its own; most carry only ids and numbers, which need no cleaning. */
export function speaks(command: Command): boolean {
  return ('reason' in command && command.reason !== '') || 'result' in command;
}

export function parseCommand(input: Json): Command | Rejection {
  const parsed = v.safeParse(commandSchema, input);
  if (parsed.success) return parsed.output;
  const issue = parsed.issues[0];
  return rejected('bad_command', `${v.getDotPath(issue) ?? 'command'}: ${issue.message}`);
}

export function parseActor(text: string): Actor {
  const colon = text.indexOf(':');
  const kind = colon < 0 ? text : text.slice(0, colon);
  // An actor nobody knows gets the rights of nobody.
  const known = v.safeParse(actorKind, kind);
  return {
    kind: known.success ? (known.output as ActorKind) : 'watcher',
    name: colon < 0 ? '' : text.slice(colon + 1),
  };
}
