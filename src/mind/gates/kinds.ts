/** What a gate's kind determines: its stage, weight, time, and commands. */
import { CANARY, GATE_KINDS, type GateConfig, type GateKind } from './gate-config.ts';

export type GateCommand = NonNullable<GateConfig['command']>;

/** One command of a gate, and how its result is read. */
export type GateCheck = {
  /** As in `tests/unit`; the gate's own name if it has only one command. */
  readonly label: string;
  readonly gate: string;
  readonly command: GateCommand;
  readonly weight: number;
  readonly ids: GateConfig['ids'];
  readonly report: GateConfig['report'];
  /** A file in REPORT_DIR whose text is stored: coverage, or a scanner's report. */
  readonly keeps: string | null;
  /** Exit codes of a run whose report contains its findings. */
  readonly exitCodes: readonly number[];
  readonly appliesTo: readonly string[];
  readonly each: boolean;
  readonly timeoutMs: number;
};

/** Cheap first. Each run of a gate has its own tree and sandbox, so gates of one stage cannot disturb each other. */
const STAGES: Readonly<Record<GateKind, number>> = {
  syntax: 1,
  lint: 1,
  types: 1,
  tests: 2,
  security: 2,
  command: 2,
  coverage: 3,
  mutation: 4,
};

/** A verdict divides by the sum of what was measured, so these need not add up to one. */
const WEIGHTS: Readonly<Record<GateKind, number>> = {
  syntax: 0.15,
  lint: 0.1,
  types: 0.15,
  tests: 0.3,
  security: 0.25,
  command: 0.1,
  coverage: 0.1,
  mutation: 0.1,
};

/** By kind, or by the name of a gate without a kind. */
const TIMEOUTS: ReadonlyMap<string, number> = new Map([
  ['syntax', 30_000],
  ['tests', 300_000],
  ['security', 180_000],
  ['coverage', 300_000],
  ['review', 180_000],
]);
const USUAL_TIMEOUT = 300_000;

type PartialGate = Pick<GateConfig, 'name'> & Partial<GateConfig>;

/** From the config; else from its name, or from the tests that it reads. */
export function gateKind({ name, kind, ids, report, checks }: PartialGate): GateKind {
  if (kind !== undefined) return kind;
  const named = GATE_KINDS.find((one) => one === name);
  // A gate called `security` or `coverage` with its own command runs only that command.
  if (named !== undefined && named !== 'security' && named !== 'coverage' && named !== 'mutation') return named;
  const reads = [{ ids, report }, ...(checks ?? [])].some((one) => (one.ids ?? one.report) !== undefined);
  return reads ? 'tests' : 'command';
}

export const gateStage = (gate: PartialGate): number => gate.stage ?? STAGES[gateKind(gate)];
export const gateWeight = (gate: PartialGate): number => gate.weight ?? WEIGHTS[gateKind(gate)];
export const gateTimeout = (gate: PartialGate): number =>
  gate.timeout ?? TIMEOUTS.get(gate.kind ?? gate.name) ?? TIMEOUTS.get(gateKind(gate)) ?? USUAL_TIMEOUT;

const PARSE_PYTHON = 'import ast,sys\nfor path in sys.argv[2:]: ast.parse(open(path, "rb").read(), path)';

/** Syntax checks for changed files, if the config names no command. JSON and YAML are parsed by us (`syntax.ts`). */
const SYNTAX = [
  { name: 'shell_syntax', command: ['bash', '-n'], applies_to: ['*.sh', '*.bash'], each: true },
  // `py_compile` would write files beside the sources.
  { name: 'python_syntax', command: ['python3', '-c', PARSE_PYTHON], applies_to: ['*.py'], each: false },
] as const;

export function checksOf(gate: GateConfig): readonly GateCheck[] {
  const timeoutMs = gateTimeout(gate);
  const builtIn = gate.command === undefined && gateKind(gate) === 'syntax' ? SYNTAX : [];
  const written = gate.checks ?? builtIn;
  if (gate.command !== undefined)
    return [checkOf(gate, { ...gate, command: gate.command, label: gate.name, weight: 1 }, timeoutMs)];
  return written.map((one) =>
    checkOf(
      gate,
      {
        ids: undefined,
        report: undefined,
        weight: 1,
        ...one,
        command: mutable(one.command),
        label: `${gate.name}/${one.name}`,
      },
      timeoutMs,
    ),
  );
}

type WrittenCheck = Pick<GateCheck, 'label' | 'command'> &
  Pick<GateConfig, 'ids' | 'report'> & {
    readonly weight?: number | undefined;
    readonly applies_to?: readonly string[] | undefined;
    readonly each?: boolean | undefined;
  };

function checkOf(gate: GateConfig, one: WrittenCheck, timeoutMs: number): GateCheck {
  const { label, command, weight = 1, ids, report, applies_to: appliesTo = [], each = false } = one;
  const keeps = gate.coverage?.file ?? null;
  return { label, gate: gate.name, command, weight, ids, report, keeps, exitCodes: [0], appliesTo, each, timeoutMs };
}

const mutable = (command: string | readonly string[]): GateCommand =>
  typeof command === 'string' ? command : ([...command] as GateCommand);

/** All commands of a gate. */
export const commandsOf = (gate: GateConfig): readonly GateCommand[] => checksOf(gate).map(({ command }) => command);

/** Whether the output of a known runner lists the tests it ran: only then a pass can be proven. */
export const namesTests = (check: Pick<GateCheck, 'ids' | 'report'>): boolean =>
  (check.ids ?? check.report) !== undefined;

export const canaryOf = (gate: string): string => `${gate}${CANARY}`;
/** The gate that this one proves; null if it is no canary. */
export const provenBy = (name: string): string | null => (name.endsWith(CANARY) ? name.slice(0, -CANARY.length) : null);

/** A canary that could not prove anything passes too, but has no score. */
export const isProof = ({ status, score }: { readonly status: string; readonly score: number | null }): boolean =>
  status === 'pass' && score === 1;

/** `unknown`: nothing says how to plant a failing test, so the gate is not proven. */
export function canaryState(gate: GateConfig): 'on' | 'off' | 'unknown' {
  if (gate.canary === 'off') return 'off';
  if (gate.canary !== undefined) return 'on';
  return checksOf(gate).some(namesTests) ? 'on' : 'unknown';
}
