/** All cases, one file each: adding one is adding a file to `cases/`. */
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, test } from 'vitest';
import { ALL } from '../../support/effort.ts';
import type { HostileCase } from './case.ts';
import { checkCase, checkControl } from './run.ts';

const FOLDER = fileURLToPath(new URL('../cases', import.meta.url));

export async function loadCases(prefix = ''): Promise<HostileCase[]> {
  const names = readdirSync(FOLDER).filter((name) => name.endsWith('.ts') && name.startsWith(prefix));
  const loaded = await Promise.all(
    names.map(async (name) => {
      const { default: found } = (await import(`${FOLDER}/${name}`)) as { default: HostileCase | HostileCase[] };
      const cases = [found].flat();
      for (const one of cases)
        if (name !== `${one.id}.ts`) throw new Error(`${name} holds ${one.id}: a file is called as its case`);
      return cases;
    }),
  );
  return loaded.flat();
}

const isPlayed = ({ long }: HostileCase): boolean => ALL || long !== true;

/** Each case of a family: first that the attack works without the defence, then that it does not with it. */
export async function playCases(prefix: string): Promise<void> {
  for (const one of (await loadCases(prefix)).filter(isPlayed)) {
    describe.concurrent(`${one.id} ${one.title}`, () => {
      test('works without the defence', { timeout: 120_000 }, () => checkControl(one));
      test('does not work here', { timeout: 120_000 }, () => checkCase(one));
    });
  }
}
