/** The hand for workers: one attempt from its packet to a report, in its own workspace and sandbox. */
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { AttemptProxy } from '../../engine/ports/egress.ts';
import type { ReadyEnvironment } from '../../engine/ports/environments.ts';
import type { Hands, WorkerContext, WorkerReport } from '../../engine/ports/hands.ts';
import { SandboxError, type SandboxLimits, type SandboxPolicy } from '../../engine/ports/sandbox.ts';
import { type Captured, type Workspace, WorkspaceError } from '../../engine/ports/workspace.ts';
import { parseAnswer } from '../../mind/answers/parse-answer.ts';
import type { AnswerKind } from '../../mind/answers/schemas.ts';
import { PatternRefused } from '../../mind/context/variables.ts';
import type { Effect } from '../../mind/domain/work.ts';
import type { WorkerRun } from '../../mind/domain/worker-run.ts';
import { TemplateError } from '../../mind/prompts/template-error.ts';
import type { Role } from '../../mind/roles/role.ts';
import { KnownValues } from '../../mind/secrets/known-values.ts';
import { factorOf } from '../../mind/tokens/factor.ts';
import type { ToCheck } from '../../mind/verdict/open-findings.ts';
import type { CliResult } from '../../mind/workers/adapter.ts';
import { adapterOf, cliNamed, modelOf } from '../../mind/workers/cli-config.ts';
import { ownReading } from '../../mind/workers/files-cli-reads.ts';
import { ANSWER_TURN_MS, OUTPUT_BYTES, WORKER_LIMITS } from '../../mind/workers/limits.ts';
import { namingHost } from '../../mind/workers/named-host.ts';
import { badEnd, outcome, type TreeCheck } from '../../mind/workers/outcome.ts';
import { type AnswerTurn, type Owing, owedReason, playAnswerTurn } from './answer-turn.ts';
import { commandFor } from './command.ts';
import type { WorkerOptions } from './options.ts';
import { type Packet, packetFor } from './packet.ts';
import { policyFor } from './place.ts';
import {
  type AttemptFacts,
  answerIn,
  claimedIn,
  filesNamed,
  type HandOver,
  type JudgedAttempt,
  judgeAttempt,
  recordOf,
  type Started,
  type Traces,
  takenAsItIs,
} from './report.ts';
import { toCheck } from './review-input.ts';
import { claimFacts, shownLines } from './shown-lines.ts';
import { Transcript } from './transcript.ts';
import { newSession, type PlayedTurns, playTurns, type ReadyCommand, type Session } from './turns.ts';
import type { TurnPrompt, WorkerCommand } from './worker-command.ts';

export function workerHand(options: WorkerOptions): Hands['worker'] {
  return {
    async run(effect, work, context) {
      try {
        if (work.asItIs !== undefined) return await takenAsItIs(options, work, context);
        return await new WorkerAttempt(options, effect, work, context).run();
      } catch (error) {
        if (context.signal.aborted) return STOPPED;
        // Not the worker's fault: a machine that is not ready uses up no attempts.
        if (error instanceof SandboxError) return outcome('blocked', error.message);
        if (error instanceof WorkspaceError) return outcome(error.retryable ? 'transient' : 'blocked', error.message);
        // The operator or the project wrote something unusable; a retry would fail the same way.
        if (error instanceof TemplateError || error instanceof PatternRefused) return outcome('blocked', error.message);
        throw error;
      }
    },
  };
}

const NO_BASE = 'the task has no commit to start from: make a first commit, then start it again';

const STOPPED = outcome('interrupted', 'it was told to stop');

/** Beside the tree, so that both are removed together. */
function sessionDir(tree: string, session: Session | null): string | null {
  if (session === null) return null;
  const dir = join(dirname(tree), 'session');
  mkdirSync(dir, { mode: 0o700 });
  return dir;
}

function withoutSecrets(told: CliResult, mask: KnownValues): CliResult {
  const { final } = told;
  return final.type === 'text' ? { ...told, final: { ...final, text: mask.text(final.text) } } : told;
}

/** Where the turns of an attempt run. `answerOnly`: nothing may be changed there. */
type AttemptRuntime = {
  readonly tree: string;
  readonly environment: ReadyEnvironment | null;
  readonly proxy: AttemptProxy | null;
  readonly transcript: Transcript;
  readonly answerOnly?: true;
};

const shownCommand = (command: string | readonly string[] | undefined): string | null =>
  command === undefined ? null : typeof command === 'string' ? command : command.join(' ');

const endedWell = ({ told, listened }: PlayedTurns): boolean =>
  badEnd(listened.result.end, listened.heard, told) === null;

class WorkerAttempt {
  readonly #options: WorkerOptions;
  readonly #effect: Effect;
  readonly #work: WorkerRun;
  readonly #context: WorkerContext;

  constructor(options: WorkerOptions, effect: Effect, work: WorkerRun, context: WorkerContext) {
    this.#options = options;
    this.#effect = effect;
    this.#work = work;
    this.#context = context;
  }

  /** Steps 2 to 7 of an attempt, as docs/reference/attempt.md numbers them. */
  async run(): Promise<WorkerReport> {
    const { task, step, token } = this.#effect;
    const { attempt, input } = this.#work;
    const { signal } = this.#context;
    const { egress, redact, seed, stateDir } = this.#options;
    if (step === null) throw new Error('a worker belongs to a step');
    const base = input?.base ?? this.#work.base;
    if (base === null) return outcome('blocked', NO_BASE);
    const role = this.#role();
    if (typeof role === 'string') return outcome('blocked', role);
    await using tidy = new AsyncDisposableStack();

    // 3. Make the workspace. It comes before the packet because it pins the base: from now on the user's garbage
    // collection cannot remove what the packet reads.
    const { workspace, tree } = await this.#workspace(`${task}.${token}`, base);
    tidy.defer(() => this.#remove(workspace));

    // 2. Render the packet, and make the command from it.
    const given = await toCheck(this.#options, this.#work, role.answer, this.#context);
    const packet = await this.#packet(role, { base: workspace.base, tree, seed: seed(task, step), toCheck: given });
    const session = newSession(this.#turns());
    const commandOf = (said: TurnPrompt): Promise<WorkerCommand> =>
      commandFor(this.#options, { task, step }, this.#work, said, signal);
    const turn = (text: string, goesOn: Session | null) => commandOf({ text, answer: role.answer, session: goesOn });
    const command = await turn(packet.text, session);
    if (command.type === 'refused') return outcome(command.class, command.message);
    if (this.#wallMs() <= 0) return outcome('timeout', 'the deadline of the attempt had passed before it could start');

    // 3, continued. Prepare the environment and open the network access; the transcript shows both from its first line.
    const mask = new KnownValues(command.secrets);
    const path = this.#options.transcriptPath(task, step, attempt.number);
    const transcript = await Transcript.open({ path, mask, redact });
    tidy.defer(async () => void (await transcript.close()));
    const environment = await this.#environment(workspace, transcript);
    if (signal.aborted) return STOPPED;
    if (typeof environment === 'string') return outcome('blocked', environment);
    await using proxy = command.egress === null ? null : await egress.open(command.egress);
    const place = { tree: workspace.tree, environment, proxy, transcript };

    // 4. The worker runs in its sandbox, in one turn or more. The sandbox returns when no process is left in it.
    const dialogue = { first: command, answer: role.answer, session, more: this.#turns(), again: turn };
    const policy = this.#policy(place, sessionDir(workspace.tree, session));
    const raw = await playTurns(this.#options, dialogue, { policy, proxy, transcript }, signal);
    // Masked before anything is parsed: a quoted reason could be cut in the middle of a secret.
    const first = { ...raw, told: withoutSecrets(raw.told, mask) };

    // 5. Capture the tree. Only a run that ended well has a candidate.
    const taken = attempt.kind === 'change' && endedWell(first) ? this.#changed(await workspace.capture()) : null;

    // 6. Check the tree.
    const looked = await this.#checked(role.answer, taken, workspace.base, first);

    // 4, repeated only for the answer, if the tree is good and the answer is not.
    const owing = { answer: role.answer, played: first, taken, check: looked, base: workspace.base };
    const { played, answerTurn, checked } = await this.#askForAnswer(owing, place, { commandOf, mask });

    // 7. Parse the answer, compare its claims with the tree, and decide one outcome.
    const traces = { transcript: await transcript.close(), stateDir, egress: proxy?.report() ?? null, answerTurn };
    const read = await this.#read(role.answer, { packet, raised: given.raised }, played);
    const judged = judgeAttempt(role.answer, played, { taken, check: checked, ...read });
    return await this.#report(mask, { cli: attempt.cli, role, packet, command, environment }, traces, played, judged);
  }

  async #checked(
    kind: AnswerKind,
    taken: Captured | null,
    base: string,
    played: PlayedTurns,
  ): Promise<TreeCheck | null> {
    if (taken?.type !== 'candidate') return null;
    return this.#options.check(taken, base, this.#work, claimedIn(kind, answerIn(kind, played)));
  }

  /** The rejected tree is pinned. If it is gone all the same, the work starts where the step does. */
  async #workspace(
    name: string,
    base: string,
  ): Promise<{ readonly workspace: Workspace; readonly tree: string | null }> {
    const { input, start } = this.#work;
    const { signal } = this.#context;
    const make = async (tree: string | null) => ({
      workspace: await this.#options.workspaces.make(name, { base, tree, signal }),
      tree,
    });
    if (start === null) return make(input?.tree ?? null);
    try {
      return await make(start.tree);
    } catch (error) {
      if (!(error instanceof WorkspaceError) || error.code !== 'git_failed') throw error;
      this.#options.log('warn', 'the change that was sent back no longer exists', {
        tree: start.tree,
        error: error.message,
      });
      return make(input?.tree ?? null);
    }
  }

  /** A worker that reverts everything that was sent back has changed nothing. */
  #changed(taken: Captured): Captured {
    const same = taken.type === 'candidate' && taken.candidate.tree === this.#work.input?.tree;
    return same ? { type: 'unchanged', ignored: taken.ignored } : taken;
  }

  /** The answer, and the lines that a review of the change may name; null if it reviews no change. */
  async #read(
    answer: AnswerKind,
    { packet, raised }: Pick<ToCheck, 'raised'> & { readonly packet: Packet },
    played: PlayedTurns,
  ): Promise<Omit<AttemptFacts, 'taken' | 'check'>> {
    const { input } = this.#work;
    const parsed = answerIn(answer, played);
    const handOver = await this.#handOver();
    const files = filesNamed(answer, parsed);
    if (files === null || input === null) return { parsed, shown: null, raised, handOver };
    const { workspaces } = this.#options;
    const commands = new Map(this.#options.settings().gates.map((gate) => [gate.name, shownCommand(gate.command)]));
    const gates = (this.#work.measured ?? []).map((one) => ({ ...one, command: commands.get(one.gate) ?? null }));
    const [shown, facts] = await Promise.all([
      shownLines(workspaces, { input, packet, files }),
      claimFacts(workspaces, input, { files, gates }),
    ]);
    return { parsed, shown, raised, handOver, claimFacts: facts };
  }

  async #askForAnswer(
    owing: Owing & { readonly base: string },
    place: AttemptRuntime,
    {
      commandOf,
      mask,
    }: { readonly commandOf: (said: TurnPrompt) => Promise<WorkerCommand>; readonly mask: KnownValues },
  ): Promise<{
    readonly played: PlayedTurns;
    readonly answerTurn: AnswerTurn | null;
    readonly checked: TreeCheck | null;
  }> {
    const { signal } = this.#context;
    const reason = owedReason(owing);
    const unasked = { played: owing.played, answerTurn: null, checked: owing.check };
    if (reason === null || signal.aborted || this.#wallMs() <= 0) return unasked;
    const policy = this.#policy({ ...place, answerOnly: true }, null);
    const asked = await playAnswerTurn(
      this.#options,
      { ...owing, reason },
      { commandOf, policy, proxy: place.proxy, transcript: place.transcript },
      signal,
    );
    if (asked === null) return unasked;
    const played = { ...asked.played, told: withoutSecrets(asked.played.told, mask) };
    // The claims of an answer are known once it exists.
    const checked = await this.#checked(owing.answer, owing.taken, owing.base, played);
    return { played, answerTurn: asked.turn, checked };
  }

  async #report(
    mask: KnownValues,
    started: Started,
    traces: Omit<Traces, 'packet'>,
    played: PlayedTurns,
    judged: JudgedAttempt,
  ): Promise<WorkerReport> {
    const { keep } = this.#context;
    const { final, cost } = played.told;
    const packet = await keep(mask.text(started.packet.text));
    const record = recordOf(started, { ...traces, packet }, played, judged);
    const { taken, check } = judged;
    const isKept =
      judged.outcome.class === 'invalid' && taken?.type === 'candidate' && !(check?.ok === false && check.unfit);
    return {
      ...judged.outcome,
      ...(isKept ? { sent_back: taken.candidate } : {}),
      ...(check?.ok === true && check.facts !== undefined ? { facts: check.facts } : {}),
      ...(check?.diff === undefined ? {} : { diff: check.diff }),
      cost,
      category: judged.category,
      reason: mask.text(namingHost(judged.outcome.reason, judged.outcome.class, traces.egress?.decisions ?? [])),
      answer: final.type === 'text' && final.text !== '' ? await keep(final.text) : null,
      record: await keep(mask.text(record)),
    };
  }

  /** Returns null if the workflow asks for no hand-over, or the answer was deleted. */
  async #handOver(): Promise<HandOver | null> {
    const { handOver, before } = this.#work;
    if (!handOver) return null;
    const asked = before.filter((one) => one.asked && this.#options.role(one.role).answer === 'document');
    const texts = await Promise.all(asked.map(({ answer }) => this.#context.read(answer)));
    const parsed = texts.map((text) => parseAnswer('document', text ?? ''));
    return { documents: parsed.flatMap((one) => (one.type === 'answer' ? [one.answer] : [])) };
  }

  async #remove(workspace: Workspace): Promise<void> {
    const { task } = this.#effect;
    await workspace.remove().catch((error: Error) => {
      const facts = { task, error: error.message };
      this.#options.log('warn', 'a workspace could not be removed; the next sweep does it', facts);
    });
  }

  /** Returns a sentence if the role's file is gone or was changed since. */
  #role(): Role | string {
    const { kind } = this.#work.attempt;
    try {
      const role = this.#options.role(this.#work.role);
      return role.kind === kind
        ? role
        : `role ${role.name} is of kind ${role.kind} now, and the task began with ${kind}`;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  /** The scripted worker plays a file and reads nothing, so it gets no context. */
  #packet(
    role: Role,
    on: { readonly base: string; readonly tree: string | null; readonly seed: string; readonly toCheck: ToCheck },
  ): Promise<Packet> {
    const { cli } = this.#work.attempt;
    const chosen = cliNamed(this.#options.settings().clis, cli);
    const { factor } = factorOf(cli, modelOf(chosen, role));
    // In a later round it builds on its own change, which a later step sent back.
    const rejected = this.#work.start ?? this.#work.made.at(-1)?.candidate;
    const startsFrom = rejected !== undefined && on.tree === rejected.tree ? 'last' : 'line';
    const context = cli === 'scripted' ? null : { reading: ownReading(chosen, role) };
    return packetFor(this.#options, { ...this.#work, role, ...on, startsFrom, factor, context }, this.#context);
  }

  /** Returns a sentence if the environment cannot be prepared. */
  async #environment(workspace: Workspace, transcript: Transcript): Promise<ReadyEnvironment | null | string> {
    const { environments } = this.#options;
    if (environments === null) return null;
    const state = await environments.ready(this.#work.input?.tree ?? workspace.base, {
      signal: this.#context.signal,
      onOutput: (text) => transcript.add('note', Buffer.from(text)),
    });
    if (state.type === 'ready') return state.environment;
    return `the environment could not be prepared: ${state.message}`;
  }

  /** The sandbox policy of a turn. */
  #policy(
    { tree, environment, proxy, answerOnly }: AttemptRuntime,
    sessionDir: string | null,
  ): (turn: ReadyCommand) => SandboxPolicy {
    const kind = answerOnly === true ? 'answer' : this.#work.attempt.kind;
    const { tools } = this.#options;
    const socket = proxy?.socket ?? null;
    const most = answerOnly === true ? ANSWER_TURN_MS : Number.POSITIVE_INFINITY;
    return (command) =>
      policyFor({ kind, tree, environment, tools, command, limits: this.#limits(command, most), socket, sessionDir });
  }

  #limits({ output }: ReadyCommand, most: number): SandboxLimits {
    const { sandbox } = this.#options.settings();
    return {
      ...WORKER_LIMITS,
      outputBytes: OUTPUT_BYTES[output],
      ...sandbox.worker,
      ...this.#options.limits,
      wallMs: Math.min(this.#wallLeft(), most),
    };
  }

  /** The deadline comes from the operator's limits; a constant here would only cut it short. */
  #wallLeft(): number {
    return Math.max(1, Math.min(this.#options.limits?.wallMs ?? Number.POSITIVE_INFINITY, this.#wallMs()));
  }

  /** A CLI without sessions is always asked afresh. */
  #turns(): number {
    const cli = cliNamed(this.#options.settings().clis, this.#work.attempt.cli);
    return cli?.type === 'adapter' && adapterOf(cli.adapter)?.can.sessions === true ? this.#work.turns : 0;
  }

  #wallMs(): number {
    return this.#work.attempt.deadline - this.#options.clock.now();
  }
}
