/** Defects put in on purpose, by wrapping ports: each breaks one promise, and the checker has to notice which. */
import type { Store, StoredEvent } from '../../src/engine/ports/store.ts';
import type { Json } from '../../src/kernel/json.ts';
import { applicationKey, commitOf } from './hands.ts';
import type { Mutant } from './launcher.ts';
import { wrapStore } from './process.ts';

/** The defect, and the invariants of which at least one must report it. */
export type Control = { readonly mutant: Mutant; readonly found: readonly string[] };

export const CONTROLS: readonly Control[] = [
  {
    mutant: {
      name: 'a store that takes appends under any lease token',
      store: (store) =>
        changed(store, {
          append: async (batch) => store.append({ ...batch, token: (await store.lease(batch.project)).token }),
        }),
    },
    found: ['fencedProcessesAreRefused'],
  },
  {
    mutant: {
      name: 'an applier that never looks whether it has applied already',
      hands: (hands, outside) => ({
        ...hands,
        applier: {
          probe: async () => null,
          run: async (effect, work, context) => {
            const key = applicationKey(effect.task, commitOf(work.candidate));
            const before = outside.applications.get(key) ?? 0;
            const told = await hands.applier.run(effect, work, context);
            if (told.status === 'applied') outside.applications.set(key, before + 1);
            return told;
          },
        },
      }),
    },
    found: ['appliedExactlyOnce'],
  },
  {
    mutant: {
      name: 'a lander that never looks whether the branch holds the commit already',
      hands: (hands, outside) => ({
        ...hands,
        lander: {
          ...hands.lander,
          probe: async () => null,
          move: async (effect, work, context) => {
            const { onto } = work;
            const held = new Set(outside.line(onto));
            const told = await hands.lander.move(effect, work, context);
            if (told.status === 'landed' && told.commit != null && held.has(told.commit))
              outside.landings.set(`${onto} ${told.commit}`, 2);
            return told;
          },
        },
      }),
    },
    found: ['landsOnce'],
  },
  {
    mutant: {
      name: 'a lander that says landed and moves nothing, now and then',
      hands: (hands) => {
        let n = 0;
        return {
          ...hands,
          lander: {
            ...hands.lander,
            move: async (effect, work, context) =>
              ++n % 3 === 0
                ? { status: 'landed', commit: `c${n}`.padEnd(40, '0') }
                : hands.lander.move(effect, work, context),
          },
        };
      },
    },
    found: ['landsOnce'],
  },
  {
    mutant: {
      name: 'an inbox that gives old outcomes the token of the attempt under way',
      seenStore: (store) =>
        changed(store, {
          inbox: async (project, limit) => {
            const rows = await store.inbox(project, limit);
            return Promise.all(
              rows.map(async (row) => {
                const { type, task, step } = (row.command ?? {}) as Record<string, Json>;
                if (type !== 'attempt.report' && type !== 'gate.report') return row;
                const { events } = await store.readStream(project, `task/${task}`, 0);
                const started = events.findLast(
                  (event) => event.type === 'attempt.started.2' && (event.data as { step: Json }).step === step,
                );
                return {
                  ...row,
                  command: {
                    ...(row.command as object),
                    ...(started?.data as object),
                    type,
                    task: task as Json,
                  } as Json,
                };
              }),
            );
          },
        }),
    },
    found: ['outcomesBelongToTheirAttempt'],
  },
  {
    mutant: {
      name: 'an inbox that acknowledges every fifth command without keeping it',
      store: (store) => {
        let n = 0;
        return changed(store, {
          submit: async (project, rows) => (++n % 5 === 0 ? undefined : store.submit(project, rows)),
        });
      },
    },
    found: ['nothingAcknowledgedIsLost'],
  },
  {
    mutant: {
      name: 'an append that leaves what it answered in the inbox',
      store: (store) => changed(store, { append: (batch) => store.append({ ...batch, drained: [], receipts: [] }) }),
    },
    found: ['commandsAreDecidedOnce'],
  },
  {
    mutant: {
      name: 'an append that answers yes and writes nothing, now and then',
      store: (store) => {
        let n = 0;
        return changed(store, {
          append: async (batch) => (++n % 20 === 0 ? { type: 'appended' } : store.append(batch)),
        });
      },
    },
    found: ['fencedProcessesAreRefused', 'placesHaveNoGaps', 'loadingGivesTheFold'],
  },
  {
    mutant: {
      name: 'snapshots that claim one event more than they hold',
      store: (store) =>
        changed(store, {
          append: (batch) => {
            const snapshots = batch.own.snapshots.map((one) => ({ ...one, version: one.version + 1 }));
            return store.append({ ...batch, own: { ...batch.own, snapshots } });
          },
        }),
    },
    found: ['loadingGivesTheFold', 'engineHasTheFold', 'enginesFailOnlyForAReason', 'theScheduleRuns'],
  },
  {
    mutant: {
      name: 'a store in which an event is edited afterwards',
      store: (store) =>
        changed(store, {
          append: (batch) => {
            const events = batch.own.events.map((event) =>
              event.seq === 7 ? { ...event, actor: 'operator:somebody else' } : event,
            );
            return store.append({ ...batch, own: { ...batch.own, events } });
          },
        }),
    },
    found: ['logsVerify'],
  },
  {
    mutant: {
      name: 'a notifier that tries again by itself',
      hands: (hands) => ({
        ...hands,
        notifier: {
          run: async (effect, work, context) => {
            await hands.notifier.run(effect, work, context).catch(() => {});
            return hands.notifier.run(effect, work, context);
          },
        },
      }),
    },
    found: ['notifiedAtMostOnce'],
  },
  {
    mutant: {
      name: 'gates whose verdict becomes a pass on the way',
      hands: (hands) => ({
        ...hands,
        gate: { run: async (...given) => ({ ...(await hands.gate.run(...given)), status: 'pass' }) },
      }),
    },
    found: ['outcomesBelongToTheirAttempt'],
  },
  {
    mutant: {
      name: 'a log of the host that forgets in a restart which CLIs are parked',
      seenStore: (store) => withEvents(store, 'host', 'cli.parked.1', 'host.charged.1', { day: '', microusd: 0 }),
    },
    found: ['parkedCLIsTakeNoWork'],
  },
  {
    mutant: {
      name: 'a store that does not look whether the host is still as it was known',
      store: (store) =>
        changed(store, {
          append: (batch) => store.append(batch.host?.events.length === 0 ? { ...batch, host: null } : batch),
        }),
    },
    found: ['parkedCLIsTakeNoWork', 'budgetsAreNotOverdrawn'],
  },
  {
    mutant: {
      name: 'a board that forgets in a restart which breakers are open',
      seenStore: (store) =>
        withEvents(store, 'board', 'breaker.opened.1', 'breaker.counted.1', { lane: 'no/lane', at: 0 }),
    },
    found: ['grantsStayInsideTheLimits'],
  },
  {
    mutant: {
      name: 'a host that parks a CLI and keeps no fact of it',
      store: (store) =>
        changed(store, {
          append: (batch) =>
            store.append(
              batch.host?.events.some(({ type }) => type === 'cli.parked.1') ? { ...batch, host: null } : batch,
            ),
        }),
    },
    found: ['parkedCLIsTakeNoWork', 'quotasPark', 'engineHasTheFold', 'loadingGivesTheFold'],
  },
  {
    mutant: {
      name: 'a clock that forgets some timers',
      clock: (clock, random) => ({
        ...clock,
        after: (ms, callback) => (ms < 9_000 && random.chance(0.3) ? () => {} : clock.after(ms, callback)),
      }),
    },
    found: ['everythingComesToRest', 'onlyLimitsHoldTasksUp'],
  },
  {
    mutant: {
      name: 'a store that tells nobody about new commands',
      seenStore: (store) => changed(store, { watch: () => ({ close: () => {} }) }),
    },
    found: ['everythingComesToRest'],
  },
];

/** Events of one type in one stream are read back as something harmless; the log itself is whole. */
function withEvents(store: Store, stream: string, type: string, instead: string, data: Json): Store {
  return changed(store, {
    readStream: async (boundary, name, reducer) => {
      const history = await store.readStream(boundary, name, name === stream ? 0 : reducer);
      const harmless = (event: StoredEvent) => (event.type === type ? { ...event, type: instead, data } : event);
      return name === stream ? { ...history, events: history.events.map(harmless) } : history;
    },
  });
}

function changed(store: Store, own: Partial<Store>): Store {
  return wrapStore(store, (perform) => perform(), { watch: (onChange) => store.watch(onChange), ...own });
}
