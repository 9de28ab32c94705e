/** `doctor` for gates and the environment: checks inside the gates' sandbox that their programs exist. */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Sandbox } from '../engine/ports/sandbox.ts';
import type { Settings } from '../mind/config/project-config.ts';
import { packageOf } from '../mind/detect/package-json.ts';
import { GATE_LIMITS } from '../mind/gates/definition.ts';
import { commandsOf, type GateCommand } from '../mind/gates/kinds.ts';
import { programsOf, programsOfScript } from '../mind/gates/programs.ts';
import { SANDBOX_HOME } from '../mind/sandbox/paths.ts';
import { readTextFile } from '../os/files/text-file.ts';
import type { DoctorFinding } from './doctor-finding.ts';
import type { KeptProbe } from './probe-gates.ts';
import type { InstalledTools } from './tools.ts';

type GateCheckContext = {
  readonly settings: Settings;
  readonly tools: InstalledTools;
  readonly sandbox: Pick<Sandbox, 'run'>;
  /** An empty directory for the sandbox to start in. */
  readonly dir: string;
  /** Whether the sandbox can be built. */
  readonly ready: boolean;
  /** The scripts of the project's package.json, by name. */
  readonly scripts: Readonly<Record<string, string>>;
};

export async function gateFindings(around: GateCheckContext): Promise<DoctorFinding[]> {
  const { gates, environment } = around.settings;
  const prepare = environment?.prepare ?? null;
  const { broken, installers } = await brokenGates(around);
  return [...gatesFinding(gates, broken), ...(prepare === null ? [] : [environmentFinding(prepare, installers)])];
}

type ConfigGatesContext = Omit<GateCheckContext, 'ready' | 'dir' | 'scripts'> & {
  readonly stateDir: string;
  /** The operator's checkout, if there is one. */
  readonly top: string | undefined;
  readonly gates: ReadonlySet<string>;
  /** Whether the commit that the worker starts from contains installed packages. */
  readonly bringsPackages: () => Promise<boolean>;
};

/**
 * Finds blocking gates that cannot run here, before a worker is paid. `sure` means that no shell could work around what
 * is missing. The sandbox is asked only if a program is missing from the operator's PATH.
 */
export async function unreadyGates(
  asked: ConfigGatesContext,
): Promise<{ readonly text: string; readonly sure: boolean }[]> {
  const { settings, tools, stateDir, top, gates } = asked;
  const own = settings.gates.filter(({ name, blocking }) => blocking && gates.has(name));
  const scripts = top === undefined ? {} : scriptsOf(top);
  const needed = own.flatMap((gate) =>
    commandsOf(gate).flatMap((one) => [...programsOf(one), ...programsOfScript(one, scripts)]),
  );
  if (needed.every((program) => tools.find(program) !== null)) return [];
  const dir = mkdtempSync(join(stateDir, 'gates-'));
  try {
    const around = { ...asked, settings: { ...settings, gates: own }, dir, scripts, ready: true };
    const { broken } = await brokenGates(around);
    const packages = broken.some(({ why }) => why === 'script') && (await asked.bringsPackages());
    return broken.flatMap(({ gate, detail, fix, why }) => {
      if (why === 'installer' || (why === 'script' && packages)) return [];
      const text = `gate ${gate.name}: ${detail}${fix === null ? '' : `; ${fix}`}`;
      return [{ text, sure: commandsOf(gate).every(isPlain) }];
    });
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** True for commands joined so that one missing program makes the whole command fail. */
const isPlain = (command: GateCommand): boolean =>
  typeof command !== 'string' || /^[^|;(){}<>`$*\n]*$/.test(command.replaceAll('&&', ' '));

/** The scripts of the project's package.json; none if it cannot be read. */
export function scriptsOf(top: string): Readonly<Record<string, string>> {
  const text = readTextFile(join(top, 'package.json'), undefined, 'no-links');
  return typeof text === 'string' ? (packageOf(text)?.scripts ?? {}) : {};
}

type BrokenGates = { readonly broken: readonly BrokenGate[]; readonly installers: readonly string[] };

async function brokenGates(around: GateCheckContext): Promise<BrokenGates> {
  const { gates, environment } = around.settings;
  const prepare = environment?.prepare ?? null;
  const gatePrograms = gates.map((gate) => ({
    gate,
    programs: commandsOf(gate).flatMap(programsOf),
    // With an environment, programs that scripts start come from it.
    inScript: prepare === null ? commandsOf(gate).flatMap((one) => programsOfScript(one, around.scripts)) : [],
  }));
  const needed = [
    ...gatePrograms.flatMap(({ programs, inScript }) => [...programs, ...inScript]),
    ...(prepare === null ? [] : programsOf(prepare)),
  ];
  const absent = await absentOf([...new Set(needed)], around);
  // An environment may bring programs of its own, but not its installer and not what runs scripts.
  const brought = prepare === null ? () => false : (program: string) => !OF_THE_MACHINE.test(program);
  const installers = prepare === null ? [] : programsOf(prepare).filter((program) => absent.has(program));
  const broken = gatePrograms.flatMap(({ gate, programs, inScript }): BrokenGate[] => {
    const missing = programs.filter((program) => absent.has(program) && !brought(program));
    if (missing.length > 0)
      return [
        {
          gate,
          why: 'program',
          detail: `${listed(missing)} not found in the sandbox: the gate cannot run`,
          fix: `install ${missing.join(', ')} and put it on PATH, or correct the command of gate ${gate.name}`,
        },
      ];
    const unbrought = inScript.filter((program) => absent.has(program));
    if (unbrought.length > 0)
      return [
        {
          gate,
          why: 'script',
          detail: `cannot run: its script starts ${unbrought.join(', ')}, and nothing installs that: there is no environment`,
          fix: 'commit a lock file, then name under `environment:` how dependencies are installed (`supervisor init` writes it where it finds one)',
        },
      ];
    if (installers.length === 0 || isBuiltIn(gate)) return [];
    // The environment's own finding gives the fix.
    const prepares = installers.length === 1 ? 'prepares' : 'prepare';
    const detail = `cannot run: ${installers.join(', ')}, which ${prepares} its environment, ${isOrAre(installers)} not found`;
    return [{ gate, why: 'installer', detail, fix: null }];
  });
  return { broken, installers };
}

/** The gate's checks are built in and need nothing from the project's environment. */
const isBuiltIn = ({ command, checks }: Settings['gates'][number]): boolean =>
  command === undefined && checks === undefined;

const OF_THE_MACHINE =
  /^(?:npm|npx|pnpm|yarn|bun|bunx|corepack|node|deno|uv|uvx|poetry|pdm|hatch|pipenv|python[\d.]*|go|cargo|rustc|make|cmake|just|task|mvn|gradle|java|forge|docker|podman|git|sh|bash|ruby|bundle|dotnet|php|composer)$/;

type BrokenGate = Pick<DoctorFinding, 'detail' | 'fix'> & {
  readonly gate: Settings['gates'][number];
  /** The missing part: a program of its command, one that its script starts, or what prepares the environment. */
  readonly why: 'program' | 'script' | 'installer';
};

function gatesFinding(gates: Settings['gates'], broken: readonly BrokenGate[]): DoctorFinding[] {
  const name = 'gates';
  if (gates.length === 0)
    return [
      {
        name,
        state: 'degraded',
        detail: 'none is configured, so `run` refuses',
        fix: 'supervisor init, or --gate NAME=COMMAND',
      },
    ];
  const sound = gates.filter((gate) => !broken.some((one) => one.gate === gate));
  return [
    ...(sound.length === 0
      ? []
      : [{ name, state: 'ok' as const, detail: sound.map((gate) => gate.name).join(', '), fix: null }]),
    ...broken.map(
      ({ gate, detail, fix }): DoctorFinding => ({
        name: `gate ${gate.name}`,
        state: gate.blocking ? 'missing' : 'degraded',
        detail,
        fix,
      }),
    ),
  ];
}

function environmentFinding(
  prepare: NonNullable<Settings['environment']>['prepare'],
  missing: readonly string[],
): DoctorFinding {
  const name = 'environment';
  if (missing.length === 0) return { name, state: 'ok', detail: [prepare ?? []].flat().join(' '), fix: null };
  return {
    name,
    state: 'missing',
    detail: `${listed(missing)} not found in the sandbox: it cannot be prepared`,
    fix: `install ${missing.join(', ')} and put it on PATH, or correct environment.prepare`,
  };
}

/** The result of the last `gates check`, and whether it still fits this commit and these settings. */
export function probeFinding(
  kept: KeptProbe | null,
  now: { readonly head: string | null; readonly settings: string },
): DoctorFinding {
  const name = 'gates check';
  const fix = 'supervisor gates check';
  if (kept === null) return { name, state: 'degraded', detail: 'whether the gates can fail was never tried here', fix };
  const when = `tried ${kept.at.slice(0, 10)}${kept.commit === now.head ? '' : ` on an older commit, ${kept.commit.slice(0, 12)}`}`;
  if (kept.settings !== now.settings)
    return { name, state: 'degraded', detail: `the configuration has changed since the last check (${when})`, fix };
  const isUnproven = ({ problems }: KeptProbe['gates'][number]) => problems.includes('not_proven');
  const bad = kept.gates.filter((gate) => gate.problems.length > 0 && !isUnproven(gate));
  if (bad.length > 0) {
    const said = bad.map(({ gate, problems }) => `${gate}: ${problems.join(', ')}`).join('; ');
    return { name, state: 'degraded', detail: `${said} (${when})`, fix };
  }
  const unproven = kept.gates.filter(isUnproven).map(({ gate }) => gate);
  const detail =
    unproven.length === 0 ? 'all gates can fail' : `not proven that these can fail: ${unproven.join(', ')}`;
  return { name, state: 'ok', detail: `${detail} (${when})`, fix: null };
}

const isOrAre = (programs: readonly string[]): string => (programs.length === 1 ? 'is' : 'are');
const listed = (programs: readonly string[]): string => `${programs.join(', ')} ${isOrAre(programs)}`;

const ASK_MS = 30_000;

/** Programs that a shell in the sandbox does not find. */
async function absentOf(
  programs: readonly string[],
  { tools, sandbox, dir, ready }: GateCheckContext,
): Promise<ReadonlySet<string>> {
  if (programs.length === 0 || !ready) return new Set();
  let printed = '';
  const { chains } = tools;
  const { end } = await sandbox.run({
    argv: ['/bin/sh', '-c', 'for name; do command -v "$name" >/dev/null || echo "$name"; done', 'sh', ...programs],
    policy: {
      kind: 'gate',
      readable: chains.readable,
      writable: [{ from: dir, to: '/workspace' }],
      cwd: '/workspace',
      env: { ...chains.env, PATH: chains.path.join(':'), HOME: SANDBOX_HOME },
      limits: { ...GATE_LIMITS, wallMs: ASK_MS, idleMs: null },
    },
    input: '',
    onOutput: (stream, bytes) => {
      if (stream === 'stdout') printed += Buffer.from(bytes).toString();
    },
    signal: AbortSignal.timeout(ASK_MS),
  });
  if (end.how !== 'exit') return new Set();
  return new Set(printed.split('\n').filter((line) => line !== ''));
}
