/**
 * `init --yes` on ten small repositories suggests what the plan's table says, and `run` with the scripted worker works on
 * what it wrote: a wrong change is seen by the suggested gate, a right one is accepted.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PATH } from '../real/task.ts';
import type { World } from '../support/cli.ts';
import { missing, SAMPLES, type Sample, sampleNames, sampleWorld, worksOn } from './samples.ts';

type Told = {
  readonly trusted: boolean;
  readonly gates: readonly { readonly name: string; readonly command: string | null; readonly reason: string }[];
  readonly packs: readonly { readonly name: string; readonly suggested: boolean; readonly roles: readonly string[] }[];
  readonly stack: readonly { readonly kind: string; readonly name: string }[];
};

async function suggested(world: World, sample: Sample): Promise<void> {
  const told = await world.json<Told>(['init', '--yes'], { PATH });
  expect(told.trusted).toBe(true);
  const own = told.gates.filter(({ command }) => command !== null);
  expect(own.map(({ name, command }) => [name, command])).toEqual(sample.gates);
  expect(told.gates.slice(own.length).map(({ name }) => name)).toEqual(['syntax', 'security']);
  const packs = told.packs.filter((pack) => pack.suggested);
  expect(packs.map(({ name }) => name)).toEqual(sample.packs);
  expect(packs.flatMap(({ roles }) => roles)).toEqual(expect.arrayContaining([...sample.roles]));
  for (const [kind, names] of Object.entries(sample.stack))
    expect(
      told.stack.flatMap((fact) => (fact.kind === kind ? [fact.name] : [])),
      kind,
    ).toEqual(names);
}

/** In the long suite: a compiler, or an environment that is prepared first. */
const SLOW = ['rust', 'django'];

test('there are ten', () => {
  expect(sampleNames()).toEqual(Object.keys(SAMPLES).sort());
  expect(sampleNames()).toHaveLength(10);
});

test.each(Object.entries(SAMPLES))('%s', async (name, sample) => {
  using world = sampleWorld(name);
  await suggested(world, sample);
  if (SLOW.includes(name)) return;
  const absent = missing(sample.needs, PATH);
  if (absent.length > 0) {
    console.log(
      `${name}: suggested as it should be; not run, because these programs are not on the PATH of this machine: ${absent.join(', ')}`,
    );
    return;
  }
  await worksOn(world, sample);
});

test('the findings are shown with their reasons, and stand in the file as comments', async () => {
  using world = sampleWorld('compose');
  const { stdout } = await world.run(['init', '--yes']);
  expect(stdout).toContain('because docker-compose.yml has a service of postgres');
  expect(stdout).toContain('off: no pandas or airflow');
  const text = readFileSync(join(world.repository, '.supervisor/config.yaml'), 'utf8');
  expect(text).toMatch(/^# {3}services:\n# {5}# docker-compose\.yml has a service db of postgres\n# {5}- name: db$/m);
  using node = sampleWorld('node');
  expect((await node.run(['init', '--yes'])).stdout).toContain(
    'AGENTS.md, docs/knowledge/rounding.md: read as project knowledge',
  );
});
