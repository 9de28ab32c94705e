/**
 * `supervisor init`: suggests how to work on this repository and check it, and writes the config if the user agrees.
 */
import { installedPacks, refuseExistingConfig, writeProjectConfig } from '../../../app/config/init-project.ts';
import { readProjectFiles } from '../../../app/config/project-files.ts';
import { surveyProject } from '../../../app/config/survey-project.ts';
import { trust } from '../../../app/config/trust.ts';
import { locateProject } from '../../../app/open-store.ts';
import { asSuggested, chosen, type InitChoice, readAnswer } from '../../../mind/detect/choose.ts';
import { configText } from '../../../mind/detect/config-text.ts';
import { detect, type Suggestion } from '../../../mind/detect/detect.ts';
import { GitError } from '../../../os/git/git-error.ts';
import { readRepository } from '../../../os/git/repository.ts';
import { type CommandRun, EXIT } from '../command.ts';
import { canAsk } from '../confirm.ts';
import { Dialogue } from '../dialogue.ts';
import type { Output } from '../output.ts';
import { showSuggestion } from '../show-suggestion.ts';
import { tellSilence } from '../silence.ts';

export const run: CommandRun = async ({ out, environment, flags, dir }) => {
  using silence = tellSilence(out, 'looking through the repository …');
  const { id } = locateProject(dir);
  const { top, commonDir } = await readRepository(dir);
  if (top === commonDir) throw new GitError(`${dir} is a bare repository: run \`supervisor init\` in a checkout of it`);
  refuseExistingConfig(top);
  // Also refuses links and other things that could never be trusted.
  const before = readProjectFiles(environment, top);
  const survey = surveyProject(top, () => silence.look());
  const found = detect(survey, installedPacks(environment));
  silence.end();
  showSuggestion(out, found);
  if (flags['yes'] !== true && !canAsk(out.json)) {
    out.error(
      'confirm',
      'there is no terminal to ask on: run `supervisor init` on one, or pass --yes (nothing was written)',
    );
    return EXIT.waiting;
  }
  const suggestion = flags['yes'] === true ? found : await agreed(out, found);
  if (suggestion === null) {
    out.line('nothing was written');
    return EXIT.failed;
  }
  const written = writeProjectConfig(top, configText(suggestion));
  // Trusts only what was written here; other files beside it have to be looked at.
  if (before === null) trust(environment, id, written, new Date());
  const file = `${written.folder}/config.yaml`;
  out.value({ project: id, file, trusted: before === null, ...suggestion });
  out.line(`✓ wrote ${file}${before === null ? ', and trusted it' : ''}`, 'good');
  if (before !== null)
    out.line('there are other files in .supervisor/: look at all of it with `supervisor trust`', 'note');
  if (suggestion.gates.length === 0) out.line('it has no gate yet: `supervisor run` refuses until you add one', 'note');
  else
    out.line(
      '`supervisor check` runs its gates on what is committed, `supervisor gates check` tries whether they can fail',
      'note',
    );
  return EXIT.done;
};

/** Asks group by group. Null if the user declines or leaves. */
async function agreed(out: Output, suggestion: Suggestion): Promise<Suggestion | null> {
  using dialogue = new Dialogue();
  const usual = asSuggested(suggestion);
  const packs = await choose(out, dialogue, 'pack', usual.packs, suggestion.packs);
  if (packs === null) return null;
  const all = [...suggestion.gates, ...suggestion.ideas];
  const gates = all.length === 0 ? [] : await choose(out, dialogue, 'gate', usual.gates, all);
  if (gates === null) return null;
  const environment = suggestion.environment === null || (await dialogue.agree('Use this environment?'));
  if (environment === null) return null;
  const choice: InitChoice = { packs, gates, environment };
  return (await dialogue.agree('Write .supervisor/config.yaml?')) === true ? chosen(suggestion, choice) : null;
}

/** Enter takes the suggestion; names take exactly those, even ones that were not suggested. */
async function choose(
  out: Output,
  dialogue: Dialogue,
  what: string,
  suggested: readonly string[],
  all: readonly { readonly name: string }[],
): Promise<readonly string[] | null> {
  const known = all.map(({ name }) => name);
  const usual = suggested.length === 0 ? 'Enter: none' : `Enter: ${suggested.join(', ')}; n: none`;
  for (;;) {
    const typed = await dialogue.ask(`Which ${what}s? [${usual}; or names]`);
    if (typed === null) return null;
    const answer = readAnswer(typed, suggested, known);
    if (answer.type === 'names') return answer.names;
    out.line(`there is no ${what} ${answer.name}; there are: ${known.join(', ')}`, 'note');
  }
}
