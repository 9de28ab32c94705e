/** `~/.supervisor/config.yaml`: what the person in charge sets for all projects. */
import * as v from 'valibot';
import { limitsConfig } from './limits.ts';

export const userConfig = v.strictObject({ limits: v.optional(limitsConfig) });
