/** `doctor` on CLIs: installed, which version, key or login (never what they hold), and what each can do. */
import { isAbsolute } from 'node:path';
import type { Sandbox } from '../engine/ports/sandbox.ts';
import type { CliState } from '../hands/workers/cli-state.ts';
import type { AskedVersion } from '../hands/workers/version.ts';
import { judgeVersion } from '../kernel/version.ts';
import { READY_NAMES } from '../mind/config/cli-config.ts';
import type { Settings } from '../mind/config/project-config.ts';
import type { Adapter } from '../mind/workers/adapter.ts';
import { lookAt, unready, versionOf } from './clis.ts';
import type { Environment } from './config/environment.ts';
import type { Finding } from './doctor.ts';
import type { Tools } from './tools.ts';

type Around = {
  readonly settings: Settings;
  readonly environment: Environment;
  readonly tools: Tools;
  readonly sandbox: Pick<Sandbox, 'run'>;
};

export async function cliFindings(around: Around): Promise<Finding[]> {
  const { settings, environment, tools } = around;
  const look = (name: string) => lookAt(name, settings, environment, tools);
  const isReady = (name: string) => unready(name, look(name)) === null;
  // A fail-over that is not there is passed over, as long as another one can work.
  const chosen = settings.defaultCli;
  const needed = chosen.some(isReady) ? [] : chosen;
  const names = [
    ...new Set([...chosen.filter((name) => name !== 'scripted'), ...Object.keys(settings.clis), ...READY_NAMES]),
  ];
  const findings: Finding[] = [];
  for (const name of names) {
    const seen = look(name);
    if (seen.type === 'unknown') continue;
    const needs = { first: chosen[0] === name, needed: needed.includes(name) };
    if (seen.type === 'declared') {
      findings.push(declared(name, seen, needs));
      continue;
    }
    const version = await versionOf(seen.state, around, AbortSignal.timeout(60_000));
    findings.push(builtIn(name, seen.state, version, needs));
  }
  if (chosen.every((name) => name === 'scripted')) {
    findings.push(workers(READY_NAMES.filter(isReady), environment.userConfig));
  }
  return findings;
}

/** Whether it is the first choice, and whether nothing goes without it. */
type Needs = { readonly first: boolean; readonly needed: boolean };

function workers(usable: readonly string[], file: string): Finding {
  const [first, ...others] = usable;
  if (first === undefined)
    return { name: 'workers', state: 'degraded', detail: 'no CLI is ready', fix: 'see the CLIs above; one is enough' };
  const then = others.length === 0 ? '' : `, and when it can not, ${others.join(', ')}`;
  const how = `to choose: default_cli: [${first}] in ${file}`;
  const detail = `none is chosen, so \`run\` takes ${first}${then} (${how})`;
  return { name: 'workers', state: 'ok', detail, fix: null };
}

function declared(
  name: string,
  { program, installed }: { readonly program: string; readonly installed: boolean },
  { first, needed }: Needs,
): Finding {
  if (installed) return { name: `cli ${name}`, state: 'ok', detail: `${program}${choice(first)}`, fix: null };
  return {
    name: `cli ${name}`,
    state: needed ? 'missing' : 'degraded',
    detail: `${program} is not installed, or not on PATH`,
    fix: `install it, or correct clis.${name}.command`,
  };
}

function builtIn(name: string, state: CliState, asked: AskedVersion | null, { first, needed: wanted }: Needs): Finding {
  const bad = wanted ? ('missing' as const) : ('absent' as const);
  if (state.type === 'refused' && state.program === null)
    return { name: `cli ${name}`, state: bad, ...split(state.message) };
  if (asked?.type === 'failed')
    return {
      name: `cli ${name}`,
      state: wanted ? 'missing' : 'degraded',
      detail: `does not start in the sandbox: ${asked.message}`,
      fix: 'install it again, or report this with its version',
    };
  if (state.type === 'refused') {
    const found = asked === null ? '' : `${asked.version}; `;
    const { detail, fix } = split(state.message);
    return { name: `cli ${name}`, state: wanted ? 'missing' : 'degraded', detail: `${found}${detail}`, fix };
  }
  const { adapter, way } = state;
  const tested = testedText(adapter, asked);
  const auth =
    way.type === 'login'
      ? 'its own login: the weaker mode, a copy of its credential file is readable inside the sandbox'
      : way.variable === null
        ? 'no key needed'
        : `key from ${way.variable}, which stays outside the sandbox`;
  const detail = [tested.text, auth, `can: ${abilities(adapter)}`].filter((part) => part !== '').join('; ');
  const weak =
    way.type === 'login'
      ? `set ${adapter.providers[0]?.keys[0]?.variable ?? 'a key'} to keep credentials outside`
      : null;
  const degraded = tested.fix !== null || weak !== null;
  return {
    name: `cli ${name}`,
    state: degraded ? 'degraded' : 'ok',
    detail: `${detail}${choice(first)}`,
    fix: tested.fix ?? weak,
  };
}

function testedText({ tested, install }: Adapter, asked: AskedVersion | null): { text: string; fix: string | null } {
  if (asked?.type !== 'version') return { text: '', fix: null };
  if (tested === null) return { text: asked.version, fix: null };
  const range = `${tested.from} up to ${tested.below}`;
  switch (judgeVersion(asked.version, tested)) {
    case 'tested':
      return { text: `${asked.version} (tested)`, fix: null };
    case 'older':
      return { text: `${asked.version} is older than what was tested (${range})`, fix: install };
    case 'newer':
      return {
        text: `${asked.version} is newer than what was tested (${range})`,
        fix: 'supervisor doctor --selftest tells whether it still works',
      };
  }
}

function abilities({ can }: Adapter): string {
  const named = [
    ...(can.model ? ['model'] : []),
    ...(can.effort ? ['effort'] : []),
    ...(can.systemPrompt ? ['system prompt'] : []),
    ...(can.tools ? ['tool restrictions'] : []),
    ...(can.schema ? ['output schema'] : []),
    ...(can.sessions ? ['sessions'] : []),
    ...(can.usage === 'none' ? [] : [can.usage === 'cost' ? 'tells its cost' : 'tells its tokens']),
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
