/** `egress:` of a config file: which hosts a sandbox may reach; host and port exact. */
import * as v from 'valibot';

/** A host that may be reached. */
export type AllowedHost = {
  /** Exact, lower case, no pattern. */
  readonly host: string;
  readonly port: number;
  /** The operator allows it to resolve to a loopback or private address; never to metadata addresses. */
  readonly private?: boolean;
};

/** `example.com` (443) or `example.com:8443`. */
export const hostAndPort = v.pipe(
  v.string(),
  v.maxLength(260),
  v.regex(
    /^(?!-)(?:[a-z0-9-]{1,63}\.)*[a-z0-9-]*[a-z][a-z0-9-]*(?::\d{1,5})?$/,
    'must be a host name in lower case, such as example.com or example.com:8443; no address, no pattern',
  ),
  v.check(
    (text) => Number(text.split(':')[1] ?? 443) <= 65_535 && Number(text.split(':')[1] ?? 443) > 0,
    'has no such port',
  ),
);

const place = v.union([
  hostAndPort,
  v.strictObject({
    host: hostAndPort,
    /** The host may be in a private network. */
    private: v.optional(v.boolean(), false),
  }),
]);

export const egressConfig = v.strictObject({
  /** For all workers with network access, beside what their CLI needs. */
  worker: v.optional(v.array(place)),
  /** For preparing environments, beside the registries that the operator's package managers use. */
  prepare: v.optional(v.array(place)),
});
type EgressConfig = v.InferOutput<typeof egressConfig>;

export const placeOf = (written: v.InferOutput<typeof place>): AllowedHost => {
  const [host = '', port] = (typeof written === 'string' ? written : written.host).split(':');
  const isPrivate = typeof written !== 'string' && written.private;
  return { host, port: Number(port ?? 443), ...(isPrivate ? { private: true } : {}) };
};

/** A project may narrow what the user allowed, never widen it. */
export function allowedPlaces(
  user: EgressConfig[keyof EgressConfig],
  project: EgressConfig[keyof EgressConfig],
): AllowedHost[] {
  const allowed = (user ?? []).map(placeOf);
  if (project === undefined) return allowed;
  const asked = project.map(placeOf);
  return allowed.filter(({ host, port }) => asked.some((one) => one.host === host && one.port === port));
}
