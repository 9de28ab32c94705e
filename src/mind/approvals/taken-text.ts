/** Describes a step that a person took: who, since when, where, and how it ends. */
import type { Taken } from '../domain/taken.ts';

import { personOf } from './people.ts';

type Lease = Pick<Taken, 'by' | 'at' | 'dir'>;

/** For a person who sends another command to the task. */
export const takenText = (task: string, taken: Lease): string =>
  `${personOf(taken.by)} has task ${task} since ${sinceText(taken)}, in ${taken.dir}: ${endsText(task)}`;

/** As the reason why the step waits. */
export const withPersonText = (task: string, taken: Lease): string =>
  `${personOf(taken.by)}, who has it since ${sinceText(taken)}, in ${taken.dir}: ${endsText(task)}`;

const endsText = (task: string): string =>
  `\`supervisor give ${task}\` hands in what was made, \`supervisor take ${task} --drop\` leaves it to the workers`;

const sinceText = ({ at }: Lease): string => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
