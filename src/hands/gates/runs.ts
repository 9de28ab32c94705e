/**
 * Runs one command of a gate: on the candidate, on its base, and with some paths as in the base; each once per tree.
 */
import { randomBytes } from 'node:crypto';
import type { Environments, ReadyEnvironment } from '../../engine/ports/environments.ts';
import type { HandContext } from '../../engine/ports/hands.ts';
import type { Sandbox } from '../../engine/ports/sandbox.ts';
import type { AppLog } from '../../engine/ports/surroundings.ts';
import type { WorkspaceSource, Workspaces } from '../../engine/ports/workspace.ts';
import { sha256 } from '../../kernel/hash.ts';
import type { BlobHash } from '../../kernel/ids.ts';
import { canonicalJson } from '../../kernel/json.ts';
import type { PathChange } from '../../mind/candidates/change.ts';
import type { ChangedFile } from '../../mind/changes/changed-file.ts';
import type { Settings } from '../../mind/config/project-config.ts';
import type { Candidate, Spec, WantedEnvironment } from '../../mind/domain/values.ts';
import { ownWords } from '../../mind/findings/granted-by-words.ts';
import { notOnlyNamed } from '../../mind/findings/named-additions.ts';
import { newInEnvironment } from '../../mind/findings/new-environment.ts';
import { shortList } from '../../mind/gates/baseline.ts';
import { GATE_LIMITS, type GateLimits, runKey } from '../../mind/gates/definition.ts';
import { evidenceText } from '../../mind/gates/evidence.ts';
import type { GateCheck } from '../../mind/gates/kinds.ts';
import { RunCache } from './cache.ts';
import { runOnce } from './one-run.ts';
import { recall, remember } from './recall.ts';
import type { CheckRunResult, GateTools, PlantedFile } from './run-result.ts';

export type GateHandOptions = {
  readonly sandbox: Sandbox;
  /** The kind of sandbox: outcomes are cached for each kind separately. */
  readonly sandboxName: string;
  readonly workspaces: Workspaces;
  /** Null if the project prepares nothing. */
  readonly environments: Environments | null;
  readonly settings: () => Settings;
  /** Where outcomes are cached; no sandbox sees it. */
  readonly cacheDir: string;
  /** Programs of the host outside the system's paths. */
  readonly tools: GateTools;
  readonly limits?: Partial<GateLimits>;
  /** Gates that take less time also run with defects in the code. */
  readonly defectsBelowMs?: number;
  readonly log: AppLog;
};

/** One command of a gate on one candidate, with everything its runs share. */
export type CheckContext = {
  /** Whether to repeat the candidate's own run instead of using the cache. */
  readonly fresh?: true;
  readonly prefix: string;
  readonly check: GateCheck;
  readonly reruns: number;
  readonly candidate: Candidate;
  readonly settings: Settings;
  /** The key of its environment. */
  readonly key: string | null;
  /** Set if its environment differs from the base's, as the task needs. */
  readonly renewed?: Renewed;
  /** Changed files that the command gets. */
  readonly paths: readonly string[];
  readonly context: HandContext;
};
/**
 * The key of the base's environment, and the changed key files; a preparation takes nothing else from the candidate.
 */
type Renewed = { readonly baseKey: string; readonly files: readonly string[] };
type Aside = { readonly ran: CheckRunResult; readonly evidence: BlobHash | null };

/**
 * `g`: the candidate. `b`: its base. `t`: the candidate with tests of the base. `n`: the base with new tests of the candidate.
 * `w`: the candidate, or its base, without the changed test files. `r`: the candidate again. `c`: the candidate, or its base, with failing tests planted. `s`: with a single one.
 * `m`: the candidate, or its base, with defects in its code.
 */
type RunKind = 'g' | 'b' | 't' | 'n' | 'w' | 'r' | 'c' | 's' | 'm';

const MAX_KNOWN = 1_000;

export class GateRuns {
  readonly options: GateHandOptions;
  readonly cache: RunCache;
  readonly #secret = randomBytes(16).toString('hex');
  /** Answers about trees never change, and asking git takes longer than a cached gate. */
  readonly #known = new Map<string, unknown>();
  /** Runs at the base, under way or done; shared by the look beside the worker and the baseline of a red gate. */
  readonly #bases = new Map<string, Promise<Aside>>();

  constructor(options: GateHandOptions) {
    this.options = options;
    this.cache = new RunCache(options.cacheDir, options.log);
  }

  changes(candidate: Candidate): Promise<readonly PathChange[]> {
    const { base, tree } = candidate;
    return this.once(`changes ${base} ${tree}`, () => this.options.workspaces.changes(candidate));
  }

  /** The gate's own run. */
  async own(checked: CheckContext): Promise<{ readonly ran: CheckRunResult; readonly key: string }> {
    const { base, tree } = checked.candidate;
    return this.run(checked, 'g', { base, tree });
  }

  /** The base's own run: once, however many callers ask at the same time. */
  async base(checked: CheckContext): Promise<Aside> {
    const { check, candidate, context, key } = checked;
    const name = canonicalJson({ check, base: candidate.base, environment: key });
    const other = this.#bases.get(name);
    if (other !== undefined) {
      const found = await Promise.race([other, aborted(context.signal)]);
      if (found?.ran.type === 'ended') return found;
    }
    const run = this.aside({ ...checked, paths: [] }, 'b', { base: candidate.base, tree: null });
    if (this.#bases.size >= MAX_KNOWN) this.#bases.clear();
    this.#bases.set(name, run);
    // Errors are not cached, nor are limits, which may be the machine's fault: both run again when asked for.
    const drop = () => this.#bases.get(name) === run && this.#bases.delete(name);
    run.then(({ ran }) => (ran.type === 'ended' && ran.lasting ? null : drop()), drop);
    return run;
  }

  /** The base's run if it is cached, else null. */
  async knownBase(checked: CheckContext): Promise<Aside | null> {
    const from = { base: checked.candidate.base, tree: null };
    const ran = await recall(this.cache, this.keyOf({ ...checked, paths: [] }, from), checked.context);
    return ran?.type === 'ended' ? { ran, evidence: ran.cached } : null;
  }

  /** The gate's own run if it is cached, else null. */
  async knownOwn(checked: CheckContext): Promise<Extract<CheckRunResult, { type: 'ended' }> | null> {
    const { base, tree } = checked.candidate;
    const ran = await recall(this.cache, this.keyOf(checked, { base, tree }), checked.context);
    return ran?.type === 'ended' ? ran : null;
  }

  /** An additional run, with its own evidence. */
  async aside(
    checked: CheckContext,
    kind: RunKind,
    from: WorkspaceSource,
    planted: readonly PlantedFile[] = [],
  ): Promise<Aside> {
    const { check, candidate, context } = checked;
    const { ran, key } = await this.run(checked, kind, from, planted);
    if (ran.type === 'error') return { ran, evidence: null };
    if (ran.cached !== null) return { ran, evidence: ran.cached };
    const { status, ended, ms, output } = ran;
    const red = ran.tests?.failed ?? [];
    const tree = from.tree ?? from.base;
    const facts = { gate: check.label, command: check.command, tree, base: candidate.base, environment: checked.key };
    const evidence = await context.keep(
      evidenceText({ ...facts, status, ended, ms, cached: null, notes: [ABOUT[kind]], red, output }),
    );
    if (kind !== 'r' && planted.length === 0) await remember(this.cache, key, ran, evidence, context);
    return { ran, evidence };
  }

  async run(
    checked: CheckContext,
    kind: RunKind,
    from: WorkspaceSource,
    planted: readonly PlantedFile[] = [],
  ): Promise<{ ran: CheckRunResult; key: string }> {
    const { check, settings, context, paths } = checked;
    const { environments } = this.options;
    const key = this.keyOf(checked, from);
    const again = kind === 'r' || (kind === 'g' && checked.fresh === true) || planted.length > 0;
    const earlier = again ? null : await recall(this.cache, key, context);
    if (earlier !== null) return { ran: earlier, key };
    let environment: ReadyEnvironment | null = null;
    if (environments !== null) {
      const told = { signal: context.signal, onOutput: () => {} };
      const state = await this.#ready(environments, checked, from, told);
      if (state.type === 'failed') return { ran: { type: 'error', problem: state.message, output: '' }, key };
      ({ environment } = state);
    }
    const ran = await runOnce(this.options, {
      name: workspaceName(this.#secret, checked.prefix, kind, check.label),
      check,
      paths,
      planted,
      limits: this.#limits,
      from,
      environment,
      variables: settings.environment?.env ?? {},
      services: settings.environment?.services ?? [],
      signal: context.signal,
    });
    return { ran, key };
  }

  /** The base runs in its own environment, whatever a candidate brings. */
  async #ready(
    environments: Environments,
    { candidate, renewed }: CheckContext,
    { tree }: WorkspaceSource,
    told: Parameters<Environments['ready']>[1],
  ): ReturnType<Environments['ready']> {
    if (renewed === undefined || tree === null) return environments.ready(candidate.base, told);
    const changed = (await this.changes(candidate)).map(({ path }) => path);
    const asInBase = changed.filter((path) => !renewed.files.includes(path));
    return environments.ready(tree, told, { base: candidate.base, asInBase });
  }

  keyOf({ check, key: own, renewed, settings, paths }: CheckContext, from: WorkspaceSource): string {
    const { sandboxName, tools } = this.options;
    const key = renewed === undefined || from.tree !== null ? own : renewed.baseKey;
    return runKey({
      check,
      paths,
      limits: this.#limits,
      sandboxName,
      tools,
      tree: from.tree ?? from.base,
      asInBase: from.asInBase === undefined ? null : { base: from.base, paths: from.asInBase },
      environment: { key, config: settings.environment },
    });
  }

  /**
   * The key that base and candidate share. Another environment is prepared only for packages that the operator's text
   * names, or if people have allowed it; any other change of a key file stops here. `wanted`: people may be asked.
   */
  async environmentKey(
    candidate: Candidate,
    settings: Settings,
    spec: Spec,
    allowed: readonly string[] = [],
  ): Promise<
    Pick<CheckContext, 'key' | 'renewed'> | { readonly problem: string; readonly wanted?: WantedEnvironment }
  > {
    const { environments } = this.options;
    if (environments === null) return { key: null };
    const { base, tree } = candidate;
    const config = sha256(canonicalJson(settings.environment));
    const keyOf = (of: string) => this.once(`key ${of} ${config}`, () => environments.keyOf(of));
    const [before, after] = await Promise.all([keyOf(base), keyOf(tree)]);
    if (before === after) return { key: after };
    const files = await environments.changedKeys(base, tree);
    const texts = await this.#texts(candidate, files);
    const why = allowed.includes(after) ? null : notOnlyNamed(texts, ownWords(spec));
    if (why === null) return { key: after, renewed: { baseKey: before, files } };
    const news = newInEnvironment(texts);
    return {
      ...(news === null ? {} : { wanted: { key: after, text: news } }),
      problem: `the candidate needs another environment than its base, by ${shortList(files)}: commit that change first, then run the task again on top of it (${why})`,
    };
  }

  async #texts({ base, tree }: Candidate, paths: readonly string[]): Promise<ChangedFile[]> {
    const { workspaces } = this.options;
    const [before, after] = await Promise.all([workspaces.read(base, paths), workspaces.read(tree, paths)]);
    return paths.map((path, n) => ({ path, before: before[n] ?? null, after: after[n] ?? null }));
  }

  async once<T>(name: string, ask: () => Promise<T>): Promise<T> {
    if (this.#known.has(name)) return this.#known.get(name) as T;
    const answer = await ask();
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.set(name, answer);
    return answer;
  }

  get #limits(): GateLimits {
    return { ...GATE_LIMITS, ...this.options.limits };
  }
}

const ABOUT: Readonly<Record<RunKind, string>> = {
  g: 'this is the candidate',
  b: 'this is the base, for comparison',
  t: 'these are the tests as in the base',
  n: 'these are the new tests on the code of the base',
  w: 'the changed test files were taken away here, for comparison',
  r: 'this is the candidate once more',
  c: 'failing tests were planted here',
  s: 'one failing test was planted here',
  m: 'defects were put into the code here',
};

const aborted = (signal: AbortSignal): Promise<null> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(null);
    signal.addEventListener('abort', () => resolve(null), { once: true });
  });

/**
 * A safe part of paths and refs, whatever the gate's name. The same run gets the same name, so that a repeated run
 * cleans up after the first. Code in a sandbox sees it in its list of mounts and must not learn from it why it runs.
 */
export function workspaceName(secret: string, prefix: string, kind: string, gate: string): string {
  const [task = ''] = prefix.split('.', 1);
  return `${task}.gate-${sha256(canonicalJson([secret, prefix, kind, gate])).slice(0, 16)}`;
}
