/** `supervisor show TASK`: everything about one task. */
import { writeFileSync } from 'node:fs';

import type { Environment } from '../../../app/config/environment.ts';
import { loadSettings } from '../../../app/config/files.ts';
import { feedbackOfTask } from '../../../app/feedback.ts';
import { locateProject, openToRead } from '../../../app/open-store.ts';
import { redactorFor } from '../../../app/redactor.ts';
import { pageOf } from '../../../app/task-page.ts';
import { chosenTask, NO_TASKS, redTests, type TaskView, viewTask } from '../../../app/task-view.ts';
import { transcriptPath } from '../../../app/transcripts.ts';
import type { Store } from '../../../engine/ports/store.ts';
import type { BlobHash, ProjectId } from '../../../kernel/ids.ts';
import { takenText } from '../../../mind/approvals/taken-text.ts';
import { waitsForPerson } from '../../../mind/domain/task.ts';
import type { Feedback } from '../../../mind/feedback/document.ts';
import { feedbackMarkdown, fenced } from '../../../mind/feedback/markdown.ts';
import { pathOf } from '../../../mind/protocol/path-text.ts';
import { type ReportedAttempt, type RunReport, runReport } from '../../../mind/protocol/run-report.ts';
import { waitsFor } from '../../../mind/scheduler/explain.ts';
import { readTextFile } from '../../../os/files/text-file.ts';
import { readRepository } from '../../../os/git/repository.ts';
import { type CommandContext, type CommandRun, EXIT, text } from '../command.ts';
import { printReport } from '../report.ts';
import { foundIn, obstacleOf } from '../report-parts.ts';

export const run: CommandRun = async (context) => {
  const { args, flags, out, environment, dir } = context;
  const project = locateProject(dir);
  const store = await openToRead(environment, project);
  if (store === null) {
    out.error(NO_TASKS.code, NO_TASKS.message);
    return EXIT.failed;
  }
  try {
    const id = await chosenTask(store, project.id, args[0]);
    if (typeof id !== 'string') {
      out.error(id.code, id.message);
      return EXIT.failed;
    }
    const view = await viewTask(store, project.id, id);
    const page = text(flags['html']);
    if (page !== undefined) {
      const { commonDir } = project;
      writeFileSync(page, await pageOf(view, { store, commonDir, redact: redactorFor(environment) }));
      out.value({ task_id: id, html: page });
      out.line(`✓ wrote ${page}: open it in a browser`, 'good');
      return EXIT.done;
    }
    const { owner, expired } = await store.lease(project.id);
    const driven = owner !== null && !expired;
    const told = runReport(view.task, view.workflow, view.events, await redTests(store, view));
    const report = driven ? told : withoutDriver(told);
    const waits = waitsOf(view, report, { driven, running: told.status === 'running' });
    const feedback = await feedbackOn(context, view, store);
    const texts =
      flags['transcript'] === true
        ? transcripts(environment, project.id, view)
        : await textsOf(store, view, flags, feedback);
    out.value({ ...report, spec: view.task.spec, waits_for: waits, feedback, ...(texts === null ? {} : { texts }) });
    if (texts !== null) {
      if (texts.length === 0)
        out.line(`nothing of that kind is recorded for ${id}: \`supervisor show ${id}\` shows its state`, 'note');
      for (const { title, text } of texts) {
        out.heading(`── ${title}`);
        out.line(text.trimEnd());
        out.line();
      }
      return EXIT.done;
    }
    const question = report.status === 'accepted' ? [] : await foundIn(report, store, view);
    printReport(out, report, {
      details: () => printDetails(out, { report, view, waits }),
      found: question,
      path: pathOf(view.events),
      obstacle: await obstacleOf(store, view),
      driven,
      shown: true,
    });
    return EXIT.done;
  } finally {
    await store.close();
  }
};

/**
 * Why attempts were sent back, using the paths that are protected now; an unreadable config is reported by other
 * commands.
 */
async function feedbackOn(
  { environment, dir }: Pick<CommandContext, 'environment' | 'dir'>,
  view: TaskView,
  store: Store,
): Promise<Feedback[]> {
  if ([...view.task.steps].every(([, { feedback }]) => feedback === null)) return [];
  const project = locateProject(dir);
  const settings = await readRepository(dir)
    .then(({ top }) => loadSettings(environment, { id: project.id, top }).settings)
    .catch(() => null);
  return feedbackOfTask(view, { store, redact: redactorFor(environment), settings, now: Date.now() });
}

function printDetails(
  out: CommandContext['out'],
  { report, view, waits }: { readonly report: RunReport; readonly view: TaskView; readonly waits: readonly string[] },
): void {
  for (const step of report.steps)
    for (const one of step.history)
      if (one.class !== 'ok' || one.by !== undefined) out.entry('  attempt       ', `${step.id} ${attemptText(one)}`);
  const { task } = view;
  if (task.taken !== undefined) out.entry('  taken         ', takenText(task.id, task.taken), 'note');
  const landing = notLandedText(view);
  if (landing !== null) out.entry('  not landed    ', landing, 'note');
  for (const line of waits) out.entry('  waits for     ', line, 'note');
  for (const [step, { feedback }] of task.steps)
    if (feedback !== null) out.entry('  feedback      ', `${step}: ${feedback}`);
  if (report.refused_outcomes > 0)
    out.entry('  refused       ', `${report.refused_outcomes} outcome(s) that came too late`);
}

/** How its last landing ended, if it has landed nowhere and is in no queue. */
function notLandedText({ task, events }: TaskView): string | null {
  if (task.landed !== null || task.landing !== undefined) return null;
  const end = events.findLast((event) => event.type === 'task.not_landed');
  return end === undefined ? null : `on ${end.data.onto}: ${end.data.reason}`;
}

function waitsOf(
  { project, task }: TaskView,
  { status, task_id: id }: RunReport,
  { driven, running }: { readonly driven: boolean; readonly running: boolean },
): string[] {
  const alone = status === 'waiting' && !driven && !waitsForPerson(task);
  // A killed attempt does not end by itself.
  const waits = running && !driven ? [] : waitsFor(project, task, Date.now());
  return [...(alone ? [`\`supervisor resume ${id}\`: no process works on it`] : []), ...waits];
}

/** After a kill the log still says that an attempt is running; in fact it waits for a process. */
function withoutDriver(report: RunReport): RunReport {
  if (report.status !== 'running' && report.status !== 'waiting') return report;
  const steps = report.steps.map((step) =>
    step.status === 'working' || step.status === 'checking' ? { ...step, status: 'interrupted' } : step,
  );
  return { ...report, status: 'waiting', steps };
}

/** An attempt that did not succeed, or not yet: its CLI, its end, its cost. */
function attemptText({ attempt, cli, by = cli, class: outcome, category, cost }: ReportedAttempt): string {
  const end = outcome === null ? 'did not end' : `${outcome}${category === null ? '' : ` (${category})`}`;
  return `${attempt} by ${by}: ${end}, cost ${cost.usd === null ? 'unknown' : `${cost.usd.toFixed(4)} USD`}`;
}

/** What the workers printed, if it still exists; follow a live one with `tail -f` at the printed path. */
function transcripts(environment: Environment, project: ProjectId, { task, events }: TaskView): NamedText[] {
  return events.flatMap((event) => {
    if (event.type !== 'attempt.started') return [];
    const { step, attempt } = event.data;
    const path = transcriptPath(environment, project, { task: task.id, step, attempt });
    const text = readTextFile(path, MAX_TRANSCRIPT);
    return typeof text === 'string' ? [{ title: `${step}: attempt ${attempt} (${path})`, text }] : [];
  });
}

/** Twice the cap, because marks and notes about omitted text count too. */
const MAX_TRANSCRIPT = 32 << 20;

/** The record of the attempt holds its hash. */
async function packetOf(store: Store, record: BlobHash | null): Promise<BlobHash | null> {
  const blob = record === null ? null : await store.blob(record);
  if (blob?.type !== 'content') return null;
  return (/"packet":"([0-9a-f]{64})"/.exec(blob.content)?.[1] as BlobHash | undefined) ?? null;
}

/** A record is one line of JSON; this prints it in several. */
function readable(text: string): string {
  if (!text.startsWith('{"version":')) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

type NamedText = { readonly title: string; readonly text: string };

/** Texts of gates or workers, attempt by attempt, oldest first; null if not requested. */
async function textsOf(
  store: Store,
  { events }: TaskView,
  flags: CommandContext['flags'],
  feedback: readonly Feedback[],
): Promise<NamedText[] | null> {
  if (!['evidence', 'feedback', 'said', 'packets', 'records'].some((name) => flags[name] === true)) return null;
  const wanted: { title: string; hash: BlobHash | null }[] = [];
  for (const event of events) {
    if (event.type === 'gate.reported' && flags['evidence'] === true) {
      const { step, gate, status, evidence } = event.data;
      wanted.push({ title: `${step}: gate ${gate}: ${status}`, hash: evidence });
    }
    if (event.type !== 'attempt.produced' && event.type !== 'attempt.settled') continue;
    const { step, answer, record } = event.data;
    if (flags['said'] === true) wanted.push({ title: `${step}: what the worker said`, hash: answer });
    if (flags['packets'] === true)
      wanted.push({ title: `${step}: what the worker was told`, hash: await packetOf(store, record) });
    if (flags['records'] === true) wanted.push({ title: `${step}: record of the attempt`, hash: record });
  }
  const named = new Set<string>();
  const texts: NamedText[] = (flags['feedback'] === true ? feedback : []).map((one) => ({
    title: `${one.step}: why its last attempt was sent back`,
    text: feedbackMarkdown(one, fenced),
  }));
  for (const { title, hash } of wanted) {
    if (hash === null || named.has(title + hash)) continue;
    named.add(title + hash);
    const blob = await store.blob(hash);
    const text = blob.type === 'content' ? readable(blob.content) : `(${blob.type})`;
    texts.push({ title, text });
  }
  return texts;
}
