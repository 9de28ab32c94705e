/** `supervisor reject TASK [STEP] --reason TEXT`: rejects a step that waits for a person. */
import type { CommandRun } from '../command.ts';
import { answerStep } from './approve.ts';

export const run: CommandRun = (context) => answerStep(context, 'REJECT');
