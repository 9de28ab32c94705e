/** The values in commands and events; declared once, as schemas that also give the types. */
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
/** A line for people; longer text belongs into a blob. */
export const MAX_LINE = 2_000;
export const line = v.pipe(v.string(), v.maxLength(MAX_LINE));

/** An approval signed with a key of the allowed signers: everything needed to check it again. */
export const signedWord = v.object({
  /** The name it was signed as, and every name of this person in the file of allowed signers. */
  as: line,
  names: v.pipe(v.array(line), v.maxLength(100)),
  /** The fingerprint of the key. */
  key: line,
  /** The time of signing, from the text. */
  at: time,
  text: v.pipe(v.string(), v.maxLength(3 * MAX_LINE)),
  signature: v.pipe(v.string(), v.maxLength(4_000)),
});
export type SignedWord = v.InferOutput<typeof signedWord>;

/** What a task locks against others: a line of its spec with `file:` or `interface:` in front. */
export const lock = v.pipe(v.string(), v.maxLength(MAX_LINE + 'interface:'.length));
/** Money in millionths of a dollar: sums of integers stay exact. */
export const microUsd = count;

/**
 * What a step asks a person: is something good; open a pull request; try again after all attempts or rounds are used
 * up; decide between reviewers who disagree; answer the worker's question; does a critical finding of a gate or a
 * review stand; is a review right that names no line of the change; may the environment that a change needs be
 * prepared.
 */
export const asks = v.picklist([
  'approval',
  'pull_request',
  'failure',
  'rounds',
  'disagreement',
  'question',
  'finding',
  'environment',
  'review',
]);
export type Asks = v.InferOutput<typeof asks>;

export const MAX_SPEC_TEXT = 100_000;
export const attemptKind = v.picklist(['change', 'answer']);
export type AttemptKind = v.InferOutput<typeof attemptKind>;

/** The operator's decision about tests that fail at the base. */
export const redBase = v.picklist(['fix', 'keep']);

/** What a task asks for. Open: later versions and other faces add fields, which are kept. */
export const spec = v.looseObject({
  version: v.literal(1),
  text: v.pipe(v.string(), v.minLength(1), v.maxLength(MAX_SPEC_TEXT + 1_000)),
  acceptance: v.optional(v.array(line)),
  files: v.optional(v.array(line)),
  /** How context is chosen for steps of this kind, in place of their roles' choice. */
  context: v.optional(v.object({ strategy: line, kind: attemptKind })),
  interfaces: v.optional(v.array(line)),
  artefacts: v.optional(v.array(line)),
  test_command: v.optional(line),
  agent_mode: v.optional(line),
  notify: v.optional(v.boolean()),
  /** The user's policy: an incident of this task halts the project. */
  halt_on_incident: v.optional(v.boolean()),
  /** All hands are simulated: no process, no repository, no cost. */
  simulated: v.optional(v.boolean()),
  /** The whole script of the scripted worker, so that the next driver of the task plays the same. */
  script: v.optional(v.record(v.string(), v.unknown())),
  /** Hash of the settings it was made under, which judge it. A driver with other settings does not work on it. */
  settings: v.optional(line),
  /** Gates of the operator and of the task's roles, beside those of the project. */
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
  /** The operator wrote the text: it permits changing protected paths and dependencies that it names. */
  own_words: v.optional(v.boolean()),
  /**
   * Tests that fail at the base: `fix` excuses none of them, `keep` lets the task land with them. Absent if the
   * operator did not choose.
   */
  red_base: v.optional(redBase),
  /** The task undoes this task's landing, by reverting this commit: git does it, no worker. */
  undo: v.optional(v.object({ task: line, commit: line, parent: line })),
  /** Author of the commit, as `Name <mail>`; default: Supervisor itself. */
  author: v.optional(line),
  /** The form of its branch and commit; absent for the default. */
  git: v.optional(v.object({ branch_pattern: v.optional(line), conventional: v.optional(v.boolean()) })),
  /**
   * The task came from a queue or a plan: its base is the line's head at its first attempt, and it keeps its locks
   * until it has landed.
   */
  queued: v.optional(v.boolean()),
  /** The operator's flag for a run without a sandbox, for the record. */
  unsafe_no_sandbox: v.optional(v.boolean()),
});
export type Spec = v.InferOutput<typeof spec>;
/** A gate that a task brings. */
export type OwnGate = NonNullable<Spec['gates']>[number];

/** What the operator adds to a task when it goes on. */
export const addition = {
  /** Becomes a part of the task's text. */
  say: v.optional(v.pipe(v.string(), v.minLength(1), v.maxLength(20_000))),
  /** More protected paths that the task may change. */
  allow: v.optional(v.array(line)),
  /** Where the next attempt at a change starts: in the rejected tree, or where its step began. */
  from: v.optional(v.picklist(['last', 'line'])),
  /** Replaces the workflow's chain of CLIs for open steps. */
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
/** What budgets count beyond the reported cost, because it is unknown or implausibly low. */
export const estimated = v.object({ microusd: microUsd, tokens: count });
export type Estimated = v.InferOutput<typeof estimated>;
export const UNKNOWN_COST: Cost = { microusd: null, tokens_in: null, tokens_out: null };

/** The number of findings per severity. Their texts stay in the answer, which is a blob. */
const findings = v.object({ critical: count, high: count, medium: count, low: count, info: count });
export type Findings = v.InferOutput<typeof findings>;

export const severity = v.picklist(['critical', 'high', 'medium', 'low', 'info']);

/** A finding that fails its gate by itself. Its id names it; its text is in the evidence. */
const blockingFinding = v.object({ id: line, severity });
export type BlockingFinding = v.InferOutput<typeof blockingFinding>;
/** All of a gate's. Absent if it did not fail, something else failed it too, or there are too many. */
export const blockedBy = v.optional(v.pipe(v.array(blockingFinding), v.maxLength(100)));

const share = v.pipe(v.number(), v.minValue(0), v.maxValue(1));

/** The content of a worker's answer, as far as rules use it: enums and numbers. Null if there is no answer. */
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
  /** Findings that by themselves forbid the change, and findings that the reviewer took back. */
  vetoes: v.nullable(count),
  dismissed: v.nullable(count),
  /**
   * Open findings of this and earlier reviews of the step; their texts are in the answers. Absent if they were not
   * checked.
   */
  open: v.optional(v.pipe(v.array(blockingFinding), v.maxLength(100))),
  /**
   * Findings that do not count, because they name no line of the change or are repeated. Absent if they were not
   * checked.
   */
  uncounted: v.optional(count),
});
export type AnswerFacts = v.InferOutput<typeof said>;

/** Findings in the text of a change, counted; the findings themselves are in the record of the attempt. */
export const diffFacts = v.object({
  /** The change was refused for these findings, before any gate ran. */
  blocks: v.boolean(),
  findings,
  /** The rules that blocked, else those that found something; sorted. */
  rules: v.pipe(v.array(line), v.maxLength(100)),
  /** The blocking findings; a person may dismiss each. Absent if protected paths blocked, or there are too many. */
  blocked_by: blockedBy,
});
export type DiffFacts = v.InferOutput<typeof diffFacts>;

/** What a gate measured, as far as rules use it. Null if not measured. */
export const measured = {
  score: v.nullable(share),
  findings: v.nullable(findings),
  tests: v.nullable(v.object({ run: v.nullable(count), failed: count, skipped: v.nullable(count) })),
  flaky: v.nullable(v.boolean()),
  /** Covered lines as a share, and points against the base. Absent if no coverage was measured. */
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

/** Where the fault lies, roughly: for people and statistics. Only the class decides what follows. */
export const errorCategory = v.picklist(['network', 'cli', 'validation', 'parsing', 'logic', 'resource']);
export type ErrorCategory = v.InferOutput<typeof errorCategory>;

/** A gate did not run: the change needs another environment than its base, and its preparation is not allowed yet. */
export const wantedEnvironment = v.object({
  /** Identifies the environment: its key files, command and programs. */
  key: line,
  /** The news in it, for a person. */
  text: line,
});
export type WantedEnvironment = v.InferOutput<typeof wantedEnvironment>;

export const gateStatus = v.picklist(['pass', 'fail', 'error']);
export type GateStatus = v.InferOutput<typeof gateStatus>;

/** `CONSENSUS`: the change is borderline, and reviewers have to vote on it. */
export const verdictDecision = v.picklist(['APPROVE', 'REJECT', 'ESCALATE', 'CONSENSUS']);
export type VerdictDecision = v.InferOutput<typeof verdictDecision>;

/** Final statuses of a task; `resume` can reopen some of them. */
export const closedStatus = v.picklist(['accepted', 'rejected', 'failed', 'blocked', 'escalated', 'cancelled']);
export type ClosedStatus = v.InferOutput<typeof closedStatus>;
export type TaskStatus = 'proposed' | 'queued' | 'running' | 'waiting' | 'paused' | ClosedStatus;

export const mode = v.picklist(['MANUAL', 'AUTO']);
export type Mode = v.InferOutput<typeof mode>;
