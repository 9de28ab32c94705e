/** Opens (or makes) the database file with the settings that durability rests on. */
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StoreError } from '../../../engine/ports/store.ts';
import { GENESIS } from '../../../kernel/hash.ts';

export const SCHEMA_VERSION = 1;
/** "SUPV": tells other tools whose file this is. */
const APPLICATION_ID = 0x53555056;
/** WAL-reset bug: two connections that write and checkpoint could corrupt the file before this version. */
const SAFE_SQLITE = [3, 51, 3] as const;

export function openDatabase(file: string, readOnly: boolean): DatabaseSync {
  refuseUnsafeLibrary();
  if (readOnly && !existsSync(file)) throw new StoreError('io', `there is no log at ${file} yet: \`supervisor run\` makes one`);
  if (!readOnly) makeFile(file);
  refuseNetworkDisk(file);
  const db = new DatabaseSync(file, { readOnly, timeout: 5 });
  try {
    if (!readOnly) {
      // auto_vacuum must be set before the first table; FULL makes each commit wait for the disk.
      db.exec('PRAGMA auto_vacuum=INCREMENTAL; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA journal_size_limit=16777216;');
    }
    db.exec('PRAGMA cell_size_check=ON; PRAGMA mmap_size=0;');
    migrate(db, file, readOnly);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function migrate(db: DatabaseSync, file: string, readOnly: boolean): void {
  const version = Number(db.prepare('PRAGMA user_version').get()?.user_version);
  if (version > SCHEMA_VERSION) {
    throw new StoreError('unsupported', `the log ${file} was written by a newer Supervisor (schema ${version}, this one knows ${SCHEMA_VERSION}): upgrade this one`);
  }
  if (version === SCHEMA_VERSION || readOnly) return;
  db.exec('BEGIN IMMEDIATE');
  db.exec(schema());
  db.prepare("INSERT OR IGNORE INTO boundary (name, path, hash) VALUES ('host', '', ?)").run(Buffer.from(GENESIS, 'hex'));
  db.exec(`PRAGMA application_id=${APPLICATION_ID}; PRAGMA user_version=${SCHEMA_VERSION}; COMMIT`);
}

/** Beside this file in the source tree, in `sql/` in the published bundle. */
function schema(): string {
  const beside = new URL('./schema.sql', import.meta.url);
  return readFileSync(existsSync(beside) ? beside : new URL('./sql/schema.sql', import.meta.url), 'utf8');
}

function makeFile(file: string): void {
  // 0711: an unprivileged sandbox may pass through to what is bound for it, but sees no names; the log itself is 0600.
  mkdirSync(dirname(file), { recursive: true, mode: 0o711 });
  closeSync(openSync(file, 'a', 0o600));
}

function refuseUnsafeLibrary(): void {
  const have = (process.versions.sqlite ?? '0').split('.').map(Number);
  for (const [n, need] of SAFE_SQLITE.entries()) {
    if ((have[n] ?? 0) > need) return;
    if ((have[n] ?? 0) < need) {
      throw new StoreError('unsupported', `SQLite ${process.versions.sqlite} can corrupt a log (need ${SAFE_SQLITE.join('.')}): use Node 24.15 or newer`);
    }
  }
}

/** WAL needs shared memory between all processes: a network disk corrupts it. */
const NETWORK_DISKS: Readonly<Record<number, string>> = { 0x6969: 'NFS', 0x517b: 'SMB', 0xff534d42: 'CIFS', 0xfe534d42: 'SMB2', 0x01021997: '9p' };

function refuseNetworkDisk(file: string): void {
  const kind = NETWORK_DISKS[statfsSync(dirname(file)).type];
  if (kind !== undefined) {
    throw new StoreError('unsupported', `the log ${file} is on a network disk (${kind}), where SQLite loses data: set SUPERVISOR_HOME to a local directory`);
  }
}
