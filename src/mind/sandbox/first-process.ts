/**
 * The first process inside: where its shell is, and the variables it receives. Those are exact, whatever a word
 * contains, and on no command line.
 */

/**
 * An execute-only copy of a shell. The kernel lets nobody inside inspect a process whose program that user may not
 * read: no memory, no descriptors, no ptrace. Otherwise a program could change the exit code that is reported for it.
 */
export const FIRST_DIR = '/run/supervisor/first';
export const FIRST_SHELL = `${FIRST_DIR}/sh`;

/** What to do if the first process says that programs inside can reach it. */
export const REACHED_FIX =
  'this kernel does not close the memory of a process that runs an execute-only program, as every Linux does: run Supervisor on Linux itself, not on an emulation of it';

/** No policy may name such a variable. */
export const FIRST_PREFIX = 'SANDBOX_FIRST_';

type FirstTold = {
  readonly argv: readonly string[];
  /**
   * Only for the program. The first process must not start with it: LD_PRELOAD or LD_LIBRARY_PATH would load code of
   * the workspace into it.
   */
  readonly env: Readonly<Record<string, string>>;
  /** Limits that it sets on itself; null if a control group does. */
  readonly limits: { readonly processes: number | null; readonly dataKib: number | null };
};

export function firstVariables({ argv, env, limits }: FirstTold): Record<string, string> {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  return {
    [`${FIRST_PREFIX}PROCESSES`]: `${limits.processes ?? '-'}`,
    [`${FIRST_PREFIX}DATA`]: `${limits.dataKib ?? '-'}`,
    [`${FIRST_PREFIX}COUNT`]: `${argv.length}`,
    [`${FIRST_PREFIX}VARIABLES`]: `${variables.length}`,
    ...Object.fromEntries(argv.map((word, index) => [`${FIRST_PREFIX}${index}`, word])),
    ...Object.fromEntries(variables.map((text, index) => [`${FIRST_PREFIX}V${index}`, text])),
  };
}
