/** `supervisor export TASK`: the evidence of one task as one file that others can check. */
import { createWriteStream, existsSync } from 'node:fs';
import { finished } from 'node:stream/promises';
import { evidenceOf } from '../../../app/evidence/export.ts';
import { signedBy } from '../../../app/evidence/signatures.ts';
import { locateProject, openToRead } from '../../../app/open-store.ts';
import { redactorFor } from '../../../app/redactor.ts';
import { chosenTask, NO_TASKS, viewTask } from '../../../app/task-view.ts';
import { bundleText, digestOf, headOf, NAMESPACE, signedText } from '../../../mind/bundle/format.ts';
import { userName } from '../../../os/machine/identity.ts';
import { type CommandRun, EXIT, text } from '../command.ts';

export const run: CommandRun = async ({ args, flags, out, environment, dir }) => {
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
    const file = text(flags['out']) ?? `${id}.evidence`;
    if (existsSync(file)) {
      out.error('exists', `${file} is there already: remove it, or name another file with --out FILE`);
      return EXIT.usage;
    }
    const view = await viewTask(store, project.id, id);
    const redact = redactorFor(environment);
    const members = await evidenceOf({ store, project, view, redact });
    const [title = ''] = await redact([view.task.title]);
    const head = headOf({ task: id, title, made: Date.now() }, members);
    const digest = digestOf(head);
    const key = text(flags['sign']);
    const by = text(flags['as']) ?? userName();
    const agent = environment.variable('SSH_AUTH_SOCK');
    const signature =
      key === undefined ? null : await signedBy({ key, by, namespace: NAMESPACE, agent }, signedText(digest, by));
    if (typeof signature === 'string') {
      out.error('not_signed', signature);
      return EXIT.notReady;
    }
    const content = bundleText(head, members, signature);
    const stream = createWriteStream(file, { flags: 'wx' });
    stream.end(content);
    await finished(stream);
    out.value({ task_id: id, file, digest, members: members.length, signed_by: signature?.by ?? null });
    out.line(`✓ wrote ${file}: ${members.length} members, digest ${digest.slice(0, 16)}…`, 'good');
    out.line(`Others check it with \`supervisor verify ${file}\`.`);
    return EXIT.done;
  } finally {
    await store.close();
  }
};
