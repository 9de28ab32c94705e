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
import { gateHand } from '../hands/gates/gate-hand.ts';
import { UnsafeSandbox } from '../hands/sandbox/none/backend.ts';
import { Waiting } from '../hands/workers/waiting.ts';
import { workerHand } from '../hands/workers/worker.ts';
import { branchApplier } from '../hands/workspace/applier.ts';
import { GitWorkspaces } from '../hands/workspace/workspaces.ts';
import { type Settings, settingsHash } from '../mind/config/project-config.ts';
import { type Afterwards, Later } from '../os/machine/afterwards.ts';
import { type Aside, Spare } from '../os/machine/aside.ts';
import { beginStarter, endStarter } from '../os/process/starter.ts';
import { lookAt, versionOf } from './clis.ts';
import type { Environment } from './config/environment.ts';
import type { Told } from './config/told.ts';
import { loggedNotifier } from './notifier.ts';
import type { RealHands, RealParts } from './open.ts';
import { packetMakers } from './packets.ts';
import type { RealOptions } from './real.ts';
import { findTools, type Tools } from './tools.ts';
import { transcriptPath } from './transcripts.ts';
import { treeChecks } from './tree-checks.ts';
import { openWall, type Wall } from './wall.ts';

export function openRooms(options: RealOptions): (parts: RealParts) => Promise<RealHands> {
  return async (parts) => {
    const { environment, project } = options;
    const { stateDir } = environment;
    const { log, failpoint } = parts;
    const { settings, told } = options.loaded();
    const tools = findTools(environment, project);
    const place = { runDir: join(stateDir, 'run'), hidden: [stateDir], spares: true };
    const wall = openWall(settings.sandbox, environment, place);
    await wall.sandbox.sweep();
    const egress = new EgressProxy({ dir: join(stateDir, 'run', 'egress'), log });
    const workspaces = new GitWorkspaces({
      stateDir,
      project: project.id,
      commonDir: project.commonDir,
      failpoint,
      failed: (path, error) => log('warn', 'could not be deleted', { path, error: error.message }),
    });
    const sandbox = once(
      (unsafe: boolean): Sandbox => (unsafe ? new UnsafeSandbox({ runDir: join(stateDir, 'run') }) : wall.sandbox),
    );
    // Others start their programs when all is there.
    const waiting = wall.name === 'bubblewrap' ? new Waiting({ sandbox: wall.sandbox, workspaces, egress, log }) : null;
    const environments = environmentsFor(
      options,
      settings,
      {
        sandbox: wall.sandbox,
        workspaces,
        tools: behind(wall, tools.chains),
      },
      egress,
    );
    // Whoever waits for a packet does not wait for what others may need of it.
    const [later, spare] = [new Later(), new Spare()];
    const hands = once(
      (unsafe: boolean): Hands =>
        handsWith({
          ...options,
          ...parts,
          settings,
          told,
          unsafe,
          sandbox: sandbox(unsafe),
          workspaces,
          environments,
          egress,
          waiting: unsafe ? null : waiting,
          ...{ later: later.add, aside: spare.add },
          wall: wall.name,
          tools,
        }),
    );
    return {
      ...{ workspaces, environments, sandbox, hands, settings: settingsHash(settings) },
      cli: (name) => {
        // It will be needed, and both take a while.
        if (name !== 'scripted') {
          beginStarter();
          egress.load().catch(() => {});
        }
        return lookAt(name, settings, environment, tools);
      },
      version: (state, signal) => versionOf(state, { environment, tools, sandbox: wall.sandbox }, signal),
      // No attempt outlives its process, so no workspace of before is needed. What keeps work alive stays.
      async settle() {
        await wall.sandbox.sweep();
        await workspaces.clearUp();
      },
      async close() {
        await spare.close();
        await waiting?.close();
        await egress[Symbol.asyncDispose]();
        await wall.close();
        await workspaces.close();
        later.flush();
        endStarter();
      },
    };
  };
}

type Rooms = Omit<RealOptions, 'loaded'> &
  RealParts & {
    readonly settings: Settings;
    readonly told: Told;
    readonly unsafe: boolean;
    readonly sandbox: Sandbox;
    readonly workspaces: GitWorkspaces;
    readonly environments: Environments | null;
    readonly egress: EgressProxy;
    readonly waiting: Waiting | null;
    readonly later: Afterwards;
    readonly aside: Aside;
    readonly wall: string;
    readonly tools: Tools;
  };

function handsWith(of: Rooms): Hands {
  const { environment, project, settings, told, workspaces, environments, egress, sandbox, tools } = of;
  const { log, redact, clock, script } = of;
  const { stateDir } = environment;
  const checks = treeChecks(workspaces, settings, environments?.outputs ?? []);
  const inside = insideOf(environment);
  const shared = { sandbox, workspaces, environments, log, settings: () => settings };
  return {
    worker: workerHand({
      ...shared,
      ...{ redact, clock, stateDir, script, check: checks.check, tools: { ...tools.chains, find: tools.find } },
      ...{ egress, inside, home: environment.home, ...(of.waiting === null ? {} : { waiting: of.waiting }) },
      ...packetMakers({
        project,
        settings,
        told,
        redact,
        checkout: of.checkout ?? null,
        stateDir,
        ...{ later: of.later, aside: of.aside },
      }),
      env: (name) => environment.variable(name),
      transcriptPath: (task, step, attempt) => transcriptPath(environment, project.id, { task, step, attempt }),
    }),
    gate: gateHand({
      ...shared,
      wall: of.unsafe ? 'none' : of.wall,
      tools: tools.chains,
      cacheDir: join(stateDir, 'evidence', project.id),
      limits: settings.sandbox.gate,
    }),
    applier: branchApplier(workspaces),
    notifier: loggedNotifier(log),
  };
}

function environmentsFor(
  { environment, project, network }: RealOptions,
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
    ...{ stateDir, project: project.id, commonDir: project.commonDir, network: network === true },
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
