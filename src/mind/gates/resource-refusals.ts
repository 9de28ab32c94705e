/** Messages of systems and runtimes that a program was refused a process, memory, space or a descriptor. */

const WORDS = new RegExp(
  [
    // Shells, and the system's messages for EAGAIN; Python, Go, Java.
    'cannot fork|resource temporarily unavailable|can.t start new thread|failed to create new OS thread',
    'unable to create (?:new )?native thread|pthread_create failed',
    'cannot allocate memory|out of memory|OutOfMemoryError|MemoryError|bad_alloc|memory allocation of \\d+ bytes failed',
    'no space left on device|disk quota exceeded|too many open files',
    // Also the sandbox's answer for memory that it could not count (sandbox/seccomp.ts).
    'function not implemented',
    '\\b(?:EAGAIN|ENOMEM|ENOSPC|EMFILE|ENFILE|ENOSYS)\\b',
  ].join('|'),
  'i',
);

/**
 * The first such message, or null. A program may print it for any reason, so it never decides a gate's result: it only
 * keeps a red result out of the cache, and a base with it from excusing anything.
 */
export function limitWords(output: string): string | null {
  return WORDS.exec(output)?.[0] ?? null;
}
