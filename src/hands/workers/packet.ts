/** Builds the packet of an attempt: collects texts, redacts each, adds the context that fits, and joins them. */
import type { Contexts } from '../../engine/ports/contexts.ts';
import type { WorkerContext } from '../../engine/ports/hands.ts';
import type { Redact } from '../../engine/ports/surroundings.ts';
import { noteOf } from '../../mind/answers/answer-note.ts';
import { componentsOf } from '../../mind/answers/hand-over.ts';
import { parseAnswer } from '../../mind/answers/parse-answer.ts';
import type { Settings } from '../../mind/config/project-config.ts';
import type { PackedContext } from '../../mind/context/packed.ts';
import type { WorkerRun } from '../../mind/domain/worker-run.ts';
import type { FeedbackFacts } from '../../mind/feedback/document.ts';
import type { Templates } from '../../mind/prompts/liquid.ts';
import { type PacketParts, renderPacket } from '../../mind/prompts/packet.ts';
import { plansAhead, standsAlone } from '../../mind/prompts/task-surroundings.ts';
import type { Role } from '../../mind/roles/role.ts';
import type { CountTokens } from '../../mind/tokens/count.ts';
import { raisedText, type ToCheck } from '../../mind/verdict/open-findings.ts';
import type { OwnReading } from '../../mind/workers/files-cli-reads.ts';
import { feedbackFacts, type Rejected } from './feedback-facts.ts';

export type PacketMakers = {
  readonly redact: Redact;
  readonly settings: () => Pick<Settings, 'testPaths' | 'protect'>;
  /** Throws if there is no such role. */
  readonly role: (name: string) => Role;
  readonly templates: () => Templates;
  readonly contexts: Contexts;
  readonly count: () => Promise<CountTokens>;
  /**
   * The seed of all marks of a step: secret, and the same for all its attempts, so that a vendor's prompt cache hits.
   */
  readonly seed: (task: string, step: string) => string;
};

/** The input of a packet. */
export type PacketAsk = Rejected &
  Pick<WorkerRun, 'spec' | 'before' | 'config' | 'handOver' | 'contextScope' | 'level'> & {
    readonly role: Role;
    readonly base: string;
    readonly tree: string | null;
    /** The ratio of the model's token count to ours. */
    readonly factor: number;
    /** What the worker sees of the repository; null for nothing. */
    readonly context: { readonly strategy?: string; readonly reading?: OwnReading } | null;
    readonly seed: string;
    /** What a review has to check; absent for other steps. */
    readonly toCheck?: ToCheck;
  };

export type Packet = {
  readonly text: string;
  /** The context and its size; null if the step has none. */
  readonly context: { readonly packed: PackedContext; readonly budget: number; readonly tokens: number } | null;
};

const COMPONENT_ONLY = 'component_only';

/**
 * Room for the heading above the context and for seams: where two texts meet, the whole may be a token or two longer.
 */
const SEAM = 32;

export async function packetFor(makers: PacketMakers, ask: PacketAsk, hand: WorkerContext): Promise<Packet> {
  const { role, spec, factor } = ask;
  const parts = await partsOf(makers, ask, hand);
  const templates = makers.templates();
  const bare = renderPacket({ ...parts, context: '' }, templates);
  if (ask.context === null) return { text: bare, context: null };
  const count = await makers.count();
  const counted = (text: string) => Math.ceil(count(text) * factor);
  const budget = role.context.token_budget;
  const alone = counted(bare);
  const room = Math.max(0, budget - alone - SEAM);
  const files = spec.files ?? [];
  const componentOnly = ask.contextScope === COMPONENT_ONLY;
  const targets = componentOnly && files.length === 0 ? await plannedFiles(makers, ask, hand) : files;
  const packed = await makers.contexts.pack(
    {
      role,
      base: ask.base,
      tree: ask.tree,
      factor,
      seed: ask.seed,
      ...chosenFor(ask),
      ...ask.context,
      text: spec.text,
      targets,
      componentOnly,
      budget: room,
    },
    hand.signal,
  );
  const text = renderPacket({ ...parts, context: packed.text }, templates);
  const tokens = counted(text);
  const warning = overBudget({ tokens, alone, budget, packed: packed.tokens, room });
  const warned = warning === null ? packed : { ...packed, warnings: [...packed.warnings, warning] };
  return { text, context: { packed: warned, budget, tokens } };
}

/** If a task names no files, its targets are those of the plan it received. */
async function plannedFiles(
  { role: roleOf }: PacketMakers,
  { before }: PacketAsk,
  hand: WorkerContext,
): Promise<string[]> {
  const plans = before.filter(({ role }) => roleOf(role).answer === 'plan');
  const texts = await Promise.all(plans.map(({ answer }) => hand.read(answer)));
  const parsed = texts.map((text) => parseAnswer('plan', text ?? ''));
  const components = parsed.flatMap((one) => (one.type === 'answer' ? componentsOf(one.answer) : []));
  return [...new Set(components.flatMap(({ files }) => files))].filter(isPlainPath);
}

/** A model wrote it: it may name a file or folder of the project, and nothing else. */
const isPlainPath = (path: string): boolean => /^[\w@.][\w@. /-]*$/.test(path) && !path.split('/').includes('..');

/** The strategy that the task names for steps of this kind. */
function chosenFor({ spec, attempt }: PacketAsk): { readonly strategy?: string } {
  const { context } = spec;
  return context === undefined || context.kind !== attempt.kind ? {} : { strategy: context.strategy };
}

/** Why a packet is over its budget, except for protected parts: the packer reports those. */
function overBudget(of: Readonly<Record<'tokens' | 'alone' | 'budget' | 'packed' | 'room', number>>): string | null {
  if (of.tokens <= of.budget) return null;
  const over = `over the budget of ${of.budget} tokens`;
  if (of.alone > of.budget) return `the task and the prompt alone are ${over} (${of.alone}): sent anyway`;
  return of.packed > of.room
    ? null
    : `the packet is ${over} (${of.tokens}): let its template show \`context\` only once, with little around it`;
}

async function partsOf(makers: PacketMakers, ask: PacketAsk, hand: WorkerContext): Promise<PacketParts> {
  const { redact, settings, role: roleOf } = makers;
  const { role, spec, attempt, attempts } = ask;
  const { testPaths, protect } = settings();
  const [facts, notes, around] = await Promise.all([
    feedbackFacts(ask, roleOf, hand.read),
    notesOf(ask, roleOf, hand),
    standsAlone(spec.text) && !plansAhead(role.answer) ? ALONE : hand.around(),
  ]);
  const clean = await cleaned(redact, {
    text: [spec.text],
    acceptance: spec.acceptance ?? [],
    files: spec.files ?? [],
    feedback: facts?.reason == null ? [] : [facts.reason],
    outputs: (facts?.gates ?? []).map(({ text }) => text ?? ''),
    answers: (facts?.answers ?? []).map(({ text }) => text),
    goal: around.goal === null ? [] : [around.goal],
    queue: around.queue,
    history: around.history,
    notes: notes.map((note) => note.text),
    prompt: [role.system_prompt],
    raised: (ask.toCheck?.raised ?? []).map(raisedText),
    opinions: ask.toCheck?.opinions ?? [],
    protect: [...testPaths, ...protect],
    allow: [...new Set([...(spec.allow ?? []), ...ask.grants])],
    scope: ask.scope,
    settings: Object.entries(ask.config).map(([name, value]) => `${name}: ${JSON.stringify(value)}`),
  });
  const feedback: FeedbackFacts | null =
    facts === null
      ? null
      : {
          ...facts,
          reason: clean.feedback[0] ?? null,
          gates: facts.gates.map((one, n) => ({ ...one, text: one.text === null ? null : (clean.outputs[n] ?? '') })),
          answers: facts.answers.map((one, n) => ({ ...one, text: clean.answers[n] ?? '' })),
          scope: { only: clean.scope, frozen: clean.protect, except: clean.allow },
        };
  return {
    role: { ...role, system_prompt: clean.prompt[0] ?? '', config: { ...role.config, ...ask.config } },
    settings: clean.settings,
    handOver: ask.handOver,
    analysis: ask.isAnalysis === true,
    startsFrom: ask.startsFrom,
    kind: attempt.kind,
    answer: role.answer,
    context: '',
    attempt: { number: attempt.number, of: Math.max(attempts, attempt.number) },
    level: ask.level ?? null,
    text: clean.text[0] ?? '',
    acceptance: clean.acceptance,
    files: clean.files,
    feedback,
    protect: clean.protect,
    allow: clean.allow,
    scope: clean.scope,
    goal: clean.goal[0] ?? null,
    queue: clean.queue,
    history: clean.history,
    notes: notes.map((note, n) => ({ ...note, text: clean.notes[n] ?? '' })),
    raised: clean.raised,
    opinions: clean.opinions,
    seed: ask.seed,
  };
}

const ALONE = { goal: null, queue: [], history: [] } as const;

/** The notes of earlier workers of this task that can be parsed: those the role asks for, and all plans. */
async function notesOf({ before }: PacketAsk, roleOf: (name: string) => Role, hand: WorkerContext) {
  const notes = await Promise.all(
    before.map(async ({ role, answer, asked }) => {
      const { answer: kind, kind: work } = roleOf(role);
      if (!asked && kind !== 'plan') return [];
      const text = await hand.read(answer);
      const note = text === null ? null : noteOf(kind, text);
      return note === null ? [] : [{ by: role, kind, author: work === 'change', text: note }];
    }),
  );
  return notes.flat();
}

/** Redacts all lists in one call; an empty one costs nothing. */
async function cleaned<K extends string>(
  redact: Redact,
  lists: Readonly<Record<K, readonly string[]>>,
): Promise<Record<K, readonly string[]>> {
  const names = Object.keys(lists) as K[];
  const all = names.flatMap((name) => lists[name]);
  const clean = all.length === 0 ? all : await redact(all);
  let next = 0;
  return Object.fromEntries(
    names.map((name) => {
      next += lists[name].length;
      return [name, clean.slice(next - lists[name].length, next)];
    }),
  ) as unknown as Record<K, readonly string[]>;
}
