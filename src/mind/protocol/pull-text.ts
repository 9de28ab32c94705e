/** Pull requests in words: their body, and what their state means for the task. */
import * as v from 'valibot';
import { terminalText } from '../../kernel/terminal-text.ts';
import { readStrictJson } from '../answers/strict-json.ts';
import type { RunReport } from './run-report.ts';

/** The body of a pull request: the request, the checks, and how to see the evidence. */
export function pullBody(
  { task_id: id, change_id: change, verdict, steps, red }: RunReport,
  { text, note }: { readonly text: string; readonly note: string | null },
): string {
  const newest = new Map(steps.flatMap(({ evidence }) => evidence.map((one) => [one.gate, one] as const)));
  const gates = [...newest.values()].map(({ gate, status, excused }) => {
    return `| ${cell(gate)} | ${excused > 0 ? `${excused} red, same as base` : status} |`;
  });
  const parts = [
    ...(note === null ? [] : [note]),
    `## Task\n\n${quoted(text)}`,
    ...(gates.length === 0 ? [] : [`## Checks\n\n| gate | result |\n|---|---|\n${gates.join('\n')}`]),
    `## Verdict\n\n${verdict.decision ?? 'none yet'}${verdict.score === null ? '' : `, score ${verdict.score.toFixed(2)}`}${red === null ? '' : `; ${red.count} tests red, same as base`}`,
    `Supervisor-Task: ${id}\nSupervisor-Change: ${change ?? 'none'}`,
  ];
  return `${parts.join('\n\n')}\n`;
}

const MAX_TEXT = 4_000;
/** As data: nothing in it is a heading, a mention or a command of the forge. */
const quoted = (text: string): string =>
  terminalText(text).slice(0, MAX_TEXT).trim().replaceAll('@', '@\u200b').replaceAll(/^/gm, '> ');
const cell = (text: string): string => terminalText(text).replaceAll('|', '\\|');

const check = v.object({
  name: v.optional(v.string()),
  context: v.optional(v.string()),
  conclusion: v.optional(v.nullable(v.string())),
  state: v.optional(v.nullable(v.string())),
});
const words = {
  author: v.optional(v.nullable(v.object({ login: v.string() }))),
  authorAssociation: v.optional(v.string()),
  body: v.string(),
};
const review = v.object({
  ...words,
  state: v.string(),
  submittedAt: v.optional(v.nullable(v.string())),
  /** Older versions of `gh` do not name it. */
  commit: v.optional(v.nullable(v.object({ oid: v.string() }))),
});
const comment = v.object({ ...words, createdAt: v.optional(v.string()) });

/** The output of `gh pr view --json`. */
const pullRequest = v.object({
  number: v.number(),
  url: v.string(),
  state: v.picklist(['OPEN', 'CLOSED', 'MERGED']),
  headRefOid: v.string(),
  /** From another copy of the repository: anybody can give a branch there the same name as ours. */
  isCrossRepository: v.optional(v.boolean()),
  mergeCommit: v.optional(v.nullable(v.object({ oid: v.string() }))),
  reviews: v.optional(v.nullable(v.array(review))),
  comments: v.optional(v.nullable(v.array(comment))),
  statusCheckRollup: v.optional(v.nullable(v.array(check))),
});
export type PullRequest = v.InferOutput<typeof pullRequest>;

/** Parses the output of `gh pr list --json`; null if it is something else. */
export function readPulls(text: string): PullRequest[] | null {
  const json = readStrictJson(text);
  const read = json.type === 'json' ? v.safeParse(v.array(pullRequest), json.value) : null;
  return read?.success === true ? read.output : null;
}

/** The fields requested from `gh`. */
export const PULL_FIELDS = Object.keys(pullRequest.entries).join(',');

/** What a reviewer wrote at a line; `gh pr list` does not print these. */
const lineComment = v.object({
  login: v.nullable(v.string()),
  association: v.string(),
  path: v.string(),
  line: v.nullable(v.number()),
  body: v.string(),
  commit: v.string(),
});
export type LineComment = v.InferOutput<typeof lineComment>;

/** For `gh api --jq`: one line of JSON for each comment, on however many pages they are. */
export const LINE_COMMENT_QUERY =
  '.[] | {login: .user.login, association: .author_association, path, line: (.line // .original_line), body, commit: .original_commit_id}';

/** Parses the output of that query; null if it is something else. */
export function readLineComments(text: string): LineComment[] | null {
  const read = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const json = readStrictJson(line);
      return json.type === 'json' ? v.safeParse(lineComment, json.value) : null;
    });
  const comments = read.flatMap((one) => (one?.success === true ? [one.output] : []));
  return comments.length === read.length ? comments : null;
}

type PullNews =
  | { readonly type: 'merged'; readonly reason: string }
  /** The change goes back with what people and checks say. */
  | { readonly type: 'sent_back'; readonly reason: string }
  | { readonly type: 'closed' | 'moved' | 'nothing'; readonly reason: string };

const RED = new Set(['FAILURE', 'ERROR', 'TIMED_OUT', 'ACTION_REQUIRED', 'STARTUP_FAILURE']);

type Checked = {
  readonly commit: string;
  /** When the change was last sent back; what was said before it has been passed on. */
  readonly since: number;
};

export function pullNews(pull: PullRequest, checked: Checked, lineComments: readonly LineComment[]): PullNews {
  const { url, state, headRefOid, mergeCommit } = pull;
  const { commit } = checked;
  if (headRefOid !== commit)
    return {
      type: 'moved',
      reason: `${url} holds ${headRefOid.slice(0, 12)}, and what was checked is ${commit.slice(0, 12)}: the branch is not pushed yet, or another push changed it`,
    };
  if (state === 'MERGED')
    return { type: 'merged', reason: `${url} was merged as ${mergeCommit?.oid.slice(0, 12) ?? 'an unknown commit'}` };
  if (state === 'CLOSED') return { type: 'closed', reason: `${url} was closed without being merged` };
  const said = feedbackOf(pull, checked, lineComments);
  if (said === null) return { type: 'nothing', reason: `${url} is open, and no changes of this commit were requested` };
  return { type: 'sent_back', reason: said };
}

/** On a public repository anybody can review and comment; a worker gets only the words of these people. */
const TRUSTED = new Set(['OWNER', 'MEMBER', 'COLLABORATOR']);
const isTrusted = (association: string | undefined): boolean => association === undefined || TRUSTED.has(association);

const isNew = (at: string | null | undefined, since: number): boolean => at == null || !(Date.parse(at) <= since);

type Review = v.InferOutput<typeof review>;

/** The reviews of this commit, without those of strangers. */
function reviewsOf({ reviews }: PullRequest, { commit, since }: Checked): Review[] {
  return (reviews ?? []).filter(({ authorAssociation, commit: of, submittedAt }) => {
    const oid = of?.oid ?? '';
    return isTrusted(authorAssociation) && (oid === '' ? isNew(submittedAt, since) : oid === commit);
  });
}

/**
 * Whether the last review of some person requests changes. The forge's own `reviewDecision` is empty where no rule demands
 * reviews, and still asks for changes after a new commit.
 */
export function asksForChanges(pull: PullRequest, checked: Checked): boolean {
  const last = new Map<string, string>();
  for (const { author, state } of reviewsOf(pull, checked))
    if (state === 'APPROVED' || state === 'CHANGES_REQUESTED' || state === 'DISMISSED')
      last.set(author?.login ?? '', state);
  return [...last.values()].includes('CHANGES_REQUESTED');
}

const MAX_REASON = 1_900;

/** The requested changes as one bounded text; null if there are none and no check is red. */
function feedbackOf(pull: PullRequest, checked: Checked, lineComments: readonly LineComment[]): string | null {
  const red = (pull.statusCheckRollup ?? []).filter(({ conclusion, state }) => RED.has(conclusion ?? state ?? ''));
  const isAsked = asksForChanges(pull, checked);
  if (red.length === 0 && !isAsked) return null;
  const lines = [
    ...red.map(({ name, context }) => `check ${name ?? context ?? 'without a name'} is red on the pull request`),
    ...(isAsked ? remarks(pull, checked, lineComments) : []),
  ];
  const text = terminalText((lines.length === 0 ? ['changes were requested on the pull request'] : lines).join('\n'));
  return text.length > MAX_REASON ? `${text.slice(0, MAX_REASON - 1)}…` : text;
}

function remarks(pull: PullRequest, checked: Checked, lineComments: readonly LineComment[]): string[] {
  const { commit, since } = checked;
  const reviews = reviewsOf(pull, checked).filter(
    ({ state }) => state === 'CHANGES_REQUESTED' || state === 'COMMENTED',
  );
  const comments = (pull.comments ?? []).filter(
    ({ authorAssociation, createdAt }) => isTrusted(authorAssociation) && isNew(createdAt, since),
  );
  const atLines = lineComments.filter(({ association, commit: of }) => isTrusted(association) && of === commit);
  return [
    ...[...reviews, ...comments].map(({ author, body }) => ({ by: `${author?.login ?? 'somebody'} writes`, body })),
    ...atLines.map(({ login, path, line, body }) => ({
      by: `${login ?? 'somebody'} at ${path}${line === null ? '' : `:${line}`}`,
      body,
    })),
  ].flatMap(({ by, body }) => (body.trim() === '' ? [] : [`${by}: ${body.trim()}`]));
}
