/** `supervisor init`: suggests how this repository is checked, and writes it down when a person agrees. */
import { refuseExistingConfig, surveyProject, writeProjectConfig } from '../../../app/config/init-project.ts';
import { readProjectFiles } from '../../../app/config/project-files.ts';
import { trust } from '../../../app/config/trust.ts';
import { locateProject } from '../../../app/open-store.ts';
import { configText } from '../../../mind/detect/config-text.ts';
import { detect, type Suggestion } from '../../../mind/detect/detect.ts';
import { GitError } from '../../../os/git/git-error.ts';
import { readRepository } from '../../../os/git/repository.ts';
import { type CommandRun, EXIT } from '../command.ts';
import { canAsk, confirm } from '../confirm.ts';
import type { Output } from '../output.ts';

export const run: CommandRun = async ({ out, environment, flags, dir }) => {
  const { id } = locateProject(dir);
  const { top, commonDir } = await readRepository(dir);
  if (top === commonDir) throw new GitError(`${dir} is a bare repository: run \`supervisor init\` in a checkout of it`);
  refuseExistingConfig(top);
  // Also refuses links and other things that could never be trusted.
  const before = readProjectFiles(environment, top);
  const suggestion = detect(surveyProject(top));
  show(out, suggestion);
  if (flags['yes'] !== true) {
    if (!canAsk(out.json)) {
      out.error(
        'confirm',
        'nobody is there to be asked: run `supervisor init` on a terminal, or say --yes (nothing was written)',
      );
      return EXIT.waiting;
    }
    if (!(await confirm('Write .supervisor/config.yaml?'))) {
      out.line('nothing was written');
      return EXIT.failed;
    }
  }
  const written = writeProjectConfig(top, configText(suggestion));
  // Only what was written here is trusted; what somebody else put beside it has to be looked at.
  if (before === null) trust(environment, id, written, new Date());
  const file = `${written.folder}/config.yaml`;
  out.value({ project: id, file, trusted: before === null, ...suggestion });
  out.line(`✓ wrote ${file}${before === null ? ', and trusted it' : ''}`, 'good');
  if (before !== null)
    out.line('there are other files in .supervisor/: look at all of it with `supervisor trust`', 'note');
  if (suggestion.gates.length === 0)
    out.line('no gate is named in it yet: `supervisor run` will refuse until there is one', 'note');
  return EXIT.done;
};

function show(out: Output, { gates, environment, notes }: Suggestion): void {
  out.heading('Found in this repository:');
  for (const gate of gates) {
    out.entry(`  gate ${gate.name.padEnd(12)}`, gate.command);
    out.entry(`  ${''.padEnd(17)}`, `because ${gate.reason}`);
  }
  if (gates.length === 0) out.line('  nothing that says how it is tested', 'note');
  if (environment !== null) {
    out.entry(`  ${'environment'.padEnd(17)}`, environment.prepare);
    out.entry(`  ${''.padEnd(17)}`, `because ${environment.reason}`);
    out.entry(
      `  ${''.padEnd(17)}`,
      `again when one of these changes: ${environment.key.join(', ')}; kept: ${environment.outputs.join(', ')}`,
    );
  }
  for (const note of notes) out.entry(`  ${'note'.padEnd(17)}`, note, 'note');
}
