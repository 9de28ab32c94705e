/** `supervisor verify`: walks the whole log and compares it with its head, its anchors and its projections; or checks an evidence file. */

import { type CheckedLog, checkLog } from '../../../app/check-log.ts';
import { loadUserConfig } from '../../../app/config/files.ts';
import { type ProjectOf, requestHalt } from '../../../app/halt-request.ts';
import { damagesIn, keepDamage } from '../../../app/incidents.ts';
import { locateProject } from '../../../app/open-store.ts';
import { type CommandContext, type CommandRun, EXIT, text, UsageError } from '../command.ts';
import type { Output } from '../output.ts';
import { verifyBundle } from '../verify-bundle.ts';

type WithConfig = ProjectOf & Pick<CommandContext, 'environment'>;

/** A user who may read the log may lack the right to write beside it. */
function tellIncident(out: Output, of: WithConfig, findings: CheckedLog['findings']): void {
  try {
    const problems = findings.map(({ problem }) => problem);
    const known = damagesIn(of).map(({ incident }) => incident);
    const { incident } = keepDamage(of, problems, Date.now());
    out.line(`This is ${incident}: \`supervisor incidents\` lists it until it is resolved`);
    // Reported once for each damage: the operator may have resumed the project in spite of it.
    if (known.includes(incident) || loadUserConfig(of.environment).config.on_incident !== 'halt') return;
    requestHalt(of, `${incident}: the log is damaged`);
    out.line('The project is to be halted (`on_incident: halt`); `supervisor resume` lets it run again');
  } catch {
    // The findings are printed in any case.
  }
}

export const run: CommandRun = async ({ args, flags, out, environment, dir }) => {
  const [file] = args;
  if (file !== undefined) return verifyBundle(file, text(flags['signers']), out);
  if (flags['signers'] !== undefined)
    throw new UsageError('--signers belongs to a file: supervisor verify FILE --signers FILE');
  const project = locateProject(dir);
  const repair = flags['rebuild'] === true ? 'projections' : flags['reanchor'] === true ? 'anchors' : null;
  const { events, head, anchors, findings }: CheckedLog = await checkLog(environment, project, repair);
  out.value({ ok: findings.length === 0, events, head, anchors, findings });
  for (const { problem } of findings) out.line(`✗ ${problem}`, 'bad');
  if (findings.length > 0) {
    tellIncident(out, { environment, project }, findings);
    out.line('The log is not what was written. Keep the file as it is, and restore it from a backup.');
    out.line('If you know what is missing and want to go on without it: supervisor verify --reanchor');
    return EXIT.failed;
  }
  const witnesses = anchors.map((one) => `${one.source} at ${one.seq}`).join(', ') || 'none';
  out.line(
    head === null
      ? 'the log is empty'
      : `✓ ${events} events, unbroken up to ${head.hash.slice(0, 16)}; anchors: ${witnesses}`,
    'good',
  );
  return EXIT.done;
};
