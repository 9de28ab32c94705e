/**
 * Reports that a task's base is red and asks what to do about those tests: before the task starts, or while the worker
 * runs.
 */
import type { OpenedProject } from '../../app/open.ts';
import type { HandContext } from '../../engine/ports/hands.ts';
import type { Rejection } from '../../kernel/result.ts';
import type { CommandOf } from '../../mind/domain/commands.ts';
import type { Spec } from '../../mind/domain/values.ts';
import { type BaseFinding, baseText, isNamed } from '../../mind/gates/baseline.ts';
import { compileWorkflow } from '../../mind/workflows/workflow.ts';
import { isInForeground } from '../../os/machine/foreground.ts';
import type { CommandContext } from './command.ts';
import { canAsk } from './confirm.ts';
import { Dialogue } from './dialogue.ts';

type Create = CommandOf<'task.create'>;
type RedBaseAnswer = NonNullable<Spec['red_base']>;

type RedBase = {
  /** The command with the operator's answer. */
  readonly command: Create;
  /** Gates whose state at the base was printed already. */
  readonly told: ReadonlySet<string>;
};

const UNANSWERED =
  'these tests may stay red, unverified (`land` then needs --unverified): `run --fix-base` requires them to pass, `run --keep-red` records that they may stay red';

/** Without a terminal there is no question: red tests stay, and the task is not verified. */
export async function tellRedBase({ out }: CommandContext, opened: OpenedProject, command: Create): Promise<RedBase> {
  const red = (await knownFindings(opened, command)).filter(({ status }) => status === 'fail');
  for (const finding of red) out.aside(baseText(finding) ?? '');
  const told = new Set(red.map(({ gate }) => gate));
  if (!red.some((finding) => isOpen(finding, command.spec))) return { command, told };
  const answer = canAsk(out.json) ? await ask() : null;
  if (answer !== null) return { command: { ...command, spec: { ...command.spec, red_base: answer } }, told };
  out.aside(UNANSWERED);
  return { command, told };
}

/**
 * Whether the operator has a choice. A gate that does not name its failed tests excuses none, and a test that the task
 * names is never excused.
 */
function isOpen({ status, red, tests }: BaseFinding, spec: Spec): boolean {
  if (status !== 'fail' || red === null || spec.red_base !== undefined) return false;
  return tests.length < red || tests.some((name) => !isNamed(name, spec));
}

async function knownFindings(opened: OpenedProject, { spec, base, workflow, task }: Create): Promise<BaseFinding[]> {
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

type RedBaseContext = {
  readonly out: CommandContext['out'];
  readonly spec: Spec;
  readonly told: ReadonlySet<string>;
  tell(text: string): void;
  /** Keeps the terminal free while a question is open. */
  withTerminal(question: () => Promise<void>): Promise<void>;
  answer(answer: RedBaseAnswer): Promise<Rejection | null>;
};

/** Watches what the gates find at the base while the worker runs. Asks at most once; the work goes on meanwhile. */
export class BaseWatch {
  readonly #of: RedBaseContext;
  #isAsked = false;
  #dialogue: Dialogue | null = null;
  #asking: Promise<void> = Promise.resolve();

  constructor(of: RedBaseContext) {
    this.#of = of;
  }

  found(finding: BaseFinding): void {
    const { out, spec, told, tell } = this.#of;
    const text = told.has(finding.gate) ? null : baseText(finding);
    if (text === null) return;
    tell(text);
    if (this.#isAsked || !isOpen(finding, spec)) return;
    this.#isAsked = true;
    // Reading from the terminal would stop a background process.
    if (canAsk(out.json) && isInForeground()) this.#asking = this.#ask();
    else tell(UNANSWERED);
  }

  /** The task has ended or is about to: an answer would come too late. */
  async end(): Promise<void> {
    this.#isAsked = true;
    this.#dialogue?.[Symbol.dispose]();
    await this.#asking;
  }

  async #ask(): Promise<void> {
    const { tell, withTerminal, answer } = this.#of;
    let given: RedBaseAnswer | null = null;
    await withTerminal(async () => {
      using dialogue = new Dialogue();
      this.#dialogue = dialogue;
      given = await askOn(dialogue);
      this.#dialogue = null;
      if (given === null) process.stdout.write('\n');
    });
    const refusal = given === null ? null : await answer(given);
    if (given === null) tell(UNANSWERED);
    else if (refusal !== null) tell(refusal.message);
  }
}

async function ask(): Promise<RedBaseAnswer | null> {
  using dialogue = new Dialogue();
  return await askOn(dialogue);
}

/** Returns null if the terminal was closed before an answer. */
async function askOn(dialogue: Dialogue): Promise<RedBaseAnswer | null> {
  for (;;) {
    const answer = await dialogue.ask('Must the task fix these tests, or may they stay red? [fix/keep]');
    if (answer === null) return null;
    if (/^f(?:ix)?$/i.test(answer)) return 'fix';
    if (/^k(?:eep)?$/i.test(answer)) return 'keep';
  }
}
