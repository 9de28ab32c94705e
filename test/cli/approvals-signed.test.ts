/** Approvals that are signed with keys of the allowed signers: what counts, and every way to count twice or to forge one. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { revive } from '../../src/engine/loading.ts';
import { APPROVAL_NAMESPACE } from '../../src/mind/approvals/approval-text.ts';
import { type Result, World } from '../support/cli.ts';

const ME = userInfo().username;
const [ANA, BEN, MALLORY] = ['ana@example.com', 'ben@example.com', 'mallory@example.com'];
const GATE = ['--gate', 'tests=grep -q right a.txt'];

/** Two of the leads have to agree about every change. */
class Signers extends World {
  constructor(leads: readonly string[] = [ME, ANA, BEN]) {
    super();
    this.commit({ 'a.txt': 'old\n' }, 'begin');
    mkdirSync(join(this.home, '.supervisor'), { recursive: true });
    writeFileSync(
      join(this.home, '.supervisor', 'approvals.yaml'),
      `approval_gates:\n  high_risk: {conditions: [file_count > 0], action: require_multi_approval, approvers: [leads]}\ngroups: {leads: [${leads.join(', ')}]}\n`,
    );
    for (const name of ['ana', 'ben', 'mallory'])
      execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', name, '-f', this.key(name)]);
    this.allow(this.line(ANA, 'ana'), this.line(BEN, 'ben'));
  }

  readonly key = (name: string): string => join(this.dir, `key-${name}`);

  line(names: string, key: string, options = `namespaces="${APPROVAL_NAMESPACE}"`): string {
    return `${names} ${options} ${readFileSync(`${this.key(key)}.pub`, 'utf8').trim()}`;
  }

  get signersFile(): string {
    return join(this.home, '.supervisor', 'allowed_signers');
  }

  allow(...lines: readonly string[]): void {
    writeFileSync(this.signersFile, lines.map((line) => `${line}\n`).join(''));
  }

  async task(): Promise<string> {
    // What comes after the first one went back is another change.
    const attempts = [{ files: { 'a.txt': 'right\n' } }, { files: { 'a.txt': 'right\nmore\n' } }];
    const script = this.file('script.yaml', JSON.stringify({ steps: { implement: attempts } }));
    const { code, stdout, stderr } = await this.run(['run', 'do it', '--script', script, ...GATE, '--json']);
    expect(code, stderr).toBe(3);
    return (JSON.parse(stdout) as { task_id: string }).task_id;
  }

  signs(task: string, name: string, ...more: readonly string[]): Promise<Result> {
    return this.run(['approve', task, '--sign', this.key(name), ...more]);
  }

  /** What `--print` tells to sign, signed by plain ssh-keygen; `change` is made before that. */
  async signed(
    task: string,
    { key, as, change = (text) => text, namespace = APPROVAL_NAMESPACE }: Signing,
  ): Promise<string> {
    const { code, stdout, stderr } = await this.run(['approve', task, '--print', '--as', as]);
    expect(code, stderr).toBe(0);
    const file = this.file(`approval-${Math.random().toString(36).slice(2)}.txt`, change(stdout));
    execFileSync('ssh-keygen', ['-q', '-Y', 'sign', '-f', this.key(key), '-n', namespace, file], { stdio: 'pipe' });
    return `${file}.sig`;
  }
}
type Signing = {
  readonly key: string;
  readonly as: string;
  readonly change?: (text: string) => string;
  readonly namespace?: string;
};

const expectRefused = (result: Result, why: string | RegExp): void =>
  expect([result.code, result.stderr.replace(/\s+/g, ' ')]).toEqual([1, expect.stringMatching(why)]);

describe('two signers', () => {
  test('let a change go on; the log holds what ssh-keygen needs to check both again', async () => {
    using world = new Signers();
    const task = await world.task();
    const first = await world.signs(task, 'ana');
    expect([first.code, first.stdout]).toEqual([3, expect.stringContaining(`signed by ${ANA}`)]);
    expectRefused(await world.signs(task, 'ana'), `${ANA} approved step approval .* already`);
    const file = await world.signed(task, { key: 'ben', as: BEN });
    const second = await world.run(['approve', task, '--signature', file]);
    expect(second.code, second.stderr).toBe(0);
    expect((await world.json(['show', task])).status).toBe('accepted');
    const events = (await world.events()).map(revive);
    const kept = events.flatMap((event) =>
      event.type === 'step.agreed' || event.type === 'step.answered' ? [event.data] : [],
    );
    expect(kept.map(({ by, signed }) => [by, signed?.as])).toEqual([
      [`operator:${ME}`, ANA],
      [`operator:${ME}`, BEN],
    ]);
    for (const { signed } of kept) {
      const check = ['-Y', 'verify', '-f', world.signersFile, '-I', signed?.as ?? '', '-n', APPROVAL_NAMESPACE, '-s'];
      const file = world.file('kept.sig', signed?.signature ?? '');
      const told = execFileSync('ssh-keygen', [...check, file], { input: signed?.text ?? '', encoding: 'utf8' });
      expect(told).toContain(signed?.key);
      expect(signed?.text).toContain(`task ${task}\n`);
    }
  });

  test('an OS user and a key are two people, unless they are the same one', async () => {
    using world = new Signers([ME, ANA, `${ME}@example.com`]);
    world.allow(world.line(`${ME}@example.com`, 'ben'), world.line(ANA, 'ana'));
    const task = await world.task();
    expect((await world.run(['approve', task])).code).toBe(3);
    expectRefused(await world.signs(task, 'ben'), 'approved step approval .* already');
    expect((await world.signs(task, 'ana')).code).toBe(0);
  });

  test('two keys of one person, and one key with two names, are one person', async () => {
    using world = new Signers([ANA, BEN, 'ana@home.example']);
    world.allow(world.line(ANA, 'ana'), world.line(`${ANA},ana@home.example`, 'mallory'), world.line(BEN, 'ben'));
    const task = await world.task();
    expect((await world.signs(task, 'ana')).code).toBe(3);
    expectRefused(await world.signs(task, 'mallory', '--as', 'ana@home.example'), 'already');
    expect((await world.signs(task, 'ben')).code).toBe(0);
  });

  test('an approver who was removed from the file meanwhile no longer counts', async () => {
    using world = new Signers();
    const task = await world.task();
    expect((await world.signs(task, 'ana')).code).toBe(3);
    world.allow(world.line(BEN, 'ben'));
    const second = await world.signs(task, 'ben');
    expect([second.code, second.stdout]).toEqual([3, expect.stringContaining('One more person')]);
    expectRefused(await world.signs(task, 'ana', '--as', ANA), 'signature of ana@example.com was refused');
    expect((await world.run(['approve', task])).code).toBe(0);
  });
});

describe('a signature is refused', () => {
  test('that is forged, made for something else, or too old', async () => {
    using world = new Signers();
    const task = await world.task();
    const refusal = async (signing: Signing, why: string | RegExp, words: readonly string[] = ['approve', task]) =>
      expectRefused(await world.run([...words, '--signature', await world.signed(task, signing)]), why);
    await refusal({ key: 'mallory', as: ANA }, 'signature of ana@example.com was refused');
    await refusal({ key: 'mallory', as: MALLORY }, 'signature of mallory@example.com was refused');
    await refusal({ key: 'ana', as: ANA, namespace: 'git' }, 'signature of ana@example.com was refused');
    const other = (from: RegExp, to: string): Signing => ({
      key: 'ana',
      as: ANA,
      change: (text) => text.replace(from, to),
    });
    await refusal(other(/^task .*/m, 'task t-00000000'), 'is not this answer');
    await refusal(other(/^project .*/m, 'project another'), 'is not this answer');
    await refusal(other(/^about .*/m, `about ${'0'.repeat(64)}`), 'is not this answer');
    await refusal(other(/^policy .*/m, 'policy -'), 'is not this answer');
    await refusal(other(/^round .*/m, 'round 1'), 'is not this answer');
    await refusal(other(/^at .*/m, 'at 2020-01-01T00:00:00.000Z'), 'signed at 2020-01-01.*sign it again');
    await refusal(other(/^at .*/m, 'at 2120-01-01T00:00:00.000Z'), 'signed at 2120-01-01.*sign it again');
    await refusal(other(/$/, '\n'), 'is not this answer');
    const yes: Signing = { key: 'ana', as: ANA };
    await refusal(yes, 'is not this answer', ['reject', task, '--reason', 'no']);
    // Signed as it was printed, then changed.
    const file = await world.signed(task, yes);
    const text = file.slice(0, -'.sig'.length);
    writeFileSync(text, readFileSync(text, 'utf8').replace('reason ""', 'reason "and more"'));
    expectRefused(await world.run(['approve', task, '--signature', file]), 'signature of ana@example.com was refused');
    const good = await world.run(['approve', task, '--signature', await world.signed(task, yes)]);
    expect(good.code, good.stderr).toBe(3);
  });

  test('of a change that went back: a signature is good for one question', async () => {
    using world = new Signers();
    const task = await world.task();
    const file = await world.signed(task, { key: 'ana', as: ANA });
    expect((await world.run(['reject', task, '--reason', 'once more'])).code).toBe(3);
    expectRefused(await world.run(['approve', task, '--signature', file]), 'is not this answer');
    const other = await world.task();
    expectRefused(await world.run(['approve', other, '--signature', file]), 'is not this answer');
  });

  test('when the key was not valid yet, or is not any more', async () => {
    using world = new Signers();
    const task = await world.task();
    const during = (options: string) =>
      world.allow(world.line(ANA, 'ana', `namespaces="${APPROVAL_NAMESPACE}",${options}`));
    during('valid-before="20240101"');
    expectRefused(await world.signs(task, 'ana'), 'signature of ana@example.com was refused');
    during('valid-after="21200101"');
    expectRefused(await world.signs(task, 'ana'), 'signature of ana@example.com was refused');
    during('valid-after="20240101",valid-before="21200101"');
    expect((await world.signs(task, 'ana')).code).toBe(3);
  });
});

describe('the file of allowed signers', () => {
  test('is the person’s: a project brings none, and another user may not write it', async () => {
    using world = new Signers();
    world.commit({ '.supervisor/allowed_signers': `${world.line(MALLORY, 'mallory')}\n` });
    expect((await world.run(['trust', '--yes'])).code).toBe(0);
    const task = await world.task();
    expectRefused(await world.signs(task, 'mallory', '--as', MALLORY), 'signature of mallory@example.com was refused');
    const config = join(world.home, '.supervisor', 'config.yaml');
    writeFileSync(config, `allowed_signers: ${join(world.repository, '.supervisor', 'allowed_signers')}\n`);
    expectRefused(await world.signs(task, 'mallory', '--as', MALLORY), 'lies in the repository');
    rmSync(config);
    chmodSync(world.signersFile, 0o666);
    expectRefused(await world.signs(task, 'ana'), 'others may write it');
    chmodSync(world.signersFile, 0o644);
    world.allow(world.line('*', 'ana'));
    expectRefused(await world.signs(task, 'ana', '--as', ANA), 'line 1: .* is no name');
    world.allow(readFileSync(`${world.key('ana')}.pub`, 'utf8').trim());
    expectRefused(await world.signs(task, 'ana', '--as', ANA), 'line 1: write NAME namespaces');
    world.allow(world.line(ANA, 'ana'));
    expect((await world.signs(task, 'ana')).code).toBe(3);
    writeFileSync(join(world.repository, '.supervisor', 'config.yaml'), 'allowed_signers: /etc/signers\n');
    const { code, stderr } = await world.run(['trust', '--yes']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('a project may not set the keys that approve')]);
  });
});
