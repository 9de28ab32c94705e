/** The name of an environment: everything that decides what a preparation yields, and nothing else. */
import { sha256 } from '../../kernel/hash.ts';
import { canonicalJson } from '../../kernel/json.ts';
import type { EnvironmentPlan } from './plan.ts';

/** Counted up when what is kept under a key changes its form: then everything is prepared anew. */
const FORMAT = 2;

/** A project without an environment has this key. */
const NO_ENVIRONMENT = 'none';

type KeyFacts = {
  readonly plan: EnvironmentPlan;
  /**
   * Each key file, in the order of the plan: its mode and what it says but for the project's own version, or null where
   * there is nothing.
   */
  readonly files: readonly (string | null)[];
  /** Which programs do the work: another node or python may need other files. */
  readonly tools: readonly string[];
};

export function environmentKey({ plan, files, tools }: KeyFacts): string {
  if (plan.prepare === null && Object.keys(plan.env).length === 0) return NO_ENVIRONMENT;
  const keyFiles = plan.keyFiles.map((path, index) => [path, files[index] ?? null]);
  return sha256(canonicalJson({ format: FORMAT, plan, keyFiles, tools })).slice(0, 40);
}
