/** The programs inside as a package has them: one file each, alone beside Node. */
import { execFileSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { bridgeInput, INSIDE_DIR, INSIDE_NODE } from '../../src/mind/workers/bridge.ts';
import { Boxed } from './sandboxed-program.ts';

const BUILD = fileURLToPath(new URL('../../tools/build.ts', import.meta.url));

test('bundled, they start and speak without anything else of ours', async () => {
  await using boxed = await Boxed.start();
  const { outside } = boxed;
  const out = join(outside.dir, 'dist');
  execFileSync(process.execPath, [BUILD, '--out', out], { stdio: ['ignore', 'ignore', 'inherit'] });
  expect(readdirSync(join(out, 'inside')).sort()).toEqual(['acp.cjs', 'bridge.cjs', 'http.cjs']);
  await using proxy = await outside.open({ route: outside.route() });
  outside.answer = (_, response) =>
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ choices: [{ message: { content: 'yes' }, finish_reason: 'stop' }] }));
  const program = (name: string) => [INSIDE_NODE, `${INSIDE_DIR}/${name}.cjs`] as const;
  const run = async (argv: readonly string[], input: string) => {
    let text = '';
    const { end } = await boxed.sandbox.run({
      argv: program('bridge'),
      policy: boxed.policy(proxy, {
        readable: [
          { from: process.execPath, to: INSIDE_NODE },
          { from: join(out, 'inside'), to: INSIDE_DIR },
        ],
      }),
      input: bridgeInput({ files: [], argv: argv as [string] }, input),
      onOutput: (_, bytes) => {
        text += Buffer.from(bytes).toString();
      },
      signal: new AbortController().signal,
    });
    return { end, text };
  };
  const answer = await run([...program('http'), 'http://127.0.0.1:40861', '{"model":"m"}'], 'well?');
  expect(answer.text).toMatch(/^\{"type":"text","text":"yes"\}\n\{"type":"result","finish":"stop"/);
  expect(answer.end).toEqual({ how: 'exit', code: 0 });
  const agent = await run([...program('acp'), 'change', '/workspace', '/bin/false'], 'well?');
  expect(agent.text).toMatch(/^\{"type":"error"/);
  expect(agent.end).toEqual({ how: 'exit', code: 1 });
  rmSync(out, { recursive: true });
});
