/** Finds out how a repository is tested and what it needs for that, from names and a few texts; runs nothing. */
import { detectCargo, detectGo, detectMaven } from './compiled.ts';
import type { Found, Part, SuggestedEnvironment, SuggestedGate } from './found.ts';
import { detectNode } from './node.ts';
import { detectPlain } from './plain.ts';
import { detectPython } from './python.ts';

export type Suggestion = {
  readonly gates: readonly (SuggestedGate & { readonly name: string })[];
  readonly environment: SuggestedEnvironment | null;
  readonly notes: readonly string[];
};

const TOOL_CHAINS = [detectNode, detectPython, detectGo, detectCargo, detectMaven];

export function detect(found: Found): Suggestion {
  const chains = TOOL_CHAINS.flatMap((look) => look(found) ?? []);
  const plain = chains.some((part) => part.gate !== null) ? null : detectPlain(found);
  const parts = plain === null ? chains : [plain, ...chains];
  const tested = parts.flatMap(({ tool, gate }) => (gate === null ? [] : [{ tool, gate }]));
  return {
    // The first is simply `tests`: the name whose time-out is made for tests.
    gates: tested.map(({ tool, gate }, n) => ({ name: n === 0 ? 'tests' : `tests-${tool}`, ...gate })),
    environment: joined(parts),
    notes: parts.flatMap((part) => part.notes),
  };
}

/** A project has one environment: several tool chains are prepared one after the other. */
function joined(parts: readonly Part[]): SuggestedEnvironment | null {
  const all = parts.flatMap(({ environment }) => (environment === null ? [] : [environment]));
  if (all.length === 0) return null;
  return {
    prepare: all.map((one) => one.prepare).join(' && '),
    key: all.flatMap((one) => one.key),
    outputs: all.flatMap((one) => one.outputs),
    env: Object.assign({}, ...all.map((one) => one.env)),
    reason: all.map((one) => one.reason).join('; '),
  };
}
