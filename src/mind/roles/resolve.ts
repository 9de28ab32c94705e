/**
 * Makes a role from its files: follows `extends` to the root, merges on the way back, checks before and after. Errors
 * have their place.
 */
import * as v from 'valibot';
import { issueText } from '../fields/issue-text.ts';
import type { Layer } from '../fields/layers.ts';
import { type ParsedFile, parseFile } from '../fields/parse-file.ts';
import type { FieldPath, FileProblem } from '../fields/yaml.ts';
import { finish } from './complete-role.ts';
import { cliMisfit, didYouMean, type KnownToRoles, noSuchRole, type RoleMisfit } from './known.ts';
import { merge, originAt, plain, type TracedMap, traced, without } from './merge.ts';
import type { Role } from './role.ts';
import { REQUIRED, type RoleFile, roleFile, TOOLS, type WholeRole, wholeRole } from './schema.ts';

export type RoleSource = {
  readonly name: string;
  readonly layer: Layer;
  readonly pack: string | null;
  /** For messages. */
  readonly file: string;
  readonly text: string;
};

/** Where role files are found. */
type RoleFiles = {
  /** The nearest file of a name, or the nearest one below a layer. */
  find(name: string, below: Layer | null): RoleSource | null;
  /** For messages. */
  names(): readonly string[];
};

/** A parsed file of a chain. */
export type RoleLink = { readonly source: RoleSource; readonly parsed: ParsedFile<RoleFile> };

export type Resolved = {
  readonly type: 'resolved';
  readonly role: Role;
  /** The role's own file first, its root last. */
  readonly chain: readonly RoleLink[];
  readonly merged: TracedMap<RoleLink>;
};

/** Such a long chain is not written on purpose; it was generated, or is a mistake. */
export const MAX_DEPTH = 32;

export function resolveRole(source: RoleSource, files: RoleFiles, known: KnownToRoles): Resolved | FileProblem {
  const chain = chainOf(source, files);
  if (!Array.isArray(chain)) return chain;
  // Merges files from the root down; a loop, because a chain may be long.
  const merged = chain
    .map((link) => ownValues(link))
    .reduceRight((parent, child) => merge(passedOn(parent, child.origin.source.source.layer), child));
  const [leaf] = chain as [RoleLink, ...RoleLink[]];
  const at = (path: FieldPath, message: string): FileProblem => {
    const origin = originAt(merged, path);
    const place = origin.source.parsed.problem(origin.path, '');
    const shown = path.length === 0 ? '' : `${path.join('.')}: `;
    const through = origin.source === leaf ? '' : ` (in the role ${leaf.source.name}, which extends it)`;
    return { ...place, message: `${shown}${message}${through}` };
  };
  const disarmed = chain.findLast((link, n) => isDisarmed(link, chain.slice(n + 1)));
  if (disarmed !== undefined) return disarmed.parsed.problem(['answer'], VERDICT_LOST);
  const values = plain(merged);
  const missing = REQUIRED.find((field) => values[field] === undefined);
  if (missing !== undefined) return { ...leaf.parsed.problem([], ''), message: missingText(missing, chain) };
  const whole = v.safeParse(wholeRole, values);
  if (!whole.success) {
    const [issue] = whole.issues;
    return at(
      (issue.path ?? []).map((item) => item.key as string | number),
      issueText(issue),
    );
  }
  const [parent] = chain.slice(1);
  const role = finish(whole.output, {
    extends: parent?.source.name ?? null,
    base_role: chain.length > 1 ? (chain.at(-1)?.source.name ?? null) : null,
    pack: source.pack,
  });
  const misfit = unknownTool(whole.output) ?? misfitOf(role, known);
  return misfit === null ? { type: 'resolved', role, chain, merged } : at(misfit.path, misfit.message);
}

/** Parsed, with the place of each value; `name` is the file's. */
function ownValues(link: RoleLink): TracedMap<RoleLink> {
  return traced({ ...link.parsed.value, name: link.source.name }, link);
}

const VERDICTS: readonly unknown[] = ['review', 'security'];
const VERDICT_LOST =
  'a project may not take the verdict from a role that judges: leave `answer` out, or write a role that builds on another one';

/** A project's file turns a judge into one whose rejection stops nothing. */
function isDisarmed({ source, parsed }: RoleLink, above: readonly RoleLink[]): boolean {
  if (source.layer !== 'project' || parsed.value.answer === undefined || VERDICTS.includes(parsed.value.answer))
    return false;
  return VERDICTS.includes(above.find((link) => link.parsed.value.answer !== undefined)?.parsed.value.answer);
}

/**
 * Flags for a CLI are the user's own: no file of a project passes them on to another role. A project file cannot come
 * above a user's role either (`chainOf`): it could choose the CLI that gets them.
 */
const passedOn = (parent: TracedMap<RoleLink>, to: Layer): TracedMap<RoleLink> =>
  to === 'project' ? without(parent, 'flags') : parent;

function chainOf(first: RoleSource, files: RoleFiles): RoleLink[] | FileProblem {
  const chain: RoleLink[] = [];
  const seen = new Set<string>();
  for (let source = first; ; ) {
    const link = parseRole(source);
    if (link.parsed.type === 'problem') return link.parsed;
    chain.push(link as RoleLink);
    seen.add(keyOf(source));
    const parsed = link.parsed;
    const wanted = parsed.value.extends;
    if (wanted === undefined) return chain;
    const shown = [...chain.map((one) => one.source.name), wanted];
    if (chain.length > MAX_DEPTH)
      return parsed.problem(
        ['extends'],
        `the chain is more than ${MAX_DEPTH} roles deep: ${shorten(shown)}. Let some of them extend the root`,
      );
    const below = chain.some((one) => one.source.layer === 'user') ? 'project' : null;
    const parent = files.find(wanted, wanted === source.name ? source.layer : below);
    if (parent === null && wanted === source.name)
      return parsed.problem(
        ['extends'],
        `a role cannot extend itself: ${shown.join(' > ')} (no layer below has a role of this name)`,
      );
    if (parent === null) return parsed.problem(['extends'], noSuchRole(wanted, files.names()));
    if (seen.has(keyOf(parent)))
      return parsed.problem(
        ['extends'],
        `the roles extend each other in a circle: ${shorten(shown)}. Remove one \`extends\``,
      );
    source = parent;
  }
}

const keyOf = ({ layer, name }: RoleSource): string => `${layer} ${name}`;

const shorten = (names: readonly string[]): string =>
  (names.length <= 12 ? names : [...names.slice(0, 5), '…', ...names.slice(-5)]).join(' > ');

/** Checks one file alone: its shape, and what only some layers may set. */
export function parseRole(source: RoleSource): { source: RoleSource; parsed: ParsedFile<RoleFile> | FileProblem } {
  const parsed = parseFile(roleFile, source.text, source.file);
  if (parsed.type === 'problem') return { source, parsed };
  const { name, flags } = parsed.value;
  if (name !== undefined && name !== source.name)
    return {
      source,
      parsed: parsed.problem(
        ['name'],
        `the file is ${source.name}.yaml, so the role is ${source.name}: rename one of them, or leave \`name\` out`,
      ),
    };
  if (flags !== undefined && source.layer === 'project')
    return {
      source,
      parsed: parsed.problem(
        ['flags'],
        'a project may not pass words to a CLI: write a role of your own into ~/.supervisor/roles/',
      ),
    };
  return { source, parsed };
}

function missingText(field: string, chain: readonly RoleLink[]): string {
  const names = chain.map((link) => link.source.name);
  return chain.length === 1
    ? `\`${field}\` is missing: write it, or build on another role with \`extends\``
    : `\`${field}\` is missing in the whole chain ${shorten(names)}: write it into one of them`;
}

/** The role's own tools may come from any file of its chain. */
function unknownTool({ allowed_tools = [], tools = {} }: WholeRole): RoleMisfit | null {
  const known = [...Object.keys(TOOLS), ...Object.keys(tools)];
  const index = allowed_tools.findIndex((name) => !known.includes(name));
  const name = allowed_tools[index];
  if (name === undefined) return null;
  const message = `${JSON.stringify(name)} is no tool${didYouMean(name, known)}. For one of your own add its command: \`tools: {${name}: COMMAND}\``;
  return { path: ['allowed_tools', index], message };
}

/** Problems that only the whole role shows. */
function misfitOf(role: Role, known: KnownToRoles): RoleMisfit | null {
  const { kind, answer, template, context, flags, cli } = role;
  const fits = {
    change: ['implementation', 'test', 'generic'],
    answer: ['brainstorm', 'document', 'plan', 'review', 'security', 'generic'],
  }[kind];
  if (!fits.includes(answer))
    return { path: ['answer'], message: `a role of kind ${kind} answers with ${fits.join(', ')}, not with ${answer}` };
  if (flags.length > 0 && cli.length !== 1)
    return { path: ['flags'], message: 'are words for one program: name exactly one `cli` in this role' };
  if (known.strategies !== null && !known.strategies.includes(context.strategy))
    return {
      path: ['context', 'strategy'],
      message: `there is no strategy ${context.strategy}${didYouMean(context.strategy, known.strategies)}`,
    };
  if (known.templates !== null && !known.templates.includes(template))
    return { path: ['template'], message: `there is no template ${template}${didYouMean(template, known.templates)}` };
  return cliMisfit(role, cli, known.clis);
}
