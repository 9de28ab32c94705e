/** What a change of a lock file means: other addresses, other hashes, missing ones, new packages with scripts. */
import { hostOf, type Locked } from './dependency-facts.ts';
import { ownFinding, quoted, type SecurityFinding } from './security-finding.ts';

const SHOWN_NAMES = 8;

export function lockFindings(path: string, before: readonly Locked[], after: readonly Locked[]): SecurityFinding[] {
  const old = new Map(before.map((one) => [one.key, one]));
  /** The same version may be at another place now. */
  const byVersion = new Map(before.map((one) => [versionKey(one), one]));
  const hosts = new Set(usualPlaces(before, after));
  const out: SecurityFinding[] = [];
  for (const one of after) {
    const was = sameVersion(old.get(one.key), one) ?? byVersion.get(versionKey(one));
    out.push(...packageFindings(one, was, hosts, path));
  }
  const names = newNames(before, after);
  if (names.length > 0) {
    const shown = names.slice(0, SHOWN_NAMES).map(quoted).join(', ');
    const more = names.length > SHOWN_NAMES ? ` and ${names.length - SHOWN_NAMES} more` : '';
    out.push(ownFinding('lock-packages-added', 'low', path, null, `pins new packages: ${shown}${more}`));
  }
  return out;
}

/**
 * Where the project gets its packages: the hosts in its lock file so far; for a new lock file, the most frequent one.
 */
function usualPlaces(before: readonly Locked[], after: readonly Locked[]): readonly string[] {
  const places = before.flatMap(({ source }) => placeOf(source) ?? []);
  if (before.length > 0) return places;
  const counts = new Map<string, number>();
  for (const place of after.flatMap(({ source }) => placeOf(source) ?? []))
    counts.set(place, (counts.get(place) ?? 0) + 1);
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([place]) => place)
    .slice(0, 1);
}

const versionKey = ({ name, version }: Locked): string => `${name}@${version}`;
const sameVersion = (was: Locked | undefined, one: Locked): Locked | undefined =>
  was !== undefined && versionKey(was) === versionKey(one) ? was : undefined;

function newNames(before: readonly Locked[], after: readonly Locked[]): string[] {
  const known = new Set(before.map(({ name }) => name));
  return [...new Set(after.filter(({ origin }) => origin !== 'path').map(({ name }) => name))].filter(
    (name) => !known.has(name),
  );
}

/** The host; for GitHub also the repository, because anybody can have one there. */
function placeOf(source: string | null): string | null {
  const host = source === null ? null : hostOf(source);
  if (source === null || host !== 'github.com') return host;
  return (
    /github\.com[/:]([\w.-]{1,100}\/[\w.-]{1,100}?)(?:\.git)?(?:[/?#]|$)/i
      .exec(source)?.[0]
      .replace(/\.git.*$|[/?#]$/g, '')
      .toLowerCase()
      .replace(':', '/') ?? host
  );
}

function packageFindings(
  one: Locked,
  was: Locked | undefined,
  hosts: ReadonlySet<string>,
  path: string,
): SecurityFinding[] {
  if (
    was !== undefined &&
    was.source === one.source &&
    was.integrity === one.integrity &&
    was.hasScript === one.hasScript
  )
    return [];
  const name = quoted(one.version === null ? one.name : `${one.name} ${one.version}`);
  const out: SecurityFinding[] = [];
  const found = (rule: string, severity: 'critical' | 'high', message: string) =>
    out.push(ownFinding(rule, severity, path, one.line, message));
  if (was !== undefined && isOtherHash(was.integrity, one.integrity))
    found(
      'lock-integrity-changed',
      'critical',
      `gives ${name} another hash, though its version is the same: put the hash back`,
    );
  if (one.needsIntegrity && one.integrity === null && was?.integrity !== null)
    found(
      'lock-integrity-missing',
      'high',
      `pins ${name} without a hash: let the package manager write the lock file again`,
    );
  if (one.source !== null && one.source !== was?.source) {
    const place = placeOf(one.source);
    if (/^http:/.test(one.source)) found('lock-plain-http', 'high', `loads ${name} without TLS: use an https address`);
    if (one.origin === 'git')
      found(
        'lock-git-source',
        'high',
        `takes ${name} from git (${quoted(place ?? one.source)}): name a released version`,
      );
    else if (one.origin !== 'path' && place !== null && !hosts.has(place))
      found(
        'lock-new-host',
        'high',
        `loads ${name} from ${quoted(place)}, which the base does not use: use the registry of the base`,
      );
  }
  if (one.hasScript && was?.hasScript !== true)
    found(
      'lock-install-script',
      'high',
      `pins ${name}, which runs a script while it is installed: let a person grant it`,
    );
  return out;
}

/** Both have a hash of the same kind, and none in common. A stronger kind beside the old one is no change. */
function isOtherHash(was: string | null, now: string | null): boolean {
  if (was === null || now === null) return false;
  const old = was.split(/\s+/);
  const kinds = new Set(old.map(kindOf));
  const alike = now.split(/\s+/).filter((hash) => kinds.has(kindOf(hash)));
  return alike.length > 0 && !alike.some((hash) => old.includes(hash));
}

const kindOf = (hash: string): string => /^(?:[a-z0-9]{2,8}[-:/])?/.exec(hash)?.[0] ?? '';
