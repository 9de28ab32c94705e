/** What the version of a CLI means: whether it is used, and what a person should know or do. */
import { compareVersions, judgeVersion } from '../../kernel/version.ts';
import type { Adapter } from './adapter.ts';

export type JudgedVersion = {
  readonly type: 'in range' | 'older' | 'newer';
  readonly selfTest: 'passed' | 'failed' | null;
  /** The version, compared with the tested ones. */
  readonly text: string;
  /** Why `run` refuses it; null if it does not. */
  readonly refused: string | null;
  /** What a person may do; null if nothing. */
  readonly advice: string | null;
  /** How to install the newest version that is known to work. */
  readonly fix: string;
};

export function judgeCli(
  { name, tested, install, broken }: Pick<Adapter, 'name' | 'tested' | 'install' | 'broken'>,
  version: string,
  selfTest: JudgedVersion['selfTest'],
): JudgedVersion {
  const fix = `install the newest version that was tested: ${install}`;
  const same = { selfTest, fix };
  const judged = tested === null ? 'tested' : judgeVersion(version, tested);
  if (tested === null || judged === 'tested')
    return {
      ...same,
      type: 'in range',
      refused: null,
      advice: null,
      text: tested === null ? version : `${version} (in tested range)`,
    };
  const text = `${version} is ${judged} than what was tested (${tested.from} up to ${tested.below})`;
  const test = `supervisor doctor --selftest ${name}`;
  const known = broken !== undefined && compareVersions(version, broken.below) < 0 ? broken.why : null;
  return {
    ...same,
    type: judged,
    text,
    refused: known ?? (selfTest === 'failed' ? `and its self-test failed (\`${test}\` shows why)` : null),
    advice:
      selfTest === 'passed'
        ? 'its self-test passed'
        : judged === 'older'
          ? `\`run\` tests it first (\`${test}\`)`
          : `\`${test}\` tells whether it works`,
  };
}
