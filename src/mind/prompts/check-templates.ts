/** Looks at all templates before one is used: a person who wrote a wrong one is told now, not when a task is at work. */
import { AGAIN, ANSWER_ONLY, againVariables, answerOnlyVariables } from './again.ts';
import { madeOf, type Templates, templateProblems } from './liquid.ts';
import { type PacketParts, packetVariables } from './packet.ts';
import { problemText, type TemplateProblem } from './template-error.ts';
import type { Variables } from './template-values.ts';

/** None: every one can be rendered. No more are looked for than `most`. */
export function checkTemplates(templates: Templates, most = Number.POSITIVE_INFINITY): TemplateProblem[] {
  // What is wrong with one is found again in all that name it.
  const found = new Map<string, TemplateProblem>();
  for (const problem of problemsIn(templates)) {
    found.set(problemText(problem), problem);
    if (found.size >= most) break;
  }
  return [...found.values()];
}

function* problemsIn(templates: Templates): Generator<TemplateProblem> {
  yield* templateProblems(
    templates,
    SHAPE,
    [...templates.keys()].filter((name) => !OWN.some(([own]) => own === name)),
  );
  for (const [name, shape] of OWN)
    if (templates.has(name)) yield* templateProblems(templates, shape, madeOf(templates, name));
}

/** Templates that are no packets, and what each of them may use. */
const OWN: readonly (readonly [string, Variables])[] = [
  [AGAIN, againVariables('implementation', '')],
  [ANSWER_ONLY, answerOnlyVariables({ answer: 'implementation', reason: '', changed: ['one'], words: 'said' })],
];

/** A packet that has something of everything. */
const PARTS: PacketParts = {
  role: {
    name: 'implementer',
    description: '',
    extends: null,
    base_role: null,
    kind: 'change',
    answer: 'implementation',
    template: 'implement',
    cli: [],
    tier: null,
    strengths: [],
    system_prompt: '',
    context: {
      strategy: '',
      include: [],
      exclude: [],
      always_include: [],
      token_budget: 0,
      git_diff: false,
      priority_order: [],
    },
    gates: [],
    allowed_tools: null,
    continue: 0,
    write_scope: [],
    grants: [],
    flags: [],
    config: {},
    extensions: {},
    pack: null,
  },
  answer: 'implementation',
  kind: 'change',
  level: null,
  attempt: { number: 1, of: 1 },
  text: '',
  acceptance: [],
  files: [],
  feedback: {
    task: '',
    step: '',
    trace: '',
    change: null,
    reason: null,
    repeated: false,
    gates: [],
    answers: [],
    attempt: { number: 2, sent_back: 1, of: 2 },
    time: { task_ms: null, attempt_ms: null },
    scope: { only: [], frozen: [], except: [] },
    starts_from: 'line',
  },
  protect: [],
  allow: [],
  scope: [],
  settings: ['one'],
  handOver: true,
  startsFrom: 'line',
  context: '',
  seed: '',
  goal: null,
  queue: [],
  history: [],
  raised: ['one'],
  opinions: ['one'],
  notes: [],
};

const made = packetVariables(PARTS);
/** What a role's own settings are called, nobody knows here. */
export const SHAPE: Variables = {
  ...made,
  role: { ...(made['role'] as Variables), config: {} },
};
