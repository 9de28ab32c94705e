/** The `acp` adapter with real agents, in a real sandbox, through the proxy, against the stand-in for their models. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { insidePrograms } from '../../src/hands/egress/inside-programs.ts';
import { StandIn } from '../../src/hands/stand-in/stand-in.ts';
import { acp } from '../../src/mind/workers/adapters/acp.ts';
import { type Cli, cliBin, clisRoot } from '../support/clis.ts';
import { Boxed } from './sandboxed-program.ts';

type Agent = {
  readonly provider: string;
  /** Behind the address of the stand-in. */
  readonly base: string;
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly files: readonly { readonly path: string; readonly text: string }[];
};

const OPENCODE = {
  ...{ autoupdate: false, share: 'disabled', model: 'mock/m1', small_model: 'mock/m1' },
  provider: {
    mock: {
      ...{ npm: '@ai-sdk/openai-compatible', name: 'Mock', models: { m1: { name: 'm1' } } },
      options: { baseURL: 'http://127.0.0.1:40861', apiKey: 'none' },
    },
  },
};

const AGENTS: Readonly<Partial<Record<Cli, Agent>>> = {
  gemini: {
    provider: 'google',
    base: '',
    words: ['--acp', '--skip-trust', '-m', 'gemini-2.5-flash'],
    env: {},
    files: [
      {
        path: '/tmp/home/.gemini/settings.json',
        text: JSON.stringify({
          security: { auth: { selectedType: 'gemini-api-key' } },
          privacy: { usageStatisticsEnabled: false },
        }),
      },
    ],
  },
  opencode: {
    provider: 'openai',
    base: '/v1',
    words: ['acp'],
    env: {
      OPENCODE_CONFIG_CONTENT: JSON.stringify(OPENCODE),
      ...{ OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' },
    },
    files: [],
  },
  copilot: {
    provider: 'openai',
    base: '/v1',
    words: ['--acp', '--no-auto-update'],
    env: { COPILOT_MODEL: 'm1', COPILOT_HOME: '/tmp/home/.copilot', COPILOT_AUTO_UPDATE: 'false' },
    files: [],
  },
};

test.each(Object.keys(AGENTS) as Cli[])(
  '%s writes a file, with a key that is not inside',
  { timeout: 180_000 },
  async (name) => {
    const agent = AGENTS[name] as Agent;
    await using model = new StandIn({
      scenario: {
        turns: [
          { write: { path: 'made.txt', text: 'made by an agent\n' }, usage: { input: 100, output: 20 } },
          { text: 'all done', usage: { input: 130, output: 5 } },
        ],
      },
    });
    const { url } = await model.listen();
    await using boxed = await Boxed.start();
    await using proxy = await boxed.outside.open({
      allow: [],
      route: {
        upstream: `${url}${agent.base}`,
        headers: { authorization: 'Bearer real-key', 'x-goog-api-key': 'real-key' },
        drop: [],
        calls: acp.providers[0]?.calls ?? [],
      },
    });
    const call = acp.call({
      ...{
        packet: 'Write made.txt.',
        id: '11111111-2222-4333-8444-555555555555',
        kind: 'change',
        model: null,
        effort: null,
        system: null,
        tools: null,
        schema: null,
      },
      ...{ session: null, endpoint: { url: 'http://127.0.0.1:40861', provider: agent.provider }, proxy: null },
      ...{ configDir: '/tmp/home/.cli', tempDir: '/tmp', cwd: '/workspace', command: [cliBin(name), ...agent.words] },
    });
    if (call.type === 'refused') throw new Error(call.message);
    const policy = boxed.policy(proxy);
    const root = clisRoot();
    const listener = acp.listen();
    const done = await boxed.run([...insidePrograms().argv('acp'), ...call.args] as [string], proxy, {
      input: call.input,
      files: agent.files,
      policy: {
        env: { ...policy.env, PATH: '/run/supervisor:/usr/bin:/bin', ...call.env, ...agent.env },
        readable: [...policy.readable, { from: root, to: root }],
        limits: { ...policy.limits, memoryBytes: 3 * 2 ** 30, wallMs: 120_000, diskBytes: 2 * 2 ** 30, processes: 300 },
      },
    });
    listener.add('stdout', done.stdout);
    listener.add('stderr', done.stderr);
    const exit = done.end.how === 'exit' ? { how: 'exit' as const, code: done.end.code } : { how: 'other' as const };
    const told = listener.end({ exit, now: 0, upstream: proxy.report().upstream });
    expect(told, `${done.stdout}\n${done.stderr}`).toMatchObject({ claims: 'success', failure: null });
    expect(done.end).toEqual({ how: 'exit', code: 0 });
    expect(told.final).toMatchObject({ type: 'text', text: expect.stringContaining('all done') });
    expect(existsSync(join(boxed.tree, 'made.txt'))).toBe(true);
    expect(readFileSync(join(boxed.tree, 'made.txt'), 'utf8')).toContain('made by an agent');
    expect(told.cost.tokens_in).toBeGreaterThan(0);
    expect(new Set(model.mainRequests.map(({ key }) => key))).toEqual(new Set(['real-key']));
    expect(proxy.report().decisions.filter(({ kind }) => kind === 'route')).toHaveLength(1);
  },
);
