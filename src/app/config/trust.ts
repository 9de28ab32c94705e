/** Which `.supervisor/` contents the operator has trusted; stored outside every repository. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '../../kernel/hash.ts';
import type { ProjectId } from '../../kernel/ids.ts';
import { writePrivateFile } from '../../os/files/private-file.ts';
import { type Environment, EnvironmentError } from './environment.ts';
import { type ProjectFiles, readProjectFiles } from './project-files.ts';
import { TrustNeeded } from './trust-needed.ts';

/** A project, and the checkout whose `.supervisor/` counts: the operator's, never a worker's. */
export type ProjectPlace = { readonly id: ProjectId; readonly top: string };

export type TrustState =
  | { readonly type: 'none' }
  | { readonly type: 'trusted'; readonly files: ProjectFiles }
  | {
      readonly type: 'untrusted';
      readonly files: ProjectFiles;
      /** Other content was trusted before: when, and which files are new, changed or gone since. */
      readonly before: { readonly at: string; readonly changed: readonly string[] } | null;
    };

/** Branches and worktrees have different contents; this many are remembered for each project. */
const MAX_REMEMBERED = 50;

type Trusted = { readonly hash: string; readonly at: string; readonly files: Readonly<Record<string, string>> };

/** Reads the files once, so that a caller who goes on with `files` uses exactly what was compared. */
export function trustState(environment: Environment, { id, top }: ProjectPlace): TrustState {
  const files = readProjectFiles(environment, top);
  return files === null ? { type: 'none' } : compareTrust(environment, id, files);
}

export function compareTrust(environment: Environment, id: ProjectId, files: ProjectFiles): TrustState {
  const trusted = remembered(environment, id);
  if (trusted.some((one) => one.hash === files.hash)) return { type: 'trusted', files };
  const last = trusted.at(-1);
  return {
    type: 'untrusted',
    files,
    before: last === undefined ? null : { at: last.at, changed: differences(last.files, hashes(files)) },
  };
}

export function trustNeeded(state: Extract<TrustState, { type: 'untrusted' }>): TrustNeeded {
  const what = state.before === null ? 'is not trusted yet' : 'has changed since it was trusted';
  return new TrustNeeded(
    `${state.files.folder} ${what}: \`supervisor trust\` shows what it asks for and accepts it (nothing was started)`,
  );
}

/** Trusts exactly the content that was read and shown, not what is on disk by now. */
export function trust(environment: Environment, id: ProjectId, files: ProjectFiles, at: Date): void {
  const rest = remembered(environment, id).filter((one) => one.hash !== files.hash);
  const trusted = [...rest, { hash: files.hash, at: at.toISOString(), files: hashes(files) }].slice(-MAX_REMEMBERED);
  try {
    writePrivateFile(recordFile(environment, id), `${JSON.stringify({ version: 1, trusted }, null, 2)}\n`);
  } catch (error) {
    throw new EnvironmentError(
      `your trust cannot be saved: ${(error as Error).message}: make that directory writable, or set SUPERVISOR_HOME to one that is`,
    );
  }
}

const recordFile = ({ stateDir }: Environment, id: ProjectId): string => join(stateDir, 'trust', `${id}.json`);

const hashes = ({ contents }: ProjectFiles): Record<string, string> =>
  Object.fromEntries([...contents].map(([name, bytes]) => [name, sha256(bytes)]));

function differences(before: Readonly<Record<string, string>>, now: Readonly<Record<string, string>>): string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])].sort();
  return names.filter((name) => before[name] !== now[name]);
}

/** A record that cannot be read or parsed trusts nothing. */
function remembered(environment: Environment, id: ProjectId): Trusted[] {
  let text: string;
  try {
    text = readFileSync(recordFile(environment, id), 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw new EnvironmentError(`${recordFile(environment, id)}: cannot be read (${code})`);
  }
  try {
    const record = JSON.parse(text) as { version?: unknown; trusted?: unknown };
    return record.version === 1 && Array.isArray(record.trusted) ? record.trusted.filter(isTrusted) : [];
  } catch {
    return [];
  }
}

function isTrusted(value: unknown): value is Trusted {
  const one = value as Partial<Trusted> | null;
  return (
    typeof one === 'object' &&
    typeof one?.hash === 'string' &&
    /^[0-9a-f]{64}$/.test(one.hash) &&
    typeof one.at === 'string' &&
    typeof one.files === 'object' &&
    one.files !== null
  );
}
