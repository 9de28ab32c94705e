/** Which kind of step a file means, and which keys that kind has. */
import type { FileProblem } from '../fields/yaml.ts';
import type { StepDraft } from './extend.ts';
import type { FileStep } from './file.ts';
import { commandProblem } from './refused-words.ts';
import type { StepDefinition } from './step.ts';

/** `review` stands for an answer of each role, and a join if there are several. */
export type FileKind = StepDefinition['kind'] | 'review';

export type RoleFacts = {
  readonly kind: 'change' | 'answer';
  /** The form of its answer, such as `review`. */
  readonly answer: string;
  /** Names of checks that it brings. */
  readonly gates?: readonly string[];
};

export type RoleLookup = {
  /** Returns null if there is no such role. */
  find(name: string): RoleFacts | null;
  /** The message for a missing role. */
  missing(name: string): string;
};

type StepField = keyof FileStep;

const EVERYWHERE: readonly StepField[] = ['description', 'needs', 'next', 'position', 'required', 'outputs'];
const OF_WORK: readonly StepField[] = [
  ...(['cli', 'attempts', 'retry_policy', 'wall_ms', 'continue', 'reserve_microusd'] as const),
  ...(['config', 'context_scope', 'inputs', 'human_approval'] as const),
];
const WAY_BACK: readonly StepField[] = ['on_reject', 'rounds', 'max_retries'];

const KEYS: Readonly<Record<FileKind, readonly StepField[]>> = {
  change: [...OF_WORK, 'kind', 'role', 'gates', 'grants', 'write_scope', 'from', 'degrade', 'hand_over', 'analyses'],
  answer: [...OF_WORK, ...WAY_BACK, 'kind', 'role', 'gates', 'hand_over'],
  review: [...OF_WORK, ...WAY_BACK, 'review', 'roles', 'parallel', 'require'],
  gate: ['kind', 'gates', 'command', 'on_fail', 'rounds', 'max_retries', 'human_approval'],
  join: [...WAY_BACK, 'kind', 'require', 'human_approval'],
  human: [...WAY_BACK, 'kind', 'about', 'text'],
  commit: ['kind', 'human_approval', ...WAY_BACK],
  pull_request: ['kind', 'text'],
};

const CHANGES_NOTHING = 'its role only answers and changes no file: leave it out, or name a role that changes files';

/** Replaces "has no use" if a person most likely means something else. */
const INSTEAD: Partial<Record<FileKind, Partial<Record<StepField, string>>>> = {
  change: {
    on_fail: 'its own gates send it back by themselves; `on_fail` belongs to a gate step after it',
    on_reject: 'only what looks at a change can send it back: write it at the review',
    command: 'a worker does this step: write a step of its own with the command, after it',
    rounds: 'write `attempts`, or `rounds` at the step that sends it back',
    max_retries: 'write `attempts`, or `max_retries` at the step that sends it back',
  },
  answer: {
    write_scope: CHANGES_NOTHING,
    grants: CHANGES_NOTHING,
    from: CHANGES_NOTHING,
    degrade: CHANGES_NOTHING,
    analyses: CHANGES_NOTHING,
    on_fail: 'write `on_reject`: an answer that rejects is no failed gate',
    require: '`require` needs several roles: name them in `review`',
    command: 'a worker does this step: write a step of its own with the command',
  },
  review: {
    on_fail: 'write `on_reject`: a review that rejects is no failed gate',
    gates: 'a review runs no gates: write a step `kind: gate` before it',
    role: 'write the roles in one list, under `review`',
    kind: 'leave `kind` out: a review is made of answers and a join',
    command: 'workers do this step: write a step of its own with the command',
  },
  gate: {
    analyses: 'write `analyses` at the step that its failure leads back to: its worker reads their answers',
    on_reject: 'write `on_fail`: a gate passes or fails',
    role: 'no worker does this step: leave `role` out, or leave `command` and `gates` out',
    attempts: 'gates run once per candidate: write `rounds`',
    retry_policy: 'gates run once per candidate: write `rounds`',
  },
  commit: {
    command: 'Supervisor commits by itself: leave `command` out',
    gates: 'write a step `kind: gate` before it, or `hooks: {pre_commit: [...]}`',
    role: 'Supervisor commits by itself: leave `role` out',
  },
  pull_request: { command: 'nothing is run here: leave `command` out', role: 'a person opens it: leave `role` out' },
  human: { role: 'a person answers here: leave `role` out', human_approval: 'it is one already: leave it out' },
};

export function kindOf({ id, says, at }: StepDraft, roles: RoleLookup): FileKind | FileProblem {
  const { kind, role, review, roles: others, command, gates } = says;
  if (review !== undefined && others !== undefined)
    return at('roles')('`review` and `roles` are two words for one list: leave one out');
  const panel = review ?? others;
  const said: FileKind | null =
    kind ??
    (panel !== undefined
      ? 'review'
      : role !== undefined
        ? null
        : command !== undefined || gates !== undefined
          ? 'gate'
          : null);
  if (panel !== undefined && kind !== undefined) return at('kind')(INSTEAD.review?.kind ?? '');
  for (const [n, one] of (panel ?? []).entries()) {
    const facts = roles.find(one);
    const key = review === undefined ? 'roles' : 'review';
    if (facts === null) return at(key)(roles.missing(one), n);
    if (facts.kind !== 'answer')
      return at(key)(`role ${one} changes files, and a review only reads: name another role`, n);
  }
  for (const [n, one] of (says.analyses ?? []).entries()) {
    const facts = roles.find(one);
    if (facts === null) return at('analyses')(roles.missing(one), n);
    if (facts.kind !== 'answer')
      return at('analyses')(`role ${one} changes files, and an analysis only reads: name another role`, n);
  }
  if (role !== undefined && panel === undefined && said !== 'gate') {
    const facts = roles.find(role);
    if (facts === null) return at('role')(roles.missing(role));
    if ((said === 'change' || said === 'answer') && said !== facts.kind)
      return at('role')(
        `role ${role} ${facts.kind === 'change' ? 'changes files' : 'only answers'}, and step ${id} is of kind ${said}: name another role, or leave \`kind\` out`,
      );
    if (said === null) return facts.kind;
  }
  if (said === null)
    return at()(
      `step ${id} does not say what it does: write \`role\`, \`review\` (a list of roles), \`command\`, \`gates\`, or \`kind\` (gate, join, human, commit, pull_request)`,
    );
  return said;
}

const isFor = (kind: FileKind, key: StepField): boolean => EVERYWHERE.includes(key) || KEYS[kind].includes(key);

/** Without what a parent said of the step when it was of another kind. */
export function fittedTo(draft: StepDraft, kind: FileKind): StepDraft {
  const { says, inherited } = draft;
  if (inherited === undefined) return draft;
  const back = (['on_reject', 'on_fail'] as const).some((key) => says[key] !== undefined && isFor(kind, key));
  const isOfUse = (key: StepField) => isFor(kind, key) && (back || (key !== 'rounds' && key !== 'max_retries'));
  const left = Object.entries(says).filter(([key]) => !inherited.has(key as StepField) || isOfUse(key as StepField));
  return { ...draft, says: Object.fromEntries(left) as FileStep };
}

/** A key that its kind of step has no use for, or two that contradict each other. */
export function keyProblem({ id, says, at }: StepDraft, kind: FileKind): FileProblem | null {
  for (const key of Object.keys(says) as StepField[]) {
    if (says[key] === undefined || isFor(kind, key)) continue;
    const instead = INSTEAD[kind]?.[key] ?? `a step of kind ${kind} has no use for it: leave it out`;
    return at(key)(instead);
  }
  const { command, gates, rounds, max_retries, attempts, retry_policy, parallel, require } = says;
  if (command !== undefined) {
    if (gates !== undefined)
      return at('gates')(`step ${id} has a command of its own: leave \`gates\` out, or the command`);
    const problem = commandProblem(command);
    if (problem !== null) return at('command')(problem);
  }
  if (rounds !== undefined && max_retries !== undefined)
    return at('max_retries')(
      '`rounds` and `max_retries` bound the same way back: leave one out (rounds = max_retries + 1)',
    );
  const isBack = says.on_reject !== undefined || says.on_fail !== undefined;
  if ((rounds ?? max_retries) !== undefined && !isBack)
    return at(rounds === undefined ? 'max_retries' : 'rounds')(
      `bounds a way back, and step ${id} has none: add \`${kind === 'gate' ? 'on_fail' : 'on_reject'}: STEP\``,
    );
  if (typeof retry_policy === 'object' && retry_policy.max_attempts !== undefined && attempts !== undefined)
    return at('attempts')('`attempts` and `max_attempts` are two words for one number: leave one out');
  const panel = says.review ?? says.roles;
  if (parallel !== undefined && panel === undefined)
    return at('parallel')('is about several reviewers: write `review` with a list of roles');
  if (require === 'consensus' && panel?.length === 1)
    return at('require')('`require` needs several roles: name them in `review`');
  return null;
}
