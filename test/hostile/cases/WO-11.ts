import { expect } from 'vitest';
import { lastJsonBlock } from '../../../src/mind/answers/fence.ts';
import { cpuSeconds } from '../../support/cpu.ts';
import { CAUGHT, FIX, type HostileCase } from '../harness/case.ts';

const hostile = (n: number): string => `\`\`\`json${'\n'.repeat(n)}x`;
/** The best of three: how long the text itself makes it. */
const best = (work: () => unknown): number => Math.min(...[1, 2, 3].map(() => cpuSeconds(work)));
const usual = (text: string) => /```json\s*([\s\S]*?)\s*```/.exec(text);

export default {
  id: 'WO-11',
  title: 'a text on which the usual pattern takes minutes',
  worker: () => `${FIX}printf '\`\`\`json'; head -c 900000 /dev/zero | tr '\\0' '\\n'; printf x\n`,
  expect: { ...CAUGHT, reason: /never closed/ },
  after: ({ record }) => {
    expect(record.end).toEqual({ how: 'exit', code: 0 });
    expect(best(() => lastJsonBlock(hostile(1 << 20)))).toBeLessThan(2);
  },
  // A thousandth of the text is enough to tell them apart.
  control: { pure: () => best(() => usual(hostile(1_000))) > 20 * best(() => lastJsonBlock(hostile(1_000))) },
} satisfies HostileCase;
