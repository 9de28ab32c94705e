/** `doctor` for CLIs: installed, version, key or login (never their values), and what each one can do. */
import { isAbsolute } from 'node:path';
import type { Sandbox } from '../engine/ports/sandbox.ts';
import type { CliState } from '../hands/workers/cli-state.ts';
import type { AskedVersion } from '../hands/workers/version.ts';
import type { Settings } from '../mind/config/project-config.ts';
import type { Adapter } from '../mind/workers/adapter.ts';
import { READY_NAMES } from '../mind/workers/cli-config.ts';
import { type JudgedVersion, judgeCli } from '../mind/workers/judge-cli.ts';
import { knownSelfTest } from './cli-selftests.ts';
import { type CliLook, lookAt, unready, versionOf } from './clis.ts';
import type { Environment } from './config/environment.ts';
import type { DoctorFinding } from './doctor-finding.ts';
import type { InstalledTools } from './tools.ts';

type CliCheckContext = {
  readonly settings: Settings;
  readonly environment: Environment;
  readonly tools: InstalledTools;
  readonly sandbox: Pick<Sandbox, 'run'>;
  /** Whether a sandbox can be built. Without one no CLI is started. */
  readonly ready: boolean;
};

const NO_SANDBOX: AskedVersion = { type: 'failed', message: 'no sandbox can be built here' };

export async function cliFindings(around: CliCheckContext): Promise<DoctorFinding[]> {
  const { settings, environment, tools } = around;
  const look = (name: string) => lookAt(name, settings, environment, tools);
  const chosen = settings.defaultCli;
  const isChosen = chosen.some((name) => name !== 'scripted');
  const names = [
    ...new Set([...chosen.filter((name) => name !== 'scripted'), ...Object.keys(settings.clis), ...READY_NAMES]),
  ];
  const looked = new Map<string, JudgedCli>();
  for (const name of names) looked.set(name, await closely(name, look(name), around));
  // `run` takes the chosen CLIs, or else every CLI, if they can start.
  const isReady = (name: string) => unready(name, look(name)) === null && looked.get(name)?.refused !== true;
  const taken = (isChosen ? chosen : READY_NAMES).filter(isReady);
  // A CLI that cannot start is skipped as long as another one can.
  const needed = taken.length > 0 ? [] : chosen;
  const findings = [...looked].flatMap(([name, one]): DoctorFinding[] => {
    const needs = { first: chosen[0] === name, needed: needed.includes(name) };
    if (one.look.type === 'unknown') return [];
    return [one.look.type === 'declared' ? declared(name, one.look, needs) : builtIn(name, one.look.state, one, needs)];
  });
  if (isChosen) return findings;
  const refused = READY_NAMES.some((name) => looked.get(name)?.refused === true && unready(name, look(name)) === null);
  return [...findings, workers(taken, refused, environment.userConfig)];
}

type JudgedCli = {
  readonly look: CliLook;
  readonly version: AskedVersion | null;
  readonly judged: JudgedVersion | null;
  /** True if `run` refuses this version. */
  readonly refused: boolean;
};

async function closely(name: string, look: CliLook, around: CliCheckContext): Promise<JudgedCli> {
  if (look.type !== 'built in') return { look, version: null, judged: null, refused: false };
  const { stateDir } = around.environment;
  const { state } = look;
  const isThere = state.type !== 'refused' || state.program !== null;
  const version = around.ready
    ? await versionOf(state, around, AbortSignal.timeout(60_000))
    : isThere
      ? NO_SANDBOX
      : null;
  const judged =
    version?.type === 'version' && state.type !== 'refused'
      ? judgeCli(state.adapter, version.version, knownSelfTest(stateDir, name, version.version))
      : null;
  return { look, version, judged, refused: version?.type === 'failed' || (judged?.refused ?? null) !== null };
}

/** `first`: it is the first choice. `needed`: nothing runs without it. */
type Needs = { readonly first: boolean; readonly needed: boolean };

function workers(usable: readonly string[], refused: boolean, file: string): DoctorFinding {
  const [first, ...others] = usable;
  if (first === undefined)
    return {
      name: 'workers',
      state: refused ? 'missing' : 'degraded',
      detail: refused ? 'no CLI works, so `run` refuses' : 'no CLI is ready',
      fix: 'see the CLIs above; one is enough',
    };
  const then = others.length === 0 ? '' : `, and when it cannot, ${others.join(', ')}`;
  const how = `to choose one: default_cli: [${first}] in ${file}`;
  const detail = `none is chosen, so \`run\` takes ${first}${then} (${how})`;
  return { name: 'workers', state: 'ok', detail, fix: null };
}

function declared(
  name: string,
  { program, installed }: { readonly program: string; readonly installed: boolean },
  { first, needed }: Needs,
): DoctorFinding {
  if (installed) return { name: `cli ${name}`, state: 'ok', detail: `${program}${choice(first)}`, fix: null };
  return {
    name: `cli ${name}`,
    state: needed ? 'missing' : 'degraded',
    detail: `${program} is not installed, or not on PATH`,
    fix: `install it, or correct clis.${name}.command`,
  };
}

function builtIn(
  name: string,
  state: CliState,
  { version: asked, judged }: Pick<JudgedCli, 'version' | 'judged'>,
  { first, needed: wanted }: Needs,
): DoctorFinding {
  const bad = wanted ? ('missing' as const) : ('absent' as const);
  if (state.type === 'refused' && state.program === null)
    return { name: `cli ${name}`, state: bad, ...split(state.message) };
  if (asked?.type === 'failed')
    return {
      name: `cli ${name}`,
      state: wanted ? 'missing' : 'degraded',
      detail: `does not start in the sandbox: ${asked.message}`,
      fix: asked === NO_SANDBOX ? 'see the sandbox above' : 'install it again, or report this with its version',
    };
  if (state.type === 'refused') {
    const found = asked === null ? '' : `${asked.version}; `;
    const { detail, fix } = split(state.message);
    return { name: `cli ${name}`, state: wanted ? 'missing' : 'degraded', detail: `${found}${detail}`, fix };
  }
  if (judged !== null && judged.refused !== null)
    return {
      name: `cli ${name}`,
      state: wanted ? 'missing' : 'degraded',
      detail: `${judged.text}, ${judged.refused}: \`run\` refuses it`,
      fix: judged.fix,
    };
  const { adapter, way } = state;
  const auth =
    way.type === 'login'
      ? 'its own login: the weaker mode, a copy of its credential file is readable inside the sandbox'
      : way.variable === null
        ? 'no key needed'
        : `key from ${way.variable}, which stays outside the sandbox`;
  const detail = [judged?.text, judged?.advice, auth, `can: ${abilities(adapter)}`].filter(Boolean).join('; ');
  const weak =
    way.type === 'login'
      ? `set ${adapter.providers[0]?.keys[0]?.variable ?? 'a key'} to keep credentials outside`
      : null;
  const untested = judged === null || judged.type === 'in range' ? null : judged.fix;
  return {
    name: `cli ${name}`,
    state: untested !== null || weak !== null ? 'degraded' : 'ok',
    detail: `${detail}${choice(first)}`,
    fix: untested ?? weak,
  };
}

function abilities({ can }: Adapter): string {
  const named = [
    ...(can.model ? ['model'] : []),
    ...(can.effort ? ['effort'] : []),
    ...(can.systemPrompt ? ['system prompt'] : []),
    ...(can.tools ? ['tool restrictions'] : []),
    ...(can.schema ? ['output schema'] : []),
    ...(can.sessions ? ['sessions'] : []),
    ...(can.usage === 'none' ? [] : [can.usage === 'cost' ? 'reports its cost' : 'reports its tokens']),
  ];
  return named.join(', ') || 'answers only';
}

const choice = (first: boolean): string => (first ? '; the first choice' : '');

/** `what: what to do` */
function split(message: string): { detail: string; fix: string | null } {
  const text = message.replace(/^CLI \S+?:? /, '');
  const colon = text.lastIndexOf(': ');
  return colon < 0 || isAbsolute(text)
    ? { detail: text, fix: null }
    : { detail: text.slice(0, colon), fix: text.slice(colon + 2) };
}
