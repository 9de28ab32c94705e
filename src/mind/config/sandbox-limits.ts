/** `sandbox:` in a config file: how much of the machine workers and gates may use. Every field is optional. */
import * as v from 'valibot';
import { duration } from '../fields/fields.ts';

const UNITS: Readonly<Record<string, number>> = { KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40 };
const MOST = 2 ** 45;

/** `512MiB` in bytes; null if it is no size. */
export function parseSize(text: string): number | null {
  const [, number, unit = ''] = /^(\d{1,6}(?:\.\d{1,3})?) ?(KiB|MiB|GiB|TiB)$/.exec(text) ?? [];
  if (number === undefined) return null;
  const bytes = Math.round(Number(number) * (UNITS[unit] ?? 0));
  return bytes >= 1 && bytes <= MOST ? bytes : null;
}

const size = v.pipe(
  v.string('must be a size such as 512MiB or 4GiB'),
  v.check((text) => parseSize(text) !== null, 'must be a size such as 512MiB or 4GiB'),
  v.transform((text) => parseSize(text) as number),
);

const resources = {
  memory: v.optional(size),
  /** Threads count too. */
  processes: v.optional(v.pipe(v.number(), v.integer('must be a whole number'), v.minValue(8), v.maxValue(100_000))),
  cpus: v.optional(v.pipe(v.number(), v.minValue(0.1), v.maxValue(1_000))),
  disk: v.optional(size),
};

export const sandboxConfig = v.strictObject({
  worker: v.optional(v.strictObject({ ...resources, idle: v.optional(duration) })),
  gate: v.optional(v.strictObject(resources)),
  /** The kind of sandbox; only a user's config may set it. Docker and Podman need an image. */
  backend: v.optional(v.picklist(['bubblewrap', 'docker', 'podman'])),
  image: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^[a-z0-9][a-z0-9._/:@-]{0,199}$/, 'must be the name of an image, such as supervisor-worker:1'),
    ),
  ),
});
type SandboxConfig = v.InferOutput<typeof sandboxConfig>;

export type Backend = { readonly backend: 'bubblewrap' | 'docker' | 'podman'; readonly image: string | null };

type ResourceConfig = NonNullable<SandboxConfig['worker']>;
/** In the sandbox's units; absent for the built-in number. */
export type Resources = {
  readonly memoryBytes?: number;
  readonly processes?: number;
  readonly cpus?: number;
  readonly diskBytes?: number;
  readonly idleMs?: number;
};

/** If the user set a value, the project may only lower it. */
export function resourcesOf(user: ResourceConfig = {}, project: ResourceConfig = {}): Resources {
  const pick = (name: keyof ResourceConfig): number | undefined => {
    const said = [user[name], project[name]].filter((value) => value !== undefined);
    return said.length === 0 ? undefined : Math.min(...said);
  };
  const fields = {
    memoryBytes: pick('memory'),
    processes: pick('processes'),
    cpus: pick('cpus'),
    diskBytes: pick('disk'),
    idleMs: pick('idle'),
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
