import { expect } from 'vitest';
import { ACCEPTED, FIX, type HostileCase, REFUSED, SAYS } from '../harness/case.ts';

const DEPTH = 1_000;
const extending = (parents: Readonly<Record<string, string>>, folder = 'roles') =>
  Object.fromEntries(
    Object.entries(parents).map(([name, parent]) => [`${folder}/${name}.yaml`, `extends: ${parent}\n`]),
  );

/** As one writes it first: each role asks its parent. */
const resolvedNaively = (parents: Readonly<Record<string, string>>, name: string): object => ({
  ...(parents[name] === undefined ? {} : resolvedNaively(parents, parents[name])),
  name,
});
const overflows = (parents: Readonly<Record<string, string>>) => () => {
  try {
    resolvedNaively(parents, 'a');
    return false;
  } catch (error) {
    return error instanceof RangeError;
  }
};
const work = () => FIX + SAYS;

export default [
  {
    id: 'UI-09',
    title: 'a role that extends itself',
    own: extending({ a: 'a' }),
    flags: ['--role', 'a'],
    worker: work,
    expect: REFUSED,
    after: ({ result }) =>
      expect(result.stderr).toMatch(/roles\/a\.yaml:1:10: extends: a role cannot extend itself: a > a /),
    control: { pure: overflows({ a: 'a' }) },
  },
  {
    id: 'UI-09',
    title: 'two roles of a project that extend each other',
    files: extending({ a: 'b', b: 'a' }, '.supervisor/roles'),
    worker: work,
    expect: REFUSED,
    after: ({ result }) => expect(result.stderr).toMatch(/roles\/b\.yaml:1:10: extends: .* in a circle: a > b > a\./),
    control: { pure: overflows({ a: 'b', b: 'a' }) },
  },
  {
    id: 'UI-09',
    title: 'a chain of a thousand roles',
    own: extending(Object.fromEntries(chain(DEPTH))),
    flags: ['--role', 'r0'],
    worker: work,
    expect: REFUSED,
    after: ({ result }) => {
      expect(result.stderr).toMatch(/extends: the chain is more than 32 roles deep: r0 > r1 > /);
      expect(result.stderr.length).toBeLessThan(1_000);
    },
    // The naive way takes it, however deep it is: what it costs is the writer's choice.
    control: {
      pure: () => Object.keys(resolvedNaively(Object.fromEntries(chain(DEPTH)), 'r0')).includes('name'),
    },
  },
  {
    id: 'UI-09',
    title: 'two roles of one parent are no circle',
    own: { ...extending({ left: 'top', right: 'top' }), 'roles/top.yaml': 'extends: implementer\n' },
    flags: ['--role', 'left'],
    worker: work,
    expect: ACCEPTED,
    // A check that remembers only which rooms it met, and not on which path, calls it one.
    control: { pure: () => meetsTwice({ left: 'top', right: 'top' }) },
  },
] satisfies HostileCase[];

function meetsTwice(parents: Readonly<Record<string, string>>): boolean {
  const met = new Set<string>();
  for (const name of Object.keys(parents))
    for (let at: string | undefined = name; at !== undefined; at = parents[at]) {
      if (met.has(at)) return true;
      met.add(at);
    }
  return false;
}

function chain(depth: number): [string, string][] {
  return Array.from({ length: depth }, (_, n) => [`r${n}`, `r${n + 1}`]);
}
