/** What a role may name outside its files: CLIs and their abilities, strategies and templates. */
import { nearest } from '../../kernel/nearest.ts';
import type { AttemptKind } from '../domain/values.ts';
import type { FieldPath } from '../fields/yaml.ts';
import { adapterOf, type CliSettings, READY_NAMES } from '../workers/cli-config.ts';
import type { Role } from './role.ts';

export type KnownCli = {
  readonly name: string;
  readonly kinds: readonly AttemptKind[];
  /** Whether its tools can be restricted. */
  readonly tools: boolean;
};

export type KnownToRoles = {
  readonly clis: readonly KnownCli[];
  /** The names of strategies; null if they were not read. */
  readonly strategies: readonly string[] | null;
  readonly templates: readonly string[] | null;
};

const BOTH: readonly AttemptKind[] = ['change', 'answer'];

/** CLIs that need no config, the scripted one, and those that the config declares. */
export function knownClis(
  declared: Readonly<Record<string, Pick<CliSettings, 'type'> & { adapter?: string }>>,
): KnownCli[] {
  const ready = READY_NAMES.map((name) => knownCli(name, name));
  const theirs = Object.entries(declared).map(([name, cli]) => knownCli(name, cli.adapter ?? null));
  // The scripted worker has no tools, so nothing has to be denied.
  const scripted: KnownCli = { name: 'scripted', kinds: BOTH, tools: true };
  return [...new Map([...ready, scripted, ...theirs].map((cli) => [cli.name, cli])).values()];
}

function knownCli(name: string, adapter: string | null): KnownCli {
  const can = adapter === null ? undefined : adapterOf(adapter)?.can;
  return { name, kinds: can?.kinds ?? BOTH, tools: can?.tools ?? false };
}

export type RoleMisfit = { readonly path: FieldPath; readonly message: string };

/**
 * A role's demands on CLIs that do not exist, or cannot fulfil them. Also checks those that the config chose for it.
 */
export function cliMisfit(
  role: Pick<Role, 'kind' | 'allowed_tools'>,
  clis: readonly string[],
  known: readonly KnownCli[],
): RoleMisfit | null {
  for (const [index, name] of clis.entries()) {
    const message = misfitOf(role, name, known);
    if (message !== null) return { path: ['cli', index], message };
  }
  return null;
}

function misfitOf(
  { kind, allowed_tools }: Pick<Role, 'kind' | 'allowed_tools'>,
  name: string,
  known: readonly KnownCli[],
) {
  const cli = known.find((one) => one.name === name);
  if (cli === undefined)
    return `there is no CLI ${name}${didYouMean(
      name,
      known.map((one) => one.name),
    )}. Declare it under \`clis\` of your config`;
  if (!cli.kinds.includes(kind))
    return `${name} only answers and changes no files: choose another CLI for a role of kind ${kind}`;
  if (allowed_tools !== null && !cli.tools)
    return `the tools of ${name} cannot be restricted, but this role has allowed_tools (${allowed_tools.join(', ') || 'none'}): choose a CLI that can (${known
      .filter((one) => one.tools && one.name !== 'scripted')
      .map((one) => one.name)
      .join(', ')}), or remove allowed_tools`;
  return null;
}

/** `, did you mean x? (known: x, y, z)`. */
export function didYouMean(name: string, known: readonly string[]): string {
  const meant = nearest(name, known);
  return `${meant === null ? '' : `, did you mean ${meant}?`} (known: ${known.join(', ')})`;
}

/** There are too many roles to list them in a sentence. */
export function noSuchRole(name: string, known: readonly string[]): string {
  const meant = nearest(name, known);
  return `there is no role ${JSON.stringify(name)}${meant === null ? '' : `, did you mean ${meant}?`} (\`supervisor roles\` lists them)`;
}
