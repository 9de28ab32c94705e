/**
 * The news in an environment that a change needs, for the person who decides about preparing it: packages with version,
 * source and hash, and everything unusual about them.
 */
import type { ChangedFile } from '../changes/changed-file.ts';
import { dependencyFindings, lockedIn, pinsPackages, wantedIn } from '../gates/security/dependencies.ts';
import { hostOf, type Locked } from '../gates/security/dependency-facts.ts';
import { MANIFEST, restOf } from './named-additions.ts';
import { quoted } from './rule.ts';

/** Lists of packages for pip; an option in them, such as another index, is a finding. */
const REQUIREMENTS = /(?:^|\/)[\w.-]{0,60}requirements[\w.-]{0,60}\.txt$/;
const MAX_LISTED = 12;
const MAX_TEXT = 1_900;

/** Returns null if one of its files is no list of packages, such as a script: no list can say what a script does. */
export function newInEnvironment(files: readonly ChangedFile[]): string | null {
  const isList = (path: string) => pinsPackages(path) || MANIFEST.test(path) || REQUIREMENTS.test(path);
  if (files.some(({ path, after }) => after === null || !isList(path))) return null;
  const { findings } = dependencyFindings(files);
  if (findings.some(({ rule }) => rule === 'dependencies-not-read')) return null;
  const locked = files.flatMap(lockedNews);
  // A manifest repeats its lock file.
  const isLocked = new Set(locked.map(({ name }) => name));
  const asked = files.flatMap(wantedNews).filter(({ name }) => !isLocked.has(name));
  const packages = [...locked, ...asked].map(({ text }) => text);
  const more = packages.length - MAX_LISTED;
  const all = [
    ...findings.map(({ severity, path, message }) => `${severity}: ${path} ${message}`),
    ...files
      .filter((file) => restOf(file.path, file.before) !== restOf(file.path, file.after))
      .map(({ path }) => `more than packages changed in ${path}`),
  ];
  const unusual = [...new Set(all)];
  const untold = unusual.length - MAX_LISTED;
  const parts = [
    // Unusual packages come first, so that a long list does not push them out.
    ...unusual.slice(0, MAX_LISTED),
    ...(untold > 0 ? [`and ${untold} more findings of this kind`] : []),
    ...(packages.length === 0 ? [`other contents of ${files.map(({ path }) => path).join(', ')}`] : []),
    ...packages.slice(0, MAX_LISTED),
    ...(more > 0 ? [`and ${more} more packages`] : []),
  ];
  const text = parts.join('; ');
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)} […]`;
}

type News = { readonly name: string; readonly text: string };

function lockedNews({ path, before, after }: ChangedFile): News[] {
  const was = new Map(lockedIn(path, before ?? '').map((one) => [one.key, one]));
  const now = lockedIn(path, after ?? '');
  const left = new Set(now.map(({ key }) => key));
  const news = now.flatMap((one) => {
    const old = was.get(one.key);
    if (old !== undefined && describe(old) === describe(one)) return [];
    const from = old === undefined ? 'new' : `changed (was ${old.version ?? 'without a version'})`;
    return [{ name: one.name, text: `${from}: ${describe(one)}` }];
  });
  const gone = [...was.values()].filter(({ key }) => !left.has(key));
  return [...news, ...gone.map(({ name }) => ({ name, text: `gone: ${quoted(name)}` }))];
}

function describe({ name, version, source, origin, integrity, needsIntegrity, hasScript }: Locked): string {
  const host = source === null ? null : hostOf(source);
  const from =
    origin === 'registry' ? (host === null ? '' : ` from ${host}`) : ` from ${origin} ${quoted(source ?? '')}`;
  const hash = integrity === null ? (needsIntegrity ? ', without a hash' : '') : `, ${integrity.slice(0, HASH_SHOWN)}…`;
  return `${quoted(name)} ${version ?? ''}${from}${hash}${hasScript ? ', with an install script' : ''}`;
}
/** This much of a hash is enough to compare. */
const HASH_SHOWN = 23;

function wantedNews({ path, before, after }: ChangedFile): News[] {
  const was = new Map(wantedIn(path, before ?? '').map(({ name, said }) => [name, said]));
  const now = wantedIn(path, after ?? '');
  const left = new Set(now.map(({ name }) => name));
  const changed = now.filter(({ name, said }) => was.get(name) !== said);
  const gone = [...was.keys()].filter((name) => !left.has(name));
  return [
    ...changed.map(({ name, said }) => ({ name, text: `asked for in ${path}: ${quoted(name)} ${quoted(said)}` })),
    ...gone.map((name) => ({ name, text: `no longer asked for in ${path}: ${quoted(name)}` })),
  ];
}
