/** Takes secrets out of everything that is written or sent: by form, and the operator's own ones by value. */
import type { Redact } from '../engine/ports/surroundings.ts';
import { createRedactor } from '../hands/redact/redact.ts';
import { secretVariables } from '../mind/secrets/known-values.ts';
import type { Environment } from './config/environment.ts';
import { loadUserConfig } from './config/files.ts';

/** What is no secret, only the person may say: a project could switch it all off. */
export function redactorFor(environment: Environment): Redact {
  const { config } = loadUserConfig(environment);
  return createRedactor({ known: secretVariables(environment.variables()), allow: config.secrets?.allow ?? [] });
}
