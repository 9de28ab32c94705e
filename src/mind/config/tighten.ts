/** A project's limits against those a person set: where the person said something, the project may only ask for less. */
import { BACKOFFS, type LimitsConfig } from '../domain/limits.ts';

export function tighten(user: LimitsConfig, project: LimitsConfig): LimitsConfig {
  const { slots, budget } = user;
  return present({
    slots: present({
      total: less(slots?.total, project.slots?.total),
      per_cli: lessEach(slots?.per_cli, project.slots?.per_cli),
    }),
    budget: present({
      project_usd: lessMoney(budget?.project_usd, project.budget?.project_usd),
      day_usd: lessMoney(budget?.day_usd, project.budget?.day_usd),
    }),
    attempts: less(user.attempts, project.attempts),
    wall: less(user.wall, project.wall),
    task_age: less(user.task_age, project.task_age),
    same_errors: less(user.same_errors, project.same_errors),
    max_steps: less(user.max_steps, project.max_steps),
    backoff: fewerTries(user.backoff, project.backoff),
    // Neither side of it is the tighter one.
    jitter: user.jitter ?? project.jitter,
    quota_wait: user.quota_wait ?? project.quota_wait,
  });
}

function less(user: number | undefined, project: number | undefined): number | undefined {
  return user === undefined || project === undefined ? (user ?? project) : Math.min(user, project);
}

/** `null` is a person's word for no budget: any budget is tighter. */
function lessMoney(user: number | null | undefined, project: number | null | undefined): number | null | undefined {
  if (typeof user === 'number' && typeof project === 'number') return Math.min(user, project);
  if (typeof user === 'number') return user;
  return project === undefined ? user : project;
}

function lessEach(
  user: Readonly<Record<string, number>> | undefined,
  project: Readonly<Record<string, number>> | undefined,
): Record<string, number> | undefined {
  if (user === undefined || project === undefined) return user ?? project;
  const clis = new Set([...Object.keys(user), ...Object.keys(project)]);
  return Object.fromEntries([...clis].map((cli) => [cli, less(own(user, cli), own(project, cli)) ?? 0]));
}

function fewerTries(user: LimitsConfig['backoff'], project: LimitsConfig['backoff']): LimitsConfig['backoff'] {
  if (user === undefined || project === undefined) return user ?? project;
  return BACKOFFS[project].tries < BACKOFFS[user].tries ? project : user;
}

const own = (map: Readonly<Record<string, number>>, key: string): number | undefined =>
  Object.hasOwn(map, key) ? map[key] : undefined;

type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Without the fields that nobody set: absent, not undefined. */
function present<T extends object>(fields: T): Present<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Present<T>;
}
