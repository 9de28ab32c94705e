/**
 * What the settings of a workflow require of its steps. Requirements on the project are checked when a task is made.
 */
import type { FileProblem } from '../fields/yaml.ts';
import type { Drafted } from './extend.ts';
import type { PlacedStep } from './write-steps.ts';

const SECURITY = 'security_review';

export function settingProblem(drafted: Drafted, placed: readonly PlacedStep[]): FileProblem | null {
  const { settings, settingAt, disabled } = drafted;
  if (settings.security_review === true) {
    // The step cannot be forgotten: only naming it disables it.
    const isThere = placed.some(({ draft }) => draft.id === SECURITY) || disabled.some(({ id }) => id === SECURITY);
    if (!isThere)
      return settingAt('security_review')(
        `asks for a step named ${SECURITY}, and there is none: write it, with role: security_auditor`,
      );
  }
  if (settings.auto_pr === true && !placed.some(({ kind }) => kind === 'commit'))
    return settingAt('auto_pr')(
      'opens a pull request after the commit, and no step commits: write one with `kind: commit`',
    );
  if (settings.human_approval === true && !placed.some(({ kind }) => kind === 'commit'))
    return settingAt('human_approval')(
      'has a person approve the commit, and no step commits: write one with `kind: commit`',
    );
  if (settings.require_changelog === true && !placed.some(({ kind }) => kind === 'commit'))
    return settingAt('require_changelog')(
      'refuses a commit without a changelog entry, and no step commits: write one with `kind: commit`',
    );
  if (settings.dual_review !== true) return null;
  const reviews = placed.filter(({ kind }) => kind === 'review');
  const single = reviews.find(({ draft: { says } }) => new Set(says.review ?? says.roles).size < 2);
  if (single !== undefined) {
    const key = single.draft.says.review === undefined ? 'roles' : 'review';
    return single.draft.at(key)(
      'the setting `dual_review` asks for two different roles in each review: name another one',
    );
  }
  if (reviews.length > 0) return null;
  return settingAt('dual_review')(
    'asks for a review by two roles, and no step is a review: write one with `review: [A, B]`',
  );
}
