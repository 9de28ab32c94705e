/** Kill -9 around a question to a person: it is asked once, answered once, and each message goes out at most once. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { World } from '../support/cli.ts';
import { leftOver } from '../support/left-over.ts';
import { doubled } from '../support/log-checks.ts';
import { settled } from '../support/traces.ts';
import { lastOfEach, passedFailpoints } from './failpoints.ts';

const SCRIPT = JSON.stringify({ steps: { implement: [{ files: { 'src/login.txt': 'right\n' } }] } });
const POLICY = `approval_gates:
  high_risk: {conditions: [changes_auth_code], action: require_approval, approvers: [leads]}
groups: {leads: [${userInfo().username}]}
`;

type Env = Readonly<Record<string, string>>;
type Message = { readonly asks: boolean; readonly status: string };

/** A task whose change a person has to approve; messages go into a file. */
class AskedWork implements Disposable {
  readonly world = new World();
  readonly #messages = join(this.world.dir, 'messages');

  constructor() {
    const { world } = this;
    const teller = world.file('tell.sh', `exec cat >> ${JSON.stringify(this.#messages)}\n`);
    world.userConfig(`notify: [{kind: command, command: [/bin/sh, ${JSON.stringify(teller)}]}]\n`);
    mkdirSync(join(world.home, '.supervisor'), { recursive: true });
    writeFileSync(join(world.home, '.supervisor', 'approvals.yaml'), POLICY);
    world.commit({ 'src/login.txt': 'old\n' });
    world.file('script.yaml', SCRIPT);
  }

  run(env: Env = {}) {
    const script = join(this.world.dir, 'script.yaml');
    const gate = 'tests=grep -q right src/login.txt';
    return this.world.run(['run', 'change the login', '--script', script, '--gate', gate, '--json'], env);
  }

  async task(): Promise<string> {
    return (await this.world.tasks())[0]?.task_id ?? '';
  }

  async answer(env: Env = {}) {
    return this.world.run(['approve', await this.task(), '--json'], env);
  }

  async resume() {
    return this.world.run(['resume', await this.task(), '--json']);
  }

  messages(): Message[] {
    if (!existsSync(this.#messages)) return [];
    return readFileSync(this.#messages, 'utf8')
      .trim()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Message);
  }

  async checkAsked(): Promise<void> {
    const events = await this.world.events();
    expect(events.filter(({ type }) => type === 'step.waiting.1')).toHaveLength(1);
    expect(doubled(events)).toEqual([]);
    expect(this.messages().filter(({ asks }) => asks).length).toBeLessThanOrEqual(1);
  }

  async checkAnswered(): Promise<void> {
    const { world } = this;
    await this.checkAsked();
    const events = await world.events();
    expect(events.filter(({ type }) => type === 'step.answered.1')).toHaveLength(1);
    expect(this.messages().filter(({ asks }) => !asks).length).toBeLessThanOrEqual(1);
    expect((await world.tasks())[0]?.status).toBe('accepted');
    expect(world.git('rev-list', '--count', 'refs/heads/main..', '--branches', '--not', 'refs/heads/main')).toBe('1');
    expect(await world.health()).toEqual({ findings: [], leased: false });
    expect(await settled(() => leftOver(world))).toEqual([]);
  }

  [Symbol.dispose](): void {
    this.world[Symbol.dispose]();
  }
}

test('at the last failpoint of each kind: kill -9 while it comes to ask, and while the answer is taken', {
  timeout: 900_000,
}, async () => {
  const points = await faultFree();
  for (const name of ['append.inside', 'append.after', 'effect.before notify.send', 'effect.after notify.send']) {
    expect(points.run.map((one) => one.split('#')[0])).toContain(name);
    expect(points.answer.map((one) => one.split('#')[0])).toContain(name);
  }
  const failures: string[] = [];
  for (let n = 0; n < Math.max(points.run.length, points.answer.length); n += 1) {
    const [atRun, atAnswer] = [points.run[n], points.answer[n]];
    await strike(atRun, atAnswer).catch((error: Error) => failures.push(`${atRun}, ${atAnswer}: ${error.message}`));
  }
  console.log(`people matrix: ${points.run.join(', ')}; ${points.answer.join(', ')}`);
  expect(failures).toEqual([]);
});

async function faultFree(): Promise<{ readonly run: readonly string[]; readonly answer: readonly string[] }> {
  using work = new AskedWork();
  const ran = await work.run({ SUPERVISOR_FAILPOINT: '-1' });
  expect(ran.code, ran.stderr).toBe(3);
  await work.checkAsked();
  const answered = await work.answer({ SUPERVISOR_FAILPOINT: '-1' });
  expect(answered.code, answered.stderr).toBe(0);
  await work.checkAnswered();
  // Control: without a kill each message does go out.
  expect(work.messages()).toMatchObject([{ asks: true }, { asks: false, status: 'accepted' }]);
  const kinds = /^(append|effect|blob|publish|lease)/;
  return {
    run: lastOfEach(passedFailpoints(ran.stderr)).filter((one) => kinds.test(one)),
    answer: lastOfEach(passedFailpoints(answered.stderr)).filter((one) => kinds.test(one)),
  };
}

/** Killed before the command was durable, nothing was promised: the person types it again. */
async function strike(atRun: string | undefined, atAnswer: string | undefined): Promise<void> {
  using work = new AskedWork();
  const ran = await work.run(atRun === undefined ? {} : { SUPERVISOR_FAILPOINT: atRun });
  if (atRun === undefined) expect(ran.code, ran.stderr).toBe(3);
  else expect(ran.signal, `run ${atRun}`).toBe('SIGKILL');
  const begun = (await work.task()) === '' ? await work.run() : await work.resume();
  expect(begun.code, begun.stdout + begun.stderr).toBe(3);
  await work.checkAsked();
  if (atAnswer !== undefined)
    expect((await work.answer({ SUPERVISOR_FAILPOINT: atAnswer })).signal, `approve ${atAnswer}`).toBe('SIGKILL');
  const again = await work.answer();
  const end = again.code === 0 ? again : await work.resume();
  const isDone = end.code === 0 || (await work.world.tasks())[0]?.status === 'accepted';
  expect(isDone, again.stdout + end.stdout + end.stderr).toBe(true);
  await work.checkAnswered();
}
