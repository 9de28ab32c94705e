/** `supervisor incidents`: what stopped and needs a person, what happened, and four ways to go on. */
import { checkLog } from '../../../app/check-log.ts';
import { damagesIn, incidentOfTask, type KeptIncident, openIncidents, resolveDamage } from '../../../app/incidents.ts';
import { locateProject, openToRead } from '../../../app/open-store.ts';
import { findTask } from '../../../app/task-view.ts';
import type { Store } from '../../../engine/ports/store.ts';
import { type Rejection, rejected } from '../../../kernel/result.ts';
import { userName } from '../../../os/machine/identity.ts';
import { type CommandContext, type CommandRun, EXIT, text, UsageError } from '../command.ts';
import { sendToTask } from '../send-to-task.ts';
import { run as cancel } from './cancel.ts';
import { run as reject } from './reject.ts';
import { run as resume } from './resume.ts';

export const run: CommandRun = async (context) => {
  const [verb = 'list', id] = context.args;
  if (verb === 'list') {
    if (id !== undefined) throw new UsageError(`\`incidents list\` takes no id: \`supervisor incidents show ${id}\``);
    return list(context);
  }
  if (verb !== 'show' && verb !== 'resolve') throw new UsageError(`incidents ${verb}: say list, show or resolve`);
  if (id === undefined)
    throw new UsageError(`ID is missing: \`supervisor incidents ${verb} ID\`, \`incidents\` lists them`);
  return verb === 'show' ? show(context, id) : resolve(context, id);
};

const ofContext = ({ environment, dir }: CommandContext) => ({ environment, project: locateProject(dir) });

async function list(context: CommandContext): Promise<number> {
  const { out } = context;
  const of = ofContext(context);
  const damages = damagesIn(of);
  const incidents = await reading(context, (store) => openIncidents(store, of), []);
  out.value({ incidents, damages });
  for (const { incident, findings, file } of damages) {
    out.entry(incident, `critical: the log is damaged: ${findings[0] ?? ''}`, 'bad');
    out.entry('  file', file);
    out.entry('  show', 'supervisor verify');
  }
  for (const one of incidents) {
    out.entry(one.incident, `${one.severity}: ${one.task} ${one.title}: ${one.reason}`, 'bad');
    out.entry('  show', `supervisor incidents show ${one.task}`);
  }
  if (damages.length + incidents.length === 0) out.line('no incident is open');
  return EXIT.done;
}

async function show(context: CommandContext, named: string): Promise<number> {
  const { out } = context;
  const found = await find(context, named);
  if ('code' in found) return refused(context, found);
  out.value(found);
  const { incident, severity, cause, task, title, reason, refs, history, excerpts, file, resolved, suggested } = found;
  out.heading(`${incident}: ${severity}, ${cause}`);
  out.entry('  task', `${task} ${title}`);
  out.entry('  reason', reason, 'bad');
  for (const [name, ref] of Object.entries(refs)) if (ref !== null) out.entry(`  ${name}`, ref);
  out.entry('  file', file);
  if (resolved !== null)
    out.entry('  resolved', `${resolved.how} by ${resolved.by} ${resolved.notes}`.trimEnd(), 'good');
  out.heading('what happened');
  for (const line of history.slice(-SHOWN)) out.line(`  ${line}`, 'plain', 4);
  for (const { gate, text: printed } of excerpts) {
    out.heading(`what ${gate} printed`);
    out.verbatim(printed);
  }
  if (resolved !== null) return EXIT.done;
  out.heading('what next');
  for (const command of suggested) out.line(`  ${command}`);
  return EXIT.done;
}

/** How much of the history in the file is printed. */
const SHOWN = 20;

async function resolve(context: CommandContext, named: string): Promise<number> {
  const { flags } = context;
  const notes = text(flags['notes'])?.trim();
  const ways = (['retry', 'skip', 'abandon'] as const).filter((way) => flags[way] === true);
  const damage = damagesIn(ofContext(context)).find(({ incident }) => incident === named);
  if (damage !== undefined) return resolveDamaged(context, damage, notes ?? '');
  if (ways.length > 1) throw new UsageError(`--${ways[0]} and --${ways[1]} contradict each other`);
  if (ways.length === 0 && notes === undefined)
    throw new UsageError('say how: --retry, --notes "…", --skip or --abandon');
  const [how] = ways;
  const found = await find(context, named);
  if ('code' in found) return refused(context, found);
  if (found.resolved !== null && how !== 'retry')
    return refused(
      context,
      rejected('resolved_already', `${found.incident} was resolved by ${found.resolved.by}: ${found.resolved.how}`),
    );
  const { task } = found;
  if (found.cause === 'critical_finding' && found.resolved === null && how !== undefined)
    return answerFinding(context, task, how, notes ?? '');
  if (how === 'skip' || how === 'abandon') {
    const code = await sendToTask(
      { ...context, args: [task] },
      (id) => ({ type: 'task.resolve', task: id, how, notes: notes ?? '' }),
      () => RESOLVED[how](task),
    );
    // The file records the result as well.
    if (code === EXIT.done) await find(context, task);
    return code;
  }
  const { notes: _, retry: __, ...others } = flags;
  return resume({ ...context, args: [task], flags: notes === undefined ? others : { ...others, say: notes } });
}

/** The task has not stopped: it waits for one of three answers about a gate's finding. */
async function answerFinding(
  context: CommandContext,
  task: string,
  how: 'retry' | 'skip' | 'abandon',
  reason: string,
): Promise<number> {
  const { notes: _, retry: __, abandon: ___, ...others } = context.flags;
  if (how === 'abandon') return cancel({ ...context, args: [task], flags: { ...others, reason } });
  if (how === 'retry')
    return reject({ ...context, args: [task], flags: { ...others, reason: reason || 'the finding stands' } });
  return refused(
    context,
    rejected(
      'held',
      `task ${task} waits for your decision about a critical finding, which cannot be left open: \`supervisor resume ${task} --dismiss FINDING --reason "…"\` takes it back`,
    ),
  );
}

const RESOLVED = {
  skip: (task: string) =>
    `resolved: task ${task} stays as it is; \`supervisor resume ${task}\` can still go on with it`,
  abandon: (task: string) => `resolved: task ${task} is given up for good`,
};

async function resolveDamaged(
  context: CommandContext,
  damage: ReturnType<typeof damagesIn>[number],
  notes: string,
): Promise<number> {
  const { environment, project } = ofContext(context);
  const [first] = (await checkLog(environment, project, null)).findings;
  if (first !== undefined)
    return refused(
      context,
      rejected(
        'log_damaged',
        `the log is still damaged: ${first.problem}. \`supervisor verify\` says what can be done`,
      ),
    );
  resolveDamage(damage, { by: userName(), notes, at: Date.now() });
  context.out.value({ incident: damage.incident, status: 'resolved' });
  context.out.line(`${damage.incident} is resolved`);
  return EXIT.done;
}

function find(context: CommandContext, named: string): Promise<KeptIncident | Rejection> {
  const of = ofContext(context);
  const none = rejected(
    'unknown_incident',
    `there is no incident ${named}; \`supervisor incidents\` lists those that are open`,
  );
  return reading<KeptIncident | Rejection>(
    context,
    async (store) => {
      const byName = named.startsWith('incident_');
      const same = byName ? (await openIncidents(store, of)).filter(({ incident }) => incident === named) : [];
      if (same.length > 1)
        return rejected(
          'ambiguous_incident',
          `${named} are several: name the task, ${same.map(({ task }) => task).join(' or ')}`,
        );
      if (byName) return same[0] ?? none;
      const task = await findTask(store, of.project.id, named);
      return typeof task === 'string' ? ((await incidentOfTask(store, of, task)) ?? none) : task;
    },
    none,
  );
}

function refused({ out }: CommandContext, { code, message }: Rejection): number {
  out.error(code, message);
  return EXIT.failed;
}

async function reading<T>(context: CommandContext, read: (store: Store) => Promise<T>, nothing: T): Promise<T> {
  const store = await openToRead(context.environment, ofContext(context).project);
  if (store === null) return nothing;
  try {
    return await read(store);
  } finally {
    await store.close();
  }
}
