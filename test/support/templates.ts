/** The prompt templates that we ship. */
import { readEnvironment } from '../../src/app/config/environment.ts';
import { loadTemplates } from '../../src/app/config/prompts.ts';

export const TEMPLATES = loadTemplates(readEnvironment({ HOME: '/nonexistent' }), null);
