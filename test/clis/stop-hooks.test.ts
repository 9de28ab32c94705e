/** The real Claude Code and Codex with our stop hook, as docs/examples/ shows it: the agent hears the verdict and goes on. */
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { StandIn } from '../../src/hands/stand-in/stand-in.ts';
import { ENTRY, PATH, World } from '../support/cli.ts';
import { type Cli, cliBin } from '../support/clis.ts';

const EXAMPLES = new URL('../../docs/examples/', import.meta.url);
const example = (name: string): string => readFileSync(new URL(name, EXAMPLES), 'utf8');
const CONFIG = 'gates:\n  - { name: right, command: "! grep -rn WRONG src" }\n';

/** Nothing but the stand-in can be reached. */
const OFFLINE = {
  HTTPS_PROXY: 'http://127.0.0.1:9',
  HTTP_PROXY: 'http://127.0.0.1:9',
  NO_PROXY: '127.0.0.1,localhost',
};

class Agent implements AsyncDisposable {
  readonly world = new World();
  readonly standIn = new StandIn({
    scenario: {
      turns: [
        { write: { path: 'src/new.js', text: 'export const a = "WRONG";\n' } },
        { text: 'done' },
        { write: { path: 'src/new.js', text: 'export const a = "right";\n', replace: true } },
        { text: 'repaired' },
        { text: 'nothing more', times: 5 },
      ],
    },
  });
  url = '';

  async open(files: Readonly<Record<string, string>>): Promise<this> {
    ({ url: this.url } = await this.standIn.listen());
    this.world.commit({ 'src/a.js': 'export const b = 1;\n', '.supervisor/config.yaml': CONFIG, ...files });
    await this.world.run(['trust', '--yes']);
    const bin = join(this.world.dir, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'supervisor'), `#!/bin/sh\nexec '${process.execPath}' '${ENTRY}' "$@"\n`);
    chmodSync(join(bin, 'supervisor'), 0o755);
    return this;
  }

  run(cli: Cli, args: readonly string[], env: Readonly<Record<string, string>>): Promise<string> {
    const { home, state, dir, repository } = this.world;
    const child = spawn(cliBin(cli), args, {
      cwd: repository,
      env: { PATH: `${dir}/bin:${PATH}`, HOME: home, SUPERVISOR_HOME: state, TMPDIR: dir, ...OFFLINE, ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    let said = '';
    child.stdout.on('data', (chunk) => (said += chunk));
    child.stderr.on('data', (chunk) => (said += chunk));
    child.stdin.end('write something');
    return new Promise((resolve) => child.on('close', (code) => resolve(`${said}\nexit ${code}`)));
  }

  /** What the model was told after it had said that it is done. */
  told(): string {
    return JSON.stringify(this.standIn.mainRequests[2]?.body ?? null);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.standIn.close();
    this.world[Symbol.dispose]();
  }
}

const REPAIRED = 'export const a = "right";\n';

test('claude hears the verdict before it may stop, and repairs its change', async () => {
  await using agent = await new Agent().open({ '.claude/settings.json': example('claude-settings.json') });
  const args = ['-p', '--output-format', 'stream-json', '--verbose', '--dangerously-skip-permissions'];
  const said = await agent.run('claude', args, {
    ANTHROPIC_BASE_URL: agent.url,
    ANTHROPIC_API_KEY: 'sk-none',
    CLAUDE_CONFIG_DIR: join(agent.world.dir, 'claude'),
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_TELEMETRY: '1',
    CLAUDE_CODE_MAX_RETRIES: '0',
    IS_SANDBOX: '1',
  });
  expect(agent.told(), said).toContain('gate right failed');
  expect(readFileSync(join(agent.world.repository, 'src/new.js'), 'utf8'), said).toBe(REPAIRED);
  expect(said).toContain('repaired');
  expect(agent.standIn.mainRequests.length).toBe(4);
});

test('codex hears it too', async () => {
  await using agent = await new Agent().open({});
  const home = join(agent.world.dir, 'codex');
  mkdirSync(home);
  writeFileSync(join(home, 'hooks.json'), example('codex-hooks.json'));
  const provider = `model_providers.m={name="m",base_url="${agent.url}/v1",env_key="KEY",wire_api="responses",request_max_retries=0,stream_max_retries=0}`;
  const config = ['analytics.enabled=false', 'check_for_update_on_startup=false', 'model_provider="m"', provider];
  const args = [
    ...['exec', '--json', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox'],
    // A person trusts a hook once, in `/hooks`.
    '--dangerously-bypass-hook-trust',
    ...['--disable', 'plugins', '--disable', 'apps'],
    ...config.flatMap((one) => ['-c', one]),
    '-',
  ];
  const said = await agent.run('codex', args, { CODEX_HOME: home, KEY: 'sk-none' });
  expect(agent.told(), said).toContain('gate right failed');
  expect(readFileSync(join(agent.world.repository, 'src/new.js'), 'utf8'), said).toBe(REPAIRED);
  expect(agent.standIn.mainRequests.length).toBe(4);
});
