/** What the first process inside is told, in variables of its own: exact, whatever a word holds, and on no command line. */

/** No policy may name such a variable. */
export const FIRST_PREFIX = 'SANDBOX_FIRST_';

/** The limits are those that it sets on itself; null where a control group does it. */
export function firstVariables(
  argv: readonly string[],
  limits: { readonly processes: number | null; readonly dataKib: number | null },
): Record<string, string> {
  return {
    [`${FIRST_PREFIX}PROCESSES`]: `${limits.processes ?? '-'}`,
    [`${FIRST_PREFIX}DATA`]: `${limits.dataKib ?? '-'}`,
    [`${FIRST_PREFIX}COUNT`]: `${argv.length}`,
    ...Object.fromEntries(argv.map((word, index) => [`${FIRST_PREFIX}${index}`, word])),
  };
}
