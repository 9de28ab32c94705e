/** Around the whole suite: what is on the machine after it and was not before makes it fail. */
import { tmpdir } from 'node:os';
import { list, mounts, sandboxGroups, sandboxProcesses, settled } from './traces.ts';

const traces = (): string[] => [
  ...sandboxProcesses(),
  ...sandboxGroups(),
  ...mounts(),
  ...list(tmpdir()).filter((name) => name.startsWith('supervisor-')),
];

export default function setup(): () => Promise<void> {
  const before = new Set(traces());
  return async () => {
    const left = await settled(() => traces().filter((one) => !before.has(one)));
    if (left.length > 0) throw new Error(`the tests left behind:\n${left.join('\n')}`);
  };
}
