/** `supervisor gc`: frees disk space; events are never removed. */
import { existsSync } from 'node:fs';
import { refuseDamaged } from '../../../app/check-log.ts';
import { loadSettings } from '../../../app/config/files.ts';
import { type RemovedWork, tidyProject } from '../../../app/gc.ts';
import { openEngineDeps } from '../../../app/open.ts';
import { logFile, type ProjectAt, projectAt } from '../../../app/open-store.ts';
import { readRepository } from '../../../os/git/repository.ts';
import { type CommandContext, type CommandRun, EXIT } from '../command.ts';
import { tellSilence } from '../silence.ts';

/** Receipts answer senders that repeat a command; after a week none does. */
const RECEIPT_DAYS = 7;
/** How many are listed; the rest is counted. */
const SHOWN = 20;

export const run: CommandRun = async (context) => {
  const { flags, out, environment } = context;
  const dryRun = flags['dry-run'] === true;
  using silence = tellSilence(out, 'looking for what can be removed …');
  // Outside of any repository only the log is tidied.
  const project = projectAt(context.dir);
  if (project !== null) await refuseDamaged(environment, project);
  if (!existsSync(logFile(environment))) {
    out.value({ dry_run: dryRun, receipts: 0, bytes: 0, workspaces: [], environments: [], files: [] });
    out.line('nothing to tidy');
    return EXIT.done;
  }
  const { tidied, receipts, bytes } = await tidy(context, project, dryRun);
  silence.end();
  out.value({ dry_run: dryRun, receipts, bytes, ...tidied });
  const did = dryRun ? 'would remove' : 'removed';
  const paths = [...tidied.workspaces, ...tidied.environments, ...tidied.files];
  if (receipts > 0 || bytes > 0)
    out.line(
      `${did} ${receipts} old ${receipts === 1 ? 'receipt' : 'receipts'}; ${dryRun ? 'would give' : 'gave'} back ${bytes} ${bytes === 1 ? 'byte' : 'bytes'} of the log`,
    );
  else if (paths.length === 0) out.line('nothing to tidy');
  for (const path of paths.slice(0, SHOWN)) out.entry(`  ${did}`, path);
  if (paths.length > SHOWN) out.entry(`  ${did}`, `${paths.length - SHOWN} more (--json names all)`);
  return EXIT.done;
};

async function tidy({ environment, dir, flags }: CommandContext, project: ProjectAt | null, dryRun: boolean) {
  const loaded = async ({ id }: ProjectAt) => loadSettings(environment, { id, top: (await readRepository(dir)).top });
  const real = project === null ? undefined : { loaded: () => loaded(project) };
  const opened = await openEngineDeps(environment, project ?? NOWHERE, { real });
  try {
    const before = Date.now() - RECEIPT_DAYS * 86_400_000;
    let tidied: RemovedWork = { workspaces: [], environments: [], files: [] };
    if (project !== null && (await opened.store.knows(project.id))) {
      const options = { environment, project, store: opened.store, real: await opened.real(), dryRun };
      tidied = await tidyProject({ ...options, all: flags['all'] === true, now: Date.now() });
    }
    return { tidied, ...(await opened.store.tidy({ before, dryRun })) };
  } finally {
    await opened.close();
  }
}

const NOWHERE = { id: 'p-none' as ProjectAt['id'], dir: '/', commonDir: '/' };
