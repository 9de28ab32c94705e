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
const remark = v.object({
  author: v.optional(v.nullable(v.object({ login: v.string() }))),
  body: v.string(),
  state: v.optional(v.string()),
});

/** The output of `gh pr view --json`. */
const pullRequest = v.object({
  number: v.number(),
  url: v.string(),
  state: v.picklist(['OPEN', 'CLOSED', 'MERGED']),
  headRefOid: v.string(),
  /** From another copy of the repository: anybody can give a branch there the same name as ours. */
  isCrossRepository: v.optional(v.boolean()),
  reviewDecision: v.optional(v.nullable(v.string())),
  mergeCommit: v.optional(v.nullable(v.object({ oid: v.string() }))),
  reviews: v.optional(v.nullable(v.array(remark))),
  comments: v.optional(v.nullable(v.array(remark))),
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

type PullNews =
  | { readonly type: 'merged'; readonly reason: string }
  /** The change goes back with what people and checks say. */
  | { readonly type: 'sent_back'; readonly reason: string }
  | { readonly type: 'closed' | 'moved' | 'nothing'; readonly reason: string };

const RED = new Set(['FAILURE', 'ERROR', 'TIMED_OUT', 'ACTION_REQUIRED', 'STARTUP_FAILURE']);

export function pullNews(pull: PullRequest, commit: string): PullNews {
  const { url, state, headRefOid, mergeCommit } = pull;
  if (headRefOid !== commit)
    return {
      type: 'moved',
      reason: `${url} holds ${headRefOid.slice(0, 12)}, and what was checked is ${commit.slice(0, 12)}: another push changed it`,
    };
  if (state === 'MERGED')
    return { type: 'merged', reason: `${url} was merged as ${mergeCommit?.oid.slice(0, 12) ?? 'an unknown commit'}` };
  if (state === 'CLOSED') return { type: 'closed', reason: `${url} was closed without being merged` };
  const said = feedbackOf(pull);
  if (said === null) return { type: 'nothing', reason: `${url} is open, and no changes were requested` };
  return { type: 'sent_back', reason: said };
}

const MAX_REASON = 1_900;

/** The requested changes as one bounded text; null if there are none and no check is red. */
function feedbackOf({ reviewDecision, reviews, comments, statusCheckRollup }: PullRequest): string | null {
  const red = (statusCheckRollup ?? []).filter(({ conclusion, state }) => RED.has(conclusion ?? state ?? ''));
  const asked = reviewDecision === 'CHANGES_REQUESTED';
  if (red.length === 0 && !asked) return null;
  const remarks = asked ? [...(reviews ?? []).filter((one) => one.state !== 'APPROVED'), ...(comments ?? [])] : [];
  const lines = [
    ...red.map(({ name, context }) => `check ${name ?? context ?? 'without a name'} is red on the pull request`),
    ...remarks
      .filter(({ body }) => body.trim() !== '')
      .map(({ author, body }) => `${author?.login ?? 'somebody'} writes: ${body.trim()}`),
  ];
  const text = terminalText((lines.length === 0 ? ['changes were requested on the pull request'] : lines).join('\n'));
  return text.length > MAX_REASON ? `${text.slice(0, MAX_REASON - 1)}…` : text;
}
