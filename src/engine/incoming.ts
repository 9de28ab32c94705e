/** Checks incoming commands: redacts secrets before anything is written, and parses before anything is decided. */
import * as v from 'valibot';
import { assertNever } from '../kernel/assert-never.ts';
import type { Json } from '../kernel/json.ts';
import { mapStrings } from '../kernel/json.ts';
import { type Rejection, rejected } from '../kernel/result.ts';
import {
  type Actor,
  type ActorKind,
  actorKind,
  type Command,
  type CommandOf,
  command as commandSchema,
} from '../mind/domain/commands.ts';
import { MAX_LINE, UNKNOWN_COST } from '../mind/domain/values.ts';
import type { BatchItem } from './batch.ts';
import type { InboxRow } from './ports/store.ts';
import type { Redact } from './ports/surroundings.ts';

/**
 * Returns a command that may be stored. Prose loses its secrets. Text that acts literally is refused if it holds a
 * secret, because a redacted program would be another program. File names stay: they are in git anyway.
 */
export async function redactedForLog(command: Command, redact: Redact): Promise<Command | Rejection> {
  if (command.type !== 'task.create') return redacted(command, redact);
  const { workflow, spec, ...rest } = command;
  const { files, allow, interfaces, gates, ...words } = spec;
  const acts = { workflow, gates };
  const [clean, acting] = await Promise.all([redacted({ rest, words }, redact), redacted(acts, redact)]);
  if (JSON.stringify(acting) !== JSON.stringify(acts)) return rejected('secret_in_command', SECRET_IN_COMMAND);
  const kept = Object.fromEntries(
    Object.entries({ files, allow, interfaces, gates }).filter(([, value]) => value !== undefined),
  );
  return { ...clean.rest, workflow, spec: { ...clean.words, ...kept } } as CommandOf<'task.create'>;
}

const SECRET_IN_COMMAND =
  'the command of a gate holds what looks like a secret, and commands are written to the log: let it read the value from a file or a variable of `environment.env`, or list it under `secrets: allow:` of your own config, with the reason';

/** Redacts every string in a command. */
export async function redacted<C>(command: C, redact: Redact): Promise<C> {
  const texts: string[] = [];
  mapStrings(command, (text) => {
    texts.push(text);
    return text;
  });
  const clean = await redact(texts);
  let next = 0;
  return mapStrings(command, () => clean[next++] ?? '');
}

/** Whether a report carries free text. Most carry only ids and numbers, which need no redaction. */
export function hasFreeText(command: Command): boolean {
  return ('reason' in command && command.reason !== '') || 'result' in command;
}

export function parseCommand(input: Json): Command | Rejection {
  const parsed = v.safeParse(commandSchema, input);
  if (parsed.success) return parsed.output;
  const issue = parsed.issues[0];
  return rejected('bad_command', `${v.getDotPath(issue) ?? 'command'}: ${issue.message}`);
}

export type OutcomeReport = CommandOf<
  'attempt.report' | 'gate.report' | 'apply.report' | 'line.report' | 'notify.report'
>;

/**
 * A hand's report, cut to length after redaction, because half a secret is not recognised. A nonsensical report counts
 * as the hand's failure.
 */
export function boundedReport(report: OutcomeReport): Command {
  const short = mapStrings(report, (text) => text.slice(0, MAX_LINE));
  const parsed = parseCommand(short as unknown as Json);
  if (parsed.type !== 'rejected') return parsed;
  const reason = `its report is not valid: ${parsed.message}`;
  const { task, token } = report;
  switch (report.type) {
    case 'attempt.report':
      return { ...report, ...NOTHING_MADE, class: 'crash', reason };
    case 'gate.report':
      return { ...report, status: 'error', evidence: null, ms: null };
    case 'apply.report':
      return { type: 'apply.report', task, token, status: 'error', reason, commit: null, branch: null };
    case 'line.report':
      return { ...report, status: 'error', reason, commit: null, candidate: null, path: null };
    case 'notify.report': {
      const { quiet_ms: _, ...sent } = report;
      return { ...sent, result: reason };
    }
    default:
      return assertNever(report, 'report');
  }
}

const NOTHING_MADE = {
  candidate: null,
  answer: null,
  record: null,
  cost: UNKNOWN_COST,
  reset_at: null,
  category: null,
};

function parseActor(text: string): Actor {
  const colon = text.indexOf(':');
  const kind = colon < 0 ? text : text.slice(0, colon);
  // An unknown kind of actor has no rights.
  const known = v.safeParse(actorKind, kind);
  return {
    kind: known.success ? (known.output as ActorKind) : 'watcher',
    name: colon < 0 ? '' : text.slice(colon + 1),
  };
}

/** Turns a row of the inbox into an item for the engine. */
export function itemOf(row: InboxRow): BatchItem {
  return {
    id: row.id,
    actor: parseActor(row.actor),
    command: parseCommand(row.command),
    kept: true,
    row: true,
    answer: () => {},
  };
}
