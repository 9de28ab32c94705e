/** A model behind chat completions answers a whole task: through the command line, the sandbox and the proxy. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { StandIn } from '../../src/hands/stand-in/stand-in.ts';
import { PATH, World } from '../support/cli.ts';

const KEY = 'sk-or-canary-51d2e84b607f3a9c';
const FINDING = 'greetings are made in README.md:1';
const ANSWER = `I looked.\n\n\`\`\`json\n${JSON.stringify({ status: 'SUCCESS', finding: FINDING })}\n\`\`\`\n`;

let world: World;
let standIn: StandIn;
let url: string;
beforeEach(async () => {
  world = new World();
  world.commit({ 'README.md': 'greetings\n' });
  standIn = new StandIn({ scenario: { turns: [{ text: ANSWER, usage: { input: 130, output: 40 } }] } });
  ({ url } = await standIn.listen());
});
afterEach(async () => {
  await standIn.close();
  world[Symbol.dispose]();
});

/** As docs/reference/config.md shows them, but for where they are. */
const OLLAMA = () => `clis:\n  ollama: {adapter: http, base_url: "${url}/v1", model: qwen3-coder}\n`;
const OPENROUTER = () =>
  `clis:\n  openrouter: {adapter: http, base_url: "${url}/api/v1", model: vendor/some-model, key: OPENROUTER_API_KEY}\n`;

const ask = (cli: string, ...more: string[]) =>
  world.run(['run', 'where are greetings made?', '--cli', cli, '--json', ...more], { PATH, OPENROUTER_API_KEY: KEY });

test.each([
  { cli: 'ollama', config: OLLAMA, path: '/v1/chat/completions', model: 'qwen3-coder', key: null },
  { cli: 'openrouter', config: OPENROUTER, path: '/api/v1/chat/completions', model: 'vendor/some-model', key: KEY },
])('$cli answers a question, and its answer is on record', async ({ cli, config, path, model, key }) => {
  world.userConfig(config());
  const { code, stdout, stderr } = await ask(cli, '--workflow', 'ask');
  expect(code, stdout + stderr).toBe(0);
  const report = JSON.parse(stdout);
  expect(report).toMatchObject({
    status: 'accepted',
    steps: [{ id: 'answer', kind: 'answer', cli }],
    cost: { tokens_in: 130, tokens_out: 40 },
  });
  expect(standIn.mainRequests.map((one) => ({ path: one.path, key: one.key, model: one.model }))).toEqual([
    { path, key, model },
  ]);
  expect(JSON.stringify(standIn.mainRequests[0]?.body)).toContain('where are greetings made?');
  const said = await world.run(['show', report.task_id, '--said']);
  expect(said.stdout).toContain(FINDING);
});

test('doctor finds it ready', async () => {
  world.userConfig(`${OLLAMA()}default_cli: [ollama]\n`);
  const { findings } = await world.json<{ findings: { name: string; state: string }[] }>(['doctor'], { PATH });
  expect(findings.find(({ name }) => name === 'cli ollama')).toMatchObject({ state: 'ok' });
});

test('a step that changes files is refused before anything starts, and so is a config without a model', async () => {
  world.userConfig(OLLAMA());
  const change = await ask('ollama', '--gate', 'tests=true');
  expect(change.code, change.stdout).toBe(2);
  expect(change.stdout).toContain('ollama only answers and changes no files: choose another CLI');
  world.userConfig(`clis:\n  ollama: {adapter: http, base_url: "${url}/v1"}\n`);
  const nameless = await ask('ollama', '--workflow', 'ask');
  expect(nameless.code).toBe(2);
  expect(nameless.stdout).toContain('needs base_url and model');
  expect([await world.tasks(), standIn.count]).toEqual([[], 0]);
});
