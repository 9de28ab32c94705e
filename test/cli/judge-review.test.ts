/** `judge --review`: reviewers read a commit, a range or what is not committed; they never see the text of a commit. */
import { chmodSync, globSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { World } from '../support/cli.ts';

const world = new World();
const block = (answer: object) => `cat <<'END'\n\`\`\`json\n${JSON.stringify(answer)}\n\`\`\`\nEND\n`;
const at = (message: string, over: object = {}) => ({
  ...{ severity: 'high', file: 'src/add.js', line: 1, message },
  ...over,
});
/** Says no to what subtracts, and shows in its transcript what it was given. */
const PROGRAM = `#!/bin/sh
tee /tmp/packet
grep -q '^You are the security_auditor' /tmp/packet && field=findings || field=issues
if grep -q '^+.*a - b' /tmp/packet; then
  if [ $field = findings ]; then
${block({ status: 'REJECTED', findings: [at('Subtracts!'), at('BOGUS', { file: 'nowhere.js' })] })}  else
${block({ status: 'CHANGES_REQUESTED', confidence: 0.9, issues: [at('subtracts'), at('bad name', { severity: 'low' })] })}  fi
elif [ $field = findings ]; then
${block({ status: 'APPROVED' })}else
${block({ status: 'APPROVED', confidence: 0.8 })}fi
`;

type Said = {
  readonly code: number | null;
  readonly decision: string;
  readonly reasons: string[];
  readonly codes: string[];
  readonly reviews: {
    role: string;
    cli: string;
    status: string | null;
    confidence: number | null;
    uncounted: number;
  }[];
  readonly review_findings: { severity: string; message: string; by: string[] }[];
};
async function judge(...args: string[]): Promise<Said> {
  const { code, stdout, stderr } = await world.run(['judge', ...args, '--json']);
  try {
    return { code, ...(JSON.parse(stdout) as Omit<Said, 'code'>) };
  } catch {
    throw new Error(`no JSON: ${stdout}${stderr}`);
  }
}
const packets = (): string =>
  globSync(join(world.state, 'transcripts/**'))
    .flatMap((path) => (statSync(path).isFile() ? [readFileSync(path, 'utf8')] : []))
    .join('');
const BOTH = ['--review', 'reviewer,security_auditor'];

beforeAll(() => {
  world.commit({ 'src/add.js': 'export const add = (a, b) => a;\n', 'README.md': 'x\n' });
  world.git('branch', '-M', 'main');
  const worker = world.file('worker', PROGRAM);
  chmodSync(worker, 0o755);
  const cli = `{command: [${worker}], prompt: stdin, output: text}`;
  world.userConfig(
    `clis: {acme: ${cli}, beta: ${cli}}\ndefault_cli: [acme, beta]\ngates: [{name: right, command: "! grep -rn WRONG src"}]\n`,
  );
});
afterAll(() => world[Symbol.dispose]());

test('a commit that reviewers approve is approved, each by a CLI of its own; commit text and branch name stay away', async () => {
  world.git('checkout', '-q', '-b', 'QXBRANCH');
  world.commit({ 'src/add.js': 'export const add = (a, b) => a + b;\n' }, 'QXCOMMIT: free of bugs');
  const { code, decision, reviews, codes } = await judge('HEAD', '--no-canary', ...BOTH);
  expect([code, decision]).toEqual([0, 'APPROVE']);
  expect(codes).toContain('reviews_approved');
  expect(reviews.map(({ role, cli, status, confidence }) => [role, cli, status, confidence])).toEqual([
    ['reviewer', 'acme', 'APPROVED', 0.8],
    ['security_auditor', 'beta', 'APPROVED', null],
  ]);
  const seen = packets();
  expect(seen).toContain('+export const add = (a, b) => a + b;');
  expect(seen).toContain('The purpose of this change is not known.');
  expect(seen).not.toMatch(/QXCOMMIT|QXBRANCH/);
  // The control: the operator's own words are told.
  await judge('HEAD', '--no-canary', '--review', 'reviewer', '--task', 'QXTASK: add them');
  expect(packets()).toContain('QXTASK: add them');
});

const written = (text: string) => writeFileSync(join(world.repository, 'src/add.js'), text);

test('findings of reviewers in a dirty tree are joined: two equal ones become one, and one without a line of the change is none', async () => {
  written('export const add = (a, b) => a - b;\n');
  const { code, decision, reasons, codes, reviews, review_findings: found } = await judge('--no-canary', ...BOTH);
  expect([code, decision]).toEqual([1, 'REJECT']);
  expect(codes).toEqual(expect.arrayContaining(['review_rejected', 'vetoed']));
  expect(found.map(({ severity, message, by }) => [severity, message, by])).toEqual([
    ['high', 'subtracts', ['reviewer', 'security_auditor']],
    ['low', 'bad name', ['reviewer']],
  ]);
  expect(reviews.map(({ uncounted }) => uncounted)).toEqual([0, 1]);
  expect(reasons.join()).toContain(
    'reviewer (acme): the reviewer says CHANGES_REQUESTED: "high src/add.js:1: subtracts',
  );
  const { stdout } = await world.run(['judge', '--no-canary', ...BOTH]);
  expect(stdout).toMatch(/reviewer \(acme\) +CHANGES_REQUESTED, confidence 0\.9/);
  expect(stdout).toMatch(
    /security_auditor \(beta\) +REJECTED, confidence unknown; 1 of its findings does not count|REJECTED, confidence unknown; 1 of its findings do not count/,
  );
});

test('a change that a gate refuses is not reviewed: no review lifts it', async () => {
  written('export const add = (a, b) => a + b; // WRONG\n');
  const { code, decision, reviews } = await judge('--no-canary', ...BOTH);
  expect([code, decision, reviews]).toEqual([1, 'REJECT', []]);
});

test('a range is read as well; a role that judges nothing is refused', async () => {
  world.git('checkout', '-q', '--', '.');
  expect((await judge('main..HEAD', '--no-canary', '--review', 'reviewer', '--cli', 'beta')).reviews).toMatchObject([
    { cli: 'beta', status: 'APPROVED' },
  ]);
  const { code, stderr } = await world.run(['judge', '--review', 'implementer']);
  expect([code, stderr]).toEqual([2, expect.stringContaining('does not judge a change')]);
});
