/**
 * Runs a gate on a candidate: each of its checks and the extra checks of its kind. Also looks at the base beside a
 * worker.
 */
import type { GateReport, HandContext } from '../../engine/ports/hands.ts';
import type { Tries } from '../../mind/canary/sabotage.ts';
import type { Settings } from '../../mind/config/project-config.ts';
import type { Candidate, Spec } from '../../mind/domain/values.ts';
import type { Effect, GateRun } from '../../mind/domain/work.ts';
import { matcher } from '../../mind/fields/globs.ts';
import { type BaseFinding, nothingAtBase, shortList } from '../../mind/gates/baseline.ts';
import { evidenceText, type GateFacts, redTestsIn } from '../../mind/gates/evidence.ts';
import { type GateConfig, withOwnGates } from '../../mind/gates/gate-config.ts';
import { checksOf, type GateCheck, gateKind, provenBy } from '../../mind/gates/kinds.ts';
import { gateStatusOf, measuredOf, testScore } from '../../mind/gates/outcome.ts';
import { signatureOf } from '../../mind/safeguards/signature.ts';
import { CanaryRuns } from './canary.ts';
import { type CheckPart, type GateOn, NO_FINDINGS, NOT_RUN } from './check-part.ts';
import { withCoverage } from './coverage.ts';
import { dataSyntax } from './data-syntax.ts';
import { mutationPart } from './mutation.ts';
import { probeGate } from './probe.ts';
import { remember } from './recall.ts';
import type { CheckRunResult } from './run-result.ts';
import { type CheckContext, type GateHandOptions, GateRuns } from './runs.ts';
import { securityParts } from './security.ts';
import { decideTests, GREEN, testsAtBase } from './test-checks.ts';

/** Which gates to run on which task's base. */
export type BaseAsk = {
  readonly task: string;
  readonly token: number;
  readonly gate: string;
  readonly spec: Spec;
  readonly base: string;
};

export class GateHand {
  readonly #runs: GateRuns;
  readonly #canary: CanaryRuns;

  constructor(options: GateHandOptions) {
    this.#runs = new GateRuns(options);
    this.#canary = new CanaryRuns(this.#runs);
  }

  async run(effect: Effect, work: GateRun, context: HandContext): Promise<GateReport> {
    const { settings } = this.#runs.options;
    const on = this.#find(work.gate, work.spec, settings());
    const unable = (problem: string) => this.#unable(work.gate, work.candidate, problem, context);
    if (typeof on === 'string') return unable(on);
    const { candidate } = work;
    if (candidate === null) return unable('there is no candidate to check');
    try {
      const environment = await this.#runs.environmentKey(candidate, settings(), work.spec, work.environments);
      if ('problem' in environment) {
        const { problem, wanted } = environment;
        return { ...(await unable(problem)), ...(wanted === undefined ? {} : { environment: wanted }) };
      }
      const prefix = `${effect.task}.${effect.token}`;
      const { gate, proves } = on;
      const reruns = gate.reruns ?? 1;
      const fresh = work.fresh === true ? { fresh: true as const } : {};
      const ground: GateOn = {
        prefix,
        gate,
        reruns,
        candidate,
        settings: settings(),
        ...environment,
        context,
        ...fresh,
      };
      const parts = proves ? await this.#canary.prove(ground) : await this.#parts(ground, work.spec);
      return await this.#report(work.gate, ground, parts);
    } catch (error) {
      // A refusal of the machine is no verdict on the code.
      this.#runs.options.log('warn', 'a gate could not be run', {
        effect: effect.key,
        error: (error as Error).message,
      });
      return unable((error as Error).message);
    }
  }

  /** The gate of this name, or the gate that a canary of this name proves. */
  #find(
    name: string,
    spec: Spec,
    settings: Settings,
  ): { readonly gate: GateConfig; readonly proves: boolean } | string {
    const gates = withOwnGates(settings.gates, spec.gates ?? []);
    const proved = provenBy(name);
    const gate = gates.find((one) => one.name === (proved ?? name));
    if (gate !== undefined) return { gate, proves: proved !== null };
    const names = gates.map((one) => one.name);
    return `no gate of that name is configured; there ${names.length === 0 ? 'is none' : `are ${shortList(names)}`}`;
  }

  async #parts(ground: GateOn, spec: Spec): Promise<readonly CheckPart[]> {
    const { gate } = ground;
    const kind = gateKind(gate);
    const parts: CheckPart[] = [];
    if (kind === 'syntax' && gate.command === undefined) parts.push(await dataSyntax(this.#runs, ground));
    if (kind === 'mutation') {
      const tests = this.#runs.options.settings().gates.find(({ name }) => name === gate.of);
      parts.push(await mutationPart(this.#runs, ground, tests));
    }
    if (kind === 'security') parts.push(...(await securityParts(this.#runs, ground)));
    for (const check of checksOf(gate)) {
      const paths = await this.#pathsFor(check, ground.candidate);
      parts.push(paths === null ? nothingToDo(check) : await this.#check(gate, { ...ground, check, paths }, spec));
    }
    return parts;
  }

  /** Changed files for a check that only applies to some; null if none of them changed. */
  async #pathsFor({ appliesTo }: GateCheck, candidate: Candidate): Promise<readonly string[] | null> {
    if (appliesTo.length === 0) return [];
    const matches = matcher(appliesTo);
    const changes = await this.#runs.changes(candidate);
    const paths = changes
      .filter(({ path, after }) => after?.startsWith('100') && matches(path))
      .map(({ path }) => path);
    return paths.length === 0 ? null : paths;
  }

  async #check(gate: GateConfig, checked: CheckContext, spec: Spec): Promise<CheckPart> {
    const { check, context } = checked;
    const { ran, key } = await this.#runs.own(checked);
    if (ran.type === 'error') return this.#broken(checked, ran);
    const decided = await decideTests(this.#runs, checked, ran, spec);
    const { status, excused } = decided;
    // A runner that writes a report may print nothing.
    const reported = status === 'fail' && check.report !== undefined ? (ran.tests?.failed ?? []) : [];
    const names = reported.length === 0 ? [] : [`failed in the report: ${shortList(reported)}`];
    const notes = [...decided.notes, ...names];
    const { ended, ms, cached, output } = ran;
    const red = status === 'pass' ? [...excused] : [];
    const failed = ran.tests?.failed.length ?? (ran.status === 'pass' ? 0 : null);
    const counted = ran.ran === null || failed === null ? null : { run: ran.ran, failed };
    const part: CheckPart = {
      label: check.label,
      weight: check.weight,
      command: check.command,
      status,
      ended,
      ms,
      cached,
      notes,
      red,
      output,
      score: counted === null ? (status === 'pass' ? 1 : 0) : testScore(counted.run, counted.failed),
      tests: counted === null ? null : { ...counted, skipped: ran.listed?.skipped.length ?? null },
      findings: (decided.low ?? 0) > 0 ? { ...NO_FINDINGS, low: decided.low ?? 0 } : null,
      flaky: (ran.listed?.flaky.length ?? 0) > 0 ? true : (decided.flaky ?? null),
    };
    const { base, tree } = checked.candidate;
    const facts = { gate: check.label, tree, base, environment: checked.key };
    // A second look does not replace the first: red stays known as red.
    if (checked.fresh !== true)
      await remember(this.#runs.cache, key, ran, await context.keep(evidenceText({ ...facts, ...part })), context);
    if (gate.coverage === undefined || status !== 'pass') return this.#advised(gate, checked, part);
    return withCoverage(this.#runs, checked, part, { ran, asked: gate.coverage, blocking: gate.blocking });
  }

  /** An advisory gate sends nothing back. If the base passes it and the candidate does not, that is still a finding. */
  async #advised(gate: GateConfig, checked: CheckContext, part: CheckPart): Promise<CheckPart> {
    if (gate.blocking || part.status !== 'fail') return part;
    const { ran } = await this.#runs.base(checked);
    if (ran.type !== 'ended' || ran.status !== 'pass') return part;
    const findings = part.findings ?? NO_FINDINGS;
    const notes = [...part.notes, 'high: the base passes this gate, and the change does not'];
    return { ...part, findings: { ...findings, high: findings.high + 1 }, notes };
  }

  /** The run did not reach its end. If the base has tests and the candidate has none, the change removed them. */
  async #broken(checked: CheckContext, ran: Extract<CheckRunResult, { type: 'error' }>): Promise<CheckPart> {
    const { check } = checked;
    const base = ran.noTests === true ? await testsAtBase(this.#runs, checked) : null;
    const lost = base?.some === true;
    const problem = base === null ? ran.problem : `${ran.problem}; ${base.text}`;
    return {
      ...NOT_RUN,
      label: check.label,
      weight: check.weight,
      command: check.command,
      status: lost ? 'fail' : 'error',
      ended: lost ? problem : `could not run: ${problem}`,
      score: lost ? 0 : null,
      output: ran.output,
    };
  }

  /** Tries on a commit whether a gate can fail at all. Null if there is no such gate. */
  async probe(ask: BaseAsk, context: HandContext, told: (what: string) => void): Promise<Tries | null> {
    const ground = await this.#atBase(ask, context);
    if (ground === null || ground.proves) return null;
    const parts = (on: GateOn) => this.#parts(on, ask.spec);
    return probeGate({ runs: this.#runs, canary: this.#canary, parts, told }, ground);
  }

  async #atBase(ask: BaseAsk, context: HandContext): Promise<(GateOn & { readonly proves: boolean }) | null> {
    const settings = this.#runs.options.settings();
    const on = this.#find(ask.gate, ask.spec, settings);
    if (typeof on === 'string') return null;
    const candidate = { base: ask.base, tree: ask.base, change_id: '' };
    const environment = await this.#runs.environmentKey(candidate, settings, ask.spec);
    if ('problem' in environment) return null;
    const prefix = `${ask.task}.${ask.token}`;
    return { ...on, prefix, reruns: 0, candidate, settings, ...environment, context };
  }

  /** What a gate finds at the base. `known`: only if it ran before; null if it did not, was stopped, or is a canary. */
  async baseOf(ask: BaseAsk, context: HandContext, mode: 'known' | 'run'): Promise<BaseFinding | null> {
    const ground = await this.#atBase(ask, context);
    if (ground === null) return null;
    const { gate } = ground;
    if (ground.proves) {
      if (mode === 'run') await this.#canary.learn(ground);
      return null;
    }
    const found: BaseFinding[] = [];
    for (const check of checksOf(gate)) {
      // A check of changed files has nothing to do at the base.
      if (check.appliesTo.length > 0) continue;
      const one = await this.#baseOf({ ...ground, check, paths: [] }, mode);
      if (one === null) return null;
      found.push(one);
    }
    return found.find(({ status }) => status !== 'pass') ?? found[0] ?? nothingAtBase(gate.name);
  }

  async #baseOf(checked: CheckContext, mode: 'known' | 'run'): Promise<BaseFinding | null> {
    const { context, check } = checked;
    const found = mode === 'run' ? await this.#runs.base(checked) : await this.#runs.knownBase(checked);
    if (found === null || context.signal.aborted) return null;
    const { ran, evidence } = found;
    const { gate } = check;
    if (ran.type === 'error') return { gate, status: 'error', ended: ran.problem, red: null, tests: [] };
    const text = evidence === null ? null : await context.read(evidence);
    const red = ran.status === 'fail' ? (ran.tests?.failed.length ?? null) : 0;
    return { gate, status: ran.status, ended: ran.ended, red, tests: text === null ? [] : redTestsIn(text) };
  }

  async #report(gate: string, { candidate, key, context }: GateOn, parts: readonly CheckPart[]): Promise<GateReport> {
    // A cancelled gate needs no report.
    if (context.signal.aborted) return { status: 'error' };
    const { base, tree } = candidate;
    const facts = { gate, tree, base, environment: key };
    const status = gateStatusOf(parts);
    const [only] = parts;
    const evidence = evidenceText(
      parts.length === 1 && only !== undefined
        ? { ...facts, ...only, status }
        : { ...facts, ...together(parts), status },
    );
    const signature = status === 'pass' ? null : signatureOf(parts.flatMap(redWords).join('\n'));
    const red = status === 'pass' ? parts.reduce((all, part) => all + (part.red?.length ?? 0), 0) : 0;
    const times = parts.map(({ ms }) => ms);
    return {
      status,
      evidence: await context.keep(evidence),
      ...(times.includes(null) ? {} : { ms: times.reduce<number>((all, ms) => all + (ms ?? 0), 0) }),
      ...(red === 0 ? {} : { excused: red }),
      ...(signature === null ? {} : { signature }),
      ...(parts.length > 0 && parts.every(({ cached }) => cached !== null) ? { cached: true } : {}),
      ...blockedBy(parts),
      ...measuredOf(parts),
    };
  }

  async #unable(
    gate: string,
    candidate: Candidate | null,
    problem: string,
    { keep, signal }: HandContext,
  ): Promise<GateReport> {
    if (signal.aborted) return { status: 'error' };
    const { tree = null, base = null } = candidate ?? {};
    const facts = { gate, tree, base, environment: null, ...NOT_RUN, ended: `could not run: ${problem}` };
    return { status: 'error', evidence: await keep(evidenceText({ ...facts, status: 'error' })) };
  }
}

const MAX_NAMED = 100;

/** The findings that failed a gate, if nothing else did. */
function blockedBy(parts: readonly CheckPart[]): Pick<GateReport, 'blocked_by'> {
  const red = parts.filter(({ status }) => status !== 'pass');
  const found = red.flatMap((part) => part.blockedBy ?? []);
  const onlyFindings = red.every((part) => (part.blockedBy ?? []).length > 0);
  return red.length === 0 || !onlyFindings || found.length > MAX_NAMED ? {} : { blocked_by: found };
}

/** Names the failed checks and how each failed; the number of checks does not matter. */
function endedOf(parts: readonly CheckPart[]): string {
  const failed = parts.filter(({ status }) => status === 'fail');
  const broken = parts.filter(({ status }) => status === 'error');
  const [worst] = [...failed, ...broken];
  if (worst === undefined) return `${parts.length} checks`;
  const bad =
    failed.length > 0
      ? `${failed.length} of ${parts.length} checks failed`
      : `${broken.length} of ${parts.length} checks could not run`;
  return `${bad}: ${worst.label}: ${worst.ended}`;
}

/** What a red check printed: the beginning and the end of a long output. */
function redWords({ status, label, ended, notes, output }: CheckPart): string[] {
  if (status === 'pass') return [];
  const shown = output.length > SHOWN ? `${output.slice(0, SHOWN / 2)}\n${output.slice(-SHOWN / 2)}` : output;
  return [`${label}: ${ended}`, ...notes, shown];
}
const SHOWN = 32 << 10;

const nothingToDo = ({ label, weight, command }: GateCheck): CheckPart => ({
  ...NOT_RUN,
  label,
  weight,
  command,
  status: GREEN.status,
  ended: 'nothing to do: no changed file is of its kind',
});

/** One text for several checks: what each found, with its output below its name. */
function together(parts: readonly CheckPart[]): Omit<GateFacts, 'gate' | 'status' | 'tree' | 'base' | 'environment'> {
  const told = parts.map(({ label, status, ended }) => `${label}: ${status}, ${ended}`);
  const printed = parts.filter(({ output }) => output !== '');
  const times = parts.map(({ ms }) => ms ?? 0);
  return {
    command: null,
    ended: parts.length === 0 ? 'nothing to check' : endedOf(parts),
    ms: times.reduce((all, ms) => all + ms, 0),
    cached: null,
    notes: [...told, ...parts.flatMap(({ label, notes }) => notes.map((note) => `${label}: ${note}`))],
    red: parts.flatMap(({ red = [] }) => red),
    output: printed.map(({ label, output }) => `== ${label} ==\n${output}`).join('\n'),
  };
}
