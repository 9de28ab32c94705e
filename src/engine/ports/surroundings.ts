/** The small ports around the engine: time, chance, secrets, anchors, failpoints, the application log. */
import type { ProjectId } from '../../kernel/ids.ts';
import type { Head } from './store.ts';

export interface Clock {
  /** Milliseconds since 1970. Never runs backwards and does not follow jumps of the wall clock while the process lives. */
  now(): number;
  /** Calls back once after `ms`, however long that is; returns a way to call it off. */
  after(ms: number, callback: () => void): () => void;
}

export interface Chance {
  /** A number in [0, 1). */
  dice(): number;
  /** A new id with this prefix. */
  id(prefix: string): string;
}

/** Takes secrets out of texts; same order, same length of list. `paths`: the files they come from, where they do. */
export type Redact = (texts: readonly string[], paths?: readonly string[]) => Promise<readonly string[]>;

/** Keeps the head of the log where an edit of the log does not reach. */
export interface Anchor {
  /** After each append: cheap. */
  committed(project: ProjectId, head: Head): void;
  /** At the end of a task and on stop. */
  rested(project: ProjectId, head: Head): Promise<void>;
  /** The newest head that was kept, or null: a log that does not reach it was cut or exchanged. */
  newest(project: ProjectId): Promise<Pick<Head, 'seq' | 'hash'> | null>;
}

/** The share of the machine's memory that is in use, from 0 to 1. Null: not known. */
export type MemoryUse = () => number | null;

/** A place where tests stop the world; does nothing in real life. */
export type Failpoint = (name: string) => void | Promise<void>;

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';
export type AppLog = (level: LogLevel, message: string, facts?: Readonly<Record<string, unknown>>) => void;
