/** Collects the content of a task's page: texts from the log, the change from git, and the style sheet. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Store } from '../engine/ports/store.ts';
import type { Redact } from '../engine/ports/surroundings.ts';
import type { BlobHash } from '../kernel/ids.ts';
import { taskPage } from '../mind/page/task-page.ts';
import { runReport } from '../mind/protocol/run-report.ts';
import { packageRoot } from '../os/files/package-root.ts';
import { tryGit } from '../os/git/git.ts';
import { ownerOf } from '../os/git/owner.ts';
import { redTests, type TaskView } from './task-view.ts';

export async function pageOf(
  view: TaskView,
  { store, commonDir, redact }: { readonly store: Store; readonly commonDir: string; readonly redact: Redact },
): Promise<string> {
  const { task, workflow, events } = view;
  const texts = new Map<string, string>();
  for (const hash of namedTexts(view)) {
    const blob = await store.blob(hash);
    if (blob.type === 'content') texts.set(hash, blob.content);
  }
  return taskPage({
    report: runReport(task, workflow, events, await redTests(store, view)),
    text: task.spec.text,
    events,
    texts,
    diff: await diffOf(view, commonDir, redact),
    made: new Date().toISOString().slice(0, 16).replace('T', ' '),
    css: readFileSync(join(packageRoot(), 'templates', 'page', 'task.css'), 'utf8'),
  });
}

function namedTexts({ events }: TaskView): BlobHash[] {
  const named = events.flatMap((event) => {
    if (event.type === 'gate.reported') return [event.data.evidence];
    return event.type === 'attempt.produced' || event.type === 'attempt.settled' ? [event.data.answer] : [];
  });
  return [...new Set(named.filter((hash) => hash !== null))];
}

async function diffOf({ task: { candidate } }: TaskView, commonDir: string, redact: Redact): Promise<string | null> {
  if (candidate === null) return null;
  const asked = [
    'diff-tree',
    '-r',
    '--no-ext-diff',
    '--no-textconv',
    '--no-renames',
    '-p',
    candidate.base,
    candidate.tree,
  ];
  const { code, stdout } = await tryGit([...asked, '--'], { dir: commonDir, owner: ownerOf(commonDir) });
  if (code !== 0) return null;
  const [clean = ''] = await redact([stdout]);
  return clean;
}
