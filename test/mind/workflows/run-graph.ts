/** Runs one task through a workflow, as hands, people and the clock would: worst case or by chance. */
import { decide } from '../../../src/mind/decisions/decide.ts';
import { parkingTimers, wantedBy } from '../../../src/mind/domain/effects.ts';
import { type Limits, quotaOf } from '../../../src/mind/domain/limits.ts';
import { EMPTY_PROJECT, type Project } from '../../../src/mind/domain/project.ts';
import { evolve } from '../../../src/mind/domain/streams.ts';
import type { Task } from '../../../src/mind/domain/task.ts';
import type { OutcomeClass } from '../../../src/mind/domain/values.ts';
import type { Effect } from '../../../src/mind/domain/work.ts';
import type { WorkerRun } from '../../../src/mind/domain/worker-run.ts';
import type { WorkflowDefinition } from '../../../src/mind/workflows/step.ts';
import { compileWorkflow, stepsAfter } from '../../../src/mind/workflows/workflow.ts';
import type { Random } from '../../simulation/random.ts';
import { envelope, type Input, NOON } from '../../support/given.ts';
import { limits as configure, create, FREE } from '../samples.ts';
import { NONE } from '../verdict/facts.ts';

/** How everybody behaves. `yes`: how often a person lets a step try again, or go back once more, when all is used up. */
export type Behaviour = { readonly mood: 'no' | 'chance' | 'quota'; readonly yes: number };

type Bound = { readonly begun: number; readonly attempts: number };

/** From the graph and the limits alone: how often steps are begun over all rounds, and how many attempts that can be. */
export function boundOf(definition: WorkflowDefinition, limits: Limits, { yes }: Pick<Behaviour, 'yes'>): Bound {
  const workflow = compileWorkflow(definition);
  // Analyses are no steps of the way: nobody counts that they begin.
  const steps = [...workflow.steps.values()].filter(({ analyses }) => analyses === null);
  let begun = steps.length;
  for (const { rework } of steps) {
    if (rework === null) continue;
    // A commit without a changelog entry goes back as a review does.
    const most = (rework.rounds - 1) * (1 + yes) + yes;
    begun += most * (1 + stepsAfter(workflow, rework.to).length);
  }
  const { crash_retries: crashes, lost_retries: lost, backoff, attempts } = limits;
  const perStep = steps.map((step) => {
    if (step.kind !== 'change' && step.kind !== 'answer') return 1;
    const tries = step.retry?.tries ?? backoff.tries;
    // What a CLI uses up is counted for each one, candidates and losses over all of them.
    const ofCli = 2 * (crashes + 1) + tries + 1;
    const level = (step.attempts ?? attempts) + lost + 1 + ofCli * step.cli.length;
    return level * (1 + step.degrade.length) * (1 + step.analysts.length * (lost + 1));
  });
  return { begun, attempts: (begun + yes) * Math.max(...perStep) };
}

/** Quotas are waited for, which only the task's age bounds: no CLI is asked again sooner than after the first wait. */
export function boundOfQuotas(definition: WorkflowDefinition, limits: Limits): Bound {
  const clis = new Set([...definition.steps.flatMap((step) => step.cli ?? []), 'scripted']).size;
  const { begun } = boundOf(definition, limits, { yes: 0 });
  return { begun, attempts: clis * (2 + (limits.task_age_ms + limits.wall_ms) / quotaOf(limits).first_ms) };
}

type Ended = { readonly task: Task; readonly begun: number; readonly attempts: number };

/** Until the task is closed. Throws when it goes beyond its bound, or when nothing happens any more. */
export function runGraph(
  definition: WorkflowDefinition,
  limits: Limits,
  bound: Bound,
  { random, behaviour }: { readonly random: Random; readonly behaviour: Behaviour },
): Ended {
  const run = new GraphRun(random, behaviour);
  run.send(configure(limits));
  run.send(create('t-1', { workflow: definition }));
  for (let attempts = 0; ; attempts = run.attempts) {
    const { task } = run;
    if (task.closed !== null) return { task, begun: run.begun, attempts };
    if (attempts > bound.attempts || run.begun > bound.begun)
      throw new Error(
        `beyond its bound: ${run.begun} of ${bound.begun} steps, ${attempts} of ${bound.attempts} attempts`,
      );
    run.next();
  }
}

class GraphRun {
  readonly #random: Random;
  readonly #behaviour: Behaviour;
  #project: Project = EMPTY_PROJECT;
  #now = NOON;
  #sent = 0;
  #yes: number;
  attempts = 0;
  /** Over the whole life of the task. */
  begun = 0;

  constructor(random: Random, behaviour: Behaviour) {
    this.#random = random;
    this.#behaviour = behaviour;
    this.#yes = behaviour.yes;
  }

  get task(): Task {
    return this.#project.tasks.get('t-1' as never) as Task;
  }

  send(input: Input): void {
    this.#sent += 1;
    const asked = { ...envelope(input, `c-${this.#sent}`), at: this.#now, dice: this.#random.next() };
    const decision = decide(this.#project, asked);
    if (decision.type === 'rejected') throw new Error(`${JSON.stringify(input)} is rejected: ${decision.message}`);
    for (const event of decision.events) {
      if (event.type === 'attempt.started') this.attempts += 1;
      this.#project = evolve(this.#project, event);
    }
    this.begun = this.#project.tasks.has('t-1' as never) ? this.task.begun : 0;
  }

  /** One thing happens: work is handed out, an effect ends, a person answers, or time passes. */
  next(): void {
    const before = this.attempts;
    this.send({ type: 'board.grant' });
    const { effects, timers } = wantedBy(this.#project, 'task/t-1');
    const { task } = this;
    const asks = task.open.filter((step) => task.steps.get(step)?.place.at === 'waiting');
    const due = timers.toSorted((a, b) => a.due - b.due)[0];
    const [parked] = parkingTimers(this.#project, this.#now).toSorted((a, b) => a.due - b.due);
    if (effects.length > 0) this.send(this.#outcome(this.#random.pick(effects)));
    else if (this.attempts > before) return;
    else if (asks.length > 0) this.send(this.#answer(this.#random.pick(asks)));
    else if (parked !== undefined && (due === undefined || parked.due < due.due)) this.#now = parked.due;
    else if (due === undefined) throw new Error(`nothing is left to happen: ${task.open.join(', ')}`);
    else {
      this.#now = Math.max(this.#now, due.due);
      this.send({ type: 'timer.fire', task: 't-1', timer: due.timer, step: due.step, token: due.token });
    }
  }

  #outcome({ key, stream, started, step, token, work }: Effect): Input {
    const isNo = this.#behaviour.mood === 'no' || this.#random.chance(0.4);
    switch (work.kind) {
      case 'worker.run':
        return this.#attempt({ ...work, step: step ?? '', token, isNo });
      case 'gate.run':
        return { type: 'gate.report', task: 't-1', step, token, gate: work.gate, ...this.#gate(isNo) };
      case 'candidate.apply': {
        if (!started) return { type: 'effect.start', task: 't-1', stream, key };
        const isRefused = work.requireChangelog === true && isNo;
        const [status, commit] = isRefused ? (['refused', null] as const) : (['applied', `c${this.#sent}`] as const);
        return { type: 'apply.report', task: 't-1', token, status, commit, branch: work.branch, reason: 'so' };
      }
      default:
        throw new Error(`no ${work.kind} is expected of a task alone`);
    }
  }

  /** The reason differs each time: equal ones would end the step sooner. */
  #gate(isNo: boolean): { readonly status: 'pass' | 'fail' | 'error'; readonly signature?: string } {
    // In the worst case a change gets as far as it can: gates of its own step pass, so that others send it back.
    if (!isNo || this.#random.chance(0.5)) return { status: 'pass' };
    return { status: this.#random.chance(0.1) ? 'error' : 'fail', signature: `error/${this.#sent}` };
  }

  #attempt(of: Pick<WorkerRun, 'attempt' | 'role'> & { step: string; token: number; isNo: boolean }): Input {
    const { attempt, role, step, token, isNo } = of;
    const bad = this.#behaviour.mood === 'quota' ? 'quota' : 'ok';
    const outcome: OutcomeClass =
      bad === 'quota' ? bad : isNo && this.#random.chance(0.3) ? this.#random.pick(BAD) : 'ok';
    const n = this.#sent;
    const isOk = outcome === 'ok';
    const isChange = attempt.kind === 'change';
    // A plan says neither yes nor no, or its task would end there.
    const status = role === 'planner' ? 'COMPLETE' : isNo ? this.#random.pick(NO) : 'APPROVED';
    const findings = isNo ? { ...NONE, high: 1 } : null;
    return {
      type: 'attempt.report',
      ...{ task: 't-1', step, token, class: outcome, reason: `because ${n}`, cost: FREE },
      candidate: isOk && isChange ? { base: 'b0', tree: `tree-${n}`, change_id: `change-${n}` } : null,
      said: isOk && !isChange ? { status, confidence: null, vetoes: null, dismissed: null, findings } : null,
      answer: isOk ? n.toString(16).padStart(64, '0') : null,
    };
  }

  #answer(step: string): Input {
    const place = this.task.steps.get(step as never)?.place;
    const isMore = place?.at === 'waiting' && (place.asks === 'failure' || place.asks === 'rounds');
    const isYes = isMore ? this.#yes > 0 : this.#behaviour.mood === 'chance' && this.#random.chance(0.6);
    if (isMore && isYes) this.#yes -= 1;
    const isQuestion = place?.at === 'waiting' && place.asks === 'question';
    const decision = isYes && !isQuestion ? 'APPROVE' : 'REJECT';
    return { type: 'step.answer', task: 't-1', step, decision, reason: 'so' };
  }
}

const NO = ['CHANGES_REQUESTED', 'REJECTED'] as const;
/** All but a quota, which is waited for as long as the task's age allows, and what a person stops. */
const BAD = [
  'invalid',
  'invalid',
  'invalid',
  'transient',
  'crash',
  'timeout',
  'output_limit',
  'unknown',
  'lost',
] as const;
