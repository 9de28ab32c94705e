/** The approval policies in force: the project's and the user's. Both count, so neither weakens the other. */
import { lstatSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseApprovals } from '../../mind/approvals/policy-file.ts';
import { problemText } from '../../mind/fields/parse-file.ts';
import type { ApprovalPolicy } from '../../mind/workflows/approval-policy.ts';
import { readTextFile } from '../../os/files/text-file.ts';
import { ConfigError } from './config-error.ts';
import type { Environment } from './environment.ts';
import { MAX_CONFIG_BYTES, type ProjectFiles, projectText } from './project-files.ts';

export const APPROVALS = 'approvals.yaml';

export function loadApprovals(environment: Environment, files: ProjectFiles | null): ApprovalPolicy[] {
  const own = files === null ? null : projectText(files, APPROVALS);
  return [own, ofPerson(environment)].flatMap((one) => (one === null ? [] : [policyIn(one)]));
}

function ofPerson({ userConfig }: Environment): { readonly text: string; readonly file: string } | null {
  const file = join(dirname(userConfig), APPROVALS);
  if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return null;
  const text = readTextFile(file, MAX_CONFIG_BYTES);
  if (typeof text !== 'string') throw new ConfigError(text.message);
  return { text, file };
}

function policyIn({ text, file }: { readonly text: string; readonly file: string }): ApprovalPolicy {
  const parsed = parseApprovals(text, file);
  if (parsed.type === 'problem') throw new ConfigError(problemText(parsed));
  return parsed.policy;
}
