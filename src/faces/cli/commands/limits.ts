/** `supervisor limits`: every limit, its unit, and where it was set. */
import { loadLimits, loadSettings } from '../../../app/config/files.ts';
import { limitReports } from '../../../app/config/limits.ts';
import { projectAt } from '../../../app/open-store.ts';
import { readRepository } from '../../../os/git/repository.ts';
import { type CommandRun, EXIT } from '../command.ts';
import { limitsOf } from '../limit-flag.ts';

export const run: CommandRun = async ({ out, environment, flags, dir }) => {
  const said = limitsOf(flags['limit']);
  const project = projectAt(dir);
  const inForce =
    project === null
      ? loadLimits(environment, said)
      : loadSettings(environment, { id: project.id, top: (await readRepository(dir)).top }, said);
  const limits = limitReports(inForce);
  out.value({ limits });
  const width = (of: (one: (typeof limits)[number]) => string) => Math.max(...limits.map((one) => of(one).length));
  const keys = width(({ key }) => key);
  const texts = Math.min(
    width(({ text }) => text),
    32,
  );
  for (const { key, text, from, means } of limits)
    out.entry(
      `${key.padEnd(keys)}  ${text.padEnd(texts)} `,
      `${from}  (${means})`,
      from === 'default' ? 'plain' : 'note',
    );
  return EXIT.done;
};
