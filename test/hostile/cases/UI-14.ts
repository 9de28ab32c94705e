import { expect } from 'vitest';
import { ACCEPTED, FIX, type HostileCase, REFUSED, SAYS } from '../harness/case.ts';

const BOMB = '{a,b}'.repeat(30);
const STARS = '**/**/**/**/**/**/**/**/**/*x';
/** Forty directories deep, and no name in it ends with an x. */
const DEEP = `${'a/'.repeat(40)}a.js`;
const NESTED = '(a+)+$';
const LONG = `${'a'.repeat(200)}!`;

const including = (...patterns: readonly string[]) => ({
  'roles/greedy.yaml': `extends: implementer\ncontext:\n  include: ${JSON.stringify(patterns)}\n  exclude: ${JSON.stringify(patterns)}\n`,
});
const GREEDY = ['--role', 'greedy'];

/** Each brace doubles what there is. */
function expanded(pattern: string): number {
  const [, before, a, b, after] = /^([^{]*)\{([^,]*),([^}]*)\}(.*)$/.exec(pattern) ?? [];
  return before === undefined ? 1 : expanded(`${before}${a}${after}`) + expanded(`${before}${b}${after}`);
}

/** By going back: how often a name is looked at, up to a million. */
function looks(globs: readonly string[], names: readonly string[], most = 1_000_000): number {
  let count = 0;
  const match = (glob: number, name: number): boolean => {
    count += 1;
    if (count > most) return true;
    if (globs[glob] === '**') return match(glob + 1, name) || (name < names.length && match(glob, name + 1));
    if (glob === globs.length) return name === names.length;
    return names[name]?.endsWith(globs[glob]?.slice(1) ?? '') === true && match(glob + 1, name + 1);
  };
  match(0, 0);
  return count;
}

/** How often `(a+)+$` looks at a run of so many with another sign behind it, up to a million: every way to cut it. */
function tries(length: number, most = 1_000_000): number {
  let count = 0;
  const from = (at: number): void => {
    count += 1;
    for (let end = at + 1; end <= length && count <= most; end += 1) from(end);
  };
  from(0);
  return count;
}

export default [
  {
    id: 'UI-14',
    title: 'braces that stand for a thousand million patterns',
    own: including(BOMB),
    flags: GREEDY,
    worker: () => FIX + SAYS,
    expect: REFUSED,
    after: ({ result }) =>
      expect(result.stderr).toMatch(/context\.include\.0: .* has braces: write one pattern for each/),
    control: { pure: () => expanded(BOMB.slice(0, 5 * 12)) === 2 ** 12 },
  },
  {
    id: 'UI-14',
    title: 'the same for protected paths of the config',
    config: `protect: [${JSON.stringify(BOMB)}]`,
    worker: () => FIX + SAYS,
    expect: REFUSED,
    after: ({ result }) => expect(result.stderr).toMatch(/config\.yaml:4:11: protect\.0: .* has braces/),
    control: { pure: () => expanded(BOMB.slice(0, 5 * 12)) === 2 ** 12 },
  },
  {
    id: 'UI-14',
    title: 'stars upon stars, and what would be a regular expression',
    own: including(STARS, NESTED),
    files: { [DEEP]: 'deep\n', [LONG]: 'long\n' },
    flags: [...GREEDY, '--files', 'src/a.js'],
    worker: () => FIX + SAYS,
    expect: ACCEPTED,
    control: {
      pure: () => looks(STARS.split('/'), DEEP.split('/')) > 1_000_000 && tries(LONG.length - 1) > 1_000_000,
    },
  },
] satisfies HostileCase[];
