/** Checks a candidate: the gate's own run, a second one with the base's tests, and the base itself when red may be old. */
import type { Environments, ReadyEnvironment } from '../../engine/ports/environments.ts';
import type { GateReport, HandContext } from '../../engine/ports/hands.ts';
import type { Sandbox } from '../../engine/ports/sandbox.ts';
import type { AppLog } from '../../engine/ports/surroundings.ts';
import type { WorkspaceSource, Workspaces } from '../../engine/ports/workspace.ts';
import { sha256 } from '../../kernel/hash.ts';
import type { BlobHash } from '../../kernel/ids.ts';
import { canonicalJson } from '../../kernel/json.ts';
import { changedTests, testsToRestore } from '../../mind/candidates/test-paths.ts';
import type { Settings } from '../../mind/config/project-config.ts';
import type { Effect, GateRun } from '../../mind/domain/effects.ts';
import type { Candidate, Measured, Spec } from '../../mind/domain/values.ts';
import { type BaseFinding, excuse, FIX_BASE, shortList } from '../../mind/gates/baseline.ts';
import { GATE_LIMITS, type GateLimits, runKey } from '../../mind/gates/definition.ts';
import { evidenceText, type GateFacts, redTestsIn } from '../../mind/gates/evidence.ts';
import { type GateConfig, withOwnGates } from '../../mind/gates/gate-config.ts';
import { RunCache } from './cache.ts';
import { type Ran, runOnce, type Tools } from './one-run.ts';
import { recall, remember } from './recall.ts';

export type GateHandOptions = {
  readonly sandbox: Sandbox;
  /** The kind of sandbox it is: outcomes are remembered for each kind apart. */
  readonly wall: string;
  readonly workspaces: Workspaces;
  /** Null: the project prepares nothing. */
  readonly environments: Environments | null;
  readonly settings: () => Settings;
  /** Where outcomes are remembered; nothing that a sandbox sees. */
  readonly cacheDir: string;
  /** Programs of the host that lie outside the system's paths. */
  readonly tools: Tools;
  readonly limits?: Partial<GateLimits>;
  readonly log: AppLog;
};

/** One gate on one candidate, with all that is the same for its runs. */
type Check = {
  readonly prefix: string;
  readonly gate: GateConfig;
  readonly candidate: Candidate;
  readonly settings: Settings;
  readonly key: string | null;
  readonly context: HandContext;
};
type Decided = Pick<GateFacts, 'status' | 'notes'> & {
  /** Failed tests that do not make it fail, because they fail at the base too. */
  readonly excused: readonly string[];
};
type Aside = { readonly ran: Ran; readonly evidence: BlobHash | null };
/** One task's look at its base. */
export type BaseAsk = {
  readonly task: string;
  readonly token: number;
  readonly gate: string;
  readonly spec: Spec;
  readonly base: string;
};

export class GateHand {
  readonly #options: GateHandOptions;
  readonly #cache: RunCache;
  /** Answers about trees never change, and asking git takes longer than a remembered gate. */
  readonly #known = new Map<string, unknown>();
  /** Runs of gates at the base, under way or done: the look beside the worker and the baseline of a red gate share them. */
  readonly #bases = new Map<string, Promise<Aside>>();

  constructor(options: GateHandOptions) {
    this.#options = options;
    this.#cache = new RunCache(options.cacheDir, options.log);
  }

  async run(effect: Effect, work: GateRun, context: HandContext): Promise<GateReport> {
    const settings = this.#options.settings();
    const gates = withOwnGates(settings.gates, work.spec.gates ?? []);
    const gate = gates.find(({ name }) => name === work.gate);
    const { candidate } = work;
    const unable = (problem: string, output = '') =>
      this.#unable({ gate: work.gate, command: gate?.command ?? null, candidate, problem, output }, context);
    if (gate === undefined) {
      const names = gates.map(({ name }) => name);
      return unable(
        `no gate of that name is configured; there ${names.length === 0 ? 'is none' : `are ${shortList(names)}`}`,
      );
    }
    if (candidate === null) return unable('there is no candidate to check');
    try {
      const key = await this.#environmentKey(candidate, settings);
      if (typeof key === 'object' && key !== null) return await unable(key.problem);
      const prefix = `${effect.task}.${effect.token}`;
      return await this.#check({ prefix, gate, candidate, settings, key, context }, work);
    } catch (error) {
      // Whatever the machine did not allow is no verdict on the code.
      this.#options.log('warn', 'a gate could not be run', { effect: effect.key, error: (error as Error).message });
      return unable((error as Error).message);
    }
  }

  async #check(check: Check, work: GateRun): Promise<GateReport> {
    const { gate, candidate, context } = check;
    const { base, tree } = candidate;
    const { ran, key } = await this.#run(check, 'g', { base, tree });
    const facts = { gate: gate.name, command: gate.command, tree, base, environment: check.key };
    if (ran.type === 'error') {
      const problem = ran.noTests === true ? `${ran.problem}; ${await this.#testsAtBase(check)}` : ran.problem;
      return this.#unable({ ...facts, candidate, problem, output: ran.output }, context);
    }
    const decided = ran.status === 'pass' ? await this.#green(check, ran.ran) : await this.#baseline(check, ran, work);
    const existing = decided.status === 'pass' ? await this.#existingTests(check, work.spec) : decided;
    const { ended, ms, cached, output } = ran;
    const { status } = existing;
    const notes = existing === decided ? decided.notes : [...existing.notes, ...decided.notes];
    const red = status === 'pass' ? [...new Set([...decided.excused, ...existing.excused])] : [];
    const evidence = await context.keep(evidenceText({ ...facts, ended, ms, cached, output, status, notes, red }));
    await remember(this.#cache, key, ran, evidence, context);
    return {
      status,
      evidence,
      ms,
      tests: testCounts(ran),
      ...(red.length === 0 ? {} : { excused: red.length }),
      ...(cached === null ? {} : { cached: true }),
    };
  }

  /** A pass stays a pass when fewer tests ran than at the base, but it is written down if that is known. */
  async #green(check: Check, ran: number | null): Promise<Decided> {
    const known = ran === null ? null : await this.#knownBase(check);
    const before = known?.ran.type === 'ended' ? known.ran.ran : null;
    if (ran === null || before === null || ran >= before) return GREEN;
    return { ...GREEN, notes: [`FEWER TESTS RAN THAN AT THE BASE: ${ran}, there ${before}`] };
  }

  async #testsAtBase(check: Check): Promise<string> {
    const { ran } = await this.#base(check);
    if (ran.type === 'ended') return `at the base ${ran.ran ?? 'some'} ran`;
    return ran.noTests === true ? 'at the base none runs either' : `the base gives no verdict: ${ran.problem}`;
  }

  /** What a gate finds at the base. `known`: only if it was run before; null when it was not, or was stopped. */
  async baseOf(ask: BaseAsk, context: HandContext, mode: 'known' | 'run'): Promise<BaseFinding | null> {
    const settings = this.#options.settings();
    const gate = withOwnGates(settings.gates, ask.spec.gates ?? []).find(({ name }) => name === ask.gate);
    if (gate === undefined) return null;
    const candidate = { base: ask.base, tree: ask.base, change_id: '' };
    const key = await this.#environmentKey(candidate, settings);
    if (typeof key === 'object' && key !== null) return null;
    const check = { prefix: `${ask.task}.${ask.token}`, gate, candidate, settings, key, context };
    const found = mode === 'run' ? await this.#base(check) : await this.#knownBase(check);
    if (found === null || context.signal.aborted) return null;
    const { ran, evidence } = found;
    if (ran.type === 'error') return { gate: gate.name, status: 'error', ended: ran.problem, red: null, tests: [] };
    const text = evidence === null ? null : await context.read(evidence);
    const red = ran.status === 'fail' ? (ran.tests?.failed.length ?? null) : 0;
    return { gate: gate.name, status: ran.status, ended: ran.ended, red, tests: text === null ? [] : redTestsIn(text) };
  }

  /** Red, and perhaps not by this change. */
  async #baseline(check: Check, ran: Extract<Ran, { type: 'ended' }>, work: GateRun): Promise<Decided> {
    const { gate } = check;
    if (gate.ids === undefined || (!ran.lasting && ran.tests === null))
      return { status: 'fail', notes: [], excused: [] };
    const red = (why: string): Decided => ({
      status: 'fail',
      notes: [`baseline: nothing is excused: ${why}`],
      excused: [],
    });
    if (work.spec.red_base === 'fix') return red(FIX_BASE);
    if (ran.tests === null) return red('the output does not say for certain which tests failed');
    const { ran: before, evidence } = await this.#base(check);
    if (before.type === 'error') return red(`the base could not be checked: ${before.problem}`);
    if (before.status === 'pass') return red('the base passes');
    if (!before.lasting) return red(`the base may have hit a limit or was ended: ${before.ended}`);
    const found = excuse(ran.tests, before.tests, work.spec);
    if (found.type === 'refused') return red(found.why);
    return {
      status: 'pass',
      excused: found.ids,
      notes: [
        `baseline: RED, BUT EXCUSED: all ${found.ids.length} failed tests fail at the base too (evidence ${evidence}): ${shortList(found.ids, 100)}`,
      ],
    };
  }

  /**
   * Green with the candidate's tests. Now without its new ones, because one of them could speak for all the others: what
   * is red then and was not before is red. That existing tests may change was decided before any gate, so as in the base
   * they only inform.
   */
  async #existingTests({ candidate, settings, ...rest }: Check, spec: Spec): Promise<Decided> {
    const { base, tree } = candidate;
    const { testPaths } = settings;
    const { changed, restored } = await this.#once(`tests ${base} ${tree} ${testPaths.join('\0')}`, async () => {
      const changes = await this.#options.workspaces.changes(candidate);
      return { changed: changedTests(changes, testPaths), restored: testsToRestore(changes, testPaths) };
    });
    const check = { ...rest, candidate, settings };
    const added = restored.filter((path) => !changed.includes(path));
    const without = added.length === 0 ? GREEN : await this.#withoutNew(check, added, spec);
    if (without.status === 'fail' || changed.length === 0) return without;
    const { ran, evidence } = await this.#aside(check, 't', { base, tree, asInBase: restored });
    const which = `existing tests: ${changed.length} were changed or removed (${shortList(changed)})`;
    const told =
      ran.type === 'error'
        ? `AS IN THE BASE THEY COULD NOT BE RUN: ${ran.problem}`
        : ran.status === 'pass'
          ? `as in the base they pass as well (evidence ${evidence})`
          : `AS IN THE BASE THEY ARE RED, ${ran.ended} (evidence ${evidence}): see what the change took away`;
    return { ...without, notes: [...without.notes, `${which}; ${told}`] };
  }

  async #withoutNew(check: Check, added: readonly string[], spec: Spec): Promise<Decided> {
    const { gate, candidate } = check;
    const { base, tree } = candidate;
    const { ran, evidence } = await this.#aside(check, 't', { base, tree, asInBase: added });
    const which = `existing tests: run once more without the ${added.length} new ones (${shortList(added)})`;
    const say = (status: Decided['status'], note: string, excused: readonly string[] = []): Decided => ({
      status,
      notes: [`${which}; ${note}`],
      excused,
    });
    if (ran.type === 'ended' && ran.status === 'pass') return say('pass', `they pass as well (evidence ${evidence})`);
    const ended = ran.type === 'error' ? ran.problem : ran.ended;
    const red = `WITHOUT THEM IT IS RED: ${ended} (evidence ${evidence ?? 'none'})`;
    const before = (await this.#base(check)).ran;
    if (ran.type === 'error' && ran.noTests && before.type === 'error' && before.noTests)
      return say('pass', 'no other test runs, nor does one at the base');
    if (before.type === 'ended' && before.status === 'pass')
      return say('fail', `${red}, and the base passes: a new test hides what the change broke`);
    // A gate may name a test that is only now written; then neither run can find it.
    if (added.some((path) => namesPath(gate.command, path)))
      return say('pass', `${red}, as its command names one of them`);
    if (ran.type === 'ended' && before.type === 'ended' && before.lasting) {
      const found = excuse(ran.tests, before.tests, spec);
      if (found.type === 'excused')
        return say('pass', `${red}, by tests that fail at the base too: ${shortList(found.ids)}`, found.ids);
      return say('fail', `${red}: ${found.why}`);
    }
    return say('fail', `${red}, and the base can not tell whether that is new`);
  }

  /** The base's own run: once, however many ask for it at the same time. */
  async #base(check: Check): Promise<Aside> {
    const { gate, candidate, context } = check;
    const name = canonicalJson({ gate, base: candidate.base, environment: check.key });
    const other = this.#bases.get(name);
    if (other !== undefined) {
      const found = await Promise.race([other, aborted(context.signal)]);
      if (found?.ran.type === 'ended') return found;
    }
    const run = this.#aside(check, 'b', { base: candidate.base, tree: null });
    if (this.#bases.size >= MAX_KNOWN) this.#bases.clear();
    this.#bases.set(name, run);
    // An error is nobody's verdict, and a limit may be the machine's fault: both are run again when asked for again.
    const drop = () => this.#bases.get(name) === run && this.#bases.delete(name);
    run.then(({ ran }) => (ran.type === 'ended' && ran.lasting ? null : drop()), drop);
    return run;
  }

  async #knownBase(check: Check): Promise<Aside | null> {
    const from = { base: check.candidate.base, tree: null };
    const ran = await recall(this.#cache, this.#keyOf(check, from), check.context);
    return ran?.type === 'ended' ? { ran, evidence: ran.cached } : null;
  }

  /** A run beside the gate's own, with evidence of its own. */
  async #aside(check: Check, kind: 'b' | 't', from: WorkspaceSource): Promise<Aside> {
    const { gate, candidate, context } = check;
    const { ran, key } = await this.#run(check, kind, from);
    if (ran.type === 'error') return { ran, evidence: null };
    if (ran.cached !== null) return { ran, evidence: ran.cached };
    const { status, ended, ms, output } = ran;
    const red = ran.tests?.failed ?? [];
    const notes = [kind === 'b' ? 'this is the base, for comparison' : 'these are the tests as in the base'];
    const tree = from.tree ?? from.base;
    const facts = { gate: gate.name, command: gate.command, tree, base: candidate.base, environment: check.key };
    const evidence = await context.keep(
      evidenceText({ ...facts, status, ended, ms, cached: null, notes, red, output }),
    );
    await remember(this.#cache, key, ran, evidence, context);
    return { ran, evidence };
  }

  async #run(check: Check, kind: 'g' | 'b' | 't', from: WorkspaceSource): Promise<{ ran: Ran; key: string }> {
    const { gate, candidate, settings, context } = check;
    const { environments } = this.#options;
    const key = this.#keyOf(check, from);
    const earlier = await recall(this.#cache, key, context);
    if (earlier !== null) return { ran: earlier, key };
    let environment: ReadyEnvironment | null = null;
    if (environments !== null) {
      const state = await environments.ready(candidate.base, { signal: context.signal, onOutput: () => {} });
      if (state.type === 'failed') return { ran: { type: 'error', problem: state.message, output: '' }, key };
      ({ environment } = state);
    }
    const ran = await runOnce(this.#options, {
      name: workspaceName(check.prefix, kind, gate.name),
      gate,
      limits: this.#limits,
      from,
      environment,
      variables: settings.environment?.env ?? {},
      services: settings.environment?.services ?? [],
      signal: context.signal,
    });
    return { ran, key };
  }

  get #limits(): GateLimits {
    return { ...GATE_LIMITS, ...this.#options.limits };
  }

  #keyOf({ gate, key, settings }: Check, from: WorkspaceSource): string {
    const { wall, tools } = this.#options;
    return runKey({
      gate,
      limits: this.#limits,
      wall,
      tools,
      tree: from.tree ?? from.base,
      asInBase: from.asInBase === undefined ? null : { base: from.base, paths: from.asInBase },
      environment: { key, config: settings.environment },
    });
  }

  /** The key that base and candidate share; until a new environment can be asked for, a changed lock file stops here. */
  async #environmentKey(
    { base, tree }: Candidate,
    settings: Settings,
  ): Promise<string | null | { readonly problem: string }> {
    const { environments } = this.#options;
    if (environments === null) return null;
    const config = sha256(canonicalJson(settings.environment));
    const keyOf = (of: string) => this.#once(`key ${of} ${config}`, () => environments.keyOf(of));
    const [before, after] = await Promise.all([keyOf(base), keyOf(tree)]);
    if (before === after) return after;
    const files = shortList(await environments.changedKeys(base, tree));
    return {
      problem: `the candidate wants another environment than its base, by ${files}: commit that change first, then run the task again on top of it`,
    };
  }

  async #unable(
    about: Pick<GateFacts, 'gate' | 'command' | 'output'> & { candidate: Candidate | null; problem: string },
    { keep, signal }: HandContext,
  ): Promise<GateReport> {
    // Nobody waits for the report of a gate that was called off.
    if (signal.aborted) return { status: 'error' };
    const { candidate, problem, gate, command, output } = about;
    const { tree = null, base = null } = candidate ?? {};
    const ended = `could not run: ${problem}`;
    const facts = { gate, command, tree, base, environment: null, cached: null, ms: null, notes: [], output };
    return { status: 'error', evidence: await keep(evidenceText({ ...facts, status: 'error', ended })) };
  }

  async #once<T>(name: string, ask: () => Promise<T>): Promise<T> {
    if (this.#known.has(name)) return this.#known.get(name) as T;
    const answer = await ask();
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.set(name, answer);
    return answer;
  }
}

/** Null when the runner is not known or does not say. No runner tells for certain how many tests were skipped. */
function testCounts({ status, ran, tests }: Extract<Ran, { type: 'ended' }>): Measured['tests'] {
  if (status === 'pass') return ran === null ? null : { run: ran, failed: 0, skipped: null };
  return tests === null ? null : { run: ran, failed: tests.failed.length, skipped: null };
}

const MAX_KNOWN = 1_000;
const GREEN: Decided = { status: 'pass', notes: [], excused: [] };

const aborted = (signal: AbortSignal): Promise<null> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(null);
    signal.addEventListener('abort', () => resolve(null), { once: true });
  });

const namesPath = (command: GateConfig['command'], path: string): boolean =>
  (typeof command === 'string' ? command : command.join(' ')).includes(path);

/** A part of paths and refs, whatever the gate is called; the same for the same run: a repeated one clears up after the first. */
export function workspaceName(prefix: string, kind: string, gate: string): string {
  return `${prefix}.${kind}-${/^[a-z0-9_-]{1,30}$/.test(gate) ? gate : sha256(gate).slice(0, 16)}`;
}
