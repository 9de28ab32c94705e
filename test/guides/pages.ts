/** Runs the commands of a page one after the other, and says where it shows something else than they print. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Step, stepsOf } from './page.ts';
import { Session } from './session.ts';
import { compared, linesOf } from './shown.ts';
import { PageWorld } from './worlds.ts';

const ROOT = join(import.meta.dirname, '../..');

/** `UPDATE_GOLDEN=1` writes into the page what was printed instead. */
const UPDATE = process.env['UPDATE_GOLDEN'] === '1';

const ID = /\b[tfp]-[0-9a-z]{8}\b/g;

export type Played = {
  readonly commands: number;
  readonly notRun: readonly string[];
  readonly differences: readonly string[];
};

export async function play(page: string): Promise<Played> {
  const path = join(ROOT, page);
  const steps = stepsOf(readFileSync(path, 'utf8'));
  const player = new Player(page);
  try {
    for (const [n, step] of steps.entries()) await player.do(step, steps[n + 1]);
  } finally {
    await player.leave();
  }
  const { changes } = player;
  if (UPDATE && changes.size > 0) writeFileSync(path, withOutput(readFileSync(path, 'utf8'), changes));
  return player;
}

class Player implements Played {
  commands = 0;
  readonly notRun: string[] = [];
  readonly differences: string[] = [];
  readonly changes = new Map<number, readonly string[]>();
  readonly #page: string;
  /** Which id of this run stands for the one that the page shows. */
  readonly #ids = new Map<string, string>();
  /** When a page is written for the first time, its commands name an id that was never printed. */
  #newest = '';
  #world: PageWorld | null = null;
  #session: Session | null = null;

  constructor(page: string) {
    this.#page = page;
  }

  async do(step: Step, next: Step | undefined): Promise<void> {
    if (step.kind === 'not-run') {
      this.notRun.push(`${this.#page}: ${step.commands[0]} (${step.why})`);
    } else if (step.kind === 'world') {
      await this.leave();
      this.#world = await PageWorld.make(step.name);
      this.#session = new Session(this.#world.dir, this.#world.env);
      this.#world.started.push(this.#session.pid);
    } else if (this.#world === null || this.#session === null) {
      throw new Error(`${this.#page}: a <!-- world: … --> has to come first`);
    } else if (step.kind === 'file') {
      this.#world.write(step.path.replace(/^~/, this.#world.home), step.content);
    } else {
      const command = step.command.replace(ID, (id) => this.#ids.get(id) ?? (UPDATE ? this.#newest : id));
      const { code, printed } = await this.#session.run(command);
      this.#newest = printed.match(ID)?.[0] ?? this.#newest;
      const told = next?.kind === 'run' && next.command === 'echo $?';
      if (step.kind === 'run') this.#compare(step, this.#world.asShown(printed), told ? 0 : code);
      else if (code !== 0) throw new Error(`${this.#page}: the set-up ${command} ended with ${code}: ${printed}`);
    }
  }

  #compare(step: Extract<Step, { kind: 'run' }>, printed: string, code: number): void {
    const where = `${this.#page}:${step.line}: $ ${step.command}`;
    this.commands += 1;
    if (code !== 0) this.differences.push(`${where}\nended with ${code}, which the page does not tell:\n${printed}`);
    const found = compared(step.prints, printed);
    if (found.matches) {
      for (const [theirs, ours] of found.ids) this.#ids.set(theirs, ours);
      return;
    }
    this.changes.set(step.line, linesOf(printed));
    this.differences.push(`${where}\nprinted something else:\n${printed}`);
  }

  async leave(): Promise<void> {
    await this.#session?.[Symbol.asyncDispose]();
    await this.#world?.[Symbol.asyncDispose]();
    this.#session = null;
    this.#world = null;
  }
}

/** The page with other output below the commands on these lines. */
function withOutput(markdown: string, changes: ReadonlyMap<number, readonly string[]>): string {
  const out: string[] = [];
  let waiting: readonly string[] | null = null;
  let skipping = false;
  let fence: string | null = null;
  for (const [n, line] of markdown.split('\n').entries()) {
    const goesOn = line.startsWith('> ') && waiting !== null;
    if (waiting !== null && !goesOn) {
      out.push(...waiting);
      [waiting, skipping] = [null, true];
    }
    if (fence === null) fence = /^(```+)\w*$/.exec(line)?.[1] ?? null;
    else if (line === fence) [fence, skipping] = [null, false];
    else if (line.startsWith('$ ')) skipping = false;
    if (!skipping) out.push(line);
    waiting = changes.get(n + 1) ?? waiting;
  }
  return out.join('\n');
}
