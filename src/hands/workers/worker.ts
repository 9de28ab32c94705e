/** The hand for workers: one attempt from its packet to a report, in a workspace and a sandbox of its own. */
import { mkdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { EgressReport } from '../../engine/ports/egress.ts';
import type { ReadyEnvironment } from '../../engine/ports/environments.ts';
import type { Hands, WorkerContext, WorkerReport } from '../../engine/ports/hands.ts';
import { SandboxError, type SandboxLimits } from '../../engine/ports/sandbox.ts';
import { type Workspace, WorkspaceError } from '../../engine/ports/workspace.ts';
import { sha256 } from '../../kernel/hash.ts';
import type { StepId } from '../../kernel/ids.ts';
import type { Answer } from '../../mind/answers/schemas.ts';
import { claimMismatches } from '../../mind/candidates/claims.ts';
import { PatternRefused } from '../../mind/context/variables.ts';
import type { Effect, WorkerRun } from '../../mind/domain/effects.ts';
import { TemplateError } from '../../mind/prompts/template-error.ts';
import type { Role } from '../../mind/roles/role.ts';
import { categoryOf } from '../../mind/safeguards/category.ts';
import { KnownValues } from '../../mind/secrets/known-values.ts';
import { factorOf } from '../../mind/tokens/factor.ts';
import { readAnswer } from '../../mind/workers/answer.ts';
import { adapterOf, cliNamed, modelOf } from '../../mind/workers/cli-config.ts';
import { OUTPUT_BYTES, WORKER_LIMITS } from '../../mind/workers/limits.ts';
import { namingHost } from '../../mind/workers/named-host.ts';
import { badEnd, goodEnd, outcome } from '../../mind/workers/outcome.ts';
import { ownReading } from '../../mind/workers/own-reading.ts';
import { contextFacts, recordText } from '../../mind/workers/record.ts';
import { commandFor } from './command.ts';
import type { WorkerOptions } from './options.ts';
import { type Packet, packetFor } from './packet.ts';
import { policyFor } from './place.ts';
import { Transcript, type Written } from './transcript.ts';
import { newSession, type Played, playTurns, type Ready, type Session } from './turns.ts';
import type { Command } from './worker-command.ts';

export function workerHand(options: WorkerOptions): Hands['worker'] {
  return {
    async run(effect, work, context) {
      try {
        return await new WorkerAttempt(options, effect, work, context).run();
      } catch (error) {
        if (context.signal.aborted) return STOPPED;
        // Not the worker's doing: its attempts are not used up by a machine that is not ready.
        if (error instanceof SandboxError) return outcome('blocked', error.message);
        if (error instanceof WorkspaceError) return outcome(error.retryable ? 'transient' : 'blocked', error.message);
        // The operator or the project wrote something that cannot be used, and it would be the same the next time.
        if (error instanceof TemplateError || error instanceof PatternRefused) return outcome('blocked', error.message);
        throw error;
      }
    },
  };
}

/** After a failed run the answer is stored, but not parsed. */
const NOT_READ = { type: 'invalid', reason: '' } as const;

const STOPPED = outcome('interrupted', 'it was told to stop');

/** Beside the tree, so that it goes when the tree goes, however that comes. */
function sessionDir(tree: string, session: Session | null): string | null {
  if (session === null) return null;
  const dir = join(dirname(tree), 'session');
  mkdirSync(dir, { mode: 0o700 });
  return dir;
}

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

  async run(): Promise<WorkerReport> {
    const { task, step, token } = this.#effect;
    const { input } = this.#work;
    const { workspaces, log } = this.#options;
    if (step === null) throw new Error('a worker belongs to a step');
    const base = input?.base ?? this.#work.base;
    if (base === null)
      return outcome('blocked', 'the task has no commit to start from: make a first commit, then start it again');
    const role = this.#role();
    if (typeof role === 'string') return outcome('blocked', role);
    // First, because it pins the base: from now on no garbage collection of the user takes away what the packet reads.
    const { signal } = this.#context;
    const workspace = await workspaces.make(`${task}.${token}`, { base, tree: input?.tree ?? null, signal });
    try {
      return await this.#attempt(step, role, workspace);
    } finally {
      await workspace.remove().catch((error: Error) => {
        log('warn', 'a workspace could not be removed; the next sweep does it', { task, error: error.message });
      });
    }
  }

  async #attempt(step: StepId, role: Role, workspace: Workspace): Promise<WorkerReport> {
    const { task } = this.#effect;
    const { attempt } = this.#work;
    const { signal } = this.#context;
    const packet = await this.#packet(role, workspace.base, this.#options.seed(task, step));
    const session = newSession(this.#turns());
    const commandOf = (text: string, goesOn: Session | null): Promise<Command> =>
      commandFor(this.#options, { task, step }, this.#work, { text, answer: role.answer, session: goesOn }, signal);
    const command = await commandOf(packet.text, session);
    if (command.type === 'refused') return outcome(command.class, command.message);
    if (this.#wallMs() <= 0) return outcome('timeout', 'the deadline of the attempt had passed before it could start');
    const mask = new KnownValues(command.secrets);
    const path = this.#options.transcriptPath(task, step, attempt.number);
    const transcript = await Transcript.open({ path, mask, redact: this.#options.redact });
    try {
      const environment = await this.#environment(workspace, transcript);
      if (signal.aborted) return STOPPED;
      if (typeof environment === 'string') return outcome('blocked', environment);
      await using door = command.egress === null ? null : await this.#options.egress.open(command.egress);
      const { tree } = workspace;
      const around = { tree, environment, socket: door?.socket ?? null, sessionDir: sessionDir(tree, session) };
      const played = await playTurns({
        options: this.#options,
        first: command,
        session,
        again: commandOf,
        door,
        transcript,
        answer: role.answer,
        signal,
        more: this.#turns(),
        policy: (turn) =>
          policyFor({ ...this.#options, ...around, kind: attempt.kind, command: turn, limits: this.#limits(turn) }),
      });
      const [file, egress] = [await transcript.close(), door?.report() ?? null];
      return await this.#report({ role, packet, command, mask, workspace, environment, played, file, egress });
    } finally {
      await transcript.close();
    }
  }

  /** A sentence instead of a role: its file is gone, or was changed to something else since. */
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
  #packet(role: Role, base: string, seed: string): Promise<Packet> {
    const { cli } = this.#work.attempt;
    const chosen = cliNamed(this.#options.settings().clis, cli);
    const { factor } = factorOf(cli, modelOf(chosen, role));
    const tree = this.#work.input?.tree ?? null;
    const context = cli === 'scripted' ? null : { reading: ownReading(chosen, role) };
    return packetFor(this.#options, { ...this.#work, role, base, tree, factor, context, seed }, this.#context);
  }

  /** A sentence instead of an environment: it can not be prepared. */
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

  #limits({ output }: Ready): SandboxLimits {
    const { sandbox } = this.#options.settings();
    return {
      ...WORKER_LIMITS,
      outputBytes: OUTPUT_BYTES[output],
      ...sandbox.worker,
      ...this.#options.limits,
      wallMs: this.#wallLeft(),
    };
  }

  /** The deadline comes from the operator's limits; a number of our own would only cut it short. */
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

  async #report(seen: {
    readonly role: Role;
    readonly packet: Packet;
    readonly command: Ready;
    readonly mask: KnownValues;
    readonly workspace: Workspace;
    readonly environment: ReadyEnvironment | null;
    readonly played: Played;
    readonly file: Written;
    readonly egress: EgressReport | null;
  }): Promise<WorkerReport> {
    const { role, command, mask, workspace, environment, played, file, egress } = seen;
    const { text: packet, context } = seen.packet;
    const { told, turns } = played;
    const { result, heard } = played.listened;
    // Before anything is read from it: a reason that quotes it may cut it in the middle of a secret.
    const final = told.final.type === 'text' ? { ...told.final, text: mask.text(told.final.text) } : told.final;
    const { attempt } = this.#work;
    const { keep } = this.#context;
    const { answer: answerKind } = role;
    const bad = badEnd(result.end, heard, told);
    const taken = bad === null && attempt.kind === 'change' ? await workspace.capture() : null;
    const check = taken?.type === 'candidate' ? await this.#options.check(taken, workspace.base, this.#work) : null;
    const parsed = bad === null ? readAnswer(answerKind, final) : NOT_READ;
    const changed = taken?.type === 'candidate' ? taken.changed : [];
    const claims =
      parsed.type === 'answer' && (answerKind === 'implementation' || answerKind === 'test')
        ? claimMismatches(parsed.answer as Answer<'implementation' | 'test'>, changed)
        : [];
    const judged = bad ?? goodEnd({ answerKind, parsed, taken, check, heard });
    const { model, session, cost, failure } = told;
    const refused = taken?.type === 'refused' || check?.ok === false;
    const category = categoryOf(judged.class, {
      told: judged.class === 'invalid' && refused && parsed.type === 'answer' ? 'validation' : null,
      status: failure?.status ?? null,
    });
    const record = recordText({
      ...{ model, session, turns, cost, failure, egress, category },
      cli: attempt.cli,
      role: role.name,
      packet: await keep(mask.text(packet)),
      packet_sha256: sha256(packet),
      context: context === null ? null : contextFacts(context),
      command: command.shown,
      environment: environment?.key ?? null,
      end: result.end,
      ms: result.ms,
      leftovers: result.leftovers,
      forced: result.forced,
      transcript: { ...file, path: relative(this.#options.stateDir, file.path) },
      tree: taken?.type ?? 'not taken',
      changed: changed.map(({ path }) => path),
      ignored: taken === null || taken.type === 'refused' ? [] : taken.ignored,
      claims: claims.map(({ path, mismatch }) => `${mismatch}: ${path}`),
      other_blocks: parsed.type === 'answer' ? parsed.others : 0,
      malformed_lines: final.type === 'text' ? final.malformed : 0,
      foreign_lines: told.foreign ?? 0,
      refused_paths: check?.ok === false ? (check.paths ?? []) : [],
      notes: check?.ok === true ? check.notes : [],
    });
    return {
      ...judged,
      cost,
      category,
      reason: mask.text(namingHost(judged.reason, judged.class, egress?.decisions ?? [])),
      answer: final.type === 'text' && final.text !== '' ? await keep(final.text) : null,
      record: await keep(mask.text(record)),
    };
  }
}
