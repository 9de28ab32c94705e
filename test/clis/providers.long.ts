/** CLIs that work with the models of several vendors, with each of those that the smoke runs leave out. */
import { expect, test } from 'vitest';
import { StandIn } from '../../src/hands/stand-in/stand-in.ts';
import { adapterOf } from '../../src/mind/workers/cli-config.ts';
import { World } from '../support/cli.ts';
import { clisBin } from '../support/clis.ts';
import { GATE, KEY, WRITES } from './through.ts';

test.each([
  ['copilot', 'openai', 'responses'],
  ['copilot', 'anthropic', 'anthropic'],
  ['opencode', 'openai', 'responses'],
  ['opencode', 'google', 'gemini'],
  ['opencode', 'openrouter', 'chat'],
] as const)('%s with a key of %s', async (cli, name, protocol) => {
  const provider = adapterOf(cli)?.providers.find((one) => one.name === name);
  const variable = provider?.keys[0]?.variable ?? '';
  using world = new World();
  await using standIn = new StandIn({ scenario: { turns: WRITES } });
  const { url } = await standIn.listen();
  const base = provider?.upstream.endsWith('/v1') === true ? `${url}/v1` : url;
  world.userConfig(`clis:\n  ${cli}:\n    provider: ${name}\n    base_url: ${base}\n    model: stand-in\n`);
  const env = { PATH: `${clisBin()}:${process.env['PATH']}`, [variable]: KEY };
  const { code, stdout, stderr } = await world.run(['run', 'write a greeting', '--cli', cli, ...GATE, '--json'], env);
  expect([code, JSON.parse(stdout).status], stdout + stderr).toEqual([0, 'accepted']);
  expect(standIn.mainRequests.map((one) => [one.protocol, one.key])).toEqual([
    [protocol, KEY],
    [protocol, KEY],
  ]);
});
