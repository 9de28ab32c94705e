import type { ReadReport } from './report.ts';
export function readReport(_format: string, _text: string): ReadReport {
  return { type: 'unusable', problem: 'not there yet' };
}
