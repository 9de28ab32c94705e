/** Looks at all templates before one is used: a person who wrote a wrong one is told now, not when a task is at work. */
import { AGAIN, againVariables } from './again.ts';
import { madeOf, type Templates, templateProblems } from './liquid.ts';
import { type PacketParts, packetVariables } from './packet.ts';
import { problemText, type TemplateProblem } from './template-error.ts';
import type { Variables } from './template-values.ts';

/** None: every one can be rendered. */
export function checkTemplates(templates: Templates): TemplateProblem[] {
  const forPackets = [...templates.keys()].filter((name) => name !== AGAIN);
  const inAgain = templates.has(AGAIN) ? madeOf(templates, AGAIN) : [];
  const problems = [
    ...templateProblems(templates, SHAPE, forPackets),
    ...templateProblems(templates, againVariables('implementation', ''), inAgain),
  ];
  return [...new Map(problems.map((problem) => [problemText(problem), problem])).values()];
}

/** A packet that has something of everything. */
const PARTS: PacketParts = {
  role: {
    ...{ name: 'implementer', description: '', extends: null, base_role: null, kind: 'change' },
    ...{ answer: 'implementation', template: 'implement', cli: [], tier: null, strengths: [], system_prompt: '' },
    context: {
      ...{ strategy: '', include: [], exclude: [], always_include: [], token_budget: 0 },
      ...{ git_diff: false, priority_order: [] },
    },
    ...{ gates: [], allowed_tools: null, continue: 0, write_scope: [], grants: [], flags: [], config: {} },
    ...{ extensions: {}, pack: null },
  },
  ...{ answer: 'implementation', kind: 'change', attempt: { number: 1, of: 1 }, text: '', acceptance: [], files: [] },
  ...{ feedback: '', sameErrorTwice: false, evidence: [], protect: [], allow: [], scope: [], context: '', seed: '' },
  ...{ goal: null, queue: [], history: [], notes: [] },
};

const made = packetVariables(PARTS);
/** What a role's own settings are called, nobody knows here. */
export const SHAPE: Variables = {
  ...made,
  role: { ...(made['role'] as Variables), config: {} },
};
