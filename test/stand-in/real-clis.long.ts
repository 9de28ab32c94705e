/** The real CLIs, bare, against the stand-in: each calls its own tool and the file is there. Shows that the server speaks well. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { StandIn } from '../../src/hands/stand-in/stand-in.ts';
import { run } from '../../src/os/process/run.ts';
import { CLIS, type Cli, cliBin } from '../support/clis.ts';

type Start = {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
};

const START: Readonly<Record<Cli, (url: string, home: string) => Start>> = {
  claude: (url, home) => ({
    args: ['-p', '--output-format', 'stream-json', '--verbose', '--dangerously-skip-permissions'],
    env: {
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: 'dummy',
      CLAUDE_CONFIG_DIR: join(home, '.claude'),
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      CLAUDE_CODE_MAX_RETRIES: '0',
      DISABLE_AUTOUPDATER: '1',
      IS_SANDBOX: '1',
    },
  }),
  codex: (url, home) => ({
    args: [
      ...['exec', '--json', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox'],
      ...['-c', 'analytics.enabled=false', '-c', 'check_for_update_on_startup=false'],
      ...['--disable', 'plugins', '--disable', 'apps', '-c', 'model_provider="s"'],
      '-c',
      `model_providers.s={name="s",base_url="${url}/v1",env_key="OPENAI_API_KEY",wire_api="responses",request_max_retries=0,stream_max_retries=0}`,
      '-',
    ],
    env: { OPENAI_API_KEY: 'dummy', CODEX_HOME: join(home, '.codex') },
    files: { '.codex/.keep': '' },
  }),
  copilot: (url, home) => ({
    args: ['--output-format', 'json', '--allow-all', '--no-ask-user', '--no-auto-update'],
    env: {
      COPILOT_HOME: join(home, '.copilot'),
      COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
      COPILOT_PROVIDER_TYPE: 'openai',
      COPILOT_PROVIDER_API_KEY: 'dummy',
      COPILOT_MODEL: 'stand-in',
      COPILOT_OFFLINE: 'true',
      COPILOT_AUTO_UPDATE: 'false',
    },
  }),
  gemini: (url, home) => ({
    args: ['--output-format', 'stream-json', '--yolo', '--skip-trust'],
    env: {
      GEMINI_CLI_HOME: home,
      GEMINI_API_KEY: 'dummy',
      GOOGLE_GEMINI_BASE_URL: url,
      GEMINI_CLI_NO_RELAUNCH: 'true',
    },
    files: {
      '.gemini/settings.json': JSON.stringify({
        security: { auth: { selectedType: 'gemini-api-key' } },
        general: { maxAttempts: 1 },
        privacy: { usageStatisticsEnabled: false },
      }),
    },
  }),
  opencode: (url) => ({
    args: ['run', '--format', 'json', '--auto', '-m', 's/m'],
    env: {
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_CONFIG_CONTENT: JSON.stringify({
        autoupdate: false,
        share: 'disabled',
        provider: {
          s: {
            npm: '@ai-sdk/openai-compatible',
            name: 's',
            options: { baseURL: `${url}/v1`, apiKey: 'dummy' },
            models: { m: { name: 'm' } },
          },
        },
      }),
    },
  }),
};

test.each(CLIS)(
  '%s writes the file that the scenario wants, and then says its text',
  { timeout: 120_000 },
  async (cli) => {
    const dir = mkdtempSync(join(tmpdir(), `${cli}-`));
    const [home, work, temp] = ['home', 'work', 'tmp'].map((name) => join(dir, name)) as [string, string, string];
    try {
      await using server = new StandIn({
        scenario: { turns: [{ write: { path: 'made/hello.txt', text: 'hello\n' } }, { text: 'All is done.' }] },
      });
      const { url } = await server.listen();
      const { args, env, files = {} } = START[cli](url, home);
      for (const one of [home, work, temp]) mkdirSync(one);
      for (const [path, text] of Object.entries(files)) {
        mkdirSync(dirname(join(home, path)), { recursive: true });
        writeFileSync(join(home, path), text);
      }
      const ended = await run(cliBin(cli), args, {
        cwd: work,
        // Nothing of ours: neither keys nor settings of whoever runs the tests. Node is for those that are scripts.
        // What wants to go elsewhere (opencode asks a registry) ends at the stand-in too, which is no proxy.
        env: {
          ...{ HOME: home, TMPDIR: temp, PATH: `${dirname(process.execPath)}:/usr/bin:/bin` },
          ...{ HTTPS_PROXY: url, NO_PROXY: '127.0.0.1' },
          ...env,
        },
        input: 'Make the file made/hello.txt.\n',
        timeoutMs: 100_000,
      });
      expect(ended.code, `${ended.stdout}\n${ended.stderr}`).toBe(0);
      expect(readFileSync(join(work, 'made/hello.txt'), 'utf8')).toBe('hello\n');
      expect(ended.stdout).toContain('All is');
      expect(server.mainRequests.map(({ turn, key }) => [turn, key])).toEqual([
        [0, 'dummy'],
        [1, 'dummy'],
      ]);
    } finally {
      rmSync(dir, { recursive: true });
    }
  },
);
