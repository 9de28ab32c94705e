/** The state of one run in any sandbox: its output, the reports of its first process, and why it was ended. */
import type { Readable } from 'node:stream';
import type { SandboxLimits, SandboxRequest, SandboxResult } from '../../../engine/ports/sandbox.ts';
import type { Launched } from '../../../os/process/launch.ts';
import type { Streams } from '../../../os/process/pipes.ts';
import { endOf } from './combined-end.ts';
import { Ending } from './ending.ts';
import { Output, Report } from './output.ts';
import type { Breach, Watch } from './watch.ts';

export class RunState {
  readonly ending: Ending;
  readonly output: Output;
  readonly report = new Report();
  readonly #signal: AbortSignal;
  readonly #abort = () => this.ending.stop({ how: 'aborted' });
  #watch: Watch | null = null;

  /** `talk`: the pipe on which the first process reports. */
  constructor(
    limits: SandboxLimits,
    request: Pick<SandboxRequest, 'onOutput' | 'signal'>,
    streams: Pick<Streams, 'stdout' | 'stderr'>,
    talk: Readable | undefined,
    killAll: () => void,
  ) {
    this.ending = new Ending(limits.graceMs, killAll);
    this.#signal = request.signal;
    this.#signal.addEventListener('abort', this.#abort, { once: true });
    if (this.#signal.aborted) this.#abort();
    talk?.on('data', (bytes: Buffer) => this.report.add(bytes));
    this.output = new Output(streams, limits.outputBytes, request.onOutput, () =>
      this.ending.stop({ how: 'limit', limit: 'output' }),
    );
  }

  /** The program starts: its output is passed on, its limits are watched, and it can be asked to end. */
  begin(watch: Watch, askAll: () => void): void {
    this.#watch = watch;
    this.output.open(() => watch.heard());
    this.ending.begin(askAll);
  }

  /** The program has ended: nothing is left to watch or kill. */
  over(): void {
    this.#watch?.end();
    this.ending.over();
  }

  /** The result of a run that was ended before its program started; null if nothing ended it. */
  stopped(): SandboxResult | null {
    const { cause, forced } = this.ending;
    return cause === null ? null : { end: cause, ms: 0, leftovers: 0, forced };
  }

  /** The result of an ended program. A cause from outside counts first, then a limit of the kernel. */
  result({ code, signal }: Awaited<Launched['exited']>, breach: Breach, ms: number): SandboxResult {
    const { cause, forced } = this.ending;
    const end = cause ?? (breach === null ? endOf(this.report, code, signal) : { how: 'limit', limit: breach });
    return { end, ms, leftovers: cause === null ? (this.report.end?.leftovers ?? 0) : 0, forced };
  }

  release(): void {
    this.over();
    this.#signal.removeEventListener('abort', this.#abort);
  }
}
