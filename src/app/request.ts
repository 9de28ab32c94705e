/** Turns a `run` request into the command that starts the task. Everything is checked before anything is written. */
import { isAbsolute, relative, resolve } from 'node:path';
import { isId, type TaskId } from '../kernel/ids.ts';
import { nearest } from '../kernel/nearest.ts';
import { terminalLine } from '../kernel/terminal-text.ts';
import { type Settings, settingsHash } from '../mind/config/project-config.ts';
import type { CommandOf } from '../mind/domain/commands.ts';
import type { Limits } from '../mind/domain/limits.ts';
import type { OwnGate, Spec } from '../mind/domain/values.ts';
import { globProblem } from '../mind/fields/globs.ts';
import { CANARY, type GateConfig, withOwnGates } from '../mind/gates/gate-config.ts';
import { gatesOf, hasGates, withAnsweringGates } from '../mind/roles/answering-gates.ts';
import { chooseGates } from '../mind/roles/choose-gates.ts';
import { type FillOptions, fillWorkflow, isWork, roleNameOf } from '../mind/roles/fill-workflow.ts';
import { cliMisfit, knownClis } from '../mind/roles/known.ts';
import type { Role } from '../mind/roles/role.ts';
import { byStrengths } from '../mind/roles/strengths.ts';
import { READY_NAMES } from '../mind/workers/cli-config.ts';
import { APPROVING_SCRIPT, type Script } from '../mind/workers/script.ts';
import type { ApprovalPolicy } from '../mind/workflows/approval-policy.ts';
import { withApprovals, withWord } from '../mind/workflows/approval-step.ts';
import type { ExpandedWorkflow } from '../mind/workflows/expand.ts';
import type { StepDefinition, WorkflowDefinition } from '../mind/workflows/step.ts';
import { analysisId } from '../mind/workflows/workflow.ts';
import { tryGit } from '../os/git/git.ts';
import { GitError } from '../os/git/git-error.ts';
import type { Repository } from '../os/git/repository.ts';
import { ConfigError } from './config/config-error.ts';
import { gitSpec } from './git-spec.ts';
import { NotReady } from './not-ready.ts';

export type RunRequest = {
  readonly text: string;
  /** The role for steps of its kind. */
  readonly role: string | null;
  readonly cli: readonly string[] | null;
  readonly files: readonly string[] | null;
  /** Names of gates, or `NAME=COMMAND` for one of the operator's own. */
  readonly gates: readonly string[] | null;
  readonly noGates: boolean;
  readonly allow: readonly string[] | null;
  /** A context strategy for steps of the role's kind. */
  readonly strategy: string | null;
  readonly onto: string | null;
  readonly simulate: boolean;
  readonly script: Script | null;
  readonly unsafe: boolean;
  /** The flag for tests that fail at the base; null if none was given. */
  readonly redBase: NonNullable<Spec['red_base']> | null;
};

export type RequestContext = {
  readonly repository: Repository;
  /** The directory in which the command was given. */
  readonly dir: string;
  readonly settings: Settings;
  readonly workflow: ExpandedWorkflow;
  readonly limits: Pick<Limits, 'attempts'>;
  readonly approvals: readonly ApprovalPolicy[];
  readonly roles: { get(name: string): Role; names(): readonly string[] };
  /** Whether to notify the user about it. */
  readonly notify: boolean;
  /** The user's policy: does an incident halt the project? */
  readonly haltOnIncident: boolean;
  /** Throws if there is no such strategy. */
  strategy(name: string): unknown;
  /** Why a CLI cannot start here; null if it can. */
  unready(cli: string): string | null;
  /** Called for each gate step that has nothing to run in this project. */
  leftOut(step: string, why: string): void;
};

export async function requestOf(
  asked: RunRequest,
  ground: RequestContext,
  task: TaskId,
): Promise<CommandOf<'task.create'>> {
  const { repository, settings } = ground;
  checkTrail(asked, ground.workflow);
  const { onto, base } = await lineOf(asked.onto, repository);
  const cast = castOf(asked, ground);
  const commands = ground.workflow.commands.map(({ name, command }) => ({ name, command }));
  const own = [...cast.gates, ...(asked.noGates ? [] : commands), ...(asked.gates ?? []).flatMap(ownGate)];
  const named = asked.gates?.map((gate) => gate.split('=', 1)[0] as string) ?? null;
  const twice = named?.find((name, i) => named.indexOf(name) !== i);
  if (twice !== undefined)
    throw new ConfigError(`--gate ${terminalLine(twice, 60)}: is named twice; only one would run, so leave one out`);
  const clis = (role: Role) => clisFor(role, asked, ground);
  // Checked before gates: without a worker there is no use for a gate.
  if (!asked.simulate)
    for (const { step, role } of [...cast.played, ...analystsOf(cast.definition, cast.role)])
      checkClis(step, role, step.cli ?? clis(role), asked, ground);
  const gates = gatesFor(asked, settings, own);
  const ofRoles = new Set(cast.gates.map(({ name }) => name as string));
  const choice = { gates, chosen: named, ofRoles, noGates: asked.noGates };
  const chosen = chooseGates({ ...ground.workflow, definition: cast.definition }, choice);
  if (chosen.type === 'rejected') throw new ConfigError(chosen.message);
  for (const { step, why } of [...cast.idle, ...chosen.left]) ground.leftOut(step, why);
  const workflow = fillWorkflow(chosen.definition, {
    ...cast,
    stepOnly: new Set(cast.stepOnly.concat(commands.map(({ name }) => name))),
    gates,
    chosen: named,
    ofRoles,
    noGates: asked.noGates,
    clis,
    attempts: ground.limits.attempts,
  });
  if ('type' in workflow) throw new ConfigError(workflow.message);
  if (asked.strategy !== null) ground.strategy(asked.strategy);
  const files = asked.files?.map((file) => insideRepository(file, repository.top, ground.dir));
  const allow = asked.allow?.map((pattern) => grantOf(pattern, repository.top));
  const spec: Spec = {
    version: 1,
    text: asked.text,
    own_words: true,
    ...(files === undefined ? {} : { files }),
    ...(allow === undefined ? {} : { allow }),
    ...(asked.strategy === null
      ? {}
      : { context: { strategy: asked.strategy, kind: cast.chosenRole?.kind ?? 'change' } }),
    ...(own.length === 0 ? {} : { gates: own }),
    ...(asked.simulate ? { simulated: true } : { settings: settingsHash(settings) }),
    ...scriptField(asked),
    ...(asked.script?.notify === true || ground.notify ? { notify: true } : {}),
    ...(ground.haltOnIncident ? { halt_on_incident: true } : {}),
    ...(asked.unsafe ? { unsafe_no_sandbox: true } : {}),
    ...(asked.simulate ? {} : await gitSpec(settings, { commonDir: repository.commonDir, base })),
    ...(asked.redBase === null ? {} : { red_base: asked.redBase }),
  };
  const title = terminalLine(asked.text.split('\n')[0] ?? asked.text, 100);
  const asking = settings.git?.auto_commit === false ? withWord(workflow) : workflow;
  const approved = withApprovals(asking, ground.approvals);
  return { type: 'task.create', task, title, spec, onto, base, workflow: approved, priority: 5 };
}

/** Work that nothing checked, or that ran without a sandbox, cannot leave evidence. Nor can a simulation. */
function checkTrail({ noGates, unsafe, simulate }: RunRequest, { definition, settings }: ExpandedWorkflow): void {
  if (settings.audit_trail !== true || simulate) return;
  const flag = noGates ? '--no-gates' : unsafe ? '--unsafe-no-sandbox' : null;
  if (flag !== null)
    throw new ConfigError(
      `${flag}: workflow ${definition.name} keeps an audit trail (\`settings.audit_trail\`), so nothing goes unchecked; leave the flag out`,
    );
}

function scriptField({ script, simulate }: RunRequest): Pick<Spec, 'script'> {
  if (script !== null) return { script };
  return simulate ? { script: APPROVING_SCRIPT } : {};
}

/** The branch to build on and its current commit; a detached HEAD is used as it is. */
export async function lineOf(onto: string | null, repository: Repository): Promise<{ onto: string; base: string }> {
  if (onto !== null) {
    const asked = ['rev-parse', '--verify', '--quiet', '--end-of-options', `refs/heads/${onto}^{commit}`];
    const { code, stdout } = await tryGit(asked, { dir: repository.commonDir });
    if (code === 0) return { onto, base: stdout.trim() };
    throw new ConfigError(`--onto ${onto}: there is no such branch; \`git branch --list\` shows the branches`);
  }
  if (repository.head === null)
    throw new GitError(
      'the repository has no commit yet: make one first, for instance `git commit --allow-empty -m first`',
    );
  return { onto: repository.branch ?? 'HEAD', base: repository.head };
}

/** `NAME=COMMAND`: the operator's own gate for this task. The command line is trusted as the operator is. */
function ownGate(text: string): OwnGate[] {
  const equals = text.indexOf('=');
  if (equals < 0) return [];
  const name = text.slice(0, equals);
  const command = text.slice(equals + 1).trim();
  if (!isId(name) || command === '')
    throw new ConfigError(`--gate ${terminalLine(text, 60)}: write NAME, or NAME=COMMAND such as tests="npm test"`);
  if (name.endsWith(CANARY))
    throw new ConfigError(
      `--gate ${terminalLine(name, 60)}: names that end with ${CANARY} belong to canaries of other gates`,
    );
  return [{ name, command }];
}

type Cast = Pick<FillOptions, 'role' | 'roles' | 'chosenRole'> & {
  readonly definition: WorkflowDefinition;
  readonly played: readonly { readonly step: StepDefinition; readonly role: Role }[];
  readonly gates: readonly OwnGate[];
  /** Gates that only a gate step runs. */
  readonly stepOnly: readonly string[];
  /** Answer steps whose role brings gates, although there is no change to check. */
  readonly idle: readonly { readonly step: string; readonly why: string }[];
};

/** A simulated task needs no configured gate: its script gives each gate's result. */
function gatesFor(asked: RunRequest, settings: Settings, own: readonly OwnGate[]): readonly GateConfig[] {
  const gates = withOwnGates(settings.gates, own);
  return gates.length > 0 || !asked.simulate ? gates : withOwnGates([], [{ name: 'tests', command: 'true' }]);
}

const SCRIPTED = 'scripted';

/** Chooses the role of each step, and adds the gates of these roles. */
function castOf(asked: RunRequest, { workflow, roles, settings }: RequestContext): Cast {
  const cast = {
    role: (name: string) => roles.get(name),
    roles: new Set(roles.names()),
    chosenRole: asked.role === null ? null : roles.get(asked.role),
  };
  const roleOf = (step: StepDefinition) => (isWork(step) ? roles.get(roleNameOf(step, cast)) : null);
  const definition = withAnsweringGates(workflow.definition, roleOf);
  const played = definition.steps.filter(isWork).map((step) => ({ step, role: roles.get(roleNameOf(step, cast)) }));
  // Only changes are checked, and no role changes a gate that it did not bring.
  const checking = played.filter(
    ({ step, role }) => step.kind === 'change' || (role.gates.length > 0 && hasGates(definition, step.id)),
  );
  const changing = new Set(played.flatMap(({ step, role }) => (step.kind === 'change' ? [role] : [])));
  const bringing = [...new Set(checking.map(({ role }) => role))];
  const gates = bringing.flatMap((role) => role.gates.flatMap((gate) => ownGateOf(role, gate)));
  const taken = new Map(settings.gates.map(({ name }) => [name as string, 'the config']));
  for (const { name, by } of gates) {
    const other = taken.get(name);
    if (other !== undefined)
      throw new ConfigError(`role ${by} brings a gate ${name}, and so does ${other}: give one of them another name`);
    taken.set(name, `role ${by}`);
  }
  const ofAnswers = bringing.filter((role) => !changing.has(role)).map((role) => role.name);
  return {
    ...cast,
    definition,
    played,
    gates: gates.map(({ by: _, ...gate }) => gate),
    idle: played.flatMap(({ step, role }) =>
      step.kind === 'answer' && role.gates.length > 0 && step.gates === undefined && !hasGates(definition, step.id)
        ? [{ step: gatesOf(step.id), why: `the gates of role ${role.name} check a change, and none comes before it` }]
        : [],
    ),
    stepOnly: gates.flatMap(({ by, name }) => (ofAnswers.includes(by) ? [name] : [])),
  };
}

/** Roles that would explain why gates refused a change: they need a worker as well. */
const analystsOf = ({ steps }: WorkflowDefinition, roleOf: (name: string) => Role) =>
  steps.flatMap(({ id, analyses = [] }) =>
    analyses.map(({ role, cli }) => ({ step: { id: analysisId(id, role), cli }, role: roleOf(role) })),
  );

function ownGateOf({ name: by }: Role, gate: Role['gates'][number]): (OwnGate & { readonly by: string })[] {
  if (typeof gate === 'string' || gate.command === undefined) return [];
  const { command, ...rest } = gate;
  return [{ ...rest, command, by }];
}

/** Command line first, then role, then config. CLIs that are strong at the role's subject come first. */
export function clisFor(
  role: Role,
  asked: Pick<RunRequest, 'cli' | 'script' | 'simulate'>,
  ground: Pick<RequestContext, 'settings' | 'unready'>,
): readonly string[] {
  if (asked.cli !== null) return asked.cli;
  if (asked.script !== null) return [SCRIPTED];
  if (role.cli.length > 0) {
    const ready = asked.simulate ? [] : role.cli.filter((cli) => ground.unready(cli) === null);
    return ready.length > 0 ? ready : role.cli;
  }
  const chosen = chosenClis(asked, ground);
  return chosen.length > 0 ? byStrengths(chosen, role, ground.settings.clis) : [SCRIPTED];
}

/** Without a choice, uses every ready CLI. Skips chosen CLIs that are not ready, unless none is. */
function chosenClis(
  { simulate }: Pick<RunRequest, 'simulate'>,
  { settings, unready }: Pick<RequestContext, 'settings' | 'unready'>,
): readonly string[] {
  const isChosen = settings.defaultCli.some((name) => name !== SCRIPTED);
  const wanted = isChosen ? settings.defaultCli : READY_NAMES;
  const found = simulate ? [] : wanted.filter((name) => name !== SCRIPTED && unready(name) === null);
  return found.length > 0 ? found : settings.defaultCli;
}

/** The CLI of a step must be known and installed, and able to do the step in its role. */
export function checkClis(
  step: Pick<StepDefinition, 'id'>,
  role: Role,
  clis: readonly string[],
  asked: Pick<RunRequest, 'script'>,
  { settings }: Pick<RequestContext, 'settings'>,
): void {
  const known = [...new Set([...Object.keys(settings.clis), ...READY_NAMES, SCRIPTED])];
  for (const name of clis) {
    if (!known.includes(name)) {
      const meant = nearest(name, known);
      throw new ConfigError(
        `there is no CLI ${name}${meant === null ? '' : `, did you mean ${meant}?`} (known: ${known.join(', ')}; declare others under \`clis:\` in the config)`,
      );
    }
    if (name === SCRIPTED && asked.script === null)
      throw new NotReady(
        `no worker is ready: none of ${READY_NAMES.join(', ')} is installed with a key or a login (\`supervisor doctor\` tells more). Declare your own under \`clis:\` and name it in \`default_cli:\`, play a file with --script FILE, or try --simulate`,
        'no_worker',
      );
  }
  const misfit = cliMisfit(role, clis, knownClis(settings.clis));
  if (misfit !== null) throw new ConfigError(`step ${step.id}, role ${role.name}: ${misfit.message}`);
}

/**
 * `dir`: where the command was given. Paths are relative to the top of the repository; for `../x` the message shows the
 * intended path.
 */
export function insideRepository(path: string, top: string, dir = top): string {
  const plain = isAbsolute(path) ? relative(top, path) : path.replace(/^(\.\/)+/, '');
  const parts = plain.split('/');
  if (plain === '' || isAbsolute(plain) || parts.includes('..') || plain.startsWith('~') || plain.includes('\0'))
    throw new ConfigError(`--files ${terminalLine(path, 100)}: ${fromTop(path, top, dir) ?? OUTSIDE}`);
  return plain;
}

/** Returns null if the path does not go up, or leaves the repository. */
function fromTop(path: string, top: string, dir: string): string | null {
  if (!path.split('/').includes('..') || path.includes('\0')) return null;
  const meant = relative(top, resolve(dir, path));
  const isInside = meant !== '' && !meant.startsWith('..') && !isAbsolute(meant);
  return isInside ? `paths are relative to the top of the repository: write ${terminalLine(meant, 100)}` : null;
}

const OUTSIDE = 'must name something inside the repository';

/** A pattern. With a start (`./x`, `/x`, `$PWD/x`) it means only the path at the top. */
export function grantOf(text: string, top: string): string {
  const inTop = isAbsolute(text) ? relative(top, text) : '..';
  const isInside = inTop !== '..' && !inTop.startsWith('../');
  const pattern = isInside ? `/${inTop}${text.endsWith('/') ? '/' : ''}` : text.replace(/^(?:\.\/+)+/, '/');
  const outside = pattern.startsWith('~') || pattern.includes('\0') ? OUTSIDE : null;
  const problem = outside ?? globProblem(pattern);
  if (problem !== null) throw new ConfigError(`--allow ${terminalLine(text, 100)}: ${problem}`);
  return pattern;
}
