/** 1,000 random workflows that are right: each is taken, and every run of it ends within a bound that was computed beforehand. */
import { describe, expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../../src/mind/domain/limits.ts';
import { problemText } from '../../../src/mind/fields/parse-file.ts';
import type { GateConfig } from '../../../src/mind/gates/gate-config.ts';
import { chooseGates } from '../../../src/mind/roles/choose-gates.ts';
import { checkWorkflow } from '../../../src/mind/workflows/check-graph.ts';
import type { WorkflowDefinition } from '../../../src/mind/workflows/step.ts';
import { compileWorkflow } from '../../../src/mind/workflows/workflow.ts';
import { Random } from '../../simulation/random.ts';
import { readText } from '../../support/workflow-file.ts';
import { workflow } from '../samples.ts';
import { randomWorkflow } from './random-graph.ts';
import { type Behaviour, boundOf, boundOfQuotas, runGraph } from './run-graph.ts';

const SEED = process.env['TEST_ALL'] === '1' ? Date.now() % 2 ** 31 : 20_261_119;
const COUNT = 1_000;
const SEEDS = Array.from({ length: COUNT }, (_, n) => SEED + n);
const GATES = ['tests', 'lint', 'types'];
/** The bound is that of the graph, not this one. */
const LIMITS = { ...DEFAULT_LIMITS, max_steps: 100_000 };

function workflowOf(seed: number): WorkflowDefinition {
  const text = randomWorkflow(new Random(seed).fork('graph'));
  const read = readText(text, { gates: GATES });
  if (read.type === 'problem') throw new Error(`${problemText(read)}\n${text}`);
  const gates = GATES.map(
    (name) => ({ name, command: 'true', blocking: true, on_fail: 'retry' }) as unknown as GateConfig,
  );
  const chosen = chooseGates(read, { gates, chosen: null, noGates: false });
  if (chosen.type === 'rejected') throw new Error(`${chosen.message}\n${text}`);
  return chosen.definition;
}

function run(seed: number, behaviour: Behaviour, limits = LIMITS) {
  const definition = workflowOf(seed);
  const bound = boundOf(definition, limits, behaviour);
  const random = new Random(seed).fork('run');
  try {
    return { ...runGraph(definition, limits, bound, { random, behaviour }), bound };
  } catch (error) {
    throw new Error(`seed ${seed}: ${(error as Error).message}\n${JSON.stringify(definition)}`, { cause: error });
  }
}

describe(`${COUNT} random workflows from seed ${SEED}`, () => {
  test('are taken, and reach all kinds of steps and ways back', () => {
    const kinds = new Map<string, number>();
    for (const seed of SEEDS) {
      const definition = workflowOf(seed);
      expect(checkWorkflow(definition, 50)).toBeNull();
      for (const { kind, rework, degrade, asksPerson, analyses } of compileWorkflow(definition).steps.values()) {
        const seen = [
          kind,
          ...(rework === null ? [] : ['back']),
          ...degrade,
          ...(asksPerson ? ['asks'] : []),
          ...(analyses === null ? [] : ['analysis']),
        ];
        for (const one of seen) kinds.set(one, (kinds.get(one) ?? 0) + 1);
      }
    }
    const all = [
      'change',
      'answer',
      'gate',
      'join',
      'human',
      'commit',
      'pull_request',
      'back',
      'simplified',
      'minimal',
      'asks',
      'analysis',
    ];
    expect(all.filter((kind) => (kinds.get(kind) ?? 0) < 100)).toEqual([]);
  });

  test.each([
    ['everybody says no', { mood: 'no', yes: 0 }],
    ['everybody does as it comes', { mood: 'chance', yes: 0 }],
    ['people let it try again twice', { mood: 'no', yes: 2 }],
  ] as const)('every run ends within its bound: %s', (_, behaviour) => {
    const ended = SEEDS.map((seed) => run(seed, behaviour));
    expect(ended.filter(({ task }) => task.closed === null)).toEqual([]);
    // It was no walk in the park: tasks went back, and some ended well.
    expect(ended.filter(({ begun, task }) => begun > task.steps.size).length).toBeGreaterThan(100);
    if (behaviour.mood === 'chance')
      expect(ended.filter(({ task }) => task.closed?.status === 'accepted').length).toBeGreaterThan(100);
  });

  test('a quota that never comes back is waited for, and the age of the task ends the run', () => {
    const behaviour = { mood: 'quota', yes: 0 } as const;
    for (const seed of SEEDS.slice(0, 100)) {
      const definition = workflowOf(seed);
      const bound = boundOfQuotas(definition, LIMITS);
      const { task, attempts } = runGraph(definition, LIMITS, bound, { random: new Random(seed), behaviour });
      expect(task.closed?.status).toBe('escalated');
      expect(attempts).toBeGreaterThan(50);
    }
  });

  test('limits.max_steps ends a run sooner, whatever its graph allows', () => {
    for (const seed of SEEDS.slice(0, COUNT / 4)) {
      const most = workflowOf(seed).steps.length + 2;
      const { begun, task } = run(seed, { mood: 'no', yes: 0 }, { ...LIMITS, max_steps: most });
      // One more append: what it opens is counted, and then the task ends.
      expect(begun).toBeLessThanOrEqual(most + task.steps.size);
    }
  });

  test('the control: with a person who never stops saying yes a run goes beyond the bound, and that is noticed', () => {
    const definition = workflow([
      { id: 'build', on_failure: 'ask_human' },
      { id: 'review', kind: 'answer' },
      { id: 'panel', kind: 'join', needs: ['review'], on_reject: 'build', rounds: 2, on_failure: 'ask_human' },
    ]);
    const bound = boundOf(definition, LIMITS, { yes: 0 });
    const behave = (yes: number) => ({ random: new Random(1), behaviour: { mood: 'no', yes } as const });
    expect(runGraph(definition, LIMITS, bound, behave(0)).task.closed).not.toBeNull();
    expect(() => runGraph(definition, LIMITS, bound, behave(1_000))).toThrow('beyond its bound');
  });
});

/** Found by these graphs: two commits side by side. */
test('two commits side by side are made one after the other', () => {
  const definition = workflow([
    { id: 'build' },
    { id: 'one', kind: 'commit', needs: ['build'] },
    { id: 'two', kind: 'commit', needs: ['build'] },
  ]);
  const behaviour = { mood: 'chance', yes: 0 } as const;
  const bound = boundOf(definition, LIMITS, behaviour);
  const ended = [1, 2, 3, 4, 5].map((seed) =>
    runGraph(definition, LIMITS, bound, { random: new Random(seed), behaviour }),
  );
  expect(ended.map(({ task }) => task.closed?.status)).toContain('accepted');
});
