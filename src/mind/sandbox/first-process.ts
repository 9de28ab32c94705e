/**
 * The first process inside: where its shell lies, and what it is told in variables of its own. Those are exact, whatever a
 * word holds, and on no command line.
 */

/**
 * An execute-only copy of a shell. The kernel lets nobody inside look into a process that runs a program which that user
 * may not read: no memory, no descriptors, no ptrace. Else a program could change the exit code that is reported for it.
 */
export const FIRST_DIR = '/run/supervisor/first';
export const FIRST_SHELL = `${FIRST_DIR}/sh`;

/** What to do where the first process says that programs inside can reach it. */
export const REACHED_FIX =
  'this kernel does not close the memory of a process that runs an execute-only program, as every Linux does: run Supervisor on Linux itself, not on an emulation of it';

/** No policy may name such a variable. */
export const FIRST_PREFIX = 'SANDBOX_FIRST_';

type FirstTold = {
  readonly argv: readonly string[];
  /**
   * For the program alone. The first process must not start with it: LD_PRELOAD or LD_LIBRARY_PATH would load code of the
   * workspace into it.
   */
  readonly env: Readonly<Record<string, string>>;
  /** Limits that it sets on itself; null where a control group does it. */
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
