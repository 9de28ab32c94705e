/** `supervisor gates`: list gates, show one, or check that each of them can fail. */
import { loadSettings } from '../../../app/config/files.ts';
import { openEngineDeps } from '../../../app/open.ts';
import { locateProject } from '../../../app/open-store.ts';
import { keepProbe, PROBLEM_TEXT, type Probed, probeGates } from '../../../app/probe-gates.ts';
import { formatDuration } from '../../../kernel/duration.ts';
import { nearest } from '../../../kernel/nearest.ts';
import type { GateConfig } from '../../../mind/gates/gate-config.ts';
import { canaryState, checksOf, gateKind, gateStage, gateTimeout, gateWeight } from '../../../mind/gates/kinds.ts';
import { readRepository } from '../../../os/git/repository.ts';
import { type CommandContext, type CommandRun, EXIT, UsageError } from '../command.ts';
import { makeReady } from '../make-ready.ts';
import { onStop } from '../signals.ts';

const ACTIONS = ['list', 'show', 'check'] as const;

export const run: CommandRun = async (context) => {
  const [action = 'list', name] = context.args;
  switch (action) {
    case 'list':
      return list(context);
    case 'show':
      if (name === undefined)
        throw new UsageError('which gate? `supervisor gates show NAME` (`supervisor gates` lists them)');
      return show(context, name);
    case 'check':
      return check(context, name);
    default: {
      const meant = nearest(action, ACTIONS);
      throw new UsageError(
        `gates cannot ${JSON.stringify(action)}${meant === null ? '' : `, did you mean ${meant}?`} (known: ${ACTIONS.join(', ')})`,
      );
    }
  }
};

async function open({ environment, dir }: CommandContext) {
  const project = locateProject(dir);
  const { top, head } = await readRepository(dir);
  const loaded = loadSettings(environment, { id: project.id, top });
  return { project, top, head, loaded, gates: loaded.settings.gates };
}

/** How each candidate will show that the gate can still fail. */
const PROOF = {
  on: 'canary on',
  off: 'not proven: canary off',
  unknown: 'not proven: no canary (set ids, report or canary)',
} as const;

/** Gates that run no program of the project have nothing to prove. */
function proofOf({
  kind,
  canary,
  checks,
}: Pick<ReturnType<typeof rowOf>, 'kind' | 'canary' | 'checks'>): string | null {
  const ours = kind === 'security' || (kind === 'syntax' && checks.every(({ applies_to }) => applies_to.length > 0));
  return ours && canary === 'unknown' ? null : PROOF[canary];
}

function rowOf(gate: GateConfig) {
  const { name, blocking, on_fail } = gate;
  return {
    name,
    kind: gateKind(gate),
    stage: gateStage(gate),
    weight: gateWeight(gate),
    timeout_ms: gateTimeout(gate),
    blocking: blocking && on_fail !== 'warn',
    on_fail,
    canary: canaryState(gate),
    checks: checksOf(gate).map(({ label, command, ids, report, appliesTo }) => ({
      name: label,
      command,
      ids: ids ?? null,
      report: report ?? null,
      applies_to: appliesTo,
    })),
  };
}

async function list(context: CommandContext): Promise<number> {
  const { out } = context;
  const { gates } = await open(context);
  const rows = gates.map(rowOf).sort((a, b) => a.stage - b.stage);
  out.value({ gates: rows });
  if (rows.length === 0)
    out.line('No gate is configured: name one in .supervisor/config.yaml (`supervisor init` suggests some).');
  for (const row of rows) {
    const { name, kind, stage, blocking } = row;
    const said = [`stage ${stage}`, kind, ...(blocking ? [] : ['does not block']), proofOf(row)];
    out.entry(name, said.filter((one) => one !== null).join(', '));
  }
  if (rows.length > 0) {
    out.line();
    out.line('Try them:  supervisor gates check');
  }
  return EXIT.done;
}

async function show(context: CommandContext, name: string): Promise<number> {
  const { out } = context;
  const { gates } = await open(context);
  const gate = gates.find((one) => one.name === name);
  if (gate === undefined) throw unknownGate(name, gates);
  const row = rowOf(gate);
  out.value(row);
  out.entry('gate', row.name);
  out.entry('kind', row.kind);
  out.entry('stage', `${row.stage}${row.blocking ? '' : ' (does not block)'}`);
  out.entry('weight', String(row.weight));
  out.entry('timeout', formatDuration(row.timeout_ms));
  out.entry('on_fail', row.on_fail);
  out.entry('canary', proofOf(row) ?? 'not needed: it runs no program of the project');
  for (const { name: label, command } of row.checks)
    out.entry(label, typeof command === 'string' ? command : JSON.stringify(command));
  return EXIT.done;
}

function probeRow({ tries: { withoutTests, planted, ...tries }, ...probed }: Probed) {
  const shown = (one: Probed['tries']['first'] | null) =>
    one === null ? null : { status: one.status, ended: one.ended };
  const plantedRow = planted === null ? null : { planted: planted.planted, noticed: planted.noticed };
  const [first, second, broken, change] = [tries.first, tries.second, tries.broken, tries.change].map(shown);
  return {
    ...probed,
    tries: { first, second, broken, without_tests: shown(withoutTests), change, planted: plantedRow },
  };
}

function unknownGate(name: string, gates: readonly GateConfig[]): UsageError {
  const names = gates.map((one) => one.name);
  const meant = nearest(name, names);
  return new UsageError(
    `there is no gate ${name}${meant === null ? '' : `, did you mean ${meant}?`} (${names.length === 0 ? 'none is configured' : `there are ${names.join(', ')}`})`,
  );
}

async function check(context: CommandContext, name: string | undefined): Promise<number> {
  const { environment, out, dir, flags } = context;
  const { project, top, head, loaded, gates } = await open(context);
  if (head === null) {
    out.error('no_commit', 'nothing is committed yet: gates check commits');
    return EXIT.failed;
  }
  const wanted = name === undefined ? gates : gates.filter((gate) => gate.name === name);
  if (wanted.length === 0) {
    if (name !== undefined) throw unknownGate(name, gates);
    out.error(
      'no_gate',
      'no gate is configured: name one in .supervisor/config.yaml (`supervisor init` suggests some)',
    );
    return EXIT.usage;
  }
  const opened = await openEngineDeps(environment, locateProject(dir), {
    real: { loaded: () => loaded, network: flags['network'] === true, checkout: top },
  });
  const stop = onStop((signal) => out.aside(`${signal}: stopping`));
  try {
    const real = await opened.real();
    await makeReady(context, real, { clis: [], base: head, unsafe: false });
    const found = await probeGates(
      real,
      { commit: head, gates: wanted },
      { trying: (gate, what) => out.aside(`${gate}: ${what} …`), done: (probed) => tell(out, probed) },
      stop.signal,
    );
    if (stop.signal.aborted) return EXIT.interrupted;
    const short = found.map(({ gate, problems }) => ({ gate, problems }));
    const at = new Date().toISOString();
    if (name === undefined)
      keepProbe(environment, project.id, { commit: head, settings: real.settings, at, gates: short });
    out.value({ commit: head, gates: found.map(probeRow) });
    if (found.some(({ problems }) => problems.includes('error'))) return EXIT.notReady;
    return found.every(({ problems }) => problems.every((one) => one === 'not_proven')) ? EXIT.done : EXIT.failed;
  } finally {
    stop.release();
    await opened.close();
  }
}

function tell(out: CommandContext['out'], { gate, problems, tries }: Probed): void {
  const [problem] = problems;
  if (tries.second === null && tries.change === null && tries.first.status === 'pass') {
    out.entry(gate, `not tried: ${tries.first.ended}`, 'note');
    return;
  }
  if (problem === undefined) {
    const { planted, broken, change } = tries;
    const how = [
      ...(planted === null ? [] : [`it noticed ${planted.noticed} of ${planted.planted} planted tests`]),
      ...(broken === null ? [] : ['it fails on broken code']),
      ...(change === null ? [] : ['it refuses a bad change']),
    ];
    out.entry(gate, `can fail: it passes here${how.length === 0 ? '' : `, ${how.join(', ')}`}`, 'good');
    return;
  }
  const about = problem === 'accepts_bad_change' || tries.first.status === 'pass' ? tries.change : tries.first;
  const hasReason = problem === 'error' || problem === 'always_fails' || problem === 'accepts_bad_change';
  const ended = hasReason && about !== null ? ` (${about.ended})` : '';
  for (const one of problems)
    out.entry(gate, `${PROBLEM_TEXT[one]}${one === problem ? ended : ''}`, one === 'not_proven' ? 'note' : 'bad');
}
