/** `gates:` of a config file: what a project's checks run, how long they may take, and what their failure means. */
import * as v from 'valibot';
import type { Spec } from '../domain/values.ts';
import { command, duration, name } from '../fields/fields.ts';

export const gateConfig = v.strictObject({
  name,
  command,
  /** Milliseconds; by the gate's name when absent. */
  timeout: v.optional(duration),
  blocking: v.optional(v.boolean(), true),
  weight: v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(100)), 1),
  on_fail: v.optional(v.picklist(['retry', 'escalate']), 'retry'),
  /** How its output names failed tests; without it, red stays red whatever failed before. */
  ids: v.optional(v.picklist(['tap', 'pytest', 'unittest', 'vitest', 'jest', 'go', 'cargo'])),
});
export type GateConfig = v.InferOutput<typeof gateConfig>;

const TIMEOUTS: Readonly<Record<string, number>> = {
  syntax: 30_000,
  tests: 300_000,
  security: 180_000,
  coverage: 300_000,
  review: 180_000,
};

export const gateTimeout = (gate: Pick<GateConfig, 'name' | 'timeout'>): number =>
  gate.timeout ?? TIMEOUTS[gate.name] ?? 300_000;

/** The project's gates and those that a role or the operator brings for one task; a later one beats those of its name before. */
export function withOwnGates(gates: readonly GateConfig[], own: Readonly<NonNullable<Spec['gates']>>): GateConfig[] {
  const usual = { blocking: true, weight: 1, on_fail: 'retry' } as const;
  const all = [...gates, ...own.map((gate) => ({ ...usual, ...gate }) as GateConfig)];
  return [...new Map(all.map((gate) => [gate.name, gate])).values()];
}
