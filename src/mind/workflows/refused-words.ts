/** Words of other workflow formats: each is refused with the word to write instead. */
import * as v from 'valibot';

/** A known key that is never accepted; the suggestion may depend on its value. */
export const refused = (instead: (value: unknown) => string) =>
  v.optional(v.never(({ input }) => `is not a key here: ${instead(input)}`));

export function ofType(value: unknown): string {
  if (value === 'human_gate') return 'write `kind: human`';
  if (value === 'orchestrator_gate' || value === 'orchestrator')
    return 'write `kind: gate`, or `kind: commit` for the step that commits, or `kind: pull_request`';
  return 'write `kind`';
}

export function ofGate(value: unknown): string {
  const said = String(value);
  if (/^BOTH_(APPROVED|PASSED)$|^ALL_(APPROVED|PASSED)$/i.test(said))
    return 'write `require: all` (every reviewer approves) or `require: consensus`';
  if (/^\w+_STATUS\s*:/i.test(said) || /^(APPROVED|PASSED)$/i.test(said))
    return 'leave it out: the `status` of the answer decides, and `on_reject: STEP` says where a rejection leads';
  if (said === 'structured_json_only') return 'leave it out: every answer is read strictly, against a schema';
  return `write \`gates: [${/^[a-z0-9_-]+$/.test(said) ? said : 'NAME'}]\``;
}

export const ofTerminal = (): string => 'leave it out: a step that nothing follows ends its way';
export const ofAutoApprove = (): string => 'leave it out: gates and reviews decide, no step approves itself';
export const ofWorkflow = (): string => 'write what is below it at the top of the file';
export const ofInitialStep = (): string => 'leave it out: a task begins with the step that needs no other';
export const ofOverrides = (): string =>
  'write the changed steps under `steps`, with `extends` (overrides belong to `workflow:` of a config)';

/**
 * Placeholders would insert text of a candidate into a command line. Shell variables such as `$HOME` are the shell's.
 */
export function commandProblem(command: string | readonly string[]): string | null {
  const line = typeof command === 'string' ? command : command.join(' ');
  const placeholder = /\{\{?\s*(?:file|files|path|paths|task|task_id|branch|commit|target)\s*\}?\}/i.exec(line)?.[0];
  if (placeholder !== undefined)
    return `holds ${placeholder}: nothing is put into a command. Declare a gate with \`applies_to\` in the config, which passes changed files as arguments`;
  if (/^\s*git\s+commit\b/.test(line)) return 'is done by Supervisor: write `kind: commit` instead of the command';
  if (/^\s*gh\s+pr\s+create\b/.test(line)) return 'is not run: write `kind: pull_request` instead of the command';
  const shell = /\$\{(PR_TITLE|PR_BODY|TASK|TASK_ID|FILE|FILES)\}/.exec(line)?.[0];
  return shell === undefined ? null : `holds ${shell}: nothing is put into a command`;
}
