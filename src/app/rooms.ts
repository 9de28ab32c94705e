/** Joins the rooms that do real work: sandbox, workspaces, environment, workers, gates. They meet only here. */
import { join } from 'node:path';
import type { Environments } from '../engine/ports/environments.ts';
import type { Hands } from '../engine/ports/hands.ts';
import type { Sandbox } from '../engine/ports/sandbox.ts';
import { insidePrograms } from '../hands/egress/inside-programs.ts';
import { EgressProxies } from '../hands/egress/proxies.ts';
import { SealedEnvironments } from '../hands/environment/environments.ts';
import { findCaches } from '../hands/environment/find-caches.ts';
import { registriesOf } from '../hands/environment/registries.ts';
import { BaseCheck } from '../hands/gates/base-check.ts';
import { GateHand } from '../hands/gates/gate-hand.ts';
import { UnsafeSandbox } from '../hands/sandbox/none/backend.ts';
import { workerHand } from '../hands/workers/worker.ts';
import { branchApplier } from '../hands/workspace/applier.ts';
import { branchLander } from '../hands/workspace/lander.ts';
import { givenByPeople } from '../hands/workspace/person-attempt.ts';
import { undoing } from '../hands/workspace/undo.ts';
import type { GitWorkspaces } from '../hands/workspace/workspaces.ts';
import { type Settings, settingsHash } from '../mind/config/project-config.ts';
import { type ChosenSandbox, openSandbox } from './chosen-sandbox.ts';
import { knownSelfTest, selfTestOnce } from './cli-selftests.ts';
import { lookAt, versionOf } from './clis.ts';
import type { Environment } from './config/environment.ts';
import type { PromptFiles } from './config/prompt-files.ts';
import { unreadyGates } from './doctor-gates.ts';
import { notifierFor } from './notifier.ts';
import { packetMakers } from './packets.ts';
import type { RealHands, RoomsOptions } from './real-hands.ts';
import { opinionsOn } from './reviewer-hints.ts';
import { findTools, type InstalledTools } from './tools.ts';
import { transcriptPath } from './transcripts.ts';
import { treeChecks } from './tree-checks.ts';
import { workspacesFor } from './workspaces.ts';

export async function openRooms(options: RoomsOptions): Promise<RealHands> {
  const { environment, log } = options;
  const { stateDir } = environment;
  const { settings, told } = await options.loaded();
  const tools = findTools(environment, options.project);
  const chosen = openSandbox(settings.sandbox, environment, { runDir: join(stateDir, 'run'), hidden: [stateDir] });
  await chosen.sandbox.sweep();
  const egress = new EgressProxies({ dir: join(stateDir, 'run', 'egress'), log });
  const workspaces = workspacesFor(options);
  const prepared = { sandbox: chosen.sandbox, workspaces, tools: within(chosen, tools.chains) };
  const environments = environmentsFor(options, settings, prepared, egress);
  const shared = { settings, told, tools, workspaces, environments, egress };
  const sandbox = once(
    (unsafe: boolean): Sandbox => (unsafe ? new UnsafeSandbox({ runDir: join(stateDir, 'run') }) : chosen.sandbox),
  );
  const bases: BaseCheck[] = [];
  const made = once((unsafe: boolean) =>
    handsWith(bases, { ...options, ...shared, sandbox: sandbox(unsafe), sandboxName: unsafe ? 'none' : chosen.name }),
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
    unreadyGates: (gates, base) =>
      unreadyGates({
        settings,
        tools,
        stateDir,
        sandbox: chosen.sandbox,
        top: options.checkout,
        gates: new Set(gates),
        bringsPackages: async () => (await workspaces.paths(base)).some((path) => path.startsWith('node_modules/')),
      }),
    cli: (name) => lookAt(name, settings, environment, tools),
    version: (state, signal) => versionOf(state, { environment, tools, sandbox: chosen.sandbox }, signal),
    knownSelfTest: (cli, version) => knownSelfTest(stateDir, cli, version),
    selfTest:
      environment.inSelfTest === true
        ? null
        : (cli, version, signal) => selfTestOnce(environment, cli, version, signal),
    // No attempt outlives its process, so earlier workspaces can go. Pins that protect work stay.
    async settle() {
      await chosen.sandbox.sweep();
      await workspaces.clearUp();
    },
    async close() {
      for (const base of bases) await base.close();
      await egress[Symbol.asyncDispose]();
      await chosen.close();
      await workspaces.close();
    },
  };
}

type Rooms = Omit<RoomsOptions, 'loaded'> & {
  readonly settings: Settings;
  readonly told: PromptFiles;
  readonly sandbox: Sandbox;
  readonly workspaces: GitWorkspaces;
  readonly environments: Environments | null;
  readonly egress: EgressProxies;
  /** The kind of sandbox; `none` if the operator switched it off for the task. */
  readonly sandboxName: string;
  readonly tools: InstalledTools;
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
    sandboxName: of.sandboxName,
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
    worker: givenByPeople(
      { workspaces, check: checks.check },
      undoing({ workspaces, facts: checks.facts }, base.worker),
    ),
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
  rooms: { readonly sandbox: Sandbox; readonly workspaces: GitWorkspaces; readonly tools: InstalledTools['chains'] },
  egress: EgressProxies,
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

/** An environment prepared in one image fits neither the host nor another image. */
const within = ({ name }: ChosenSandbox, chains: InstalledTools['chains']): InstalledTools['chains'] =>
  name === 'bubblewrap' ? chains : { ...chains, identity: [...chains.identity, name] };

/** Makes one value for each of the two cases, when first asked for. */
function once<T>(make: (unsafe: boolean) => T): (unsafe: boolean) => T {
  const made = new Map<boolean, T>();
  return (unsafe) => {
    const found = made.get(unsafe) ?? make(unsafe);
    made.set(unsafe, found);
    return found;
  };
}

/** Variables with which people move the caches of package managers. */
const CACHE_VARIABLES = [
  ...['CARGO_HOME', 'GOMODCACHE', 'GOPATH', 'PIP_CACHE_DIR', 'PIP_FIND_LINKS', 'XDG_CACHE_HOME'],
  ...['npm_config_cache', 'NPM_CONFIG_CACHE'],
];
