/** OF-19: a landing that is killed lands once; here at each kind of failpoint, `land-matrix.long.ts` strikes every one. */
import { expect, test } from 'vitest';
import { landingPoints, strikeLanding } from './land-kills.ts';

const HANDS = /^(effect|publish|integrate|lease|release|append.after)/;
const CASES = [
  ['untouched', ['effect.before line.move', 'effect.after line.move', 'lease.after', 'release.before', 'append.after']],
  [
    'moved',
    [
      ...['effect.after line.integrate', 'effect.before gate.run', 'effect.after gate.run', 'effect.after line.move'],
      ...['integrate.merged', 'integrate.transferred', 'integrate.pinned'],
      ...['publish.committed', 'publish.transferred', 'publish.branched', 'publish.released'],
    ],
  ],
  ['checked out', ['effect.before line.move', 'effect.after line.move', 'publish.released']],
] as const;

test.each(CASES)(
  'a line that is %s: kill -9 at the last failpoint of each kind, go on: moved once, nothing left',
  {
    timeout: 400_000,
  },
  async (at, kinds) => {
    const found = await landingPoints(at);
    const last = new Map(found.names.map((name, n) => [name, n + 1]));
    for (const name of kinds) expect([...last.keys()]).toContain(name);
    // What the moved line has shown is not shown again for one that is checked out as well.
    const chosen = [...last].filter(([name]) =>
      at === 'checked out' ? kinds.some((kind) => kind === name) : HANDS.test(name),
    );
    await strikeLanding(
      chosen.map(([, n]) => n),
      found,
    );
  },
);
