/** The values that commands and events are made of; declared once, as schemas that also give the types. */
import * as v from 'valibot';
import type { BlobHash, ProposalId, StepId, TaskId, WorkflowHash } from '../../kernel/ids.ts';
import { isId } from '../../kernel/ids.ts';

const id = <T extends string>() =>
  v.pipe(
    v.string(),
    v.check(isId, 'is not an id (lower-case letters, digits, - and _, at most 64)'),
    v.transform((text) => text as T),
  );

export const taskId = id<TaskId>();
export const stepId = id<StepId>();
export const proposalId = id<ProposalId>();
const hex = <T extends string>() =>
  v.pipe(
    v.string(),
    v.regex(/^[0-9a-f]{64}$/, 'is not a sha256'),
    v.transform((text) => text as T),
  );
export const blobHash = hex<BlobHash>();
export const workflowHash = hex<WorkflowHash>();
export const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
/** Milliseconds since 1970, up to the last one that a Date can hold. */
export const time = v.pipe(count, v.maxValue(8.64e15));
/** A line for people; long text belongs into a blob. */
export const MAX_LINE = 2_000;
export const line = v.pipe(v.string(), v.maxLength(MAX_LINE));
/** What a task holds against others: a line of its spec behind `file:` or `interface:`. */
export const lock = v.pipe(v.string(), v.maxLength(MAX_LINE + 'interface:'.length));
/** Money in millionths of a dollar: sums of integers stay exact. */
export const microUsd = count;

/**
 * What a step asks a person: whether something is good, to open a pull request, whether to try again after its attempts
 * or its rounds are used up, to decide between reviewers who disagree, to answer what its worker asks, whether a
 * critical finding of a gate or a review stands, or whether a review is right that names no line of the change.
 */
export const asks = v.picklist([
  'approval',
  'pull_request',
  'failure',
  'rounds',
  'disagreement',
  'question',
  'finding',
  'review',
]);
export type Asks = v.InferOutput<typeof asks>;

export const MAX_SPEC_TEXT = 100_000;
export const attemptKind = v.picklist(['change', 'answer']);
export type AttemptKind = v.InferOutput<typeof attemptKind>;

/** What the operator says about tests that fail at the base. */
export const redBase = v.picklist(['fix', 'keep']);

/** What a task asks for. Open: later versions and other faces add fields, which are kept. */
export const spec = v.looseObject({
  version: v.literal(1),
  text: v.pipe(v.string(), v.minLength(1), v.maxLength(MAX_SPEC_TEXT + 1_000)),
  acceptance: v.optional(v.array(line)),
  files: v.optional(v.array(line)),
  /** How context is chosen for the steps of this kind, instead of as their roles say. */
  context: v.optional(v.object({ strategy: line, kind: attemptKind })),
  interfaces: v.optional(v.array(line)),
  artefacts: v.optional(v.array(line)),
  test_command: v.optional(line),
  agent_mode: v.optional(line),
  notify: v.optional(v.boolean()),
  /** The person's policy: an incident of this task halts the project. */
  halt_on_incident: v.optional(v.boolean()),
  /** All hands are played: no process, no repository, no cost. */
  simulated: v.optional(v.boolean()),
  /** What the scripted worker does, whole: whoever drives the task next plays the same. */
  script: v.optional(v.record(v.string(), v.unknown())),
  /** Hash of the settings it was made under: what judges it. A driver with others does not work on it. */
  settings: v.optional(line),
  /** Gates of the operator's own and of the task's roles, beside those of the project. */
  gates: v.optional(
    v.array(
      v.object({
        name: line,
        command: v.union([line, v.array(line)]),
        timeout: v.optional(count),
        blocking: v.optional(v.boolean()),
        on_fail: v.optional(v.picklist(['retry', 'escalate', 'block', 'warn'])),
      }),
    ),
  ),
  /** Patterns of protected paths (tests, gate configuration, …) that this task may change. */
  allow: v.optional(v.array(line)),
  /** The text is the operator's own: protected paths and dependencies that it names may be changed. */
  own_words: v.optional(v.boolean()),
  /** Tests that fail at the base: `fix` excuses none of them, `keep` lets the task land with them. Absent: neither was said. */
  red_base: v.optional(redBase),
  /** It takes back what this task had changed, by this commit over its parent: git does it, no worker. */
  undo: v.optional(v.object({ task: line, commit: line, parent: line })),
  /** Author of the commit, as `Name <mail>`; absent: Supervisor itself. */
  author: v.optional(line),
  /** How its branch and its commit look. Absent: as they always do. */
  git: v.optional(v.object({ branch_pattern: v.optional(line), conventional: v.optional(v.boolean()) })),
  /** It came from a queue or a plan: its base is the line's head at its first attempt, and it keeps its locks until it landed. */
  queued: v.optional(v.boolean()),
  /** The operator's word for a run without a sandbox, for the record. */
  unsafe_no_sandbox: v.optional(v.boolean()),
});
export type Spec = v.InferOutput<typeof spec>;

/** What the operator adds to a task when it goes on. */
export const addition = {
  /** Becomes a part of the task's text. */
  say: v.optional(v.pipe(v.string(), v.minLength(1), v.maxLength(20_000))),
  /** Further protected paths that the task may change. */
  allow: v.optional(v.array(line)),
  /** Where the next attempt at a change starts: in the tree that was sent back, or where its step began. */
  from: v.optional(v.picklist(['last', 'line'])),
  /** Replaces the workflow's chain of CLIs for the steps that are open. */
  cli: v.optional(v.pipe(v.array(line), v.minLength(1))),
};

/** A captured tree and the commit it was made from. */
export const candidate = v.object({ base: line, tree: line, change_id: line });
export type Candidate = v.InferOutput<typeof candidate>;

/** What an attempt used. Unknown is null, never zero. */
export const cost = v.object({
  microusd: v.nullable(microUsd),
  tokens_in: v.nullable(count),
  tokens_out: v.nullable(count),
});
export type Cost = v.InferOutput<typeof cost>;
/** What budgets count beyond what an attempt told, because its cost is unknown or too low to be believed. */
export const estimated = v.object({ microusd: microUsd, tokens: count });
export type Estimated = v.InferOutput<typeof estimated>;
export const UNKNOWN_COST: Cost = { microusd: null, tokens_in: null, tokens_out: null };

/** How many findings there are of each severity. Texts stay in the answer, which is a blob. */
const findings = v.object({ critical: count, high: count, medium: count, low: count, info: count });
export type Findings = v.InferOutput<typeof findings>;

export const severity = v.picklist(['critical', 'high', 'medium', 'low', 'info']);

/** A finding that fails its gate by itself. Its id names it; its text is in the evidence. */
const blockingFinding = v.object({ id: line, severity });
export type BlockingFinding = v.InferOutput<typeof blockingFinding>;
/** All of a gate. Absent: it did not fail, something else failed it too, or there are too many to name. */
export const blockedBy = v.optional(v.pipe(v.array(blockingFinding), v.maxLength(100)));

const share = v.pipe(v.number(), v.minValue(0), v.maxValue(1));

/** What a worker's answer says, as far as rules may use it: words from lists and numbers. Null: nobody said. */
export const said = v.object({
  status: v.picklist([
    'SUCCESS',
    'PARTIAL',
    'FAILED',
    'BLOCKED',
    'COMPLETE',
    'NEEDS_REFINEMENT',
    'APPROVED',
    'CHANGES_REQUESTED',
    'REJECTED',
  ]),
  confidence: v.nullable(share),
  findings: v.nullable(findings),
  /** Findings that forbid the change by themselves, and findings that the reviewer took back. */
  vetoes: v.nullable(count),
  dismissed: v.nullable(count),
  /** Findings of this and earlier reviews of the step that nobody has closed; their texts are in the answers. Absent: nobody looked. */
  open: v.optional(v.pipe(v.array(blockingFinding), v.maxLength(100))),
  /** Findings that do not count, because they name no line of the change or are said twice. Absent: nobody looked. */
  uncounted: v.optional(count),
});
export type Said = v.InferOutput<typeof said>;

/** What the text of a change says about it, counted; the findings themselves are in the record of the attempt. */
export const diffFacts = v.object({
  /** It was refused for that, before any gate ran. */
  blocks: v.boolean(),
  findings,
  /** The rules that blocked, else those that found something; in the order of their names. */
  rules: v.pipe(v.array(line), v.maxLength(100)),
});
export type DiffFacts = v.InferOutput<typeof diffFacts>;

/** What a gate found, as far as rules may use it. Null: not measured. */
export const measured = {
  score: v.nullable(share),
  findings: v.nullable(findings),
  tests: v.nullable(v.object({ run: v.nullable(count), failed: count, skipped: v.nullable(count) })),
  flaky: v.nullable(v.boolean()),
  /** Covered lines as a share, and points against the base. Absent: no coverage was measured. */
  coverage: v.optional(v.object({ line: v.nullable(share), delta: v.nullable(v.number()) })),
};
export type Measured = v.InferOutput<v.ObjectSchema<typeof measured, undefined>>;
export const NOT_MEASURED: Measured = { score: null, findings: null, tests: null, flaky: null };

/** How a worker's run ended. `lost`: Supervisor died with it; `interrupted`: the operator stopped Supervisor. */
export const outcomeClass = v.picklist([
  'ok',
  'invalid',
  'transient',
  'quota',
  'auth',
  'missing_cli',
  'wrong_version',
  'crash',
  'timeout',
  'killed',
  'output_limit',
  'resource_limit',
  'waiting_for_input',
  'blocked',
  'lost',
  'interrupted',
  'unknown',
]);
export type OutcomeClass = v.InferOutput<typeof outcomeClass>;

/** Where the fault lies, roughly: for people and statistics. What follows is decided by the class alone. */
export const errorCategory = v.picklist(['network', 'cli', 'validation', 'parsing', 'logic', 'resource']);
export type ErrorCategory = v.InferOutput<typeof errorCategory>;

export const gateStatus = v.picklist(['pass', 'fail', 'error']);
export type GateStatus = v.InferOutput<typeof gateStatus>;

/** `CONSENSUS`: the change is borderline, and reviewers are to vote on it. */
export const verdictDecision = v.picklist(['APPROVE', 'REJECT', 'ESCALATE', 'CONSENSUS']);
export type VerdictDecision = v.InferOutput<typeof verdictDecision>;

/** Statuses that end a task's way through its workflow; `resume` can reopen some of them. */
export const closedStatus = v.picklist(['accepted', 'rejected', 'failed', 'blocked', 'escalated', 'cancelled']);
export type ClosedStatus = v.InferOutput<typeof closedStatus>;
export type TaskStatus = 'proposed' | 'queued' | 'running' | 'waiting' | 'paused' | ClosedStatus;

export const mode = v.picklist(['MANUAL', 'AUTO']);
export type Mode = v.InferOutput<typeof mode>;
