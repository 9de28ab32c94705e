/** One line of `doctor`: what was checked, its state, and how to repair it. */
export type DoctorFinding = {
  readonly name: string;
  /** `absent`: not installed, and not needed. */
  readonly state: 'ok' | 'degraded' | 'missing' | 'absent';
  readonly detail: string;
  readonly fix: string | null;
};
