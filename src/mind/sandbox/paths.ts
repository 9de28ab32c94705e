/** The paths that every sandbox has, and how paths relate. */

/** Directories of the system's programs and libraries; on merged systems all but the first are links into it. */
export const SYSTEM_PATHS = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/etc'] as const;

/** The home directory inside, unless a variable names another: empty, writable, removed with the sandbox. */
export const SANDBOX_HOME = '/tmp/home';

/**
 * The files of /etc that a compiler, an interpreter or a certificate check needs. Excluded, because they may hold
 * credentials or lead outside: gitconfig, npmrc, pip.conf, maven, ssh, resolv.conf, and the real lists of accounts.
 */
export const ETC =
  /^(?:ssl|pki|ca-certificates|crypto-policies|alternatives|ld\.so\.(?:cache|conf|conf\.d)|localtime|timezone|mime\.types|magic|protocols|services|os-release|debian_version|lsb-release|terminfo|fonts|locale\.alias|locale\.conf|host\.conf|gai\.conf|xml|sgml|perl|python[\d.]*|java(?:-[\w-]+)?)$/;

/** Whether `path` is `outer` or lies below it; both plain and absolute. */
export function isInside(outer: string, path: string): boolean {
  return path === outer || path.startsWith(outer === '/' ? '/' : `${outer}/`);
}
