/**
 * Proves that a gate can still fail: runs it once more on the candidate's tree with failing tests planted. A gate that
 * stays green, or does not name a planted test, was neutered: by a shadowed module, a setting of its runner, an exit in
 * the code under test, or a forged summary. The places where tests can be planted are learned at the base, so that a
 * file that this gate never runs raises no alarm.
 */
import { randomInt } from 'node:crypto';
import { sha256 } from '../../kernel/hash.ts';
import { canonicalJson } from '../../kernel/json.ts';
import { failedBeside } from '../../mind/canary/failed-beside-plants.ts';
import { readLive } from '../../mind/canary/learned.ts';
import { isReported } from '../../mind/canary/plant.ts';
import { shortList } from '../../mind/gates/baseline.ts';
import { checksOf, namesTests } from '../../mind/gates/kinds.ts';
import { HIDDEN, hiddenFailures, type Suspects } from './bystanders.ts';
import { type CheckPart, type GateOn, NOT_RUN } from './check-part.ts';
import { DefectRuns } from './defects.ts';
import { recallLearned, rememberLearned } from './learned.ts';
import { type Planting, type PlantingSite, placesOf, plantAll, plantBesideAll, plantOne } from './planting.ts';
import type { CheckContext, GateRuns } from './runs.ts';

/**
 * Each place at which a planted test was reported at the base: an existing test, or a file that tests can be added to.
 * `red`: places in tests that fail there anyway. They prove nothing at the base, but much if a change has turned them
 * green.
 */
type Live = {
  readonly planted: number;
  readonly places: ReadonlySet<string>;
  readonly red: Planting['plants'];
  readonly noticed: number;
  readonly ms: number;
};
type Learned =
  | ({ readonly type: 'live' } & Live)
  | { readonly type: 'unproven'; readonly planted: number; readonly why: string; readonly green: boolean };

type CanaryVerdict = Pick<CheckPart, 'status' | 'ended' | 'ms' | 'output' | 'notes'> & {
  /** `unclear`: it failed, but its output does not name the tests for certain. */
  readonly type: 'proven' | 'alarm' | 'unclear' | 'error';
  /** Failed tests in which nothing was planted. */
  readonly beside: Suspects;
};

const MAX_KNOWN = 200;
/**
 * A quicker gate runs once with many planted tests and once with a single one, side by side; a slower one gets a random
 * choice of the two.
 */
const QUICK_MS = 30_000;
const MAX_UNCLEAR = 2;

export class CanaryRuns {
  readonly #runs: GateRuns;
  readonly #defects: DefectRuns;
  readonly #learned = new Map<string, Promise<Learned>>();

  constructor(runs: GateRuns) {
    this.#runs = runs;
    this.#defects = new DefectRuns(runs);
  }

  /** Learns the places for plants while the worker runs, so that the gate does not wait for it later. */
  async learn(ground: GateOn): Promise<void> {
    for (const checked of provable(ground))
      await Promise.all([this.#places(checked, ground), this.#defects.learn(checked)]);
  }

  /**
   * How many failing tests were planted at the base, and how many the gate noticed; null if the gate is not about
   * tests.
   */
  async count(ground: GateOn, told: (what: string) => void) {
    const found: Learned[] = [];
    for (const checked of provable(ground)) {
      told('with failing tests planted');
      // The caller wants the result now.
      found.push(await this.#look(checked, ground));
    }
    if (found.length === 0) return null;
    const sum = (of: (one: Learned) => number) => found.reduce((all, one) => all + of(one), 0);
    return {
      planted: sum(({ planted }) => planted),
      noticed: sum((one) => (one.type === 'live' ? one.noticed : 0)),
      green: found.some((one) => one.type === 'unproven' && one.green),
    };
  }

  async prove(ground: GateOn): Promise<readonly CheckPart[]> {
    const parts: CheckPart[] = [];
    for (const checked of provable(ground)) parts.push(await this.#prove(checked, ground));
    // One unproven check leaves the whole gate unproven: a fault could hide in it.
    const all = parts.every(({ score }) => score !== null);
    return all ? parts : parts.map((part) => (part.status === 'pass' ? { ...part, score: null } : part));
  }

  async #prove(checked: CheckContext, ground: GateOn): Promise<CheckPart> {
    const about = { ...NOT_RUN, label: `${checked.check.label} can fail`, weight: 1, command: checked.check.command };
    const unproven = (why: string): CheckPart => ({ ...about, status: 'pass', ended: `not proven: ${why}` });
    const earlier = this.#runs.cache.get(this.#key(checked));
    if (earlier !== null) {
      const { status, ended, ms, evidence: cached } = earlier;
      return { ...about, status, ended, ms, cached, score: 1 };
    }
    const [learned] = await Promise.all([this.#places(checked, ground), this.#defects.learn(checked)]);
    if (learned.type === 'unproven') return unproven(learned.why);
    const places = new Set([...learned.places, ...(await this.#turnedGreen(checked, learned.red))]);
    if (places.size === 0) return unproven(ALL_RED);
    const [planted, unnoticed] = await Promise.all([
      this.#tryAll(checked, this.#where(checked, ground), places, learned.ms),
      this.#defects.prove(checked),
    ]);
    const found = planted?.type === 'alarm' || unnoticed === null ? planted : { ...unnoticed, ...UNNOTICED };
    if (found === null) return unproven('no test file is left into which a failing test can be planted');
    const { status, ended, ms, output, notes } = found;
    const part: CheckPart = { ...about, status, ended, ms, output, notes, score: status === 'pass' ? 1 : 0 };
    if (status === 'pass') {
      const evidence = await checked.context.keep(ended);
      const record = { version: 2, status, ended, ms: Math.round(ms ?? 0), evidence } as const;
      this.#runs.cache.put(this.#key(checked), { ...record, failed: null, ran: null, listed: null, kept: null });
    }
    return part;
  }

  /** Returns null if nothing can be planted. */
  async #tryAll(checked: CheckContext, where: PlantingSite, places: ReadonlySet<string>, ms: number) {
    const place = await plantOne(where, places);
    // The test with the single plant gets no plant in the other run, so that each test also runs without one of its
    // own.
    const spared = place?.plants[0] ?? null;
    const many = () => plantAll(where, places, spared);
    const own = await many();
    // The change moved all tests: some must fail wherever they are now.
    if (own.files.length === 0 && place === null) return this.#tryAnywhere(checked, await plantAll(where, null));
    const both = ms < QUICK_MS && own.files.length > 0;
    const isSingle = place !== null && (both || own.files.length === 0 || randomInt(2) === 1);
    const found = await Promise.all([
      ...(both || !isSingle ? [this.#try(checked, 'c', own, many)] : []),
      ...(isSingle ? [this.#try(checked, 's', place, () => plantOne(where, places, place.plants[0]))] : []),
    ]);
    const unclear = found.find(({ type }) => type === 'unclear');
    const worst =
      found.find(({ type }) => type === 'alarm') ?? found.find(({ type }) => type === 'error') ?? unclear ?? found[0];
    if (worst?.type === 'proven') return this.#beside(checked, where, places, found, worst);
    if (worst === undefined || worst !== unclear || place === null) return worst ?? null;
    return this.#oneByOne(checked, where, places, unclear);
  }

  /** Every plant was reported. Did anything else fail that does not fail without plants? */
  async #beside(
    checked: CheckContext,
    where: PlantingSite,
    places: ReadonlySet<string>,
    found: readonly CanaryVerdict[],
    proven: CanaryVerdict,
  ): Promise<CanaryVerdict> {
    const own = (await this.#runs.knownOwn(checked))?.tests?.failed ?? [];
    const suspects = [...new Set(found.flatMap(({ beside }) => beside))].filter((id) => !own.includes(id));
    if (suspects.length === 0) return proven;
    const hidden = await hiddenFailures(this.#runs, checked, suspects, {
      candidate: () => plantBesideAll(where, places),
      base: () => plantBesideAll({ ...where, tree: checked.candidate.base }, places),
    });
    if (hidden.length === 0) return proven;
    return { ...proven, type: 'alarm', status: 'fail', ended: `NEUTERED: ${HIDDEN(hidden)}. ${HIDES}`, beside: hidden };
  }

  /** Without test names each single failure has to show: alone it must make the gate red. */
  async #oneByOne(
    checked: CheckContext,
    where: PlantingSite,
    places: ReadonlySet<string>,
    unclear: CanaryVerdict,
  ): Promise<CanaryVerdict> {
    for (let n = 0; n < MAX_UNCLEAR; n++) {
      const place = await plantOne(where, places);
      if (place === null) break;
      const found = await this.#try(checked, 's', place, () => plantOne(where, places, place.plants[0]));
      if (found.type === 'alarm' || found.type === 'error') return found;
    }
    return unclear;
  }

  /**
   * Tries twice if necessary: an unstable gate may miss a plant by chance, but a neutered one misses the next plant as
   * well.
   */
  async #try(
    checked: CheckContext,
    kind: 'c' | 's',
    planting: Planting,
    again: () => Promise<Planting | null>,
  ): Promise<CanaryVerdict> {
    const found = await this.#runPlanted(checked, kind, planting);
    if (found.type !== 'alarm') return found;
    const next = await again();
    return next === null ? found : this.#runPlanted(checked, kind, next);
  }

  async #tryAnywhere(checked: CheckContext, planting: Planting): Promise<CanaryVerdict | null> {
    if (planting.files.length === 0) return null;
    const found = await this.#runPlanted(checked, 'c', planting, 'some');
    return {
      ...found,
      notes: ['no test file is left in which the base noticed failing tests', ...found.notes],
    };
  }

  /** Plants, runs, and looks for each planted test among the failed ones. */
  async #runPlanted(
    checked: CheckContext,
    kind: 'c' | 's',
    { files, plants, all, byExit }: Planting,
    wanted: 'all' | 'some' = 'all',
  ): Promise<CanaryVerdict> {
    const { base, tree } = checked.candidate;
    const { ran } = await this.#runs.run(checked, kind, { base, tree }, files);
    const where = `${plants.length} failing tests were planted in ${files.length} files`;
    const names = (all: Planting['plants'], most: number) =>
      shortList(
        all.map(({ path, test }) => `${test} (${path})`),
        most,
      );
    const listed = [`planted: ${names(plants, 40)}`];
    const failed = ran.type === 'ended' ? (ran.tests?.failed ?? []) : [];
    const rest = {
      ms: ran.type === 'ended' ? ran.ms : 0,
      output: ran.output,
      beside: byExit ? [] : failedBeside(all, failed),
    };
    const proven = (how: string): CanaryVerdict => ({
      type: 'proven',
      status: 'pass',
      ended: `proven: ${where}, and ${how}`,
      notes: [],
      ...rest,
    });
    const alarm = (what: string, notes: readonly string[] = listed): CanaryVerdict => ({
      type: 'alarm',
      status: 'fail',
      ended: `NEUTERED: ${where}, and ${what}. ${WHY}`,
      notes,
      ...rest,
    });
    const error = (why: string): CanaryVerdict => ({
      type: 'error',
      status: 'error',
      ended: `could not be proven: ${why}`,
      notes: listed,
      ...rest,
    });
    if (ran.type === 'error' && ran.green !== true) return error(ran.problem);
    if (ran.type === 'error' || ran.status === 'pass')
      return alarm(`it does not fail: ${ran.type === 'error' ? ran.problem : ran.ended}`);
    if (byExit) return ran.lasting ? proven('it failed') : error(ran.ended);
    const missing = plants.filter((plant) => !isReported(plant, failed));
    if (missing.length === 0) return proven('it reported all of them');
    if (!ran.lasting) return error(ran.ended);
    if (ran.tests === null)
      return { ...proven('it failed, though its output does not say for certain by which tests'), type: 'unclear' };
    if (wanted === 'some' && missing.length < plants.length) return proven('it reported some of them');
    return alarm(`${missing.length} of them were not reported`, [`not reported: ${names(missing, 20)}`, ...listed]);
  }

  /**
   * Joins a look that is under way. Repeats one that learned nothing: it may have been stopped together with its task.
   */
  async #places(checked: CheckContext, ground: GateOn): Promise<Learned> {
    const { check, key, candidate } = checked;
    const name = canonicalJson({ check, base: candidate.base, environment: key });
    const known = await this.#learned.get(name)?.catch(() => null);
    if (known?.type === 'live') return known;
    const found = this.#recalled(checked, ground);
    if (this.#learned.size >= MAX_KNOWN) this.#learned.clear();
    this.#learned.set(name, found);
    const forget = () => this.#learned.get(name) === found && this.#learned.delete(name);
    found.then((one) => (one.type === 'live' ? null : forget()), forget);
    return found;
  }

  /** A look at the base takes as long as its gate, so its result is stored for later processes. */
  async #recalled(checked: CheckContext, ground: GateOn): Promise<Learned> {
    const { candidate, context } = checked;
    const { cache } = this.#runs;
    const run = this.#runs.keyOf({ ...checked, paths: [] }, { base: candidate.base, tree: null });
    const key = sha256(`places 1 ${run} ${canonicalJson([ground.gate.canary ?? null, checked.settings.testPaths])}`);
    const known = await recallLearned(cache, key, readLive, context);
    if (known !== null) return { type: 'live', ...known, places: new Set(known.places) };
    const found = await this.#look(checked, ground);
    if (found.type === 'live') await rememberLearned(cache, key, { ...found, places: [...found.places] }, context);
    return found;
  }

  async #look(checked: CheckContext, ground: GateOn): Promise<Learned> {
    const { base } = checked.candidate;
    const { files, plants, byExit } = await plantAll(
      { ...this.#where(checked, ground), tree: base, changed: async () => [] },
      null,
    );
    const unproven = (why: string, green = false): Learned => ({
      type: 'unproven',
      why,
      planted: plants.length,
      green,
    });
    if (files.length === 0) return unproven('a failing test cannot be planted into any test file');
    const { ran } = await this.#runs.run(checked, 'c', { base, tree: null }, files);
    if (ran.type === 'error') return unproven(`the base could not be tried: ${ran.problem}`);
    if (ran.status === 'pass')
      return unproven(
        `${plants.length} failing tests were planted at the base too, and it stayed green: see \`supervisor gates check\``,
        true,
      );
    if (byExit && !ran.lasting) return unproven(`the base could not be tried: ${ran.ended}`);
    const noticed = byExit ? plants : plants.filter((plant) => isReported(plant, ran.tests?.failed ?? []));
    if (noticed.length === 0) return unproven(`at the base its output does not name the planted tests (${ran.ended})`);
    const before = (await this.#runs.knownBase(checked))?.ran;
    const red = before?.type === 'ended' ? (before.tests?.failed ?? []) : [];
    const isRed = (plant: Planting['plants'][number]) =>
      /^(?:inside|altered)$/.test(plant.kind) && isReported(plant, red);
    const live = noticed.filter((plant) => !isRed(plant));
    const places = new Set(live.flatMap(placesOf));
    return {
      type: 'live',
      planted: plants.length,
      noticed: live.length,
      places,
      red: noticed.filter(isRed),
      ms: ran.ms,
    };
  }

  /** The tests that a task is about are often the red ones: no other test runs the code that it changes. */
  async #turnedGreen(checked: CheckContext, red: Planting['plants']): Promise<readonly string[]> {
    const own = red.length === 0 ? null : await this.#runs.knownOwn(checked);
    const failed = own?.tests?.failed ?? (own?.status === 'pass' ? [] : null);
    return failed === null ? [] : red.filter((plant) => !isReported(plant, failed)).flatMap(placesOf);
  }

  #where(checked: CheckContext, ground: GateOn): PlantingSite {
    const { check, candidate, settings } = checked;
    const { workspaces } = this.#runs.options;
    const changed = () => this.#runs.changes(candidate).then((all) => all.map(({ path }) => path));
    return {
      workspaces,
      check,
      canary: ground.gate.canary,
      tree: candidate.tree,
      testPaths: settings.testPaths,
      changed,
    };
  }

  #key(checked: CheckContext): string {
    const { base, tree } = checked.candidate;
    return sha256(`canary 6 ${this.#runs.keyOf(checked, { base, tree })} ${base}`);
  }
}

const ALL_RED = 'all its tests are red at the base';
const WHY = 'Something in this change keeps the gate from failing';
const UNNOTICED = { status: 'fail', notes: [] } as const;
const HIDES = 'Something in this change hides failures while no test file differs';

const provable = (ground: GateOn): CheckContext[] =>
  checksOf(ground.gate).flatMap((check) => {
    const own = ground.gate.canary !== undefined && ground.gate.canary !== 'off';
    return own || namesTests(check) ? [{ ...ground, check, paths: [] }] : [];
  });
