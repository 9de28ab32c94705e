/** Prepares one environment: a tree of the base, the command in a sandbox, its outputs sealed and moved into place. */
import { randomBytes } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { AttemptProxy, Egress } from '../../engine/ports/egress.ts';
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
import type { SealedEnvironment, SealedOutput, Shelf } from './shelf.ts';

export type PrepareTools = {
  readonly readable: readonly { readonly from: string; readonly to: string }[];
  /** The whole PATH. */
  readonly path: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** What decides which version runs, beside the programs themselves. */
  readonly identity?: readonly string[];
};

/** Access to the registries and nothing else, instead of the whole network. */
export type RegistryAccess = {
  readonly egress: Egress;
  /** Called only when something is prepared: the query takes longer than finding out that nothing is needed. */
  readonly registries: (command: string) => Promise<FoundRegistries>;
  /** Our programs inside the sandbox, including the bridge. */
  readonly inside: { readonly readable: readonly Mount[]; argv(program: string): readonly [string, ...string[]] };
};

type PrepareContext = {
  readonly sandbox: Sandbox;
  readonly workspaces: Pick<Workspaces, 'make'>;
  readonly plan: EnvironmentPlan;
  readonly tools: PrepareTools;
  readonly caches: readonly Cache[];
  readonly network: boolean;
  /** Access to registries; null if there is none, or the whole network is open. */
  readonly wayOut: RegistryAccess | null;
  readonly limits: SandboxLimits;
  readonly shelf: Shelf;
};

type PrepareProgress = { readonly signal: AbortSignal; onOutput(text: string): void };

/** How much output is kept for the message of a failure: the beginning and the end. */
const KEPT = { head: 64_000, tail: 4_000 };

export const STOPPED = 'preparing the environment was stopped';

/** The reason, instead of an environment. */
export class PrepareError extends Error {
  override readonly name = 'PrepareError';
  /** Whether it failed because the local caches lack something. */
  readonly notCached: boolean;

  constructor(message: string, notCached = false) {
    super(message);
    this.notCached = notCached;
  }
}

/** Uses the local caches if they have everything, else the registries: an offline machine works as long as it can. */
export async function prepareAnyhow(
  context: PrepareContext,
  key: string,
  source: WorkspaceSource,
  told: PrepareProgress,
): Promise<SealedEnvironment> {
  const { wayOut, network } = context;
  if (wayOut === null || network) return prepare(context, key, source, told);
  try {
    return await prepare({ ...context, wayOut: null }, key, source, told);
  } catch (error) {
    if (!(error instanceof PrepareError) || !error.notCached) throw error;
    told.onOutput('some packages are not in the local caches: asking the registries\n');
    return prepare(context, key, source, told);
  }
}

async function prepare(
  context: PrepareContext,
  key: string,
  source: WorkspaceSource,
  told: PrepareProgress,
): Promise<SealedEnvironment> {
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
        throw new SealError(`it did not produce the output ${path}: check "outputs"`);
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
    throw new PrepareError(`the environment cannot be kept: ${error.message}`);
  }
}

async function runCommand(
  context: PrepareContext,
  tree: string,
  outside: string,
  told: PrepareProgress,
): Promise<void> {
  const { sandbox, plan, tools, network, limits } = context;
  const wayOut = network ? null : context.wayOut;
  const registries = (await wayOut?.registries((plan.prepare ?? []).join(' '))) ?? null;
  const caches = shownCaches(context.caches, network || registries !== null);
  await using proxy = registries === null ? null : await openProxy(context, registries);
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
      ...(proxy === null ? {} : { egress: proxy.socket }),
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
  const hint = proxy === null ? (network ? null : offlineHint(output)) : refusedHint(proxy);
  throw new PrepareError(
    [
      `"${terminalLine(context.plan.prepare?.at(-1) ?? '', 120)}" did not prepare the environment: it ${endText(end)}`,
      ...(said === '' ? [] : [`it said: ${said}`]),
      ...(hint === null ? [] : [hint]),
    ].join('; '),
    proxy === null && hint !== null,
  );
}

const MAX_REQUESTS = 50_000;
const MAX_BYTES = 8 * 2 ** 30;

const openProxy = ({ wayOut }: PrepareContext, { allow }: FoundRegistries): Promise<AttemptProxy> | null =>
  wayOut?.egress.open({ allow, route: null, maxRequests: MAX_REQUESTS, maxBytes: MAX_BYTES }) ?? null;

/** Managers differ in upper and lower case. */
const PROXIED = Object.fromEntries(
  ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'].map((name) => [name, BRIDGE_URL]),
);

/** A requested host that is not among the registries is mostly the reason, and only the operator can allow it. */
function refusedHint(proxy: AttemptProxy): string | null {
  const troubled = proxy.report().decisions.filter(({ reason }) => reason !== null);
  if (troubled.length === 0) return null;
  const places = troubled
    .slice(0, 3)
    .map(({ host, port, reason }) => `${host}${port === null ? '' : `:${port}`} (${reason})`);
  return `not reached: ${places.join(', ')}; allow further hosts with \`egress.prepare\` in your config, or the whole network with --network`;
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

/** Only through real directories: the command made any link there, and we must not follow it. */
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

/** As root, a preparation runs as a user without files: anything closed to others would only make it fail. */
function isOpen(path: string): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat !== undefined && (process.geteuid?.() !== 0 || (stat.mode & 0o005) === 0o005);
}

const isDirectory = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
