/**
 * Checks whether a policy can become a sandbox: paths are unambiguous, and nothing is exposed that must stay hidden.
 */
import { EGRESS_SOCKET } from '../workers/bridge.ts';
import { FIRST_DIR, FIRST_PREFIX } from './first-process.ts';
import { isInside, SYSTEM_PATHS } from './paths.ts';

type MountPaths = { readonly from: string; readonly to: string };
type CheckedPolicy = {
  readonly kind: string;
  readonly argv: readonly string[];
  readonly readable: readonly MountPaths[];
  readonly writable: readonly MountPaths[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly temporary?: readonly string[];
  readonly network?: string;
  readonly egress?: string;
};

/**
 * `hidden`: directories that no sandbox may ever see whole, such as the state directory; a tree below may be mounted by
 * name.
 */
export function policyProblems(policy: CheckedPolicy, hidden: readonly string[]): string[] {
  const mounts = [...policy.readable, ...policy.writable];
  return [
    ...policy.argv.flatMap((word) => (word.includes('\0') ? ['a zero byte in the command'] : [])),
    ...(/^[^-]/.test(policy.argv[0] ?? '') ? [] : ['the command has no name, or one that begins with a dash']),
    ...Object.entries(policy.env).flatMap(([name, value]) =>
      /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !name.startsWith(FIRST_PREFIX) && !value.includes('\0')
        ? []
        : [`the environment name or value ${JSON.stringify(name)} cannot be set`],
    ),
    ...mounts.flatMap(({ from, to }) => [
      ...[from, to].flatMap((path) => (isPlain(path) ? [] : [`${path} is not a plain absolute path`])),
      ...(RESERVED.some((path) => isInside(path, to) || to === '/tmp' || isInside(to, path))
        ? [`${to} belongs to the sandbox itself`]
        : []),
      ...hidden.flatMap((path) => (isInside(from, path) ? [`${from} would show ${path}`] : [])),
    ]),
    ...(policy.temporary ?? []).flatMap((path) => temporaryProblems(path, mounts)),
    ...(policy.network !== undefined && policy.kind !== 'prepare'
      ? [`a ${policy.kind} has no network: only the preparation of an environment may have it`]
      : []),
    ...(policy.egress === undefined ? [] : egressProblems(policy.egress, policy, mounts)),
    ...repeated(mounts.map(({ to }) => to)).map((to) => `two mounts at ${to}`),
    ...(mounts.some(({ to }) => isInside(to, policy.cwd)) ? [] : [`${policy.cwd} is not inside a mount`]),
  ];
}

function egressProblems(path: string, { kind, network }: CheckedPolicy, mounts: readonly MountPaths[]): string[] {
  return [
    ...(isPlain(path) ? [] : [`${path} is not a plain absolute path`]),
    ...(kind === 'gate' ? ['a gate has no network, so it gets no proxy'] : []),
    ...(network === undefined ? [] : ['the whole network and a proxy exclude each other: choose one']),
    ...mounts
      .filter(({ to }) => isInside(EGRESS_SOCKET, to) || isInside(to, EGRESS_SOCKET))
      .map(({ to }) => `${to} would hide the socket of the proxy`),
  ];
}

function temporaryProblems(path: string, mounts: readonly MountPaths[]): string[] {
  if (!isPlain(path)) return [`${path} is not a plain absolute path`];
  if (!mounts.some(({ to }) => to !== path && isInside(to, path))) return [`${path} is not inside a mount`];
  return mounts.filter(({ to }) => isInside(path, to)).map(({ to }) => `${path} would hide the mount at ${to}`);
}

const RESERVED = ['/proc', '/dev', FIRST_DIR, ...SYSTEM_PATHS];

const isPlain = (path: string): boolean =>
  /^\/[^\0\n]+$/.test(path) && !path.endsWith('/') && !/\/(?:\.{0,2})(?:\/|$)/.test(path);

const repeated = (words: readonly string[]): string[] => words.filter((word, index) => words.indexOf(word) !== index);
