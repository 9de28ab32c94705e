/** Before a task starts: says that its base is red, if that is known, and asks what is to become of those tests. */
import type { Opened } from '../../app/open.ts';
import type { HandContext } from '../../engine/ports/hands.ts';
import type { CommandOf } from '../../mind/domain/commands.ts';
import type { Spec } from '../../mind/domain/values.ts';
import { type BaseFinding, baseText } from '../../mind/gates/baseline.ts';
import { compileWorkflow } from '../../mind/workflows/workflow.ts';
import type { CommandContext } from './command.ts';
import { canAsk } from './confirm.ts';
import { Dialogue } from './dialogue.ts';

type Create = CommandOf<'task.create'>;

type RedBase = {
  /** The command, with the operator's answer in it. */
  readonly command: Create;
  /** Gates whose state at the base was told already. */
  readonly told: ReadonlySet<string>;
};

/** Without a terminal nobody is asked: red tests stay, and the task is not verified. */
export async function tellRedBase({ out }: CommandContext, opened: Opened, command: Create): Promise<RedBase> {
  const red = (await knownFindings(opened, command)).filter(({ status }) => status === 'fail');
  for (const finding of red) out.aside(baseText(finding) ?? '');
  const told = new Set(red.map(({ gate }) => gate));
  // A gate that names no failed tests excuses nothing: there is nothing to choose.
  if (command.spec.red_base !== undefined || !red.some((finding) => finding.red !== null)) return { command, told };
  const answer = canAsk(out.json) ? await ask() : null;
  if (answer !== null) return { command: { ...command, spec: { ...command.spec, red_base: answer } }, told };
  out.aside('these tests may stay red, unverified: --fix-base wants them green, --keep-red puts it on record');
  return { command, told };
}

async function knownFindings(opened: Opened, { spec, base, workflow, task }: Create): Promise<BaseFinding[]> {
  if (base === null) return [];
  const real = await opened.real();
  const changes = [...compileWorkflow(workflow).steps.values()].filter((step) => step.kind === 'change');
  const gates = new Set(changes.flatMap((step) => step.gates.filter((gate) => !step.advisory.has(gate))));
  const context: HandContext = {
    signal: new AbortController().signal,
    keep: async () => {
      throw new Error('what is known is only read');
    },
    read: async (hash) => {
      const blob = await opened.store.blob(hash);
      return blob.type === 'content' ? blob.content : null;
    },
  };
  const findings: BaseFinding[] = [];
  for (const gate of gates) {
    const ask = { task, token: 0, gate, spec, base };
    const found = await real.knownBase(ask, spec.unsafe_no_sandbox === true, context);
    if (found !== null) findings.push(found);
  }
  return findings;
}

/** Returns null when the terminal was closed before an answer. */
async function ask(): Promise<NonNullable<Spec['red_base']> | null> {
  using dialogue = new Dialogue();
  for (;;) {
    const answer = await dialogue.ask('Must the task fix these tests, or may they stay red? [fix/keep]');
    if (answer === null) return null;
    if (/^f(?:ix)?$/i.test(answer)) return 'fix';
    if (/^k(?:eep)?$/i.test(answer)) return 'keep';
  }
}
