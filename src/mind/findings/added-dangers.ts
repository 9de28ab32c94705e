/** What a security gate would report for added lines: secrets, which block, and dangerous calls, which are hints. */
import type { ChangedFile } from '../changes/changed-file.ts';
import { dangerousFindings } from '../gates/security/dangerous.ts';
import { secretFindings } from '../gates/security/secrets.ts';
import { findSecrets } from '../secrets/scan.ts';
import type { RuleFinding } from './index.ts';

type AddedDangers = { readonly secrets: readonly RuleFinding[]; readonly calls: readonly RuleFinding[] };

export function addedDangers(files: readonly ChangedFile[], isTest: (path: string) => boolean): AddedDangers {
  const found = files.map(({ after }) => (after === null ? [] : findSecrets(after)));
  return { secrets: secretFindings(files, found, isTest).map(asRule), calls: dangerousFindings(files).map(asRule) };
}

const asRule = ({ rule, severity, path, line, message, tool }: Omit<RuleFinding, 'blocks'>): RuleFinding => ({
  rule,
  severity,
  path,
  line,
  message,
  tool,
  blocks: severity === 'critical',
});
