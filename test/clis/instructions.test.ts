/** Instructions of the repository reach a worker once: from the CLI that reads them itself, or in the packet. */
import { expect, test } from 'vitest';
import { ADAPTERS } from '../../src/mind/workers/adapters/index.ts';
import { CLIS, Through, WRITES } from './through.ts';

const FILES = { 'AGENTS.md': 'quokka', 'CLAUDE.md': 'narwhal', 'GEMINI.md': 'axolotl' };

test.each(CLIS)('%s receives each file of instructions once', async (cli) => {
  await using through = await new Through(WRITES).open([cli]);
  through.world.commit(Object.fromEntries(Object.entries(FILES).map(([file, word]) => [file, `Say ${word}.\n`])));
  const { stdout, stderr } = await through.run(cli);
  const [first] = through.standIn.mainRequests;
  const body = JSON.stringify(first);
  const times = Object.fromEntries(Object.entries(FILES).map(([file, word]) => [file, body.split(word).length - 1]));
  expect(times, stdout + stderr).toEqual({ 'AGENTS.md': 1, 'CLAUDE.md': 1, 'GEMINI.md': 1 });
  const { task_id } = JSON.parse(stdout);
  const packets = await through.world.run(['show', task_id, '--packets'], through.env());
  // The control: what the adapter claims to read is not in the packet, so the one time above is the CLI's own doing.
  const sent = Object.entries(FILES).flatMap(([file, word]) => (packets.stdout.includes(word) ? [file] : []));
  const own = ADAPTERS[cli]?.instructions ?? [];
  expect(sent).toEqual(Object.keys(FILES).filter((file) => !own.includes(file)));
});
