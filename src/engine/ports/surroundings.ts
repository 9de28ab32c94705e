/** The small ports around the engine: time, randomness, redaction, anchors, failpoints, the application log. */
import type { ProjectId } from '../../kernel/ids.ts';
import type { Head } from './store.ts';

export interface Clock {
  /** Milliseconds since 1970. Never runs backwards, and ignores jumps of the wall clock while the process lives. */
  now(): number;
  /** Calls back once after `ms`, however long that is; returns a function that cancels it. */
  after(ms: number, callback: () => void): () => void;
}

export interface Chance {
  /** A number in [0, 1). */
  dice(): number;
  /** A new id with this prefix. */
  id(prefix: string): string;
}

/** Redacts texts; returns a list of the same length and order. `paths`: the files they come from, if any. */
export type Redact = (texts: readonly string[], paths?: readonly string[]) => Promise<readonly string[]>;

/** Keeps the head of the log where an edit of the log does not reach. */
export interface Anchor {
  /** Called after each append, so it has to be cheap. */
  committed(project: ProjectId, head: Head): void;
  /** Called at the end of a task and on stop. */
  rested(project: ProjectId, head: Head): Promise<void>;
  /** The newest head that was kept, or null. A log that does not reach it was cut or replaced. */
  newest(project: ProjectId): Promise<Pick<Head, 'seq' | 'hash'> | null>;
}

/** The share of the machine's memory in use, from 0 to 1; null if unknown. */
export type MemoryUse = () => number | null;

/** A place where tests stop the process; does nothing otherwise. */
export type Failpoint = (name: string) => void | Promise<void>;

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';
export type AppLog = (level: LogLevel, message: string, facts?: Readonly<Record<string, unknown>>) => void;
