/**
 * Breaks the code under test instead of the tests: its functions throw when called, and all test files stay as they
 * are, byte for byte. A gate that failed for this at the base and stays green on the candidate was neutered.
 */
import { randomInt } from 'node:crypto';
import { sha256 } from '../../kernel/hash.ts';
import { canonicalJson } from '../../kernel/json.ts';
import { withDefects } from '../../mind/canary/defects.ts';
import { readDefect } from '../../mind/canary/learned.ts';
import { type Dice, shuffled } from '../../mind/canary/plant.ts';
import { testFilesOf } from '../../mind/canary/runner.ts';
import { broken, sourcesOf } from '../../mind/canary/sabotage.ts';
import { changedTests } from '../../mind/candidates/test-paths.ts';
import { recallLearned, rememberLearned } from './learned.ts';
import type { CheckRunResult, PlantedFile } from './run-result.ts';
import type { CheckContext, GateRuns } from './runs.ts';

/** A source file, and the tests that fail at the base when its functions throw. */
type BreakableFile = { readonly path: string; readonly tests: readonly string[] };
/** A run that did not notice the defect; null if nothing speaks against the change. */
type Unnoticed = { readonly ended: string; readonly ms: number; readonly output: string } | null;

/** The look costs up to three more runs at each new base. */
const BELOW_MS = 10_000;
const MAX_TRIED = 3;
const MAX_TESTS_READ = 200;
const MAX_KNOWN = 200;

const dice: Dice = () => randomInt(2 ** 32) / 2 ** 32;

export class DefectRuns {
  readonly #runs: GateRuns;
  readonly #learned = new Map<string, Promise<BreakableFile | null>>();

  constructor(runs: GateRuns) {
    this.#runs = runs;
  }

  /** Learns which code the gate's tests notice. Null if none of the tried files, or if the gate is too slow. */
  async learn(checked: CheckContext): Promise<BreakableFile | null> {
    const { check, key, candidate } = checked;
    const name = canonicalJson({ check, base: candidate.base, environment: key });
    const known = await this.#learned.get(name)?.catch(() => null);
    if (known != null) return known;
    const found = this.#recalled(checked);
    if (this.#learned.size >= MAX_KNOWN) this.#learned.clear();
    this.#learned.set(name, found);
    return found;
  }

  async prove(checked: CheckContext): Promise<Unnoticed> {
    const known = await this.learn(checked);
    if (known === null) return null;
    const found = await this.#with(checked, [known.path]);
    if (found === null || !isGreen(found)) return null;
    if (await this.#testsDiffer(checked, known.path)) return null;
    const unread = await this.#isUnread(checked, known.path);
    if (!unread && (await this.#isMoved(checked, known.path))) return null;
    const ran = await this.#with(checked, [known.path]);
    if (ran === null || !isGreen(ran)) return null;
    const noticed = `every function of ${known.path} fails when it is called, which ${known.tests.length} tests noticed at the base, and it stays green`;
    const why = unread
      ? 'No test that names the file was changed, and yet none loads it any more: something in this change gives them other code'
      : 'Something in this change keeps the gate from failing';
    return { ended: `NEUTERED: ${noticed}. ${why}`, ms: ran.type === 'ended' ? ran.ms : 0, output: ran.output };
  }

  /**
   * Whether a test that named the file at the base was changed, with permission: then it may test something else now.
   */
  async #testsDiffer({ candidate, settings }: CheckContext, path: string): Promise<boolean> {
    const changed = changedTests(await this.#runs.changes(candidate), settings.testPaths);
    const before = await this.#runs.options.workspaces.read(candidate.base, changed);
    return before.some((one) => one?.includes(nameOf(path)) === true);
  }

  /** Whether no test loads a file any more. Then no test notices that it does not parse. */
  async #isUnread(checked: CheckContext, path: string): Promise<boolean> {
    const { base, tree } = checked.candidate;
    const [text] = await this.#runs.options.workspaces.read(tree, [path]);
    const files = [{ path, text: broken(path, text ?? '') }];
    return isGreen((await this.#runs.run(this.#limited(checked), 'm', { base, tree }, files)).ran);
  }

  /**
   * Whether tests now call code of another changed file: some of them fail when that code does, and the file itself, or
   * one that existed before, names it.
   */
  async #isMoved(checked: CheckContext, from: string): Promise<boolean> {
    const { candidate, settings } = checked;
    const changes = await this.#runs.changes(candidate);
    const sources = sourcesOf(
      changes.map(({ path }) => path),
      settings.testPaths,
    ).filter((path) => path !== from);
    const old = changes.filter(({ path, before }) => before !== null && sources.includes(path)).map(({ path }) => path);
    const texts = await this.#runs.options.workspaces.read(candidate.tree, [from, ...old]);
    const others = sources.filter(
      (path) => old.includes(path) || texts.some((text) => text?.includes(nameOf(path)) === true),
    );
    const groups = others.length < 2 ? [others] : [others, ...others.slice(0, MAX_TRIED).map((one) => [one])];
    for (const group of groups) {
      const ran = await this.#with(checked, group);
      // A failure that names no test may have broken whatever hides failures.
      if (ran?.type === 'ended' && ran.status === 'fail' && (ran.tests?.failed.length ?? 0) > 0) return true;
    }
    return false;
  }

  /** Returns null if none of these files has a function. */
  async #with(checked: CheckContext, paths: readonly string[]): Promise<CheckRunResult | null> {
    const { base, tree } = checked.candidate;
    const files = await this.#broken(tree, paths);
    return files.length === 0 ? null : (await this.#runs.run(this.#limited(checked), 'm', { base, tree }, files)).ran;
  }

  /** Learned once for each base, and stored for later processes. */
  async #recalled(checked: CheckContext): Promise<BreakableFile | null> {
    const { candidate, context } = checked;
    const run = this.#runs.keyOf({ ...checked, paths: [] }, { base: candidate.base, tree: null });
    const key = sha256(`defects 1 ${run}`);
    const known = await recallLearned(this.#runs.cache, key, readDefect, context);
    if (known !== null) return known;
    const found = await this.#look(checked);
    if (found !== null) await rememberLearned(this.#runs.cache, key, found, context);
    return found;
  }

  async #look(checked: CheckContext): Promise<BreakableFile | null> {
    const before = (await this.#runs.knownBase(checked))?.ran ?? (await this.#runs.knownOwn(checked));
    if (before?.type !== 'ended' || before.ms > this.#below) return null;
    const { base } = checked.candidate;
    const red = before.tests?.failed ?? [];
    for (const path of (await this.#likely(checked)).slice(0, MAX_TRIED)) {
      const files = await this.#broken(base, [path]);
      if (files.length === 0) continue;
      const { ran } = await this.#runs.run(this.#limited(checked), 'm', { base, tree: null }, files);
      const tests = ran.type === 'ended' ? (ran.tests?.failed ?? []).filter((id) => !red.includes(id)) : [];
      if (tests.length > 0) return { path, tests };
    }
    return null;
  }

  /** Sources that tests name or stand beside come first, in random order. */
  async #likely(checked: CheckContext): Promise<readonly string[]> {
    const { workspaces } = this.#runs.options;
    const { base } = checked.candidate;
    const all = await workspaces.paths(base);
    const tests = testFilesOf(checked.check, all, checked.settings.testPaths).slice(0, MAX_TESTS_READ);
    const texts = (await workspaces.read(base, tests)).map((text) => text ?? '');
    const folders = new Set(tests.map(folderOf));
    const sources = shuffled(sourcesOf(all, checked.settings.testPaths), dice);
    const rank = (path: string): number => {
      const name = nameOf(path);
      if (name.length > 1 && texts.some((text) => text.includes(name))) return 0;
      return folders.has(folderOf(path)) ? 1 : 2;
    };
    return sources.toSorted((a, b) => rank(a) - rank(b));
  }

  get #below(): number {
    return this.#runs.options.defectsBelowMs ?? BELOW_MS;
  }

  /** Failing code may make a test wait for ever. */
  #limited(checked: CheckContext): CheckContext {
    const timeoutMs = Math.min(checked.check.timeoutMs, 3 * this.#below);
    return { ...checked, check: { ...checked.check, timeoutMs } };
  }

  async #broken(tree: string, paths: readonly string[]): Promise<readonly PlantedFile[]> {
    const texts = await this.#runs.options.workspaces.read(tree, paths);
    return paths.flatMap((path, n) => {
      const text = texts[n] == null ? null : withDefects(path, texts[n] ?? '', dice);
      return text === null ? [] : [{ path, text }];
    });
  }
}

const isGreen = (ran: CheckRunResult | null): boolean =>
  ran?.type === 'error' ? ran.green === true : ran?.status === 'pass';
const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1);

/** The name by which others load it: its own, or its folder's. */
function nameOf(path: string): string {
  const parts = path.split('/');
  const stem = (parts.at(-1) ?? '').replace(/\..*$/, '');
  return /^(?:index|mod|lib|main|__init__)$/.test(stem) ? (parts.at(-2) ?? '') : stem;
}
