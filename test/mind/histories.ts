/** Random but possible histories of a project: fast-check picks moves, the state of the moment turns each into a command. */
import fc from 'fast-check';
import { type Decision, decide } from '../../src/mind/decisions/decide.ts';
import type { ActorKind, Envelope } from '../../src/mind/domain/commands.ts';
import { wantedBy, wantingStreams } from '../../src/mind/domain/effects.ts';
import type { NewEvent } from '../../src/mind/domain/events/index.ts';
import { EMPTY_PROJECT, type Project } from '../../src/mind/domain/project.ts';
import { evolve } from '../../src/mind/domain/streams.ts';
import { outcomeClass } from '../../src/mind/domain/values.ts';
import type { Effect } from '../../src/mind/domain/work.ts';
import { withApprovals } from '../../src/mind/workflows/approval-step.ts';
import { envelope, type Input, NOON } from '../support/given.ts';
import { CANDIDATE, create, limits, workflow } from './samples.ts';
import { NONE } from './verdict/facts.ts';

/** What fast-check picks; which numbers mean what is up to the state at that moment. */
export type Move = {
  readonly do: Doing;
  readonly pick: number;
  readonly way: number;
  readonly wait: number;
  readonly dice: number;
  readonly late: boolean;
};
type Doing =
  | 'create'
  | 'grant'
  | 'effect'
  | 'timer'
  | 'cancel'
  | 'pause'
  | 'halt'
  | 'resume'
  | 'land'
  | 'look'
  | 'configure'
  | 'reset'
  | 'mode'
  | 'plan'
  | 'answer';

const doing = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Doing>('create') },
  { weight: 6, arbitrary: fc.constant<Doing>('grant') },
  { weight: 12, arbitrary: fc.constant<Doing>('effect') },
  { weight: 3, arbitrary: fc.constant<Doing>('timer') },
  {
    weight: 3,
    arbitrary: fc.constantFrom<Doing>('cancel', 'pause', 'resume', 'resume', 'resume', 'look', 'look', 'look'),
  },
  { weight: 6, arbitrary: fc.constant<Doing>('land') },
  { weight: 2, arbitrary: fc.constantFrom<Doing>('configure', 'reset', 'mode', 'plan', 'answer', 'halt') },
);
const move: fc.Arbitrary<Move> = fc.record({
  do: doing,
  pick: fc.nat(1_000),
  way: fc.nat(1_000),
  wait: fc.constantFrom(0, 0, 0, 1, 500, 5_000, 5_000, 40_000, 1_800_000, 90_000_000),
  dice: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  late: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
});
export const moves = fc.array(move, { minLength: 1, maxLength: 100, size: 'max' });

/** One command of a history: the state before it, what was decided, the state after. */
export type Turn = {
  readonly before: Project;
  readonly asked: Envelope;
  readonly decision: Decision;
  readonly after: Project;
};

/** Plays the moves; `watch` sees every state and event on the way and may freeze them. */
export function play(
  list: readonly Move[],
  watch: <T>(value: T) => T = (value) => value,
): { turns: Turn[]; events: NewEvent[]; project: Project } {
  const turns: Turn[] = [];
  const events: NewEvent[] = [];
  let project = watch(EMPTY_PROJECT);
  let now = NOON;
  for (const [n, one] of list.entries()) {
    now += one.wait;
    const sent = commandFor(project, one, n);
    if (sent === null) continue;
    const asked = watch(
      envelope({ send: sent.command, by: sent.by, name: sent.name ?? '', at: now, dice: one.dice }, `c-${n}`),
    );
    const decision = watch(decide(project, asked));
    const before = project;
    if (decision.type === 'decided') {
      for (const event of decision.events) {
        project = watch(evolve(project, event));
        events.push(event);
      }
    }
    turns.push({ before, asked, decision, after: project });
  }
  return { turns, events, project };
}

type Sending = { readonly command: Input; readonly by: ActorKind; readonly name?: string };

function commandFor(project: Project, one: Move, n: number): Sending | null {
  const { pick, way } = one;
  const task = oneOf([...project.tasks.keys()], pick) ?? 't-none';
  switch (one.do) {
    case 'create':
      return { by: 'operator', command: newTask(n, pick, way) };
    case 'plan':
      return { by: 'planner', command: way % 2 === 0 ? newTask(n, pick, way) : { type: 'task.cancel', task } };
    case 'answer': {
      const proposal = oneOf([...project.proposals.keys()], pick) ?? 'p-none';
      return { by: 'operator', command: { type: way % 3 === 0 ? 'proposal.reject' : 'proposal.accept', proposal } };
    }
    case 'halt':
      return { by: 'operator', command: { type: 'board.halt', reason: 'enough', now: way % 2 === 0 } };
    case 'grant':
      // Most of the time a halt is short, so that histories go on.
      if (project.board.halted !== undefined && way % 3 !== 0)
        return { by: 'operator', command: { type: 'board.resume' } };
      return { by: 'engine', command: { type: 'board.grant', ...(way % 5 === 0 ? { memory: 0.9 } : {}) } };
    case 'cancel':
      return { by: 'operator', command: { type: 'task.cancel', task } };
    case 'pause': {
      const taking = way % 5 === 1 ? takeOf(project, task, way, n) : null;
      if (taking !== null) return taking;
      const stopped = [...project.tasks.values()].find(({ closed }) => closed?.status === 'escalated');
      if (stopped !== undefined && way % 2 === 0) {
        const how = way % 4 === 0 ? 'skip' : 'abandon';
        return { by: 'operator', command: { type: 'task.resolve', task: stopped.id, how, notes: 'seen' } };
      }
      if (way % 4 === 0)
        return {
          by: 'operator',
          command: { type: 'task.answer_base', task, red_base: way % 8 === 0 ? 'fix' : 'keep' },
        };
      return { by: 'operator', command: { type: 'task.pause', task } };
    }
    case 'resume': {
      const raised = oneOf(
        [...project.tasks.values()].filter(({ steps }) =>
          [...steps.values()].some((step) => step.raised !== undefined),
        ),
        pick,
      );
      const dismiss = raised === undefined || way % 2 === 0 ? {} : { task: raised.id, dismiss: ['r-1'] };
      return { by: 'operator', command: { type: 'task.resume', task, ...dismiss } };
    }
    case 'look': {
      // A person answers what is asked, and now and then what is not.
      const asked = oneOf(waitingSteps(project), pick);
      if (asked !== undefined && isHeld(project, asked.task) && way % 3 !== 0)
        return {
          by: 'operator',
          command: { type: 'task.resume', task: asked.task, dismiss: [heldFinding(project, asked.task)] },
        };
      if (asked !== undefined && way % 4 !== 0) return answerOf(asked, way, n);
      const step = oneOf([...(project.tasks.get(task)?.open ?? [])], way) ?? 'none';
      return answerOf({ task, step }, way, n);
    }
    case 'land': {
      const landing = oneOf(landable(project), pick)?.id;
      // Nothing can land yet: what is under way succeeds, so that something can.
      if (landing === undefined) return commandFor(project, { ...one, do: 'effect', way: GOOD, late: false }, n);
      if (way % 7 === 0) return { by: 'operator', command: { type: 'task.unland', task: landing } };
      if (way % 7 === 1) return { by: 'operator', command: { type: 'task.cancel', task: landing } };
      const onto = way % 3 === 0 ? 'release' : 'main';
      return { by: 'operator', command: { type: 'task.land', task: landing, onto, unverified: way % 5 !== 0 } };
    }
    case 'mode':
      return {
        by: 'operator',
        command:
          way % 2 === 0
            ? { type: 'mode.set', mode: way % 4 === 0 ? 'AUTO' : 'MANUAL' }
            : { type: 'goal.set', text: `goal ${n}` },
      };
    case 'configure':
      return { by: 'engine', command: oneOf(LIMITS, way) as Input };
    case 'reset': {
      const lane = oneOf([...project.board.breakers.keys()], pick) ?? 'none/none';
      const cli = oneOf([...project.host.parked.keys()], pick) ?? 'codex';
      const command: Input = way % 2 === 0 ? { type: 'breaker.reset', lane } : { type: 'cli.reset', cli };
      return { by: 'operator', command };
    }
    case 'effect': {
      const effect = oneOf(
        allWanted(project).flatMap((wanted) => wanted.effects),
        pick,
      );
      return effect === undefined ? null : { by: 'hand', command: outcomeOf(effect, one, n) };
    }
    case 'timer': {
      const timer = oneOf(
        allWanted(project).flatMap((wanted) => wanted.timers),
        pick,
      );
      if (timer === undefined) return null;
      return {
        by: 'clock',
        command: { type: 'timer.fire', task: timer.task, timer: timer.timer, step: timer.step, token: timer.token },
      };
    }
  }
}

/** A person takes a step, gives what was made, or drops it. */
function takeOf({ tasks }: Project, named: string, way: number, n: number): Sending | null {
  const held = [...tasks.values()].find(({ taken }) => taken !== undefined);
  if (held?.taken === undefined)
    return { by: 'operator', name: 'ana', command: { type: 'step.take', task: named, dir: `/home/ana/${n}` } };
  const attempt = (held.steps.get(held.taken.step)?.attempts ?? 0) + 1;
  const command: Input =
    way % 3 === 0 ? { type: 'step.drop', task: held.id, reason: '' } : { type: 'step.give', task: held.id, attempt };
  return { by: 'operator', name: 'ana', command };
}

/** What a person takes back: of a review, or of a gate. */
const heldFinding = ({ tasks }: Project, id: string): string =>
  [...(tasks.get(id as never)?.steps ?? [])].some(
    ([, { place }]) => place.at === 'waiting' && place.held?.product.gates.length === 0,
  )
    ? 'r-2'
    : 'f-1';

const isHeld = ({ tasks }: Project, id: string): boolean =>
  [...(tasks.get(id as never)?.steps ?? [])].some(
    ([, { place }]) => place.at === 'waiting' && place.held !== undefined,
  );

const waitingSteps = ({ tasks }: Project) =>
  [...tasks.values()].flatMap(({ id: task, closed, open, steps }) =>
    closed !== null ? [] : open.flatMap((step) => (steps.get(step)?.place.at === 'waiting' ? [{ task, step }] : [])),
  );

function answerOf(asked: { readonly task: string; readonly step: string }, way: number, n: number): Sending {
  const decision = way % 3 === 0 ? 'REJECT' : 'APPROVE';
  const name = way % 2 === 0 ? 'ana' : 'ben';
  return { by: 'operator', name, command: { type: 'step.answer', ...asked, decision, reason: `because ${n}` } };
}

/** Few files need nobody, some wait for a while, many need two people. */
const APPROVED = withApprovals(workflow([{ id: 'build' }]), [
  {
    levels: {
      low_risk: { conditions: [{ measure: 'file_count', is: '<', than: 2 }], action: 'auto_approve' },
      medium_risk: {
        conditions: [{ measure: 'file_count', is: '<', than: 3 }],
        action: 'notify_and_timeout',
        timeout_ms: 50,
      },
      high_risk: { conditions: [{ measure: 'file_count', is: '>=', than: 3 }], action: 'require_multi_approval' },
    },
    groups: {},
    paths: {},
    expires_ms: 100_000,
  },
]);
const WORKFLOWS = [
  workflow(
    [
      {
        id: 'build',
        cli: ['claude', 'codex'],
        gates: ['lint', { name: 'tests', stage: 2, on_fail: 'block' }],
        reserve_microusd: 40,
      },
      { id: 'review', kind: 'answer' },
    ],
    { on_exhausted: 'block' },
  ),
  workflow([
    { id: 'plan', kind: 'answer', role: 'planner' },
    { id: 'left', kind: 'answer', reserve_microusd: 10 },
    { id: 'right', needs: ['plan'], cli: ['codex'] },
    { id: 'join', needs: ['left', 'right'], gates: ['tests'] },
  ]),
  workflow([{ id: 'build', attempts: 1, degrade: ['simplified'] }], { on_exhausted: 'escalate' }),
  // Two reviews side by side, gates of their own, a person: each may send the change back.
  workflow([
    { id: 'build', cli: ['codex'], analyses: [{ role: 'doctor', cli: ['claude'] }] },
    { id: 'first', kind: 'answer', needs: ['build'] },
    { id: 'second', kind: 'answer', needs: ['build'] },
    { id: 'panel', kind: 'join', needs: ['first', 'second'], on_reject: 'build', rounds: 2 },
    { id: 'check', kind: 'gate', gates: ['e2e'], on_fail: 'build' },
    { id: 'look', kind: 'human', on_reject: 'check' },
  ]),
  workflow([{ id: 'build' }, { id: 'review', kind: 'answer', on_reject: 'build' }]),
  workflow([{ id: 'build' }, { id: 'look', kind: 'human', on_reject: 'build' }]),
  // Twice: several things have to come together before a second person agrees.
  APPROVED,
  APPROVED,
  // A person approves the plan; the change is committed on the way, voted on, and a pull request is asked for.
  workflow([
    { id: 'plan', kind: 'answer', role: 'planner', inputs: [] },
    { id: 'agree', kind: 'human', about: 'plan', on_reject: 'plan' },
    { id: 'build', on_failure: 'ask_human', attempts: 1, retry: { tries: 1, first_ms: 5, factor: 1, max_ms: 5 } },
    { id: 'save', kind: 'commit' },
    { id: 'one', kind: 'answer', needs: ['save'] },
    { id: 'two', kind: 'answer', needs: ['save'] },
    {
      id: 'vote',
      kind: 'join',
      needs: ['one', 'two'],
      require: 'consensus',
      on_reject: 'build',
      rounds: 1,
      on_failure: 'ask_human',
    },
  ]),
  workflow([
    { id: 'build' },
    { id: 'save', kind: 'commit' },
    { id: 'offer', kind: 'pull_request', on_reject: 'build' },
  ]),
];
const SMALL = {
  file_count: 1,
  lines_added: 1,
  lines_removed: 0,
  new_dependencies: 0,
  lock_file: false,
  breaking: false,
  classes: [],
};
const OPINIONS = ['APPROVED', 'APPROVED', 'CHANGES_REQUESTED', 'REJECTED'] as const;
const UNFOUND = { critical: 0, high: 0, medium: 0, low: 0, info: 0 };
/** Nobody looked; no finding counts; one does, and is high or critical. */
const FINDINGS = [
  { findings: null },
  { findings: UNFOUND, uncounted: 2 },
  { findings: { ...NONE, high: 1 }, uncounted: 0, open: [{ id: 'r-1', severity: 'high' as const }] },
  { findings: { ...NONE, critical: 1 }, uncounted: 0, open: [{ id: 'r-2', severity: 'critical' as const }] },
  { findings: null },
];
const FILES = [[], ['src/'], ['src/a.ts'], ['src/a.ts', 'docs/'], ['docs/b.md', 'lib/c.ts']];
const BUDGET = {
  ...{ project_microusd: 500, day_microusd: 200, task_microusd: 90 },
  ...{ project_tokens: 4_000, day_tokens: 2_000, task_tokens: 900 },
  ...{ estimate_microusd: 20, estimate_tokens: 100, least_microusd: 3 },
};
const LIMITS = [
  limits({}),
  limits({ slots: { total: 4, per_cli: { codex: 1 } }, breaker: { failures: 1, window_ms: 60_000 } }),
  limits({ slots: { total: 1, per_cli: {} }, budget: BUDGET }),
  limits({
    slots: { total: 9, per_cli: {} },
    crash_retries: 0,
    backoff: { tries: 1, first_ms: 10, factor: 1, max_ms: 10 },
  }),
];

function newTask(n: number, pick: number, way: number): Input {
  // Now and then a name that exists already.
  const name = pick % 17 === 0 ? 't-0' : `t-${n}`;
  const spec = {
    version: 1,
    text: 'do it',
    files: oneOf(FILES, way) as string[],
    notify: way % 2 === 0,
    ...(way % 11 === 0 ? { simulated: true } : {}),
    ...(way % 6 === 0 ? { queued: true } : {}),
    odd: { '~map': [pick] },
  } as const;
  const base = way % 6 === 0 ? { base: null } : {};
  return create(name, { workflow: oneOf(WORKFLOWS, pick)!, priority: way % 10, spec, ...base });
}

const GOOD = 2;
const landable = ({ tasks }: Project) => [...tasks.values()].filter(({ closed }) => closed?.commit != null);

/** What a hand could tell about an effect; a late one speaks of a token that is not the one wanted. */
function outcomeOf(effect: Effect, { way, late }: Move, n: number): Input {
  const { task, step, work } = effect;
  const token = late ? Math.max(0, effect.token - 1) : effect.token;
  switch (work.kind) {
    case 'worker.run': {
      const outcome =
        way % 2 === 0 ? 'ok' : (oneOf(outcomeClass.options, way >> 1) as (typeof outcomeClass.options)[number]);
      const candidate = way % 16 === 0 ? null : { ...CANDIDATE, tree: `tree-${n}`, change_id: `change-${n}` };
      const cost = {
        microusd: way % 3 === 0 ? null : way % 90,
        tokens_in: way % 5 === 0 ? null : way,
        tokens_out: null,
      };
      return {
        type: 'attempt.report',
        task,
        step: step ?? '',
        token,
        class: outcome,
        said:
          way % 9 === 0
            ? null
            : { status: OPINIONS[way % 4]!, confidence: null, ...FINDINGS[way % 5]!, vetoes: null, dismissed: null },
        candidate,
        answer: way % 8 === 0 ? null : 'a'.repeat(64),
        cost,
        reset_at: way % 7 === 0 ? NOON + way * 1_000 : null,
        ...(work.classes === undefined ? {} : { facts: { ...SMALL, file_count: way % 5 } }),
      };
    }
    case 'gate.run':
      return {
        type: 'gate.report',
        task,
        step,
        token,
        gate: work.gate,
        status: way % 11 === 0 ? 'error' : way % 4 === 0 || way % 6 === 0 ? 'fail' : 'pass',
        ms: way,
        ...(way % 6 === 0
          ? { findings: { ...NONE, critical: 1 }, blocked_by: [{ id: 'f-1', severity: 'critical' as const }] }
          : {}),
        ...(way % 5 === 0 ? { excused: way } : {}),
        ...(way % 13 === 0 ? { score: (way % 10) / 10 } : {}),
      };
    case 'candidate.apply':
      if (!effect.started) return { type: 'effect.start', task, stream: effect.stream, key: effect.key };
      return {
        type: 'apply.report',
        task,
        token,
        status: way % 3 === 0 ? 'conflict' : 'applied',
        commit: `c${n}`,
        branch: work.branch,
      };
    case 'line.read':
      return {
        type: 'line.report',
        kind: work.kind,
        task,
        token,
        status: 'seen',
        commit: way % 5 === 0 ? null : `h${n}`,
      };
    case 'line.integrate': {
      const report = { type: 'line.report', kind: work.kind, task, token } as const;
      if (way % 7 === 0) return { ...report, status: 'conflict', reason: 'both changed a.ts' };
      if (way % 7 === 1) return { ...report, status: 'landed', commit: work.head };
      const candidate = { ...CANDIDATE, base: work.head, tree: `tree-${n}` };
      const others = (work.more ?? []).map((_, k) => ({ tree: `tree-${n}-${k}`, change_id: `change-${n}-${k}` }));
      const stack = [{ tree: candidate.tree, change_id: candidate.change_id }, ...others];
      if (others.length === 0) return { ...report, status: 'integrated', candidate };
      return { ...report, status: 'integrated', candidate: { ...candidate, ...stack.at(-1) }, stack };
    }
    case 'line.move': {
      if (!effect.started) return { type: 'effect.start', task, stream: effect.stream, key: effect.key };
      const report = { type: 'line.report', kind: work.kind, task, token } as const;
      if (way % 5 !== 0) return { ...report, status: 'moved', commit: `h${n}` };
      if (way % 9 === 1) return { ...report, status: 'checked_out', reason: 'clean', path: '/repo' };
      const commits = [`c${n}`, ...(work.more ?? []).map((_, k) => `c${n}-${k}`)];
      return {
        ...report,
        status: 'landed',
        commit: commits.at(-1) ?? null,
        ...(commits.length < 2 ? {} : { commits }),
      };
    }
    case 'notify.send':
      if (!effect.started) return { type: 'effect.start', task, stream: effect.stream, key: effect.key };
      return {
        type: 'notify.report',
        task,
        token,
        result: 'sent',
        ...(work.asks === true ? { asks: true } : {}),
        ...(work.digest === undefined ? {} : { digest: true }),
        ...(way % 2 === 0 ? { quiet_ms: 1_000 } : {}),
      };
  }
}

const allWanted = (project: Project) => wantingStreams(project).map((stream) => wantedBy(project, stream));

function oneOf<T>(list: readonly T[], pick: number): T | undefined {
  return list.length === 0 ? undefined : list[pick % list.length];
}
