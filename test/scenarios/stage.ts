/** Plays a scenario through the real command line and keeps all that it left: what was printed, refs, events. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { StoredEvent } from '../../src/engine/ports/store.ts';
import { eventually, type Result, World } from '../support/cli.ts';
import { normalised } from './normalise.ts';

type Printed = Readonly<Record<string, unknown>>;
type Recorded = { readonly command: string; exit?: number | string | null; prints?: unknown };
/** What the scripted worker plays, per step and attempt, as a person writes it. */
export type Steps = Readonly<Record<string, readonly object[]>>;
export type Env = Readonly<Record<string, string>>;
export type Scenarios = Readonly<Record<string, (stage: Stage) => Promise<unknown>>>;
/** One command line that was started; `done` when it has ended and is recorded. */
export type Started = { readonly done: Promise<Printed>; kill(signal: NodeJS.Signals): void };

export class Stage implements Disposable {
  readonly world = new World();
  readonly #commands: Recorded[] = [];
  #scripts = 0;

  /** `supervisor ARGS --json`, to its end. */
  run(args: readonly string[], env: Env = {}): Promise<Printed> {
    return this.start(args, env).done;
  }

  start(args: readonly string[], env: Env = {}): Started {
    const variables = Object.entries(env).map(([name, value]) => `${name}=${value} `);
    const recorded: Recorded = { command: `${variables.join('')}supervisor ${args.map(quoted).join(' ')}` };
    this.#commands.push(recorded);
    const { child, done } = this.world.start([...args, '--json'], env);
    const printed = done.then((result) => {
      recorded.exit = result.signal ?? result.code;
      recorded.prints = document(result);
      return (recorded.prints ?? {}) as Printed;
    });
    return { done: printed, kill: (signal) => child.kill(signal) };
  }

  /** `supervisor run TEXT` with a scripted worker. */
  task(text: string, steps: Steps, flags: readonly string[] = [], env: Env = {}): Promise<Printed> {
    return this.run(this.asked(text, steps, flags), env);
  }

  asked(text: string, steps: Steps, flags: readonly string[] = []): string[] {
    return ['run', text, '--script', this.script({ steps }), ...flags];
  }

  /** JSON is YAML. */
  script(script: { readonly notify?: true; readonly steps: Steps }): string {
    return this.world.file(`script-${++this.#scripts}.yaml`, JSON.stringify(script));
  }

  /** Writes into the checkout, and commits nothing. */
  write(files: Readonly<Record<string, string>>): void {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(this.world.repository, path)), { recursive: true });
      writeFileSync(join(this.world.repository, path), text);
    }
  }

  /** A branch that is not checked out, with one more commit on top of main. */
  branch(name: string, files: Readonly<Record<string, string>>): void {
    const { world } = this;
    world.git('checkout', '-q', '-b', name);
    world.commit(files, `on ${name}`);
    world.git('checkout', '-q', 'main');
  }

  /** The nth task, once the log has it. */
  taskId(nth = 1): Promise<string> {
    const look = async () => tasksIn(await this.world.events())[nth - 1] ?? null;
    return eventually(look, `task ${nth} is there`);
  }

  /** Waits until the log has such an event. */
  event(type: string, fits: (data: Printed) => boolean = () => true): Promise<StoredEvent> {
    const wanted = (event: StoredEvent) => isOf(event, type) && fits(event.data as Printed);
    return eventually(async () => (await this.world.events()).find(wanted) ?? null, type);
  }

  /** Waits until a worker has printed this, which it can only do once its tree and its sandbox are there. */
  async printed(text: string): Promise<void> {
    const dir = join(this.world.state, 'transcripts');
    const transcripts = () => {
      const entries = existsSync(dir) ? readdirSync(dir, { recursive: true, withFileTypes: true }) : [];
      return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    };
    const look = () => transcripts().some((file) => readFileSync(file, 'utf8').includes(text));
    await eventually(look, `a worker says ${text}`);
  }

  /** All that came of it, with placeholders for what differs from run to run. */
  async record(): Promise<unknown> {
    const { world } = this;
    const events = await world.events();
    const status = document(await world.run(['status', '--all', '--json']));
    const tasks = tasksIn(events);
    // The report that was printed last says the same already.
    const unsaid = tasks.filter((id) => id !== reported(this.#commands.at(-1)));
    const shown = await Promise.all(unsaid.map((id) => world.run(['show', id, '--json']).then(document)));
    const { findings, leased } = events.length === 0 ? { findings: [], leased: false } : await world.health();
    return normalised(
      world,
      { tasks, hashes: events.map(({ hash }) => hash) },
      {
        commands: this.#commands,
        status,
        tasks: Object.fromEntries(unsaid.map((id, nth) => [id, this.#news(id, shown[nth])])),
        refs: refsOf(world),
        checkout: world.git('status', '--porcelain').split('\n').filter(Boolean),
        events: { ...byStream(events), ...byStream(events.length === 0 ? [] : await world.events('host')) },
        damage: findings,
        leased,
      },
    );
  }

  /** The part of `show` that the last report of the task did not have. */
  #news(id: string, shown: unknown): unknown {
    const told = this.#commands.findLast((command) => reported(command) === id);
    const before = (told?.prints ?? {}) as Printed;
    const isNew = ([key, value]: [string, unknown]) => JSON.stringify(before[key]) !== JSON.stringify(value);
    return Object.fromEntries(Object.entries(shown as Printed).filter(isNew));
  }

  [Symbol.dispose](): void {
    this.world[Symbol.dispose]();
  }
}

/** The task whose report a command has printed. */
function reported(command: Recorded | undefined): string | null {
  const { task_id, steps } = (command?.prints ?? {}) as { task_id?: string; steps?: unknown };
  return task_id !== undefined && steps !== undefined ? task_id : null;
}

const quoted = (word: string): string => (/^[\w./=,-]+$/.test(word) ? word : JSON.stringify(word));

function document({ stdout, stderr, code, signal }: Result): unknown {
  if (stdout.trim() === '') return null;
  try {
    return JSON.parse(stdout);
  } catch {
    throw new Error(`no JSON was printed (${signal ?? code}): ${stdout}${stderr}`);
  }
}

function refsOf(world: World): Record<string, string> {
  const lines = world.git('for-each-ref', '--format=%(refname) %(objectname)').split('\n');
  return Object.fromEntries(lines.map((line) => line.split(' ') as [string, string]));
}

/** In any version of it: a later one is told by the comparison, and does not keep a scenario waiting. */
const isOf = (event: StoredEvent, type: string): boolean => event.type.replace(/\.\d+$/, '') === type;

const tasksIn = (events: readonly StoredEvent[]): string[] =>
  events.filter((event) => isOf(event, 'task.created')).map(({ stream }) => stream.slice('task/'.length));

/** Tasks run beside each other: in which order their events meet in the log is chance, the order within a stream is not. */
function byStream(events: readonly StoredEvent[]): Record<string, unknown[]> {
  const streams = Map.groupBy(events, ({ stream }) => stream);
  return Object.fromEntries(
    [...streams].map(([stream, own]) => [stream, gatesInOrder(own).map(({ type, data }) => ({ [type]: data }))]),
  );
}

/** Gates of one attempt run beside each other too. */
function gatesInOrder(events: readonly StoredEvent[]): StoredEvent[] {
  const gate = ({ data }: StoredEvent): string => (data as { gate?: string }).gate ?? '';
  const swapped = (one: StoredEvent | undefined, other: StoredEvent): boolean =>
    one !== undefined && isOf(one, 'gate.reported') && isOf(other, 'gate.reported') && gate(one) > gate(other);
  const sorted: StoredEvent[] = [];
  for (const event of events) {
    const at = sorted.findLastIndex((one) => !swapped(one, event)) + 1;
    sorted.splice(at, 0, event);
  }
  return sorted;
}
