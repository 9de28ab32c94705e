/**
 * Two terminals, real CLIs, requests counted at the server: what is done in one costs nothing twice in the other.
 * Ctrl-C is typed at a real terminal, which sends it to every process of its foreground group.
 */
import { request as ask, createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import type { StoredEvent } from '../../src/engine/ports/store.ts';
import { ENTRY, eventually, type World } from '../support/cli.ts';
import { Pty } from '../support/pty.ts';
import { stop } from '../support/stop.ts';
import { ANSWER, type Cli, GATE, Through } from './through.ts';

/** Two makers, two protocols. */
const TWO = ['claude', 'codex'] as const;

/** The model's answers are held back until `release`: every attempt can be found in the middle of its work. */
class Terminals extends Through {
  readonly cli: Cli;
  readonly #front: Server;
  #released = false;
  #release: (() => void)[] = [];

  constructor(cli: Cli = 'claude') {
    super([{ write: { path: 'greeting.txt', text: 'hello\n' } }, { text: ANSWER }], 'conversation');
    this.cli = cli;
    this.#front = createServer((request, response) => {
      const { url: path = '/', method, headers } = request;
      const { hostname, port } = new URL(this.url);
      const passed = ask({ hostname, port, path, method, headers, agent: false }, async (answer) => {
        if (!this.#released) await new Promise<void>((resolve) => this.#release.push(resolve));
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      passed.on('error', () => response.destroy());
      request.pipe(passed);
    });
  }

  async begin(): Promise<this> {
    await new Promise<void>((resolve) => this.#front.listen(0, '127.0.0.1', resolve));
    const { port } = this.#front.address() as AddressInfo;
    return this.open([this.cli], '', { front: `http://127.0.0.1:${port}` });
  }

  release(): void {
    this.#released = true;
    for (const resolve of this.#release.splice(0)) resolve();
  }

  terminal(title: string, env: Readonly<Record<string, string>> = {}): Pty {
    const { home, state, repository } = this.world;
    const argv = [process.execPath, ENTRY, 'run', `write a greeting ${title}`, '--cli', this.cli, ...GATE];
    return new Pty(argv, { dir: repository, env: { ...this.env(), HOME: home, SUPERVISOR_HOME: state, ...env } });
  }

  async task(title: string): Promise<string> {
    const found = await eventually(
      async () => (await this.world.tasks()).find((one) => titleOf(one) === `write a greeting ${title}`) ?? null,
      `task ${title} is there`,
    );
    return found.task_id;
  }

  /** Conversations that were begun at the server: one for each attempt that got there. */
  get begun(): number {
    return this.standIn.mainRequests.filter(({ turn }) => turn === 0).length;
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    this.#front.closeAllConnections();
    this.#front.close();
    await super[Symbol.asyncDispose]();
  }

  reached(count: number): Promise<unknown> {
    return eventually(() => this.begun >= count, `${count} attempts have reached the server`);
  }
}

const titleOf = (task: object) => (task as { title?: string }).title;
const attempts = (events: readonly StoredEvent[], task: string) =>
  events.filter(({ stream, type }) => stream === `task/${task}` && type === 'attempt.started.2').length;
const statusOf = async (world: World, task: string) =>
  (await world.tasks()).find(({ task_id }) => task_id === task)?.status;

async function both(through: Terminals, env: Readonly<Record<string, string>> = {}) {
  const first = through.terminal('alpha', env);
  const a = await through.task('alpha');
  await through.reached(1);
  const second = through.terminal('beta', env);
  const b = await through.task('beta');
  await through.reached(2);
  return { first, second, a, b };
}

test.each(TWO)(
  '%s: Ctrl-C in the driver pauses its own task; the other task’s attempt goes on and is paid once',
  async (cli) => {
    await using through = await new Terminals(cli).begin();
    const { first, second, a, b } = await both(through);
    using _1 = first;
    using _2 = second;
    first.type('\x03');
    await first.shows('stays until attempts of other tasks end');
    through.release();
    expect(await second.done, second.terminal.text).toBe(0);
    expect(await first.done, first.terminal.text).toBe(130);
    expect(first.terminal.text).toContain(`task ${a} is paused`);
    const events = await through.world.events();
    expect([await statusOf(through.world, a), await statusOf(through.world, b)]).toEqual(['paused', 'accepted']);
    expect([attempts(events, a), attempts(events, b)]).toEqual([1, 1]);
    expect(through.begun).toBe(2);
    const resumed = await through.world.run(['resume', a], through.env());
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(through.begun).toBe(3);
  },
);

test.each(TWO)(
  '%s: Ctrl-C in the follower pauses its task; the driver’s own attempt goes on and is paid once',
  async (cli) => {
    await using through = await new Terminals(cli).begin();
    const { first, second, a, b } = await both(through);
    using _1 = first;
    using _2 = second;
    second.type('\x03');
    expect(await second.done, second.terminal.text).toBe(130);
    expect(second.terminal.text).toContain(`task ${b} is paused`);
    through.release();
    expect(await first.done, first.terminal.text).toBe(0);
    const events = await through.world.events();
    expect([await statusOf(through.world, a), await statusOf(through.world, b)]).toEqual(['accepted', 'paused']);
    expect([attempts(events, a), attempts(events, b)]).toEqual([1, 1]);
    expect(through.begun).toBe(2);
  },
);

test('a second Ctrl-C ends the driver at once; the other terminal says that its attempt was cut, and repeats it once', async () => {
  await using through = await new Terminals().begin();
  const { first, second, a, b } = await both(through, { SUPERVISOR_LEASE_MS: '1500' });
  using _1 = first;
  using _2 = second;
  first.type('\x03');
  await first.shows('stays until attempts of other tasks end');
  first.type('\x03');
  // The model's answer is still held back: the driver did not wait for the other attempt.
  expect(await first.done, first.terminal.text).toBe(130);
  expect(first.terminal.text).toContain(`task ${a} is paused`);
  through.release();
  await second.showed('the attempt was interrupted (Supervisor was stopped)');
  expect(await second.done, second.terminal.text).toBe(0);
  const events = await through.world.events();
  expect([await statusOf(through.world, a), await statusOf(through.world, b)]).toEqual(['paused', 'accepted']);
  expect([attempts(events, a), attempts(events, b)]).toEqual([1, 2]);
  expect(through.begun).toBe(3);
});

/** A driver without a terminal, which a test can kill or stop, and a follower with one. */
async function driven(through: Terminals) {
  const env = { SUPERVISOR_LEASE_MS: '1500' };
  const driver = through.world.start(['run', 'write a greeting alpha', '--cli', through.cli, ...GATE], {
    ...through.env(),
    ...env,
  });
  const a = await through.task('alpha');
  await through.reached(1);
  const second = through.terminal('beta', env);
  const b = await through.task('beta');
  await through.reached(2);
  return { driver, second, a, b };
}

test.each(TWO)(
  '%s: after kill -9 of the driver each attempt is repeated once, and the other terminal says so',
  async (cli) => {
    await using through = await new Terminals(cli).begin();
    const { driver, second: opened, a, b } = await driven(through);
    using second = opened;
    driver.child.kill('SIGKILL');
    await second.showed(`also works on ${a} (write a greeting alpha), which is unfinished`);
    await second.showed('the attempt was lost');
    through.release();
    expect(await second.done, second.terminal.text).toBe(0);
    await eventually(async () => (await statusOf(through.world, b)) === 'accepted', 'b is done');
    const events = await through.world.events();
    expect([attempts(events, a), attempts(events, b)]).toEqual([2, 2]);
    expect(through.begun).toBe(4);
  },
);

test('after Ctrl-Z of the driver each attempt is repeated once; brought back, it follows and reports', async () => {
  await using through = await new Terminals().begin();
  const { driver, second: opened, a, b } = await driven(through);
  using second = opened;
  await stop(driver.child, `${through.world.state}/log.db`);
  await second.showed(`also works on ${a} (write a greeting alpha), which is unfinished`);
  through.release();
  expect(await second.done, second.terminal.text).toBe(0);
  driver.child.kill('SIGCONT');
  const { code, stdout, stderr } = await driver.done;
  expect(code, stdout + stderr).toBe(0);
  expect(stdout).toContain('accepted');
  const events = await through.world.events();
  expect([await statusOf(through.world, a), await statusOf(through.world, b)]).toEqual(['accepted', 'accepted']);
  expect([attempts(events, a), attempts(events, b)]).toEqual([2, 2]);
  expect(through.begun).toBe(4);
});
