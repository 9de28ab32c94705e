/** 60 honest changes of four sample projects: no canary is alarmed. */
import { honestCases } from './honest-cases.ts';

honestCases(1, 57);
