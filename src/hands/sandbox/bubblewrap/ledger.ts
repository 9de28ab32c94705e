/** Writes a note on disk for each run, so that the next Supervisor finds what a killed one left. */
import { createHash, randomBytes } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { ProcessIdentity } from '../../../engine/ports/store.ts';
import { isAlive } from '../../../os/machine/identity.ts';
import { sweepPipes } from '../../../os/process/pipes.ts';
import { killProcess, processesOfUser, processRow } from '../../../os/process/table.ts';
import { isOurs, whileFree } from '../shared/users.ts';
import { endGroups } from './control-group.ts';

export const GROUP_NAME = 'supervisor-sandbox-';

type RunNote = { readonly owner: ProcessIdentity; readonly uid: number | null; readonly groups: readonly string[] };

/** Must be written before a group is made and before the program starts; a sandbox without a program ends by itself. */
export function noteOf(runDir: string, name: string, note: RunNote): Disposable & { write(): void } {
  const path = join(runDir, 'runs', `${name}.json`);
  return {
    write: () => writeFileSync(path, JSON.stringify(note), { mode: 0o600 }),
    [Symbol.dispose]: () => rmSync(path, { force: true }),
  };
}

export function makeRunDir(runDir: string): void {
  mkdirSync(runDir, { recursive: true, mode: 0o711 });
  mkdirSync(join(runDir, 'runs'), { recursive: true, mode: 0o700 });
}

/**
 * Stores small texts without secrets where every user may read them: sandboxes show them instead of host files. They
 * are named by content and shared by all Supervisors; a name appears only with its complete content.
 */
export function keeper(runDir: string): (text: string | Uint8Array) => string {
  const known = new Map<string | Uint8Array, string>();
  return (text) => {
    const old = known.get(text);
    if (old !== undefined) return old;
    const path = join(runDir, 'shown', createHash('sha256').update(text).digest('hex').slice(0, 16));
    mkdirSync(join(runDir, 'shown'), { recursive: true, mode: 0o711 });
    const whole = `${path}.${randomBytes(4).toString('hex')}`;
    writeFileSync(whole, text, { mode: 0o600 });
    // Independent of the umask.
    chmodSync(whole, 0o444);
    renameSync(whole, path);
    known.set(text, path);
    return path;
  };
}

/** Ends and removes what runs of dead owners left; returns how many control groups and processes that were. */
export async function sweepNotes(runDir: string): Promise<number> {
  let removed = 0;
  for (const file of list(join(runDir, 'runs'))) {
    const path = join(runDir, 'runs', file);
    const note = readNote(path);
    if (note === null) {
      // Truncated: its writer was killed while writing and had made nothing yet. The pid is in the name.
      const writer = Number(/^supervisor-sandbox-(\d+)-/.exec(file)?.[1] ?? 0);
      if (processRow(writer) === null) rmSync(path, { force: true });
      continue;
    }
    if (isAlive(note.owner)) continue;
    removed += (await endGroups(note.groups)) + note.groups.length;
    const { uid } = note;
    if (uid !== null) {
      await whileFree(uid, () => {
        const left = processesOfUser(uid);
        for (const pid of left) killProcess(pid);
        removed += left.length;
      });
    }
    rmSync(path, { force: true });
  }
  if (existsSync(runDir)) await sweepPipes(runDir);
  return removed;
}

/** Acts only on what this room can have written: its user ids and its groups. */
function readNote(path: string): RunNote | null {
  try {
    const note = JSON.parse(readFileSync(path, 'utf8')) as RunNote;
    const ours =
      (note.uid === null || isOurs(note.uid)) &&
      note.groups.every((group) => group.startsWith('/') && group.includes(`/${GROUP_NAME}`) && !group.includes('..'));
    return ours && typeof note.owner.pid === 'number' ? note : null;
  } catch {
    return null;
  }
}

function list(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch {
    return [];
  }
}
