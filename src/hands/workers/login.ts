/** A CLI's own login, copied for one attempt: only the credential files, read when needed. */
import { readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Login } from '../../mind/workers/adapter.ts';
import type { WorkerOptions } from './options.ts';

export type LoginFile = {
  /** Relative to the config directory. */
  readonly path: string;
  readonly text: string;
  /** Tokens in it, which must not get into a transcript. */
  readonly secrets: readonly string[];
};

const MAX_BYTES = 1 << 20;

/** Returns null if there is no login, or only part of one. */
export function loginFiles(
  { files }: Login,
  { env, home }: Pick<WorkerOptions, 'env' | 'home'>,
): readonly LoginFile[] | null {
  const found: LoginFile[] = [];
  for (const { home: relative, variable, inside } of files) {
    const named = variable === null ? undefined : env(variable);
    // The variable names the directory that is otherwise hidden in the home, or a home of its own.
    const places = named
      ? [join(named, basename(relative)), join(named, relative)]
      : home === null
        ? []
        : [join(home, relative)];
    const text = places.map(readSmall).find((one) => one !== null) ?? null;
    if (text === null) return null;
    found.push({ path: inside, text, secrets: tokensIn(text) });
  }
  return found.length === 0 ? null : found;
}

function readSmall(path: string): string | null {
  try {
    const stat = statSync(path);
    return stat.isFile() && stat.size <= MAX_BYTES ? readFileSync(path, 'utf8') : null;
  } catch {
    return null;
  }
}

/** Every longer string of a JSON file: which one is the token differs by CLI and version. */
function tokensIn(text: string): string[] {
  try {
    return leaves(JSON.parse(text)).filter((value) => value.length >= 20 && !/\s|^https?:/.test(value));
  } catch {
    return text.split(/\s+/).filter((word) => word.length >= 20);
  }
}

function leaves(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return value !== null && typeof value === 'object' ? Object.values(value).flatMap(leaves) : [];
}
