import { CAUGHT, FIX, type HostileCase, print } from '../harness/case.ts';

const deep = (n: number) => `{"status":"SUCCESS","action_taken":"x","notes":${'['.repeat(n)}${']'.repeat(n)}}`;
const overflows = (text: string): boolean => {
  try {
    JSON.stringify(JSON.parse(text));
    return false;
  } catch (error) {
    return error instanceof RangeError;
  }
};
const number = (text: string) => `{"status":"SUCCESS","action_taken":"x","cost":${text}}`;

export default [
  {
    id: 'WO-09',
    title: 'nested 60000 deep',
    worker: () =>
      `${FIX}printf '%s\\n' '\`\`\`json'\nprintf '{"status":"SUCCESS","action_taken":"x","notes":'\nfor c in '[' ']'; do head -c 60000 /dev/zero | tr '\\0' "$c"; done\nprintf '}\\n%s\\n' '\`\`\`'\n`,
    expect: { ...CAUGHT, reason: /nested deeper than 64/ },
    control: { pure: () => overflows(deep(60_000)) },
  },
  ...(
    [
      ['1e999', /not finite/, (n: number) => n === Number.POSITIVE_INFINITY],
      ['-1e999', /not finite/, (n: number) => n === Number.NEGATIVE_INFINITY],
      ['9007199254740993', /too large to be exact/, (n: number) => n === 9007199254740992],
    ] as const
  ).map(([text, reason, falls], n) => ({
    id: 'WO-09',
    title: `the number ${text}`,
    long: n > 0,
    worker: () => FIX + print(`\`\`\`json\n${number(text)}\n\`\`\``),
    expect: { ...CAUGHT, reason },
    control: { pure: () => falls(JSON.parse(number(text)).cost) },
  })),
] satisfies HostileCase[];
