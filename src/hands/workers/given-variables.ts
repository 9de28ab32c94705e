import type { WorkerOptions } from './options.ts';

/** Those of the operator's variables that are there. */
export const givenVariables = (names: readonly string[], { env }: Pick<WorkerOptions, 'env'>): Record<string, string> =>
  Object.fromEntries(
    names.flatMap((one) => {
      const value = env(one);
      return value === undefined ? [] : [[one, value]];
    }),
  );
