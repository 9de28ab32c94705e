/** Which steps each step of a file waits for: `needs`, `next`, the order of writing, `position` and `disable`. */
import type { FileProblem } from '../fields/yaml.ts';
import { type Disabled, noSuchStep, type StepDraft } from './extend.ts';

type Edges = {
  readonly type: 'edges';
  /** The remaining steps, in order. */
  readonly steps: readonly StepDraft[];
  readonly needs: ReadonlyMap<string, readonly string[]>;
};

export function edgesOf(steps: readonly StepDraft[], disabled: readonly Disabled[]): Edges | FileProblem {
  const missing = missingTarget(steps);
  if (missing !== null) return missing;
  const needs = writtenEdges(steps);
  if ('type' in needs) return needs;
  const wrong = loopIn(steps, needs);
  if (wrong !== null) return wrong;
  return without(steps, needs, disabled);
}

const nextOf = ({ says }: StepDraft): readonly string[] =>
  says.next === undefined ? [] : typeof says.next === 'string' ? [says.next] : says.next;

/** A name that is no step, wherever a step is meant. */
function missingTarget(steps: readonly StepDraft[]): FileProblem | null {
  const ids = steps.map((step) => step.id);
  const known = new Set(ids);
  for (const { says, at } of steps) {
    const single = (['on_reject', 'on_fail', 'about'] as const).map((key) => ({ key, names: says[key], list: false }));
    const many = (['needs', 'next', 'inputs'] as const).map((key) => ({ key, names: says[key], list: true }));
    for (const { key, names, list } of [...many, ...single]) {
      for (const [n, id] of [names ?? []].flat().entries()) {
        const path = list && Array.isArray(names) ? [n] : [];
        if (!known.has(id)) return at(key)(noSuchStep(id, ids), ...path);
        if ([names ?? []].flat().indexOf(id) !== n) return at(key)(`names ${id} twice`, ...path);
      }
    }
  }
  return null;
}

function writtenEdges(steps: readonly StepDraft[]): Map<string, string[]> | FileProblem {
  const needs = new Map<string, string[]>(steps.map((step) => [step.id, [...(step.says.needs ?? [])]]));
  const placed = steps.filter((step) => step.says.position !== undefined);
  const plain = steps.filter((step) => step.says.position === undefined);
  const add = (id: string, need: string) => {
    const all = needs.get(id) as string[];
    if (!all.includes(need)) all.push(need);
  };
  const named = new Set(plain.flatMap(nextOf));
  for (const step of plain) for (const id of nextOf(step)) add(id, step.id);
  for (const [n, step] of plain.entries()) {
    const before = plain[n - 1];
    if (step.says.needs !== undefined || named.has(step.id) || before === undefined) continue;
    if (before.says.next !== undefined) {
      // A step that only a placed one leads to counts as reached.
      if (placed.some((one) => nextOf(one).includes(step.id))) continue;
      return step.at()(
        `nothing leads to step ${step.id}: ${before.id}, which is written before it, goes on with ${nextOf(before).join(', ')}. Name ${step.id} in a \`next\`, or give it \`needs\``,
      );
    }
    add(step.id, before.id);
  }
  for (const step of placed) {
    const anchor = (step.says.position as string).slice('after '.length);
    for (const [id, all] of needs)
      if (id !== step.id) needs.set(id, once(all.map((need) => (need === anchor ? step.id : need))));
    add(step.id, anchor);
    for (const id of nextOf(step)) add(id, step.id);
  }
  return needs;
}

const once = (ids: readonly string[]): string[] => [...new Set(ids)];

/** Forward edges must not form a cycle. Reports the edge against the order of writing. */
function loopIn(steps: readonly StepDraft[], needs: ReadonlyMap<string, readonly string[]>): FileProblem | null {
  const left = new Map([...needs].map(([id, all]) => [id, new Set(all)]));
  for (let open = [...left.keys()].filter((id) => left.get(id)?.size === 0); open.length > 0; ) {
    const done = open;
    for (const id of done) left.delete(id);
    for (const all of left.values()) for (const id of done) all.delete(id);
    open = [...left.keys()].filter((id) => left.get(id)?.size === 0);
  }
  if (left.size === 0) return null;
  const circle = circleIn(left);
  const order = new Map(steps.map((step, n) => [step.id, n]));
  const at = (id: string) => steps[order.get(id) ?? 0] as StepDraft;
  const shown = [...circle, circle[0]].join(' > ');
  for (const [n, id] of circle.entries()) {
    const after = circle[(n + 1) % circle.length] as string;
    const from = at(id);
    const index = nextOf(from).indexOf(after);
    if (index < 0 || (order.get(after) ?? 0) > (order.get(id) ?? 0)) continue;
    const path = Array.isArray(from.says.next) ? [index] : [];
    return from.at('next')(
      `goes back to ${after}, and nothing bounds the loop (${shown}): write \`on_reject: ${after}\` (a review or a person rejects) or \`on_fail: ${after}\` (a gate fails), with \`rounds\``,
      ...path,
    );
  }
  const last = circle
    .toSorted((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0))
    .find((id) => at(id).says.needs !== undefined);
  const message = `steps wait for each other in a circle: ${shown}`;
  if (last === undefined) return at(circle[0] as string).at()(message);
  const index = (at(last).says.needs ?? []).findIndex((need) => circle.includes(need));
  return at(last).at('needs')(message, ...(index < 0 ? [] : [index]));
}

/** One cycle of the remaining steps, each followed by one that needs it. */
function circleIn(left: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const way: string[] = [];
  let id = [...left.keys()][0] as string;
  while (!way.includes(id)) {
    way.push(id);
    id = [...(left.get(id) ?? [])][0] as string;
  }
  return way.slice(way.indexOf(id)).reverse();
}

/** Edges into a disabled step move to the steps before it. */
function without(
  steps: readonly StepDraft[],
  needs: ReadonlyMap<string, readonly string[]>,
  disabled: readonly Disabled[],
): Edges | FileProblem {
  const ids = steps.map((step) => step.id);
  const gone = new Set<string>();
  for (const { id, at } of disabled) {
    const step = steps.find((one) => one.id === id);
    if (step === undefined) return at(noSuchStep(id, ids));
    if (step.says.required === true) return at(`step ${id} is required: it cannot be disabled`);
    gone.add(id);
  }
  for (const { id, says } of steps) {
    if (gone.has(id)) continue;
    for (const key of ['on_reject', 'on_fail', 'about'] as const) {
      const target = says[key];
      const by = disabled.find((one) => one.id === target);
      if (by !== undefined)
        return by.at(`step ${id} goes back to ${by.id} (\`${key}\`): give it another \`${key}\`, or disable it too`);
    }
  }
  const left = steps.filter((step) => !gone.has(step.id));
  if (left.length === 0) return (disabled.at(-1) as Disabled).at('every step is disabled: leave one');
  const passed = new Map(left.map((step) => [step.id, [] as string[]]));
  for (const [id, all] of passed) {
    const open = [...(needs.get(id) ?? [])];
    const seen = new Set<string>();
    for (let need = open.shift(); need !== undefined; need = open.shift()) {
      if (seen.has(need)) continue;
      seen.add(need);
      if (gone.has(need)) open.unshift(...(needs.get(need) ?? []));
      else all.push(need);
    }
  }
  return { type: 'edges', steps: left.map((step) => dropInputs(step, gone)), needs: passed };
}

/** A step that does not run has no answer. */
function dropInputs(step: StepDraft, gone: ReadonlySet<string>): StepDraft {
  const { inputs } = step.says;
  if (inputs === undefined || !inputs.some((id) => gone.has(id))) return step;
  return { ...step, says: { ...step.says, inputs: inputs.filter((id) => !gone.has(id)) } };
}
