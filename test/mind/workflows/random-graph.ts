/** Random workflow files that are right, in all kinds of steps, edges and settings. The same seed writes the same file. */
import type { Random } from '../../simulation/random.ts';

type Fields = Record<string, unknown>;
/** A step that is written, and all steps before it on some way. */
type Made = { readonly id: string; readonly kind: Kind; readonly before: ReadonlySet<string>; readonly says: Fields };
type Kind = 'plan' | 'change' | 'reviewer' | 'panel' | 'gate' | 'human' | 'join' | 'commit' | 'pull_request';

const MOST_STEPS = 9;

/** JSON is YAML. */
export function randomWorkflow(random: Random): string {
  const made: Made[] = [];
  const length = random.int(1, MOST_STEPS);
  while (made.length < length) made.push(stepFor(random, made));
  const hasCommit = made.some(({ kind }) => kind === 'commit');
  const settings: Fields = { parallel_reviews: random.chance(0.5) };
  if (hasCommit && random.chance(0.3)) settings['human_approval'] = true;
  if (hasCommit && random.chance(0.3)) settings['auto_pr'] = true;
  if (hasCommit && random.chance(0.3)) settings['require_changelog'] = true;
  const hasChange = made.some(({ kind }) => kind === 'change');
  return JSON.stringify({
    version: 1,
    on_exhausted: random.pick(['fail', 'escalate', 'block']),
    settings,
    ...(hasChange && random.chance(0.3) ? { hooks: { pre_commit: ['lint', { kind: 'types' }] } } : {}),
    steps: made.map(({ id, says }) => ({ id, ...says })),
  });
}

function stepFor(random: Random, made: readonly Made[]): Made {
  const kind = random.pick(possible(made));
  const needs = needsFor(random, made, kind);
  const before = new Set(needs.flatMap((id) => [id, ...(made.find((one) => one.id === id)?.before ?? [])]));
  const id = `s${made.length + 1}`;
  const answers = made.filter((one) => before.has(one.id) && ANSWERING.has(one.kind)).map((one) => one.id);
  return { id, kind, before, says: { ...fieldsOf(random, kind, { before: [...before], answers }), needs } };
}

const ANSWERING: ReadonlySet<Kind> = new Set(['plan', 'change', 'reviewer']);

/** What the steps so far allow. */
function possible(made: readonly Made[]): Kind[] {
  const has = (kind: Kind) => made.some((one) => one.kind === kind);
  return [
    ...(['plan', 'change', 'change'] as const),
    ...(has('change') ? (['reviewer', 'panel', 'panel', 'gate', 'gate', 'human', 'commit'] as const) : []),
    ...(has('reviewer') ? (['join'] as const) : []),
    ...(has('commit') ? (['pull_request'] as const) : []),
  ];
}

/** Changes stand in a row; what looks at a change comes after one. */
function needsFor(random: Random, made: readonly Made[], kind: Kind): string[] {
  const needs = new Set(made.filter(() => random.chance(0.25)).map((one) => one.id));
  const last = (wanted: Kind) => made.findLast((one) => one.kind === wanted)?.id;
  const wanted = { pull_request: 'commit', join: 'reviewer' } as const;
  const must = kind === 'pull_request' || kind === 'join' ? last(wanted[kind]) : undefined;
  const change = last('change');
  if (must !== undefined) needs.add(must);
  if (change !== undefined && kind !== 'plan') needs.add(change);
  return made.filter((one) => needs.has(one.id)).map((one) => one.id);
}

type Around = { readonly before: readonly string[]; readonly answers: readonly string[] };

function fieldsOf(random: Random, kind: Kind, around: Around): Fields {
  const back = (key: 'on_reject' | 'on_fail') =>
    around.before.length > 0 && random.chance(0.7)
      ? { [key]: random.pick(around.before), ...(random.chance(0.6) ? { rounds: random.int(1, 3) } : {}) }
      : {};
  switch (kind) {
    case 'plan':
      return { role: 'planner', ...work(random, around), ...back('on_reject') };
    case 'change':
      return { role: 'implementer', ...work(random, around), ...change(random) };
    case 'reviewer':
      return { role: 'reviewer', ...work(random, around), ...back('on_reject') };
    case 'panel': {
      const roles = ['reviewer', 'reviewer_b', 'security'].slice(0, random.int(1, 3));
      const vote = roles.length > 1 && random.chance(0.4) ? { require: 'consensus' } : {};
      const side = random.chance(0.3) ? { parallel: random.chance(0.5) } : {};
      return { review: roles, ...side, ...vote, ...work(random, around), ...back('on_reject') };
    }
    case 'gate':
      return {
        gates: random.pick([['tests'], ['lint', 'tests'], [{ name: 'tests', stage: 2 }, 'lint']]),
        ...back('on_fail'),
      };
    case 'human': {
      const about = around.answers.length > 0 && random.chance(0.5) ? { about: random.pick(around.answers) } : {};
      return { kind, ...about, ...back('on_reject') };
    }
    case 'join':
      return { kind, ...(random.chance(0.5) ? { require: 'all' } : {}), ...back('on_reject') };
    case 'commit':
      return { kind, ...(random.chance(0.3) ? { human_approval: random.chance(0.5) } : {}) };
    case 'pull_request':
      return { kind };
  }
}

function work(random: Random, { answers }: Around): Fields {
  const asks = random.chance(0.3) ? { on_failure: 'ask_human' } : {};
  const policy = random.pick(['default', 'aggressive', 'conservative']);
  return {
    ...(random.chance(0.4) ? { cli: random.pick([['one'], ['one', 'two']]) } : {}),
    ...(answers.length > 0 && random.chance(0.3) ? { inputs: [random.pick(answers)] } : {}),
    ...(random.chance(0.3) ? { human_approval: true } : {}),
    ...(random.chance(0.5) ? { retry_policy: { policy, max_attempts: random.int(1, 3), ...asks } } : {}),
  };
}

const change = (random: Random): Fields => ({
  gates: random.pick([
    ['tests'],
    ['lint', 'tests'],
    [{ name: 'tests', on_fail: 'block' }],
    [{ name: 'lint', blocking: false }, 'tests'],
  ]),
  ...(random.chance(0.4) ? { degrade: random.pick([['simplified'], ['minimal'], ['simplified', 'minimal']]) } : {}),
  ...(random.chance(0.3) ? { from: random.pick(['last', 'line']) } : {}),
  ...(random.chance(0.3) ? { analyses: random.pick([['planner'], ['planner', 'reviewer', 'security']]) } : {}),
});
