/** What a process and its starter say to each other. */
import type { Piped, PipeResult } from './pipe.ts';
import type { RunOptions, RunResult } from './run.ts';

/** A signal can not be sent. */
export type Run = readonly [command: string, args: readonly string[], options: Omit<RunOptions, 'signal'>];
export type Pipe = readonly [
  first: Piped,
  second: Piped,
  options: { readonly input: string; readonly timeoutMs: number },
];

export type Ask = { readonly id: number } & ({ readonly run: Run } | { readonly pipe: Pipe });

export type Result = RunResult | PipeResult;
export type Answer = { readonly id: number } & ({ readonly result: Result } | { readonly failed: string });

/** Said first: it listens. */
export const READY = 'ready';
