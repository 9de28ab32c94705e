/** Reports of tests that are read, as files that a runner writes. */
export const REPORT_FORMATS = ['junit', 'tap', 'vitest', 'jest', 'go'] as const;
