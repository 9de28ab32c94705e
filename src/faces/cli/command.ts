/** The type of a command: name, flags and help as data; its code is loaded only when it is called. */
import type { Environment } from '../../app/config/environment.ts';
import type { Output } from './output.ts';

export type Flag = {
  readonly type: 'boolean' | 'string';
  readonly value?: string;
  /** A one-letter form, only where it is common elsewhere. */
  readonly short?: string;
  /** The flag may be repeated; `texts` reads all values. */
  readonly many?: true;
  readonly help: string;
};

export type CommandSpec = {
  readonly name: string;
  readonly summary: string;
  /** Names of the positional arguments, as help shows them. */
  readonly args: readonly { readonly name: string; readonly required: boolean }[];
  readonly flags: Readonly<Record<string, Flag>>;
  readonly notes?: string;
  readonly examples: readonly string[];
  readonly load: () => Promise<{ readonly run: CommandRun }>;
};

export type CommandContext = {
  readonly args: readonly string[];
  readonly flags: Readonly<Record<string, string | boolean | undefined>>;
  readonly out: Output;
  readonly environment: Environment;
  /** The project's directory: --project, or else the current directory. */
  readonly dir: string;
  /** False if another command runs this one and prints its own hints. */
  readonly hints?: boolean;
};

/** Returns the exit code. */
export type CommandRun = (context: CommandContext) => Promise<number>;

/** Exit codes are part of the interface. */
export const EXIT = { done: 0, failed: 1, usage: 2, waiting: 3, escalated: 4, notReady: 5, interrupted: 130 } as const;

/** The arguments make no sense; nothing was started. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Separates the values of a repeated flag; no argument can contain it. */
export const BETWEEN = '\0';

/** All values of a flag, or null if it was not given. */
export const texts = (value: string | boolean | undefined): string[] | null =>
  typeof value === 'string' ? value.split(BETWEEN) : null;

export const text = (value: string | boolean | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined;

/** A count; undefined if the flag was not given. */
export function wholeNumber(name: string, value: string | boolean | undefined): number | undefined {
  const said = text(value);
  if (said === undefined) return undefined;
  if (/^[1-9]\d{0,5}$/.test(said)) return Number(said);
  throw new UsageError(`${name} ${said}: a whole number from 1 to 999999 is needed`);
}

/** `A,B`. */
export const list = (value: string | boolean | undefined): string[] | null =>
  text(value)
    ?.split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '') ?? null;
