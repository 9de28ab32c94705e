/** The name of an environment: everything that decides the result of a preparation, and nothing else. */
import { sha256 } from '../../kernel/hash.ts';
import { canonicalJson } from '../../kernel/json.ts';
import type { EnvironmentPlan } from './plan.ts';

/** Raised when the form of stored environments changes: then everything is prepared again. */
const FORMAT = 2;

/** The key of a project without an environment. */
const NO_ENVIRONMENT = 'none';

type KeyFacts = {
  readonly plan: EnvironmentPlan;
  /** Each key file in the plan's order: its mode and its text without the project's own version; null if missing. */
  readonly files: readonly (string | null)[];
  /** Which programs do the work: another node or python may need other files. */
  readonly tools: readonly string[];
};

export function environmentKey({ plan, files, tools }: KeyFacts): string {
  if (plan.prepare === null && Object.keys(plan.env).length === 0) return NO_ENVIRONMENT;
  const keyFiles = plan.keyFiles.map((path, index) => [path, files[index] ?? null]);
  return sha256(canonicalJson({ format: FORMAT, plan, keyFiles, tools })).slice(0, 40);
}
