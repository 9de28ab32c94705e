/**
 * Proves that a gate can still fail: it runs once more on the candidate's tree with failing tests planted in it. A gate that
 * stays green, or does not name what was planted, was neutered: by a shadowed module, a setting of its runner, an exit in
 * the code under test, a forged summary.
 *
 * Where a test can be planted is learned at the base, so that a file that this gate never runs raises no alarm.
 */
import { randomInt } from 'node:crypto';
import { sha256 } from '../../kernel/hash.ts';
import { canonicalJson } from '../../kernel/json.ts';
import { chooseFiles } from '../../mind/canary/choose.ts';
import { isReported, type Plant, type Planted, plantBeside, plantInto } from '../../mind/canary/plant.ts';
import { runnerOf, testFilesOf } from '../../mind/canary/runner.ts';
import { shortList } from '../../mind/gates/baseline.ts';
import { checksOf, namesTests } from '../../mind/gates/kinds.ts';
import { type GateOn, NOT_RUN, type Part } from './part.ts';
import type { Checked, GateRuns } from './runs.ts';

/** Each place at which a planted test was reported at the base: an existing test, or a file that tests can be added to. */
type Learned = { readonly planted: number } & (
  | { readonly type: 'live'; readonly places: ReadonlySet<string> }
  | { readonly type: 'unproven'; readonly why: string }
);

const MOST_AT_BASE = 200;
const MOST_FILES = 40;
const MAX_KNOWN = 200;

export class CanaryRuns {
  readonly #runs: GateRuns;
  readonly #learned = new Map<string, Promise<Learned>>();

  constructor(runs: GateRuns) {
    this.#runs = runs;
  }

  /** Finds out beside the worker where tests can be planted, so that nobody waits for it later. */
  async learn(ground: GateOn): Promise<void> {
    for (const checked of provable(ground)) await this.#places(checked, ground);
  }

  /** How many failing tests were planted at the base, and how many of them the gate noticed; null: it is not about tests. */
  async count(ground: GateOn, told: (what: string) => void) {
    const found: Learned[] = [];
    for (const checked of provable(ground)) {
      told('with failing tests planted');
      found.push(await this.#places(checked, ground));
    }
    if (found.length === 0) return null;
    const sum = (of: (one: Learned) => number) => found.reduce((all, one) => all + of(one), 0);
    return {
      planted: sum(({ planted }) => planted),
      noticed: sum((one) => (one.type === 'live' ? one.places.size : 0)),
    };
  }

  async prove(ground: GateOn): Promise<readonly Part[]> {
    const parts: Part[] = [];
    for (const checked of provable(ground)) parts.push(await this.#prove(checked, ground));
    return parts;
  }

  async #prove(checked: Checked, ground: GateOn): Promise<Part> {
    const about = { ...NOT_RUN, label: `${checked.check.label} can fail`, weight: 1, command: checked.check.command };
    const unproven = (why: string): Part => ({ ...about, status: 'pass', ended: `not proven: ${why}` });
    const earlier = this.#runs.cache.get(this.#key(checked));
    if (earlier !== null)
      return {
        ...about,
        status: earlier.status,
        ended: earlier.ended,
        ms: earlier.ms,
        cached: earlier.evidence,
        score: 1,
      };
    const learned = await this.#places(checked, ground);
    if (learned.type === 'unproven') return unproven(learned.why);
    let found = await this.#try(checked, ground, learned.places);
    // A gate that is unstable may miss one by chance. One that was neutered misses what is planted next as well.
    if (found?.alarm === true) found = await this.#try(checked, ground, learned.places);
    if (found === null) return unproven('no test is left in which a planted failure was noticed at the base');
    const { status, ended, ms, output, notes } = found;
    const part: Part = { ...about, status, ended, ms, output, notes, score: status === 'pass' ? 1 : 0 };
    if (status === 'pass') {
      const evidence = await checked.context.keep(ended);
      const record = { version: 2, status, ended, ms: Math.round(ms), evidence } as const;
      this.#runs.cache.put(this.#key(checked), { ...record, failed: null, ran: null, listed: null, kept: null });
    }
    return part;
  }

  /** Plants, runs, and looks for each planted test among those that failed. Null: nothing can be planted. */
  async #try(checked: Checked, ground: GateOn, places: ReadonlySet<string>) {
    const { candidate } = checked;
    const planted = await this.#plant(checked, ground, candidate.tree, places);
    if (planted.files.length === 0) return null;
    const from = { base: candidate.base, tree: candidate.tree };
    const { ran } = await this.#runs.run(checked, 'c', from, planted.files);
    const { plants } = planted;
    const where = `${plants.length} failing tests were planted in ${planted.files.length} files`;
    const ms = ran.type === 'ended' ? ran.ms : 0;
    const told = (status: Part['status'], ended: string, notes: readonly string[] = []) => ({
      status,
      ended,
      ms,
      notes,
      output: ran.output,
      alarm: status === 'fail',
    });
    const listed = [
      `planted: ${shortList(
        plants.map(({ path, test }) => `${test} (${path})`),
        40,
      )}`,
    ];
    if (ran.type === 'error' && ran.green !== true) return told('error', `could not be proven: ${ran.problem}`, listed);
    if (ran.type === 'error' || ran.status === 'pass') {
      const ended = ran.type === 'error' ? ran.problem : ran.ended;
      return told('fail', `NEUTERED: ${where}, and it does not fail: ${ended}. ${WHY}`, listed);
    }
    if (planted.byExit) return told('pass', `proven: ${where}, and it failed`);
    const missing = plants.filter((plant) => !isReported(plant, ran.tests?.failed ?? []));
    if (missing.length === 0) return told('pass', `proven: ${where}, and it reported all of them`);
    if (!ran.lasting) return told('error', `could not be proven: ${ran.ended}`, listed);
    const names = shortList(
      missing.map(({ path, test }) => `${test} (${path})`),
      20,
    );
    return told('fail', `NEUTERED: ${where}, and ${missing.length} of them were not reported. ${WHY}`, [
      `not reported: ${names}`,
      ...listed,
    ]);
  }

  #places(checked: Checked, ground: GateOn): Promise<Learned> {
    const { check, key, candidate } = checked;
    const name = canonicalJson({ check, base: candidate.base, environment: key });
    const known = this.#learned.get(name);
    if (known !== undefined) return known;
    const found = this.#look(checked, ground);
    if (this.#learned.size >= MAX_KNOWN) this.#learned.clear();
    this.#learned.set(name, found);
    const forget = () => this.#learned.get(name) === found && this.#learned.delete(name);
    found.then((one) => (one.type === 'live' ? null : forget()), forget);
    return found;
  }

  async #look(checked: Checked, ground: GateOn): Promise<Learned> {
    const { base } = checked.candidate;
    const planted = await this.#plant(checked, ground, base, null);
    const unproven = (why: string): Learned => ({ type: 'unproven', why, planted: planted.plants.length });
    if (planted.files.length === 0) return unproven('no test file is of a form in which a failing test can be planted');
    const { ran } = await this.#runs.run(checked, 'c', { base, tree: null }, planted.files);
    if (ran.type === 'error') return unproven(`the base could not be tried: ${ran.problem}`);
    if (ran.status === 'pass')
      return unproven(
        `${planted.plants.length} failing tests were planted at the base too, and it stayed green: see \`supervisor gates check\``,
      );
    const noticed = planted.byExit
      ? planted.plants
      : planted.plants.filter((plant) => isReported(plant, ran.tests?.failed ?? []));
    if (noticed.length === 0) return unproven(`at the base its output does not name the planted tests (${ran.ended})`);
    return { type: 'live', planted: planted.plants.length, places: new Set(noticed.map(placeOf)) };
  }

  /** `places`: only at these; null: wherever it can be done. */
  async #plant(checked: Checked, ground: GateOn, tree: string, places: ReadonlySet<string> | null) {
    const dice = () => randomInt(2 ** 32) / 2 ** 32;
    const { canary } = ground.gate;
    if (canary !== undefined && canary !== 'off') {
      const test = `t${randomInt(1e9)}`;
      const file = { path: canary.file.replaceAll('NAME', test), text: canary.text.replaceAll('NAME', test) };
      return { files: [file], plants: [{ kind: 'own', path: file.path, test } satisfies Plant], byExit: true };
    }
    const { workspaces } = this.#runs.options;
    const all = testFilesOf(checked.check, await workspaces.paths(tree), checked.settings.testPaths);
    const live =
      places === null
        ? null
        : new Set([...places].map((place) => place.slice(place.indexOf(' ') + 1).split('\0', 1)[0]));
    const wanted = all.filter((path) => live === null || live.has(path));
    const changes = places === null ? [] : await this.#runs.changes(checked.candidate);
    const texts = await this.#texts(tree, wanted);
    const stems = changes
      .map(({ path }) => (path.split('/').at(-1) ?? '').replace(/\..*$/, ''))
      .filter((stem) => stem.length > 2);
    const loadsChanged = new Set(wanted.filter((path) => stems.some((stem) => texts.get(path)?.includes(stem))));
    const most = places === null ? MOST_AT_BASE : MOST_FILES;
    const files: Planted[] = chooseFiles({ testFiles: wanted, loadsChanged, dice, most }).flatMap((path) => {
      const text = texts.get(path);
      const runner = text === undefined ? null : runnerOf(checked.check, path, text);
      if (text === undefined || runner === null) return [];
      const own = plantBeside(runner, path, text, dice);
      const made = [plantInto(runner, path, text, dice), own].flatMap((one) => (one === null ? [] : [one]));
      return made.map((one) => only(one, path, places)).filter((one) => one.plants.length > 0);
    });
    return { files, plants: files.flatMap(({ plants }) => plants), byExit: false };
  }

  async #texts(tree: string, paths: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const texts = await this.#runs.options.workspaces.read(tree, paths);
    return new Map(paths.flatMap((path, n) => (texts[n] == null ? [] : [[path, texts[n]] as const])));
  }

  #key(checked: Checked): string {
    const { base, tree } = checked.candidate;
    return sha256(`canary 1 ${this.#runs.keyOf(checked, { base, tree })} ${base}`);
  }
}

const WHY = 'Something in this change keeps the gate from failing';

/** Tests that exist are places one by one: one of them may be skipped here. A test file of its own stands for its neighbour. */
const placeOf = ({ kind, path, test, beside }: Plant & { readonly beside?: string }): string =>
  kind === 'inside' ? `${kind} ${path}\0${test}` : `${kind} ${beside ?? path}`;

function only(planted: Planted, beside: string, places: ReadonlySet<string> | null): Planted {
  const plants = planted.plants.map((plant) => ({ ...plant, beside }));
  return { ...planted, plants: plants.filter((plant) => places === null || places.has(placeOf(plant))) };
}

const provable = (ground: GateOn): Checked[] =>
  checksOf(ground.gate).flatMap((check) => {
    const own = ground.gate.canary !== undefined && ground.gate.canary !== 'off';
    return own || namesTests(check) ? [{ ...ground, check, paths: [] }] : [];
  });
