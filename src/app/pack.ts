/** Builds the packet that a role would receive, as for a worker. Runs nothing and writes only caches. */
import { aroundOf, contentOf } from '../engine/hand-lookups.ts';
import type { WorkerContext } from '../engine/ports/hands.ts';
import type { Store } from '../engine/ports/store.ts';
import { type Packet, packetFor } from '../hands/workers/packet.ts';
import type { StepId, TaskId } from '../kernel/ids.ts';
import { NO_GOAL } from '../mind/domain/goal.ts';
import type { Spec } from '../mind/domain/values.ts';
import type { Role } from '../mind/roles/role.ts';
import { type Factor, factorOf } from '../mind/tokens/factor.ts';
import { cliNamed, modelOf } from '../mind/workers/cli-config.ts';
import { ownReading } from '../mind/workers/files-cli-reads.ts';
import type { Repository } from '../os/git/repository.ts';
import type { Environment } from './config/environment.ts';
import type { LoadedConfig } from './config/files.ts';
import type { ProjectAt } from './open-store.ts';
import { packetMakers } from './packets.ts';
import { redactorFor } from './redactor.ts';

export type PackAsk = {
  readonly environment: Environment;
  readonly project: ProjectAt;
  readonly repository: Repository;
  readonly loaded: LoadedConfig;
  readonly role: Role;
  /** The CLI whose way of counting tokens is used. */
  readonly cli: string | null;
  readonly spec: Spec;
  readonly base: string;
  readonly tree: string | null;
  /** For the work of other tasks; null if there is no log yet. */
  readonly store: Store | null;
  readonly task: TaskId | null;
};

export type PackResult = {
  readonly factor: Factor;
  /** One packet for each requested strategy; null means the role's own. */
  readonly made: readonly (Packet & { readonly context: NonNullable<Packet['context']> })[];
};

export async function packFor(ask: PackAsk, strategies: readonly (string | null)[]): Promise<PackResult> {
  const { environment, project, repository, loaded, role, cli, spec, base, tree } = ask;
  const { settings, told, limits } = loaded;
  // If no state directory exists yet, looking does not create one.
  const stateDir = ask.store === null ? null : environment.stateDir;
  const shown = { project, settings, told, redact: redactorFor(environment), checkout: repository.top };
  const makers = packetMakers({ ...shown, stateDir });
  const chosen = cli === null ? null : cliNamed(settings.clis, cli);
  const factor = factorOf(cli ?? '', modelOf(chosen, role));
  const reading = ownReading(chosen, role);
  const made: PackResult['made'][number][] = [];
  for (const strategy of strategies) {
    const packet = await packetFor(
      { ...makers, settings: () => settings },
      {
        role,
        spec,
        base,
        tree,
        attempts: limits.attempts,
        factor: factor.factor,
        attempt: { kind: role.kind, number: 1, started: 0, deadline: 0 },
        feedback: null,
        repeated: false,
        findings: [],
        reviews: [],
        sentBack: NOTHING_SENT_BACK,
        gates: [],
        before: [],
        config: {},
        handOver: false,
        contextScope: null,
        startsFrom: 'line',
        grants: role.grants,
        scope: role.write_scope,
        seed: makers.seed(ask.task ?? '', ''),
        context: { reading, ...(strategy === null ? {} : { strategy }) },
      },
      handOf(ask),
    );
    if (packet.context !== null) made.push({ ...packet, context: packet.context });
  }
  return { factor, made };
}

const NOTHING_SENT_BACK = {
  task: '' as TaskId,
  step: '' as StepId,
  trace: '',
  change: null,
  count: 0,
  until: 0,
};

function handOf({ store, task, project }: PackAsk): WorkerContext {
  return {
    signal: new AbortController().signal,
    keep: () => Promise.reject(new Error('a preview stores nothing')),
    read: async (hash) => (store === null ? null : contentOf(store, hash)),
    async around() {
      if (store === null) return { goal: null, queue: [], history: [] };
      return aroundOf(store, project.id, task, NO_GOAL);
    },
  };
}
