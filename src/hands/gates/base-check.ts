/** Checks the base while a worker runs, so that a person learns that it is red before the worker is done. */
import type { HandContext, Hands } from '../../engine/ports/hands.ts';
import type { AppLog } from '../../engine/ports/surroundings.ts';
import type { TaskId } from '../../kernel/ids.ts';
import type { Effect } from '../../mind/domain/work.ts';
import type { WorkerRun } from '../../mind/domain/worker-run.ts';
import type { BaseFinding } from '../../mind/gates/baseline.ts';
import type { GateHand } from './gate-hand.ts';

type BaseCheckOptions = {
  readonly worker: Hands['worker'];
  readonly gates: Pick<GateHand, 'baseOf'>;
  /** Called once for each gate of a task. */
  readonly tell: (task: TaskId, finding: BaseFinding) => void;
  readonly log: AppLog;
};

export class BaseCheck {
  readonly #options: BaseCheckOptions;
  readonly #stop = new AbortController();
  readonly #running = new Set<Promise<void>>();
  readonly #told = new Set<string>();

  constructor(options: BaseCheckOptions) {
    this.#options = options;
  }

  /** Runs the worker and, beside it, the gates on its base, one after the other. The worker never waits for them. */
  readonly worker: Hands['worker'] = {
    run: (effect, work, context) => {
      if (work.attempt.kind === 'change' && work.base !== null) this.#begin(effect, work, work.base, context);
      return this.#options.worker.run(effect, work, context);
    },
  };

  #begin(effect: Effect, work: WorkerRun, base: string, context: HandContext): void {
    const signal = AbortSignal.any([context.signal, this.#stop.signal]);
    const look = async () => {
      for (const gate of work.gates) {
        const name = `${effect.task} ${gate}`;
        if (signal.aborted || this.#told.has(name)) continue;
        const ask = { task: effect.task, token: effect.token, gate, spec: work.spec, base };
        const finding = await this.#options.gates.baseOf(ask, { ...context, signal }, 'run');
        if (finding === null || signal.aborted) continue;
        this.#told.add(name);
        this.#options.tell(effect.task, finding);
      }
    };
    const run = look().catch((error: unknown) =>
      this.#options.log('warn', 'the base could not be checked', { task: effect.task, error: String(error) }),
    );
    this.#running.add(run);
    void run.finally(() => this.#running.delete(run));
  }

  /** Stops running gates and waits until all their processes have ended. */
  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#running);
  }
}
