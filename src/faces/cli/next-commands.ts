/** Suggests the next commands, depending on what happened to the task. */
import type { RunReport } from '../../mind/protocol/run-report.ts';
import type { Obstacle } from './report-parts.ts';

export type NextCommand = { readonly command: string; readonly does: string };

/** `driven`: whether a process works on it; null if unknown. */
export function nextCommands(
  report: RunReport,
  obstacle: Obstacle | null,
  driven: boolean | null = null,
): NextCommand[] {
  const { status, task_id: id } = report;
  if (status === 'accepted') return afterSuccess(report);
  if (status === 'cancelled' || status === 'rejected') return [];
  if (report.taken !== undefined && status !== 'running') return withPerson(id, report.taken);
  const unfinished = status === 'queued' || status === 'running' || status === 'waiting';
  if (unfinished || status === 'paused') return beforeTheEnd(report, obstacle, driven);
  const budget = /\(limits\.(budget\.\w+)\)/.exec(report.incident?.reason ?? '')?.[1];
  if (budget !== undefined) return withoutBudget(id, budget);
  const after = afterFailure(id, obstacle);
  const canTake = !report.simulated && obstacle?.outcome === 'invalid' && obstacle.takable;
  return canTake ? [...after, takeOver(id)] : after;
}

const withoutBudget = (id: string, key: string): NextCommand[] => [
  { command: 'supervisor limits', does: 'every budget, and the line that sets it' },
  { command: `supervisor resume ${id} --limit ${key}=AMOUNT`, does: 'go on with a larger budget' },
];

/** A person can finish what a worker almost did. */
const takeOver = (id: string): NextCommand => ({
  command: `supervisor take ${id}`,
  does: 'finish it yourself, in a checkout of it',
});

function withPerson(id: string, { by, dir }: NonNullable<RunReport['taken']>): NextCommand[] {
  return [
    { command: `supervisor give ${id}`, does: `have checked what ${by} made in ${dir}` },
    { command: `supervisor take ${id} --drop`, does: 'leave it to the workers; the checkout stays' },
  ];
}

function afterFailure(id: string, obstacle: Obstacle | null): NextCommand[] {
  const resume = resumeOf(id);
  const again = resume('', 'go on with it, with fresh attempts');
  const said = { command: `supervisor show ${id} --said`, does: 'what the worker answered' };
  const evidence = { command: `supervisor show ${id} --evidence`, does: 'what the gates found, whole' };
  const diff = { command: `supervisor diff ${id}`, does: 'what its last candidate changes' };
  if (obstacle === null) return [evidence, again];
  const { outcome, reason, cli, asks, guard } = obstacle;
  const other = resume(' --cli OTHER', otherText(obstacle));
  // The worker is done and its text is no question: the machine lacks something that a gate needs.
  if (/^gate could not run/.test(reason))
    return [
      { command: 'supervisor doctor', does: 'what the gates need' },
      { command: 'supervisor check', does: 'whether they run' },
      resume('', 'then have its change checked again'),
    ];
  if (asks) return [resume(' --say "…"', 'answer it, and go on'), said];
  const granted = whatRefused(obstacle, resume, diff);
  if (granted !== null) return granted;
  switch (outcome) {
    case 'auth':
    case 'missing_cli':
    case 'wrong_version':
      return [
        { command: 'supervisor doctor', does: `what ${cli ?? 'the CLI'} needs` },
        resume('', 'then go on with it'),
        other,
      ];
    case 'transient':
      return [resume('', 'when the server can be reached again'), other];
    case 'quota':
      return [{ command: 'supervisor status', does: 'when the quota resets' }, other];
    case 'invalid':
      if (/changed nothing/.test(reason)) return [said, resume(' --say "…"', 'say more clearly what to change')];
      return /^gate failed/.test(reason) || guard === 'same_candidate'
        ? [evidence, diff, resume(' --say "…"', 'go on with a hint, with fresh attempts')]
        : [said, again];
    // No gate ran, so the worker's output shows what went wrong.
    case 'crash':
    case 'killed':
    case 'lost':
    case 'output_limit':
    case 'resource_limit':
    case 'timeout':
    case 'unknown':
      return [
        { command: `supervisor show ${id} --transcript`, does: 'all that the worker printed' },
        again,
        ...(outcome === 'crash' ? [other] : []),
      ];
    default:
      return [evidence, again];
  }
}

/** What a person may grant or dismiss, if nothing else refused the change. */
function whatRefused(
  { paths, refusedBy = [] }: Obstacle,
  resume: ReturnType<typeof resumeOf>,
  diff: NextCommand,
): NextCommand[] | null {
  // A comma would split one path into two.
  const grantable = paths.filter((path) => !path.includes(',')).slice(0, MOST_PATHS);
  if (grantable.length > 0) {
    const allow = grantable.map((path) => word(path.includes('/') ? path : `/${path}`)).join(',');
    return [resume(` --allow ${allow}`, 'let it change that, if it should'), diff];
  }
  if (refusedBy.length === 0) return null;
  return [
    diff,
    resume(` --dismiss ${refusedBy.join(',')} --reason "…"`, 'dismiss what refused it, and go on with this change'),
    resume(' --say "…"', 'go on with a hint, with fresh attempts'),
  ];
}

const otherText = ({ cli }: Obstacle): string => `go on with another CLI than ${cli ?? 'this one'}`;

const resumeOf = (id: string) => (flags: string, does: string) => ({
  command: `supervisor resume ${id}${flags}`,
  does,
});

function beforeTheEnd(report: RunReport, obstacle: Obstacle | null, driven: boolean | null): NextCommand[] {
  const { status, task_id: id } = report;
  if (status === 'waiting' && report.waiting.length > 0) return answers(report);
  const resume = resumeOf(id);
  const cancel = { command: `supervisor cancel ${id}`, does: 'stop it for good' };
  const isOut = obstacle?.outcome === 'quota' && status !== 'running';
  const other = isOut ? [otherAfterPause(id, status, obstacle)] : [];
  if (status === 'paused' || driven === false) return [resume('', 'go on with it'), ...other, cancel];
  const attach = { command: `supervisor attach ${id}`, does: 'watch it' };
  if (driven === null) return [attach, resume('', 'go on with it, if no process does'), ...other];
  return [attach, ...other, { command: `supervisor pause ${id}`, does: 'stop it for now' }, cancel];
}

/** Only a paused task takes another CLI. */
function otherAfterPause(id: string, status: string, obstacle: Obstacle): NextCommand {
  const other = resumeOf(id)(' --cli OTHER', otherText(obstacle));
  return status === 'paused' ? other : { ...other, command: `supervisor pause ${id} && ${other.command}` };
}

/** What the person has to look at, and the commands for both answers of each question. */
function answers({ task_id: id, waiting, simulated }: RunReport): NextCommand[] {
  const kinds = simulated ? [] : waiting.map(({ about }) => about?.kind);
  return [
    ...(kinds.includes('change') ? [{ command: `supervisor diff ${id}`, does: 'read the change' }] : []),
    ...(kinds.includes('answer') ? [{ command: `supervisor show ${id} --said`, does: 'read what was answered' }] : []),
    ...waiting.flatMap((question) => answersTo(id, question)),
    { command: `supervisor cancel ${id}`, does: 'stop it for good' },
  ];
}

function answersTo(id: string, { step, asks, approve, reject }: RunReport['waiting'][number]): NextCommand[] {
  if (asks === 'finding')
    return [
      { command: approve, does: `${step}: the finding does not count for this change, and go on` },
      { command: reject, does: `${step}: the finding is right: back to the worker` },
      { command: `supervisor resume ${id} --allow PATH`, does: 'back to the worker, which may change PATH too' },
    ];
  return [
    { command: approve, does: asks === 'question' ? 'answer it, and go on' : `${step}: yes, and go on` },
    { command: reject, does: `${step}: no` },
  ];
}

const MOST_PATHS = 5;

function afterSuccess(report: RunReport): NextCommand[] {
  const { task_id: id, onto, branch, commit, landed, verified, red, waiting } = report;
  if (branch === null || commit === null) return [];
  const show = { command: `supervisor show ${id}`, does: 'its steps, evidence and cost' };
  if (landed !== null) return [show];
  const [ask] = waiting;
  if (ask !== undefined)
    return [
      { command: `supervisor diff ${id} --landing`, does: 'read the change as it would land' },
      { command: ask.approve, does: 'it may land like this' },
      { command: `supervisor land ${id}`, does: 'then land it' },
    ];
  const flag = verified || red?.kept === true ? '' : ' --unverified';
  return [
    { command: `supervisor diff ${id}`, does: 'read what it changed' },
    show,
    onto === 'HEAD'
      ? {
          command: `supervisor land ${id}${flag} --onto BRANCH`,
          does: 'move a branch to it (it was made on a detached HEAD)',
        }
      : { command: `supervisor land ${id}${flag}`, does: `move ${onto} to it` },
  ];
}

/** Quoted for a shell: a path may contain almost anything. */
function word(text: string): string {
  return /^[\w./@+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
