/** One preparation: a tree of the base, the command in a sandbox, its outputs sealed and put into their place. */
import { randomBytes } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Egress, EgressDoor } from '../../engine/ports/egress.ts';
import type { Mount, Sandbox, SandboxEnd, SandboxLimits } from '../../engine/ports/sandbox.ts';
import type { WorkspaceSource, Workspaces } from '../../engine/ports/workspace.ts';
import { terminalLine, terminalText } from '../../kernel/terminal-text.ts';
import { type Cache, offlineHint, shownCaches, withCopies } from '../../mind/environment/caches.ts';
import { errorText } from '../../mind/environment/failure.ts';
import { ENV_PATH, type EnvironmentPlan, prepareVariables, shownAt, TREE_PATH } from '../../mind/environment/plan.ts';
import { BRIDGE_URL, bridgeInput } from '../../mind/workers/bridge.ts';
import { removeTree } from '../../os/files/remove-tree.ts';
import { thisProcess } from '../../os/machine/identity.ts';
import type { FoundRegistries } from './registries.ts';
import { SealError, seal, takeOut } from './seal.ts';
import type { Sealed, SealedOutput, Shelf } from './shelf.ts';

export type Tools = {
  readonly readable: readonly { readonly from: string; readonly to: string }[];
  /** All of PATH. */
  readonly path: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Beside the programs themselves, what decides which version runs. */
  readonly identity?: readonly string[];
};

/** A way to the registries and to nothing else, in place of the network. */
export type WayOut = {
  readonly egress: Egress;
  /** Asked when something is prepared, not before: to ask takes longer than to find out that nothing has to be. */
  readonly registries: (command: string) => Promise<FoundRegistries>;
  /** Our own programs inside, of which the bridge is one. */
  readonly inside: { readonly readable: readonly Mount[]; argv(program: string): readonly [string, ...string[]] };
};

type PrepareContext = {
  readonly sandbox: Sandbox;
  readonly workspaces: Pick<Workspaces, 'make'>;
  readonly plan: EnvironmentPlan;
  readonly tools: Tools;
  readonly caches: readonly Cache[];
  readonly network: boolean;
  /** Null: there is none. With the network it is not needed. */
  readonly wayOut: WayOut | null;
  readonly limits: SandboxLimits;
  readonly shelf: Shelf;
};

type Told = { readonly signal: AbortSignal; onOutput(text: string): void };

/** How much of the output is kept, for the message of a failure: its beginning, and its end. */
const KEPT = { head: 64_000, tail: 4_000 };

export const STOPPED = 'preparing the environment was stopped';

/** A sentence instead of an environment. */
export class PrepareError extends Error {
  override readonly name = 'PrepareError';
  /** Whether it failed because something is not in the local caches. */
  readonly notCached: boolean;

  constructor(message: string, notCached = false) {
    super(message);
    this.notCached = notCached;
  }
}

/** From the local caches where they have all of it, else from the registries: an offline machine works as long as it can. */
export async function prepareAnyhow(
  context: PrepareContext,
  key: string,
  source: WorkspaceSource,
  told: Told,
): Promise<Sealed> {
  const { wayOut, network } = context;
  if (wayOut === null || network) return prepare(context, key, source, told);
  try {
    return await prepare({ ...context, wayOut: null }, key, source, told);
  } catch (error) {
    if (!(error instanceof PrepareError) || !error.notCached) throw error;
    told.onOutput('not all of it is here: the registries are asked\n');
    return prepare(context, key, source, told);
  }
}

async function prepare(context: PrepareContext, key: string, source: WorkspaceSource, told: Told): Promise<Sealed> {
  const { shelf, plan, workspaces } = context;
  const chance = randomBytes(6).toString('hex');
  const dir = shelf.makeDir(key, chance);
  await using tidy = new AsyncDisposableStack();
  tidy.defer(() => removeTree(dir));
  const workspace = await workspaces.make(`environment.${key.slice(0, 16)}`, source);
  tidy.defer(() => workspace.remove());
  try {
    const outside = join(dir, 'env');
    if (plan.outside.length > 0) mkdirSync(outside, { mode: 0o700 });
    await runCommand(context, workspace.tree, outside, told);
    for (const path of plan.outside) {
      if (!isThere(outside, path.slice(ENV_PATH.length + 1)))
        throw new SealError(`it did not make the output ${path}: does "outputs" name what it makes?`);
    }
    const outputs: SealedOutput[] = [];
    const tools = context.tools.readable.map(({ to }) => to);
    for (const [index, path] of plan.inTree.entries()) {
      takeOut(workspace.tree, path, join(dir, `output-${index}`));
      const listing = await seal(join(dir, `output-${index}`), shownAt(path), tools);
      outputs.push({ path, name: `output-${index}`, listing });
    }
    if (plan.outside.length > 0) {
      outputs.push({ path: ENV_PATH, name: 'env', listing: await seal(outside, ENV_PATH, tools, plan.outside) });
    }
    const uses = usesOf(dir, outputs, plan);
    return shelf.put(dir, { key, base: workspace.base, outputs, ...uses, boot: thisProcess().boot });
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    throw new PrepareError(`the environment can not be kept: ${error.message}`);
  }
}

async function runCommand(context: PrepareContext, tree: string, outside: string, told: Told): Promise<void> {
  const { sandbox, plan, tools, network, limits } = context;
  const wayOut = network ? null : context.wayOut;
  const registries = (await wayOut?.registries((plan.prepare ?? []).join(' '))) ?? null;
  const caches = shownCaches(context.caches, network || registries !== null);
  await using door = registries === null ? null : await openDoor(context, registries);
  const decoder = new TextDecoder();
  let head = '';
  let tail = '';
  const argv = withCopies(plan.prepare ?? ['true']);
  const bridged = wayOut !== null && registries !== null;
  const { end } = await sandbox.run({
    argv: bridged ? wayOut.inside.argv('bridge') : argv,
    policy: {
      kind: 'prepare',
      readable: [
        ...tools.readable,
        ...caches.readable.filter(({ from }) => isOpen(from)),
        ...(bridged ? [...wayOut.inside.readable, ...registries.readable] : []),
      ],
      writable: [{ from: tree, to: TREE_PATH }, ...(plan.outside.length > 0 ? [{ from: outside, to: ENV_PATH }] : [])],
      cwd: TREE_PATH,
      env: {
        ...prepareVariables(plan, { path: tools.path, tools: tools.env ?? {} }, caches.env),
        ...(registries === null ? {} : { ...registries.env, ...PROXIED, ...plan.env }),
      },
      limits,
      ...(network ? { network: 'host' as const } : {}),
      ...(door === null ? {} : { egress: door.socket }),
    },
    input: bridged ? bridgeInput({ files: registries.files, argv }, '') : '',
    onOutput: (_, bytes) => {
      const text = terminalText(decoder.decode(bytes, { stream: true }));
      const rest = text.slice(KEPT.head - head.length);
      head += text.slice(0, text.length - rest.length);
      tail = (tail + rest).slice(-KEPT.tail);
      told.onOutput(text);
    },
    signal: told.signal,
  });
  if (end.how === 'exit' && end.code === 0) return;
  if (end.how === 'aborted') throw new PrepareError(STOPPED);
  const output = `${head}${tail}`;
  const said = terminalLine(errorText(output), 400);
  const hint = door === null ? (network ? null : offlineHint(output)) : refusedHint(door);
  throw new PrepareError(
    [
      `"${terminalLine(context.plan.prepare?.at(-1) ?? '', 120)}" did not prepare the environment: it ${endText(end)}`,
      ...(said === '' ? [] : [`it said: ${said}`]),
      ...(hint === null ? [] : [hint]),
    ].join('; '),
    door === null && hint !== null,
  );
}

const MAX_REQUESTS = 50_000;
const MAX_BYTES = 8 * 2 ** 30;

const openDoor = ({ wayOut }: PrepareContext, { allow }: FoundRegistries): Promise<EgressDoor> | null =>
  wayOut?.egress.open({ allow, route: null, maxRequests: MAX_REQUESTS, maxBytes: MAX_BYTES }) ?? null;

/** Managers differ in the letters. */
const PROXIED = Object.fromEntries(
  ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'].map((name) => [name, BRIDGE_URL]),
);

/** A place that was asked for and is not among the registries is mostly the reason, and only the operator can allow it. */
function refusedHint(door: EgressDoor): string | null {
  const troubled = door.report().decisions.filter(({ reason }) => reason !== null);
  if (troubled.length === 0) return null;
  const places = troubled
    .slice(0, 3)
    .map(({ host, port, reason }) => `${host}${port === null ? '' : `:${port}`} (${reason})`);
  return `not reached: ${places.join(', ')}; what it needs beside the registries can be allowed in your config (egress.prepare), or allow the network for this preparation (--network)`;
}

function endText(end: SandboxEnd): string {
  switch (end.how) {
    case 'exit':
      return `ended with exit code ${end.code}`;
    case 'signal':
      return `was ended by ${end.signal}`;
    case 'limit':
      return `passed its limit (${end.limit})`;
    case 'aborted':
      return 'was stopped';
  }
}

/** By real directories only: a link there was made by the command, and must not be followed by us. */
function isThere(root: string, path: string): boolean {
  let at = root;
  for (const name of path === '' ? [] : path.split('/')) {
    at = join(at, name);
    const stat = lstatSync(at, { throwIfNoEntry: false });
    if (stat === undefined || stat.isSymbolicLink()) return false;
  }
  return true;
}

/** How programs find what was prepared: commands of packages and virtual environments. */
function usesOf(dir: string, outputs: readonly SealedOutput[], plan: EnvironmentPlan) {
  const places = [
    ...outputs.filter(({ path }) => path !== ENV_PATH).map(({ path, name }) => ({ path, at: join(dir, name) })),
    ...plan.outside.map((path) => ({ path, at: join(dir, 'env', path.slice(ENV_PATH.length + 1)) })),
  ];
  const path = places.flatMap((place) =>
    ['bin', '.bin'].filter((name) => isDirectory(join(place.at, name))).map((name) => `${shownAt(place.path)}/${name}`),
  );
  const venv = places.find(({ at }) => existsSync(join(at, 'pyvenv.cfg')));
  return { path, env: venv === undefined ? {} : { VIRTUAL_ENV: shownAt(venv.path) } };
}

/** As root, a preparation runs as a user that owns nothing: what is closed to others would only make it fail. */
function isOpen(path: string): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat !== undefined && (process.geteuid?.() !== 0 || (stat.mode & 0o005) === 0o005);
}

const isDirectory = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
