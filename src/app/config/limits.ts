/** The limits that files and the command line set, each with its source. */
import {
  flatLimits,
  LIMIT_KEYS,
  type LimitValue,
  limitPath,
  limitText,
  nestedLimits,
} from '../../mind/config/limit-keys.ts';
import { limitsFile } from '../../mind/config/limits-file.ts';
import type { Config } from '../../mind/config/project-config.ts';
import { tightest } from '../../mind/config/tighten.ts';
import { type Limits, type LimitsConfig, resolveLimits } from '../../mind/domain/limits.ts';
import { type ParsedFile, parseFile, problemText } from '../../mind/fields/parse-file.ts';
import { ConfigError } from './config-error.ts';

/** A config with its limits, whichever file they come from. */
export type WithLimits = { readonly config: Config; readonly limitsAt: LimitPlaces };
/** Returns `file:line` of a flat key that the file sets. */
type LimitPlaces = (key: string) => string;

type ConfigText = { readonly text: string; readonly file: string };

/** Takes `limits:` of a config, or the limits.yaml beside it; having both is an error with its place. */
export function withLimits(parsed: ParsedFile<Config> | null, beside: ConfigText | null): WithLimits {
  if (beside === null) {
    const at: LimitPlaces = (key) => (parsed === null ? '' : placeIn(parsed, ['limits', ...limitPath(key)]));
    return { config: parsed?.value ?? {}, limitsAt: at };
  }
  if (parsed?.value.limits !== undefined) {
    const message = `are in ${beside.file} too: keep one of the two`;
    throw new ConfigError(problemText(parsed.problem(['limits'], message)));
  }
  const own = parseFile(limitsFile, beside.text, beside.file);
  if (own.type === 'problem') throw new ConfigError(problemText(own));
  const config = { ...parsed?.value, limits: own.value as LimitsConfig };
  return { config, limitsAt: (key) => placeIn(own, limitPath(key)) };
}

function placeIn(parsed: ParsedFile<unknown>, path: readonly string[]): string {
  const { file, line } = parsed.problem(path, '');
  return `${file}:${line}`;
}

/** One limit in force, for people and programs. */
type LimitReport = {
  readonly key: string;
  readonly value: LimitValue;
  readonly unit: string;
  readonly text: string;
  /** `default`, `file:line` or `command line`. */
  readonly from: string;
  readonly means: string;
};

export type LimitsInForce = {
  readonly limits: Limits;
  /** Where each limit that is not a default was set: `file:line`, or `command line`. */
  readonly limitSources: ReadonlyMap<string, string>;
};

type LimitLayers = {
  readonly user: WithLimits;
  readonly project?: WithLimits | null;
  /** Limits given on this command line. */
  readonly flags?: LimitsConfig;
};

/** The limits in force and their sources. The command line overrides both files. */
export function limitsInForce({ user, project = null, flags = {} }: LimitLayers): LimitsInForce {
  const chosen = tightest(user.config.limits ?? {}, project?.config.limits ?? {});
  const flat = new Map([...chosen].map(([key, { value }]) => [key, value]));
  const sources = new Map(
    [...chosen].map(([key, { by }]) => [key, (by === 'person' ? user : (project ?? user)).limitsAt(key)]),
  );
  for (const [key, value] of flatLimits(flags)) {
    flat.set(key, value);
    sources.set(key, 'command line');
  }
  return { limits: resolveLimits(nestedLimits(flat)), limitSources: sources };
}

export function limitReports({ limits, limitSources: sources }: LimitsInForce): LimitReport[] {
  const rows: LimitReport[] = LIMIT_KEYS.filter(({ key }) => key !== 'slots.per_cli').map((row) => {
    const { key, unit, means } = row;
    const value = row.of(limits);
    return { key, value, unit, text: limitText(unit, value), from: sources.get(key) ?? 'default', means };
  });
  const perCli = Object.entries(limits.slots.per_cli).map(([cli, value]): LimitReport => {
    const key = `slots.per_cli.${cli}`;
    const unit = 'attempts at once';
    return { key, value, unit, text: limitText(unit, value), from: sources.get(key) ?? 'default', means: `of ${cli}` };
  });
  return [...rows.slice(0, 1), ...perCli, ...rows.slice(1)];
}
