/** `supervisor verify`: walks the whole log and compares it with its head, its anchors and its projections. */

import { sidecarOf } from '../../../app/open.ts';
import { locateProject, openStore, openToRead } from '../../../app/open-store.ts';
import { projectionsOf } from '../../../engine/rebuild.ts';
import { verifyLog } from '../../../engine/verify.ts';
import { readAnchorRef } from '../../../hands/anchor/git-ref.ts';
import { type CommandRun, EXIT } from '../command.ts';

export const run: CommandRun = async ({ flags, out, environment, dir }) => {
  const project = locateProject(dir);
  const reader = await openToRead(environment, project);
  if (reader === null) {
    out.value({ ok: true, events: 0, findings: [] });
    out.line('the log is empty');
    return EXIT.done;
  }
  await reader.close();
  const store = await openStore(environment, { readOnly: flags['rebuild'] !== true });
  try {
    if (flags['rebuild'] === true) await store.rebuild(project.id, await projectionsOf(store, project.id));
    const sidecar = sidecarOf(environment);
    const anchors = [
      { source: 'sidecar', anchor: sidecar.read(project.id) },
      { source: 'git ref', anchor: await readAnchorRef(project.commonDir, project.id) },
    ].flatMap(({ source, anchor }) => (anchor === null ? [] : [{ source, seq: anchor.seq, hash: anchor.hash }]));
    sidecar.close();
    const damage = (await store.integrity()).map((problem) => ({ seq: 0, problem: `the file is damaged: ${problem}` }));
    const report = await verifyLog(store, project.id, anchors);
    const host = await verifyLog(store, 'host', []);
    const findings = [
      ...damage,
      ...report.findings,
      ...host.findings.map((one) => ({ ...one, problem: `host: ${one.problem}` })),
    ];
    out.value({ ok: findings.length === 0, events: report.events, head: report.head, anchors, findings });
    for (const { problem } of findings) out.line(`✗ ${problem}`, 'bad');
    if (findings.length === 0)
      out.line(
        `✓ ${report.events} events, unbroken up to ${report.head.hash.slice(0, 16)}; anchors: ${anchors.map((one) => `${one.source} at ${one.seq}`).join(', ') || 'none'}`,
        'good',
      );
    else out.line('The log is not what was written. Keep the file as it is, and restore it from a backup.');
    return findings.length === 0 ? EXIT.done : EXIT.failed;
  } finally {
    await store.close();
  }
};
