/** Which programs would do a preparation: when another version stands there, what was prepared with the old one is not used. */
import { realpathSync, statSync } from 'node:fs';
import { findProgram } from '../../os/machine/tool-chains.ts';
import type { Tools } from './prepare.ts';

/** What installed packages are bound to. */
const RUNTIMES = ['node', 'python3', 'python', 'ruby', 'php', 'java', 'go', 'rustc', 'cargo', 'deno', 'bun'];

/** By real path and size: a time would change with every refresh of a version manager's stand-ins. */
export function toolFacts(tools: Tools, prepare: readonly string[] | null): string[] {
  if (prepare === null) return [];
  const names = [...RUNTIMES, ...prepare.slice(0, 1)];
  const programs = names.flatMap((name) => {
    const found = findProgram(name, tools.path.join(':'));
    if (found === null) return [];
    const real = realpathSync(found);
    return [`${name} ${real} ${statSync(real).size}`];
  });
  return [...programs, ...(tools.identity ?? [])];
}
