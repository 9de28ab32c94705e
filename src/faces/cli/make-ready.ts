/** Shows what is prepared before a task starts. */

import { checkReady, type Needs } from '../../app/ready.ts';
import type { RealHands } from '../../app/real-hands.ts';
import { formatDuration } from '../../kernel/duration.ts';
import { terminalLine } from '../../kernel/terminal-text.ts';
import type { CommandContext } from './command.ts';
import { onStop, WITHOUT_HANGUP } from './signals.ts';
import { tellSilence } from './silence.ts';

export async function makeReady({ out }: CommandContext, real: RealHands, task: Needs): Promise<void> {
  const stop = onStop((name) => out.aside(`${name}: stopping; nothing was started`), WITHOUT_HANGUP);
  const silence = tellSilence(
    out,
    `checking the sandbox and ${task.clis.filter((cli) => cli !== 'scripted').join(', ') || 'the repository'} …`,
  );
  try {
    const progress = {
      preparing: (text: string) => {
        silence.end();
        out.entry('environment', text);
      },
      output: (text: string) => {
        for (const line of text.split('\n')) if (line.trim() !== '') out.entry('          |', terminalLine(line, 160));
      },
      doubt: (text: string) => out.aside(text),
      prepared: (ms: number) => out.entry('environment', `ready after ${formatDuration(ms)}`, 'good'),
    };
    const report = await checkReady(real, task, progress, stop.signal);
    if (task.unsafe)
      out.aside('WARNING: --unsafe-no-sandbox: worker and gates run without a sandbox and can do all that you can');
    const degraded = report.limits.filter((limit) => !limit.enforced && limit.limit !== 'diskBytes');
    if (degraded.length > 0 && !task.unsafe)
      out.aside(`sandbox: not enforced here: ${degraded.map(({ limit, how }) => `${limit} (${how})`).join(', ')}`);
  } finally {
    silence.end();
    stop.release();
  }
}
