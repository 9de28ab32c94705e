/** Joins the rooms that do a task for real: sandbox, workspaces, environment, workers, gates. They meet only here. */
import { join } from 'node:path';
import type { Environments } from '../engine/ports/environments.ts';
import type { Hands } from '../engine/ports/hands.ts';
import type { Sandbox } from '../engine/ports/sandbox.ts';
import { insidePrograms } from '../hands/egress/inside-programs.ts';
import { EgressProxy } from '../hands/egress/proxy.ts';
import { SealedEnvironments } from '../hands/environment/environments.ts';
import { findCaches } from '../hands/environment/find-caches.ts';
import { registriesOf } from '../hands/environment/registries.ts';
import { BaseCheck } from '../hands/gates/base-check.ts';
import { GateHand } from '../hands/gates/gate-hand.ts';
import { UnsafeSandbox } from '../hands/sandbox/none/backend.ts';
import { workerHand } from '../hands/workers/worker.ts';
import { branchApplier } from '../hands/workspace/applier.ts';
import { branchLander } from '../hands/workspace/lander.ts';
import { undoing } from '../hands/workspace/undo.ts';
import { GitWorkspaces } from '../hands/workspace/workspaces.ts';
import { type Settings, settingsHash } from '../mind/config/project-config.ts';
import { knownSelfTest, selfTestOnce } from './cli-selftests.ts';
import { lookAt, versionOf } from './clis.ts';
import type { Environment } from './config/environment.ts';
import type { Told } from './config/told.ts';
import { notifierFor } from './notifier.ts';
import { opinionsOn } from './opinions.ts';
import { packetMakers } from './packets.ts';
import type { RealHands, RoomsOptions } from './real-hands.ts';
import { findTools, type Tools } from './tools.ts';
import { transcriptPath } from './transcripts.ts';
import { treeChecks } from './tree-checks.ts';
import { openWall, type Wall } from './wall.ts';

export async function openRooms(options: RoomsOptions): Promise<RealHands> {
  const { environment, log } = options;
  const { stateDir } = environment;
  const { settings, told } = await options.loaded();
  const tools = findTools(environment, options.project);
  const wall = openWall(settings.sandbox, environment, { runDir: join(stateDir, 'run'), hidden: [stateDir] });
  await wall.sandbox.sweep();
  const egress = new EgressProxy({ dir: join(stateDir, 'run', 'egress'), log });
  const workspaces = workspacesFor(options);
  const prepared = { sandbox: wall.sandbox, workspaces, tools: behind(wall, tools.chains) };
  const environments = environmentsFor(options, settings, prepared, egress);
  const shared = { settings, told, tools, workspaces, environments, egress };
  const sandbox = once(
    (unsafe: boolean): Sandbox => (unsafe ? new UnsafeSandbox({ runDir: join(stateDir, 'run') }) : wall.sandbox),
  );
  const bases: BaseCheck[] = [];
  const made = once((unsafe: boolean) =>
    handsWith(bases, { ...options, ...shared, sandbox: sandbox(unsafe), wall: unsafe ? 'none' : wall.name }),
  );
  return {
    workspaces,
    environments,
    sandbox,
    settings: settingsHash(settings),
    hands: (unsafe) => made(unsafe).hands,
    knownBase: (ask, unsafe, context) => made(unsafe).gates.baseOf(ask, context, 'known'),
    baseOf: (ask, context) => made(false).gates.baseOf(ask, context, 'run'),
    probe: (ask, context, told) => made(false).gates.probe(ask, context, told),
    cli: (name) => lookAt(name, settings, environment, tools),
    version: (state, signal) => versionOf(state, { environment, tools, sandbox: wall.sandbox }, signal),
    knownSelfTest: (cli, version) => knownSelfTest(stateDir, cli, version),
    selfTest:
      environment.inSelfTest === true
        ? null
        : (cli, version, signal) => selfTestOnce(environment, cli, version, signal),
    // No attempt outlives its process, so no workspace of before is needed. What keeps work alive stays.
    async settle() {
      await wall.sandbox.sweep();
      await workspaces.clearUp();
    },
    async close() {
      for (const base of bases) await base.close();
      await egress[Symbol.asyncDispose]();
      await wall.close();
      await workspaces.close();
    },
  };
}

function workspacesFor({ environment, project, failpoint, log }: RoomsOptions): GitWorkspaces {
  return new GitWorkspaces({
    home: environment.home,
    stateDir: environment.stateDir,
    project: project.id,
    commonDir: project.commonDir,
    failpoint,
    failed: (path, error) => log('warn', 'could not be deleted', { path, error: error.message }),
  });
}

type Rooms = Omit<RoomsOptions, 'loaded'> & {
  readonly settings: Settings;
  readonly told: Told;
  readonly sandbox: Sandbox;
  readonly workspaces: GitWorkspaces;
  readonly environments: Environments | null;
  readonly egress: EgressProxy;
  /** The kind of sandbox; `none` for a task whose operator said so. */
  readonly wall: string;
  readonly tools: Tools;
};

function handsWith(bases: BaseCheck[], of: Rooms): { readonly hands: Hands; readonly gates: GateHand } {
  const { environment, project, settings, told, workspaces, environments, egress, sandbox, tools } = of;
  const { log, redact, clock, script } = of;
  const { stateDir } = environment;
  const checks = treeChecks(workspaces, settings, environments?.outputs ?? []);
  const inside = insideOf(environment);
  const shared = { sandbox, workspaces, environments, log, settings: () => settings };
  const gates = new GateHand({
    ...shared,
    wall: of.wall,
    tools: tools.chains,
    cacheDir: join(stateDir, 'evidence', project.id),
    limits: settings.sandbox.gate,
  });
  const worker = workerHand({
    ...shared,
    clock,
    stateDir,
    script,
    check: checks.check,
    opinions: (change, { spec }) => opinionsOn(workspaces, settings, change, spec),
    tools: { ...tools.chains, find: tools.find },
    egress,
    inside,
    home: environment.home,
    ...packetMakers({
      project,
      settings,
      told,
      redact,
      checkout: of.checkout ?? null,
      stateDir,
    }),
    env: (name) => environment.variable(name),
    transcriptPath: (task, step, attempt) => transcriptPath(environment, project.id, { task, step, attempt }),
  });
  const base = new BaseCheck({ worker, gates, log, tell: of.tellBase });
  bases.push(base);
  const hands = {
    worker: undoing({ workspaces, facts: checks.facts }, base.worker),
    gate: gates,
    applier: branchApplier(workspaces),
    lander: branchLander(workspaces),
    notifier: notifierFor(environment, log),
  };
  return { hands, gates };
}

function environmentsFor(
  { environment, project, network }: RoomsOptions,
  settings: Settings,
  rooms: { readonly sandbox: Sandbox; readonly workspaces: GitWorkspaces; readonly tools: Tools['chains'] },
  egress: EgressProxy,
): Environments | null {
  if (settings.environment?.prepare === undefined) return null;
  const { stateDir, home, path } = environment;
  const registries = async (command: string) => {
    const variable = (name: string) => environment.variable(name);
    const found = await registriesOf({ home, path, variable }, command);
    return { ...found, allow: [...found.allow, ...settings.egress.prepare] };
  };
  const variables = Object.fromEntries(CACHE_VARIABLES.map((name) => [name, environment.variable(name)]));
  return new SealedEnvironments({
    ...rooms,
    stateDir,
    project: project.id,
    commonDir: project.commonDir,
    network: network === true,
    config: settings.environment,
    wayOut: { egress, inside: insideOf(environment), registries },
    caches: home === null ? [] : findCaches(home, variables),
  });
}

const insideOf = ({ stateDir }: Environment) => insidePrograms(join(stateDir, 'run', 'inside'));

/** What was prepared in an image does not fit the host, nor another image. */
const behind = ({ name }: Wall, chains: Tools['chains']): Tools['chains'] =>
  name === 'bubblewrap' ? chains : { ...chains, identity: [...chains.identity, name] };

/** Each of the two is made when it is first asked for. */
function once<T>(make: (unsafe: boolean) => T): (unsafe: boolean) => T {
  const made = new Map<boolean, T>();
  return (unsafe) => {
    const found = made.get(unsafe) ?? make(unsafe);
    made.set(unsafe, found);
    return found;
  };
}

/** By which people put the caches of package managers elsewhere. */
const CACHE_VARIABLES = [
  ...['CARGO_HOME', 'GOMODCACHE', 'GOPATH', 'PIP_CACHE_DIR', 'PIP_FIND_LINKS', 'XDG_CACHE_HOME'],
  ...['npm_config_cache', 'NPM_CONFIG_CACHE'],
];
