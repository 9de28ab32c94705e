/**
 * One connection to the log: transactions that wait for others without blocking this process, and a watch for their
 * writes.
 */
import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { StoreError } from '../../../engine/ports/store.ts';
import { isBusy, isForeignSchema, isUnfinished, translated } from './errors.ts';
import type { RowsFrom } from './migrate.ts';
import { OlderLog, openDatabase, takeBack } from './open.ts';
import { Damage } from './rows.ts';
import { prepare, type Statements } from './statements.ts';

export type ConnectionOptions = {
  readonly file: string;
  /** How long to wait for another process's lock before giving up. */
  readonly patienceMs?: number;
  readonly readOnly?: boolean;
  /** Loads the function that makes projection rows from events; only a log of an older version needs it, once. */
  readonly rowsFrom?: () => Promise<RowsFrom>;
};

/** How often the file is polled for writes of other processes: 3 us each (measured 2026-11), noticed within 50 ms. */
const POLL_MS = 15;

export class Connection {
  readonly db: DatabaseSync;
  readonly sql: Statements;
  readonly #options: ConnectionOptions;
  readonly #watching = new Set<() => void>();
  readonly #inode: number;

  private constructor(options: ConnectionOptions, db: DatabaseSync) {
    this.#options = options;
    this.db = db;
    this.sql = prepare(db);
    this.#inode = inodeOf(options.file);
  }

  static async open(options: ConnectionOptions): Promise<Connection> {
    try {
      return await Connection.#open(options);
    } catch (error) {
      if (!(error instanceof OlderLog)) throw error;
      return Connection.#open(options, (await options.rowsFrom?.()) ?? null);
    }
  }

  static #open(options: ConnectionOptions, rowsFrom?: RowsFrom | null): Promise<Connection> {
    return patiently(options, () => {
      let db: DatabaseSync | undefined;
      try {
        db = opened(options, rowsFrom);
        return new Connection(options, db);
      } catch (error) {
        db?.close();
        throw isForeignSchema(error) ? new Damage((error as Error).message, { cause: error }) : error;
      }
    });
  }

  /** One statement, or several if writes of other processes between them do not matter. */
  read<T>(work: () => T): Promise<T> {
    return patiently(this.#options, work);
  }

  /**
   * Several statements on one consistent state: otherwise another process's append between two of them looks like
   * damage.
   */
  readWhole<T>(work: () => T): Promise<T> {
    return patiently(this.#options, () => {
      this.sql.beginRead.run();
      try {
        return work();
      } finally {
        if (this.db.isTransaction) this.sql.commit.run();
      }
    });
  }

  /** One write transaction; durable when this resolves. */
  write<T>(work: () => T): Promise<T> {
    return patiently(this.#options, () => {
      this.#refuseGhost();
      this.sql.begin.run();
      try {
        const result = work();
        this.sql.commit.run();
        return result;
      } catch (error) {
        // A full disk may have caused a rollback already.
        if (this.db.isTransaction) this.sql.rollback.run();
        throw error;
      }
    });
  }

  /** SQLite keeps writing to a deleted file, and that data is lost. */
  #refuseGhost(): void {
    const { file } = this.#options;
    if (inodeOf(file) === this.#inode) return;
    throw new StoreError(
      'io',
      `the log ${file} was removed or replaced while it was in use: nothing more is written. Put it back, then go on`,
    );
  }

  /** Calls back soon after another connection wrote. */
  watch(onChange: () => void): { close(): void } {
    let seen = this.#dataVersion();
    const poll = setInterval(() => {
      const version = this.#dataVersion();
      if (version === seen) return;
      seen = version;
      onChange();
    }, POLL_MS);
    const close = () => {
      clearInterval(poll);
      this.#watching.delete(close);
    };
    this.#watching.add(close);
    return { close };
  }

  close(): void {
    for (const close of this.#watching) close();
    if (this.db.isOpen) this.db.close();
  }

  /** Also changes if the query failed: the callback then reads and meets the error itself. */
  #dataVersion(): number | undefined {
    try {
      return this.sql.dataVersion.get()?.data_version;
    } catch {
      return undefined;
    }
  }
}

function opened({ file, readOnly = false }: ConnectionOptions, rowsFrom?: RowsFrom | null): DatabaseSync {
  try {
    return openDatabase(file, readOnly, rowsFrom);
  } catch (error) {
    if (!isUnfinished(error)) throw error;
    takeBack(file);
    return openDatabase(file, readOnly, rowsFrom);
  }
}

const inodeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.ino ?? 0;

async function patiently<T>({ file, patienceMs = 10_000 }: ConnectionOptions, work: () => T): Promise<T> {
  const patience = performance.now() + patienceMs;
  for (let wait = 2; ; wait = Math.min(wait * 2, 50)) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || performance.now() > patience) throw translated(error, file);
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }
}
