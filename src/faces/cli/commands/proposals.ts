/** `supervisor proposals`: what models proposed, what each would do, and the operator's answer. */
import { locateProject, openToRead } from '../../../app/open-store.ts';
import { findProposal, openProposals, type ProposalView } from '../../../app/proposals.ts';
import type { Store } from '../../../engine/ports/store.ts';
import type { ProjectId } from '../../../kernel/ids.ts';
import { type Rejection, rejected } from '../../../kernel/result.ts';
import { type CommandContext, type CommandRun, EXIT, text, UsageError } from '../command.ts';
import { sendToProject } from '../send-to-project.ts';

export const run: CommandRun = async (context) => {
  const [verb = 'list', id, ...more] = context.args;
  if (more.length > 0) throw new UsageError(`unexpected argument ${JSON.stringify(more[0])}`);
  if (verb === 'list') {
    if (id !== undefined) throw new UsageError(`\`proposals list\` takes no id: \`supervisor proposals show ${id}\``);
    return list(context);
  }
  if (verb !== 'show' && verb !== 'accept' && verb !== 'reject')
    throw new UsageError(`proposals ${verb}: say list, show, accept or reject`);
  if (id === undefined)
    throw new UsageError(`ID is missing: \`supervisor proposals ${verb} ID\`, \`proposals\` lists them`);
  return verb === 'show' ? show(context, id) : answer(context, verb, id);
};

async function list(context: CommandContext): Promise<number> {
  const { out } = context;
  const proposals = await reading(context, (store, id) => openProposals(store, id, Date.now()), []);
  out.value({ proposals });
  if (proposals.length === 0) out.line('nothing is proposed');
  for (const { proposal, by, text: asks, stale } of proposals) {
    out.entry(proposal, `${by}: ${asks}`, 'note');
    if (stale !== null) out.entry('  cannot be carried out', stale, 'bad');
  }
  if (proposals.length > 0) out.line('`supervisor proposals show ID` shows what each would do');
  return EXIT.done;
}

async function show(context: CommandContext, named: string): Promise<number> {
  const { out } = context;
  const found = await look(context, named);
  if ('code' in found) return refused(context, found);
  const { proposal, by, made_at, text: asks, command, would, stale } = found;
  out.value(found);
  out.heading(`${proposal}: ${asks}`);
  out.entry('  proposed by', `${by}, ${new Date(made_at).toISOString()}`);
  out.entry('  command', JSON.stringify(command));
  for (const fact of would) out.entry('  would do', fact);
  if (stale === null && would.length === 0) out.entry('  would do', 'nothing: this is the case already');
  if (stale !== null) out.entry('  cannot be carried out', stale, 'bad');
  if (stale === null) out.entry('  yes', `supervisor proposals accept ${proposal}`);
  out.entry('  no', `supervisor proposals reject ${proposal} --reason "…"`);
  return EXIT.done;
}

async function answer(context: CommandContext, verb: 'accept' | 'reject', named: string): Promise<number> {
  const { out, flags } = context;
  const found = await look(context, named);
  if ('code' in found) return refused(context, found);
  const { proposal, would, text: asks } = found;
  const reason = text(flags['reason']) ?? '';
  const status = verb === 'accept' ? 'accepted' : 'rejected';
  const refusal = (no: Rejection) => (no.code === 'unknown_proposal' ? look(context, proposal) : no);
  return sendToProject(
    context,
    { type: `proposal.${verb}`, proposal, reason },
    () => {
      out.value({ proposal, status, did: verb === 'accept' ? would : [] });
      out.line(`${proposal} is ${status}: ${asks}`);
      if (verb === 'accept') for (const fact of would) out.entry('  did', fact);
      const task = found.command['type'] === 'task.create' ? found.command['task'] : undefined;
      if (verb === 'accept' && typeof task === 'string') out.entry('  next', `supervisor resume ${task}`);
    },
    // Another process decided between our look and our answer; the log says who.
    async (no) => {
      const told = await refusal(no);
      return 'code' in told ? told : no;
    },
  );
}

const look = (context: CommandContext, named: string): Promise<ProposalView | Rejection> =>
  reading(
    context,
    (store, id) => findProposal(store, id, { named, now: Date.now() }),
    rejected('unknown_proposal', `there is no proposal ${named}: nothing was ever written for this project`),
  );

function refused({ out }: CommandContext, { code, message }: Rejection): number {
  out.error(code, message);
  return EXIT.failed;
}

async function reading<T>(
  { environment, dir }: CommandContext,
  read: (store: Store, id: ProjectId) => Promise<T>,
  nothing: T,
): Promise<T> {
  const project = locateProject(dir);
  const store = await openToRead(environment, project);
  if (store === null) return nothing;
  try {
    return await read(store, project.id);
  } finally {
    await store.close();
  }
}
