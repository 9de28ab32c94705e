/** `supervisor doctor`: what is ready, what is not, and the command that fixes it. */
import { examine } from '../../../app/doctor.ts';
import { type CommandRun, EXIT } from '../command.ts';

export const run: CommandRun = async ({ out, environment, dir }) => {
  const findings = await examine(environment, dir);
  const ready = findings.every((finding) => finding.state !== 'missing');
  out.value({ ready, findings });
  for (const { state, name, detail, fix } of findings) {
    const mark = { ok: '✓', degraded: '!', missing: '✗' }[state];
    out.entry(`${mark} ${name.padEnd(16)}`, detail, state === 'ok' ? 'good' : state === 'degraded' ? 'note' : 'bad');
    if (fix !== null) out.entry(`  ${''.padEnd(16)}`, `fix: ${fix}`);
  }
  return ready ? EXIT.done : EXIT.notReady;
};
