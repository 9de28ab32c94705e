/** Removes secrets from everything that is written or sent: by form, and the operator's own ones by value. */
import type { Redact } from '../engine/ports/surroundings.ts';
import { createRedactor } from '../hands/redact/redact.ts';
import { secretVariables } from '../mind/secrets/known-values.ts';
import { ConfigError } from './config/config-error.ts';
import type { Environment } from './config/environment.ts';
import { loadUserConfig } from './config/files.ts';

/** Only the user may declare a text harmless: a project could switch redaction off. */
export function redactorFor(environment: Environment): Redact {
  return redactorAllowing(environment, loadUserConfig(environment).config.secrets?.allow ?? []);
}

/** Works even if the config has a mistake: then no exception applies, and more is removed. */
export function redactorAnyway(environment: Environment): Redact {
  try {
    return redactorFor(environment);
  } catch (error) {
    if (error instanceof ConfigError) return redactorAllowing(environment, []);
    throw error;
  }
}

const redactorAllowing = (
  environment: Environment,
  allow: NonNullable<NonNullable<Parameters<typeof createRedactor>[0]>['allow']>,
): Redact => createRedactor({ known: secretVariables(environment.variables()), allow });
