/** Facts of this machine that a sandbox needs, and what to do if none can be built here. */
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { REACHED_FIX } from '../../../mind/sandbox/first-process.ts';
import { ETC, isInside, SYSTEM_PATHS } from '../../../mind/sandbox/paths.ts';
import type { HostFacts } from '../../../mind/sandbox/profile.ts';

const PLACES = ['/usr/bin/bwrap', '/usr/local/bin/bwrap', '/bin/bwrap'];

export const findBubblewrap = (): string | null => PLACES.find((path) => existsSync(path)) ?? null;

export function hostFacts(): HostFacts {
  // A link that leads out of the system, or nowhere, would make the start fail.
  const etc = readdirSync('/etc')
    .filter((name) => ETC.test(name))
    .map((name) => `/etc/${name}`)
    .filter((path) => existsSync(path) && ['/etc', '/usr'].some((place) => isInside(place, realpathSync(path))))
    .map((path) => ({ path, link: linkAt(path) }));
  // Recreated as links: ICU derives the time zone from the target of /etc/localtime; otherwise it compares the file
  // with all 1300 zones.
  const links = etc.filter(({ link }) => link !== null && isInside('/usr', resolve('/etc', link)));
  return {
    system: [
      ...SYSTEM_PATHS.filter((path) => path !== '/etc' && existsSync(path)).map((path) => ({
        path,
        link: linkAt(path),
      })),
      ...links,
    ],
    etc: etc.filter((one) => !links.includes(one)).map(({ path }) => path),
    // The first is often a link into /run, which no sandbox sees.
    names: ['/etc/resolv.conf', '/etc/hosts']
      .filter((path) => existsSync(path))
      .map((path) => ({ path, from: realpathSync(path) })),
  };
}

const linkAt = (path: string): string | null => (lstatSync(path).isSymbolicLink() ? readlinkSync(path) : null);

export const INSTALL =
  'install bubblewrap 0.8 or newer (Debian, Ubuntu: apt-get install bubblewrap; Fedora: dnf install bubblewrap)';

/** What a person can do about a refusal, as exact as the machine can tell. */
export function fixFor(problem: string): string {
  if (/unknown option/i.test(problem)) return INSTALL;
  if (/can reach the first process/.test(problem)) return REACHED_FIX;
  if (setting('/proc/sys/kernel/apparmor_restrict_unprivileged_userns') === '1')
    return 'this system allows user namespaces only by an AppArmor profile: install one for bwrap (apt-get install apparmor-profiles, then apparmor_parser -r /usr/share/apparmor/extra-profiles/bwrap-userns-restrict), or set the sysctl kernel.apparmor_restrict_unprivileged_userns=0';
  if (setting('/proc/sys/kernel/unprivileged_userns_clone') === '0')
    return 'set the sysctl kernel.unprivileged_userns_clone=1';
  if (setting('/proc/sys/user/max_user_namespaces') === '0') return 'set the sysctl user.max_user_namespaces above 0';
  return 'inside a container, allow user namespaces and mounts to it (its seccomp and AppArmor profiles refuse them); elsewhere try: bwrap --unshare-all --ro-bind / / true';
}

/** How an ordinary user gets control groups: in a scope of their own. */
export function groupFix(version: 1 | 2): string {
  if (existsSync('/run/systemd/system') && version === 2)
    return 'start it in a control group of its own: systemd-run --user --scope -p Delegate=yes supervisor …';
  return 'run Supervisor as root, or on a system whose control groups are version 2 and given to its user';
}

function setting(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return null;
  }
}
