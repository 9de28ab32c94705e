import type { WorkerOptions } from './options.ts';

/** The named variables that the operator has set. */
export const givenVariables = (names: readonly string[], { env }: Pick<WorkerOptions, 'env'>): Record<string, string> =>
  Object.fromEntries(
    names.flatMap((one) => {
      const value = env(one);
      return value === undefined ? [] : [[one, value]];
    }),
  );
