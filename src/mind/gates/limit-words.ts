/** Words by which systems and runtimes say that a program was refused a process, memory, space or a descriptor. */

const WORDS = new RegExp(
  [
    // Shells, and the system's own words for EAGAIN; Python, Go, Java.
    'cannot fork|resource temporarily unavailable|can.t start new thread|failed to create new OS thread',
    'unable to create (?:new )?native thread|pthread_create failed',
    'cannot allocate memory|out of memory|OutOfMemoryError|MemoryError|bad_alloc|memory allocation of \\d+ bytes failed',
    'no space left on device|disk quota exceeded|too many open files',
    // Also what the sandbox answers for memory that it could not count (sandbox/seccomp.ts).
    'function not implemented',
    '\\b(?:EAGAIN|ENOMEM|ENOSPC|EMFILE|ENFILE|ENOSYS)\\b',
  ].join('|'),
  'i',
);

/**
 * The first such words, or null. A program may print them for any reason, so they never decide what a gate says: they only
 * keep its red from being remembered, and a base that says them from excusing anything.
 */
export function limitWords(output: string): string | null {
  return WORDS.exec(output)?.[0] ?? null;
}
