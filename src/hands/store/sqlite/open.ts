/** Opens (or makes) the database file with the settings that durability needs. */
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StoreError, THIS_HOST } from '../../../engine/ports/store.ts';
import { addBoundary } from './boundaries.ts';
import { migrate, type RowsFrom } from './migrate.ts';
import { Damage } from './rows.ts';

/** Raised with every change of the tables or of a projection row's content: a log with a lower version is migrated. */
const SCHEMA_VERSION = 3;
/** "SUPV": tells other tools that this file is Supervisor's. */
const APPLICATION_ID = 0x53555056;
/** WAL-reset bug: before this version two connections that write and checkpoint could corrupt the file. */
const SAFE_SQLITE = [3, 51, 3] as const;

/** An older version wrote the log: it can be opened once its migration is known. */
export class OlderLog extends Error {
  override readonly name = 'OlderLog';
}

/** @param rowsFrom makes projection rows from events during a migration; null: use the old summaries */
export function openDatabase(file: string, readOnly: boolean, rowsFrom?: RowsFrom | null): DatabaseSync {
  refuseUnsafeLibrary();
  if (readOnly && !existsSync(file)) throw noLog(file);
  if (!readOnly) makeFile(file);
  refuseNetworkDisk(file);
  const db = new DatabaseSync(file, { readOnly, timeout: 5 });
  try {
    const marks = marksIn(db, file);
    if (marks === 'none' && readOnly) throw noLog(file);
    if (marks === 'older' && rowsFrom === undefined) throw new OlderLog();
    // Only a writer can migrate it.
    if (marks === 'older' && readOnly) openDatabase(file, false, rowsFrom).close();
    db.exec('PRAGMA cell_size_check=ON; PRAGMA mmap_size=0; PRAGMA trusted_schema=OFF;');
    // Only before the first table: later it would write to the file each time.
    if (marks === 'none') db.exec('PRAGMA auto_vacuum=INCREMENTAL;');
    // FULL makes each commit wait for the disk.
    if (!readOnly) {
      db.exec(
        'PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA journal_size_limit=16777216; PRAGMA secure_delete=FAST;',
      );
      if (marks !== 'current') makeCurrent(db, file, rowsFrom ?? null);
    }
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/**
 * Rolls back what a process that was killed while it made the log had begun. After that the log has a WAL, and any
 * process can read it.
 */
export function takeBack(file: string): void {
  const db = new DatabaseSync(file, { timeout: 5 });
  try {
    marksIn(db, file);
  } finally {
    db.close();
  }
}

/** `none`: nothing was written to the file yet. `older`: this version can migrate it. */
type Marks = 'none' | 'older' | 'current';

/** Reads the file in one transaction: another process may be making the log at this moment. */
function marksIn(db: DatabaseSync, file: string): Marks {
  db.exec('BEGIN');
  try {
    return checkMarks(db, file);
  } finally {
    // A full disk may have ended it already.
    if (db.isTransaction) db.exec('ROLLBACK');
  }
}

/** Throws for a file that is not ours. */
function checkMarks(db: DatabaseSync, file: string): Marks {
  const number = (sql: string) => Number(Object.values(db.prepare(sql).get() ?? {})[0]);
  const version = number('PRAGMA user_version');
  if (version > SCHEMA_VERSION) {
    throw new StoreError(
      'unsupported',
      `the log ${file} was written by a newer Supervisor (schema ${version}, this one knows ${SCHEMA_VERSION}): upgrade this one`,
    );
  }
  if (version > 0 && number('PRAGMA application_id') === APPLICATION_ID)
    return version === SCHEMA_VERSION ? 'current' : 'older';
  if (number('SELECT count(*) FROM sqlite_schema') > 0) throw new Damage('it is not marked as a log of Supervisor');
  return 'none';
}

/** Makes a new log, or migrates an older one, in one transaction: a crash leaves what was there before. */
function makeCurrent(db: DatabaseSync, file: string, rowsFrom: RowsFrom | null): void {
  db.exec('BEGIN IMMEDIATE');
  // Another process may have done it while we waited.
  const marks = checkMarks(db, file);
  if (marks === 'none') {
    db.exec(schema());
    addBoundary(db, THIS_HOST, '', null);
    db.exec(`PRAGMA application_id=${APPLICATION_ID};`);
  }
  if (marks === 'older') migrate(db, schema(), rowsFrom);
  if (marks !== 'current') db.exec(`PRAGMA user_version=${SCHEMA_VERSION};`);
  db.exec('COMMIT');
}

function noLog(file: string): StoreError {
  return new StoreError('absent', `there is no log at ${file} yet: \`supervisor run\` makes one`);
}

/** Beside this file in the source tree, in `sql/` in the published bundle. */
function schema(): string {
  const beside = new URL('./schema.sql', import.meta.url);
  return readFileSync(existsSync(beside) ? beside : new URL('./sql/schema.sql', import.meta.url), 'utf8');
}

function makeFile(file: string): void {
  // 0711: an unprivileged sandbox may pass through to what is mounted for it, but sees no names; the log itself is
  // 0600.
  const made = makeDirectory(dirname(file));
  closeSync(openSync(file, 'a', 0o600));
  // SQLite syncs the file's directory; the ones above are ours to sync, or a power loss loses the log with them.
  if (made !== undefined)
    for (let dir = dirname(file); dir.length >= made.length; dir = dirname(dir)) syncDirectory(dirname(dir));
}

/** Creates level by level (Node's own recursion never ends in /proc); returns the topmost new directory. */
function makeDirectory(dir: string): string | undefined {
  if (existsSync(dir)) return undefined;
  const above = makeDirectory(dirname(dir));
  try {
    mkdirSync(dir, { mode: 0o711 });
  } catch (error) {
    // Another process made it at the same moment.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !existsSync(dir)) throw error;
  }
  return above ?? dir;
}

function syncDirectory(dir: string): void {
  const fd = openSync(dir, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function refuseUnsafeLibrary(): void {
  const have = (process.versions.sqlite ?? '0').split('.').map(Number);
  for (const [n, need] of SAFE_SQLITE.entries()) {
    if ((have[n] ?? 0) > need) return;
    if ((have[n] ?? 0) < need) {
      throw new StoreError(
        'unsupported',
        `SQLite ${process.versions.sqlite} can corrupt a log (need ${SAFE_SQLITE.join('.')}): use Node 24.15 or newer`,
      );
    }
  }
}

/** WAL needs memory shared by all processes: a network disk corrupts it. */
const NETWORK_DISKS: Readonly<Record<number, string>> = {
  26985: 'NFS',
  20859: 'SMB',
  4283649346: 'CIFS',
  4266872130: 'SMB2',
  16914839: '9p',
};

/** The kind of network disk, by its number in statfs(2); undefined for a local one. */
export function networkDisk(type: number): string | undefined {
  // Some of these numbers do not fit into 31 bits and are negative on some systems.
  return NETWORK_DISKS[type >>> 0];
}

function refuseNetworkDisk(file: string): void {
  const kind = networkDisk(statfsSync(dirname(file)).type);
  if (kind !== undefined) {
    throw new StoreError(
      'unsupported',
      `the log ${file} is on a network disk (${kind}), where SQLite loses data: set SUPERVISOR_HOME to a local directory`,
    );
  }
}
