/** Checks all templates before one is used: a person learns about a mistake now, and not during a task. */

import { madeOf, type Templates, templateProblems } from './liquid.ts';
import { type PacketParts, packetVariables } from './packet.ts';
import { AGAIN, ANSWER_ONLY, againVariables, answerOnlyVariables } from './repair-prompt.ts';
import { problemText, type TemplateProblem } from './template-error.ts';
import type { Variables } from './template-values.ts';

/** Empty if every template can be rendered. Stops after `most` problems. */
export function checkTemplates(templates: Templates, most = Number.POSITIVE_INFINITY): TemplateProblem[] {
  // A problem of one template also appears in every template that includes it.
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

/** Templates that are no packets, and the variables of each. */
const OWN: readonly (readonly [string, Variables])[] = [
  [AGAIN, againVariables('implementation', '')],
  [ANSWER_ONLY, answerOnlyVariables({ answer: 'implementation', reason: '', changed: ['one'], words: 'said' })],
];

/** A packet with an example of everything. */
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
  analysis: false,
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
/** The keys of a role's own settings are unknown here. */
export const SHAPE: Variables = {
  ...made,
  role: { ...(made['role'] as Variables), config: {} },
};
