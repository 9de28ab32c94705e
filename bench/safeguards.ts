/** (q) What the safeguards cost a step whose task has a long history: signatures, candidates seen before, age, budgets, memory. */
import type { StepId } from '../src/kernel/ids.ts';
import { decide } from '../src/mind/decisions/decide.ts';
import type { Command } from '../src/mind/domain/commands.ts';
import { EMPTY_PROJECT, type Project } from '../src/mind/domain/project.ts';
import { countedErrors } from '../src/mind/domain/sent-back.ts';
import type { Step, Task } from '../src/mind/domain/task.ts';
import { budgetObstacle } from '../src/mind/safeguards/budget.ts';
import { sameCandidate, sameError, usedLastTry } from '../src/mind/safeguards/loops.ts';
import { signatureOf } from '../src/mind/safeguards/signature.ts';
import type { Row } from './support.ts';
import * as bench from './support.ts';

const ATTEMPTS = 1_000;
const RUNS = 2_000;
const STEP = 's00000' as StepId;
const NOON = Date.UTC(2026, 0, 15, 12);
/** What a runner prints of two failed tests among many that passed. */
const OUTPUT = `${'✔ adds two numbers (0.3ms)\n'.repeat(250)}✖ greets (1.2ms)\nAssertionError: expected 'a' to be 'b'\n  at test/greet.test.js:6:10\n`;

export const safeguards: Row = {
  name: 'q',
  title: `safeguards of a step after ${ATTEMPTS} attempts`,
  async run() {
    const project = projectWithTask();
    const [task] = [...project.tasks.values()] as [Task];
    const step = longStep(task);
    const times: number[] = [];
    for (let n = 0; n < RUNS; n += 1) {
      const began = performance.now();
      allOf(project, task, step, n);
      times.push(performance.now() - began);
    }
    const middle = bench.median(times.slice(RUNS / 2));
    return [
      {
        what: `signature of ${Math.round(OUTPUT.length / 1024)} KiB of output, same error, same candidate, age, budgets, and counting them`,
        measured: bench.ms(middle),
        ...{ ratio: '–', goal: 'below 1 ms', ...bench.withinLimit(middle, 1) },
      },
    ];
  },
};

function allOf(project: Project, task: Task, step: Step, n: number): void {
  const signature = signatureOf(OUTPUT) ?? '';
  const candidate = { base: 'b', tree: `new-${n}`, change_id: `change-${n}` };
  const ended = { started: NOON, class: 'invalid', now: NOON + n } as const;
  const found = [sameCandidate(step, candidate), sameError(step, signature, 3), usedLastTry(task, ended, 1)];
  if (found.some((one) => one !== null)) throw new Error('a safeguard stopped what is new');
  budgetObstacle(project, task, { id: STEP, reserve: 0 }, NOON);
  countedErrors(step, { signature, reason: '' } as never);
}

const longStep = (task: Task): Step => ({
  ...(task.steps.get(STEP) as Step),
  errors: Object.fromEntries(Array.from({ length: ATTEMPTS }, (_, n) => [`error/${n}`, 1])),
  tried: Array.from({ length: ATTEMPTS }, (_, n) => `tree-${n}`),
});

/** With every budget in force. */
function projectWithTask(): Project {
  const budget = {
    task_microusd: 1e9,
    project_microusd: 1e9,
    day_microusd: 1e9,
    task_tokens: 1e9,
    project_tokens: 1e9,
    day_tokens: 1e9,
  };
  let project = EMPTY_PROJECT;
  const send = (command: Command) => {
    const decision = decide(project, { id: 'c-1', actor: bench.OPERATOR, command, at: NOON, dice: 0.5 });
    if (decision.type === 'rejected') throw new Error(decision.message);
    project = decision.project;
  };
  send(bench.configure({ budget }, 1));
  send(bench.createTask('t-1', bench.chainOf(1)));
  return project;
}
