/** `supervisor doctor`: what is ready, what is not, and how to fix it. */
import { examine } from '../../../app/doctor.ts';
import { type CommandContext, type CommandRun, EXIT, text } from '../command.ts';
import { tellSilence } from '../silence.ts';

const MARKS = { ok: '✓', degraded: '!', missing: '✗', absent: '·' } as const;
const TONES = { ok: 'good', degraded: 'note', missing: 'bad', absent: 'note' } as const;

export const run: CommandRun = async (context) => {
  const { out, environment, dir, flags } = context;
  const cli = text(flags['selftest']);
  if (cli !== undefined) return selfTest(context, cli);
  const silence = tellSilence(out, 'checking the sandbox, the CLIs and the log …');
  const findings = await examine(environment, dir).finally(() => silence.end());
  const ready = findings.every((finding) => finding.state !== 'missing');
  out.value({ ready, findings });
  for (const { state, name, detail, fix } of findings) {
    out.entry(`${MARKS[state]} ${name.padEnd(16)}`, detail, TONES[state]);
    if (fix !== null) out.entry(`  ${''.padEnd(16)}`, `fix: ${fix}`);
  }
  return ready ? EXIT.done : EXIT.notReady;
};

/** Has an installed CLI do one tiny task against a stand-in for its model: offline, and without spending a token. */
async function selfTest(context: CommandContext, cli: string): Promise<number> {
  const { out } = context;
  const { openSelfTest, SELFTEST } = await import('../../../app/selftest.ts');
  const { rememberSelfTest } = await import('../../../app/cli-selftests.ts');
  await using test = await openSelfTest(cli, context.environment);
  out.line(`${cli} does one tiny task: in the sandbox, through the proxy, against a stand-in for its model.`);
  const { run: runTask } = await import('./run.ts');
  const code = await runTask({
    ...context,
    environment: test.environment,
    dir: test.dir,
    args: [SELFTEST.task],
    hints: false,
    flags: { cli, gate: SELFTEST.gate },
  });
  const { requests, withKey } = test.seen();
  const version = test.version();
  // Without a sandbox or the CLI, the test says nothing about it.
  if (version !== null && code !== EXIT.notReady && code !== EXIT.interrupted)
    rememberSelfTest(
      context.environment.stateDir,
      cli,
      version,
      code === EXIT.done && requests > 0 && withKey ? 'passed' : 'failed',
    );
  if (code !== EXIT.done) {
    out.line(`✗ ${cli} did not pass: ${requests} requests reached the stand-in`, 'bad');
    return code === EXIT.notReady ? code : EXIT.failed;
  }
  if (requests === 0 || !withKey) {
    const why = requests === 0 ? 'no request reached the stand-in' : 'the key did not arrive with every request';
    out.line(`✗ ${cli}: ${why}`, 'bad');
    return EXIT.failed;
  }
  out.line(`✓ ${cli} works: ${requests} requests, each with the key that the proxy put on; nothing was spent`, 'good');
  return code;
}
