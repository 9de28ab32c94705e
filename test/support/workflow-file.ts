/** A workflow made of the text of a file, as the loader makes it; every role that is named exists unless a test says otherwise. */
import { problemText } from '../../src/mind/fields/parse-file.ts';
import type { FileProblem } from '../../src/mind/fields/yaml.ts';
import { GATE_KINDS } from '../../src/mind/gates/gate-config.ts';
import type { WorkflowFiles } from '../../src/mind/workflows/extend.ts';
import { type Composition, type ReadWorkflow, readWorkflow } from '../../src/mind/workflows/read-workflow.ts';
import type { RoleFacts } from '../../src/mind/workflows/step-kind.ts';

type Around = {
  /** Files by name, for `extends`. */
  readonly others?: Readonly<Record<string, string>>;
  readonly gates?: readonly string[] | null;
  readonly maxSteps?: number;
  readonly role?: (name: string) => RoleFacts | null;
  readonly composition?: Composition;
};

/** By the beginning of their names, as the shipped ones are called. */
export function roleByName(name: string): RoleFacts | null {
  if (/^(plan|tech_lead|brainstorm|investigat|document)/.test(name)) return { kind: 'answer', answer: 'plan' };
  if (/^(review|risk)/.test(name)) return { kind: 'answer', answer: 'review' };
  if (/^security/.test(name)) return { kind: 'answer', answer: 'security' };
  return name.startsWith('nobody') ? null : { kind: 'change', answer: 'implementation' };
}

export function readText(text: string, around: Around = {}, name = 'w'): ReadWorkflow | FileProblem {
  const { others = {}, gates = null, maxSteps = 50, role = roleByName, composition } = around;
  const source = (one: string, body: string) => ({
    name: one,
    layer: 'project' as const,
    file: `${one}.yaml`,
    text: body,
  });
  const files: WorkflowFiles = {
    find: (one) => (one === name || others[one] === undefined ? null : source(one, others[one])),
    names: () => Object.keys(others),
  };
  const roles = { find: role, missing: (one: string) => `there is no role ${one}` };
  const surroundings = { roles, gates, maxSteps, gateKinds: GATE_KINDS };
  return readWorkflow(source(name, text), files, surroundings, composition ?? null);
}

/** Throws when the file is wrong. */
export function expanded(text: string, around: Around = {}): ReadWorkflow {
  const read = readText(text, around);
  if (read.type === 'problem') throw new Error(problemText(read));
  return read;
}
