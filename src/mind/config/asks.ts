/**
 * What a project's config asks for, as a person has to see it before trusting it: everything that runs, is granted or
 * limited.
 */
import { formatDuration } from '../../kernel/duration.ts';
import type { LimitsConfig } from '../domain/limits.ts';
import { checksOf, gateKind, gateStage, gateTimeout, gateWeight } from '../gates/kinds.ts';
import type { CliConfig } from '../workers/cli-config.ts';
import { flatLimits, limitKey } from './limit-keys.ts';
import type { Config } from './project-config.ts';
import { tightest } from './tighten.ts';
import { type AskedWorkflow, commandText, workflowFacts } from './workflow-asks.ts';

export type Ask = {
  readonly kind:
    | 'gate'
    | 'prepare'
    | 'service'
    | 'environment'
    | 'cli'
    | 'tests'
    | 'protect'
    | 'limits'
    | 'egress'
    | 'git'
    | 'workflow'
    | 'role'
    | 'context'
    | 'template'
    | 'approvals'
    | 'file';
  readonly name: string;
  /** May have several lines, such as a command's. */
  readonly text: string;
  /** What a person should know about it. */
  readonly note: string | null;
};

type Asking = {
  readonly config: Config;
  readonly workflows: ReadonlyMap<string, AskedWorkflow>;
  /** The workflow that its config composes for every run; null if none. */
  readonly composed: AskedWorkflow | null;
  /** What its roles ask for. */
  readonly roles: readonly { readonly name: string; readonly text: string; readonly note: string | null }[];
  /** Texts and files that its workers get. */
  readonly texts: readonly {
    readonly kind: 'strategies' | 'templates' | 'approvals';
    readonly name: string;
    readonly text: string;
  }[];
  /** Other files, which this version does not read. */
  readonly others: readonly string[];
  /** The user's own config; a project's gate or CLI of the same name replaces its entry. */
  readonly user: Config;
  readonly shipped: readonly string[];
};

export function asksOf({ config, workflows, composed, roles, texts, others, user, shipped }: Asking): Ask[] {
  const { gates = [], default_cli, tests, protect, limits, sandbox, egress, packs, knowledge, git } = config;
  const known = [...new Set([...gates, ...(user.gates ?? [])].map((gate) => gate.name))];
  return [
    ...gates.map((gate) => gateAsk(gate, user)),
    ...environmentAsks(config.environment),
    ...cliAsks(config.clis ?? {}, user),
    ...listed('cli', 'default', default_cli),
    ...listed('tests', 'paths', tests?.paths),
    ...listed('protect', 'paths', protect),
    ...limitAsks(limits ?? {}, user.limits ?? {}),
    ...Object.entries(egress ?? {}).map(([name, places]) =>
      ask('egress', name, JSON.stringify(places), 'only what your own file allows too'),
    ),
    ...Object.entries(sandbox ?? {}).map(([name, value]) => ask('limits', `sandbox ${name}`, JSON.stringify(value))),
    ...Object.entries(git ?? {}).map(([name, value]) => ask('git', name, String(value))),
    ...listed('role', 'packs', packs),
    ...listed('context', 'knowledge', knowledge?.paths),
    ...[...workflows].flatMap(([name, workflow]) =>
      workflowAsks(name, workflow, known, shipped.includes(name) ? 'in place of the shipped one' : null),
    ),
    ...(composed === null ? [] : workflowAsks(composed.definition.name, composed, known, OF_EVERY_RUN)),
    ...roles.map(({ name, text, note }) => ask('role', name, text, note)),
    ...texts.map(({ kind, name, text }) => ask(KIND_OF_TEXT[kind], name, text.trimEnd())),
    ...others.map((name) => ask('file', name, 'not read by this version')),
  ];
}

const KIND_OF_TEXT = { strategies: 'context', templates: 'template', approvals: 'approvals' } as const;

const ask = (kind: Ask['kind'], name: string, text: string, note: string | null = null): Ask => ({
  kind,
  name,
  text,
  note,
});

const OF_EVERY_RUN = 'the workflow of a run that names none';

function workflowAsks(name: string, workflow: AskedWorkflow, known: readonly string[], note: string | null): Ask[] {
  const { steps, commands } = workflowFacts(workflow, known);
  const only = `at step NAME of workflow ${name} only`;
  return [
    ask('workflow', name, steps.join('\n'), note),
    ...commands.map((one) => ask('gate', one.name, one.text, only.replace('NAME', one.name))),
  ];
}

function gateAsk(gate: NonNullable<Config['gates']>[number], user: Config): Ask {
  const isOwn = user.gates?.some((own) => own.name === gate.name) === true;
  const facts = [
    `at most ${formatDuration(gateTimeout(gate))}`,
    ...(gate.kind === undefined ? [] : [`kind ${gate.kind}`]),
    ...(gate.of === undefined ? [] : [`tries the tests of ${gate.of}`]),
    ...(gate.stage === undefined ? [] : [`stage ${gateStage(gate)}`]),
    ...(gate.weight === undefined ? [] : [`weight ${gateWeight(gate)}`]),
    ...(gate.blocking && gate.on_fail !== 'warn' ? [] : ['does not block']),
    ...(gate.on_fail === 'escalate' ? ['escalates'] : []),
    ...(gate.on_fail === 'block' ? ['blocks the task'] : []),
    ...(gate.reruns === undefined ? [] : [`red tests run ${gate.reruns} more times`]),
    ...(gate.canary === 'off' ? ['is not proven: canary is off'] : []),
    ...(gate.canary === undefined || gate.canary === 'off' ? [] : [`canary in ${gate.canary.file}`]),
    ...(isOwn ? ['in place of your own gate of this name'] : []),
  ];
  const checks = checksOf(gate);
  const text =
    gate.command === undefined
      ? checks.map(({ label, command }) => `${label}: ${commandText(command)}`).join('\n')
      : commandText(gate.command);
  return ask('gate', gate.name, text === '' ? `the built-in checks of kind ${gateKind(gate)}` : text, facts.join(', '));
}

function environmentAsks(environment: Config['environment']): Ask[] {
  if (environment === undefined) return [];
  const { prepare, scripts, key, outputs, env = {}, services = [] } = environment;
  return [
    ...(prepare === undefined ? [] : [ask('prepare', '', commandText(prepare))]),
    ...(scripts === true ? [ask('environment', 'scripts', 'packages may run scripts of their own')] : []),
    ...listed('environment', 'key', key),
    ...listed('environment', 'outputs', outputs),
    ...Object.entries(env).map(([name, value]) => ask('environment', name, value, 'set for all of it')),
    ...services.flatMap((service) => [
      ask('service', service.name, commandText(service.command)),
      ...(service.ready === undefined ? [] : [ask('service', `${service.name} ready`, commandText(service.ready))]),
      ...Object.entries(service.env).map(([name, value]) => ask('service', `${service.name} ${name}`, value)),
    ]),
  ];
}

function cliAsks(clis: NonNullable<Config['clis']>, user: Config): Ask[] {
  return Object.entries(clis).flatMap(([name, { env = [], ...cli }]) => {
    const replaces = cli.command !== undefined && Object.hasOwn(user.clis ?? {}, name);
    const given = ask('cli', `${name} is given`, env.join(', '), 'from your environment: it may read these values');
    return [
      ask('cli', name, cliText(cli), replaces ? 'in place of your own CLI of this name' : null),
      ...(env.length === 0 ? [] : [given]),
    ];
  });
}

function listed(kind: Ask['kind'], name: string, values: readonly string[] | undefined): Ask[] {
  return values === undefined || values.length === 0 ? [] : [{ kind, name, text: values.join(', '), note: null }];
}

function cliText({ command, adapter, model, models, effort }: CliConfig): string {
  const facts = [
    ...(command === undefined ? [] : [commandText(command)]),
    ...(adapter === undefined ? [] : [`called as ${adapter}`]),
    ...(model === undefined ? [] : [`model ${model}`]),
    ...Object.entries(models ?? {}).map(([tier, name]) => `model ${name} for ${tier} roles`),
    ...(effort === undefined ? [] : [`effort ${effort}`]),
  ];
  return facts.join(', ') || 'as built in';
}

/** A value that is no tighter than the user's own has no effect, but is listed all the same. */
function limitAsks(limits: LimitsConfig, user: LimitsConfig): Ask[] {
  const inForce = tightest(user, limits);
  return [...flatLimits(limits)].map(([name, value]) =>
    ask('limits', name, askedText(name, value), inForce.get(name)?.by === 'project' ? null : NOT_TIGHTER),
  );
}

const NOT_TIGHTER = 'ignored: it is not tighter than the limit in force';

function askedText(name: string, value: unknown): string {
  const unit = limitKey(name)?.unit;
  if (unit === 'seconds' && typeof value === 'number') return formatDuration(value);
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
