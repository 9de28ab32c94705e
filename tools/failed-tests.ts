/**
 * Prints which tests of a run failed, and why, once more at its end, because often only the end of a long output is kept.
 * `--files`: only the paths of the files with failures, one a line.
 */
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

type Results = {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
};

/** What a test tells of a failure may be a whole transcript: its two ends say most. */
const shortened = (text: string, room = 3_000): string =>
  text.length <= room ? text : `${text.slice(0, room / 2)}\n[…]\n${text.slice(-room / 2)}`;

const [path = '.tools/test-results.json', only] = process.argv.slice(2);
const { testResults } = JSON.parse(readFileSync(path, 'utf8')) as Results;
for (const file of testResults.filter(({ status }) => status === 'failed')) {
  const at = relative(process.cwd(), file.name);
  if (only === '--files') {
    console.log(at);
    continue;
  }
  const failed = file.assertionResults.filter(({ status }) => status === 'failed');
  for (const one of failed)
    console.log(`FAILED ${at}: ${one.fullName}\n${shortened(one.failureMessages.join('\n'))}\n`);
  if (failed.length === 0) console.log(`FAILED ${at}\n${shortened(file.message)}\n`);
}
