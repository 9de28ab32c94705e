/** `supervisor gc`: gives back space; facts are never removed. */
import { existsSync } from 'node:fs';
import { logFile, openStore } from '../../../app/open-store.ts';
import { type CommandRun, EXIT } from '../command.ts';

/** Receipts answer senders that ask again; a week later nobody does. */
const RECEIPT_DAYS = 7;

export const run: CommandRun = async ({ flags, out, environment }) => {
  const dryRun = flags['dry-run'] === true;
  if (!existsSync(logFile(environment))) {
    out.value({ dry_run: dryRun, receipts: 0, bytes: 0 });
    out.line('nothing to tidy');
    return EXIT.done;
  }
  const store = await openStore(environment, { readOnly: false });
  try {
    const { receipts, bytes } = await store.tidy({ before: Date.now() - RECEIPT_DAYS * 86_400_000, dryRun });
    out.value({ dry_run: dryRun, receipts, bytes });
    out.line(
      `${dryRun ? 'would remove' : 'removed'} ${receipts} old receipt(s), ${dryRun ? 'would give' : 'gave'} back ${bytes} byte(s)`,
    );
    return EXIT.done;
  } finally {
    await store.close();
  }
};
