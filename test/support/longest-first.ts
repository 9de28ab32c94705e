/**
 * The order of the files: those that take long begin first, so that at the end no processor waits for one of them. Vitest
 * goes by the times of an earlier run; a fresh clone has none, and the size of a file says little here.
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Folders whose files take long, longest first. */
export const LONG = [
  'hostile',
  'crash',
  'scenarios',
  'simulation',
  'clis',
  'real',
  'workers',
  'cli',
  'sandbox',
  'egress',
  'workspace',
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => rank(one) - rank(other));
  }
}

function rank({ moduleId }: TestSpecification): number {
  const folder = /\/test\/([^/]+)\/[^/]*$/.exec(moduleId)?.[1] ?? '';
  const at = LONG.indexOf(folder);
  return at === -1 ? LONG.length : at;
}
